"""What a reader says of an advice that it cannot read."""

from __future__ import annotations

from paymatch.domain.refusal import Refused


class AdviceUnreadable(Refused):
    """The text of the advice is there, but does not say surely what is paid; `text` is what was read."""

    def __init__(self, why: str, text: str) -> None:
        super().__init__(why)
        self.text = text
