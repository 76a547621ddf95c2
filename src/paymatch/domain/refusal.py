"""Refusals: a request is not carried out, and its caller can act on the reason."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.words.message import Message


class Refused(Exception):
    """The base of all refusals. `message` says why: the API's `error` and a command's last line in English,
    and a page's words in the language of its reader.

    `parameter` names the field that it is about; `allowed` lists the values that would be taken, `expected` says the
    form of one: our additions to the API's Error body (D-13, D-39).
    """

    def __init__(
        self, message: Message, *, parameter: str = "", allowed: Sequence[str] = (), expected: str = ""
    ) -> None:
        super().__init__(str(message))
        self.message = message
        self.parameter = parameter
        self.allowed = tuple(allowed)
        self.expected = expected

    @property
    def additions(self) -> dict[str, str | int | list[str]]:
        """What the text does not tell a program; only what is known."""
        found: dict[str, str | int | list[str]] = {}
        if self.parameter:
            found["parameter"] = self.parameter
        if self.allowed:
            found["allowed"] = list(self.allowed)
        if self.expected:
            found["expected"] = str(self.expected)
        return found


class Later(Refused):
    """Too much is under way; the same may be asked for again later (503)."""


class Unknown(Refused):
    """What was named does not exist, or not in this shop (404)."""
