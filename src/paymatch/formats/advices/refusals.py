"""Messages about remittance advices that cannot be read."""

from __future__ import annotations

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.foreign_text import plain


class AdviceUnreadable(Refused):
    """The text of the advice is there, but does not say surely what is paid; `text` is what was read."""

    message: Message

    def __init__(self, why: Message, text: str) -> None:
        super().__init__(why)
        self.text = plain(text)
