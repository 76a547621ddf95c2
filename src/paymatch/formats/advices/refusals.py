"""Messages about remittance advices that cannot be read."""

from __future__ import annotations

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.foreign_text import plain


class AdviceUnreadable(Refused):
    """The advice has a text, but its payments are uncertain; `text` is what was read."""

    message: Message

    def __init__(self, why: Message, text: str) -> None:
        super().__init__(why)
        self.text = plain(text)
