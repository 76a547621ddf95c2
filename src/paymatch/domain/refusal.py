"""Refusals: a request is not executed, and its caller can act on the reason."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.words.message import Message


class Refused(Exception):
    """The base of all refusals. `message` is the reason: the API's `error` and a command's last line in English, a
    page's text in its reader's language.

    `parameter` names its field; `allowed` lists the accepted values, `expected` describes their form: our additions to
    the API's Error body (D-13, D-39).
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
        """Details for programs that the text does not have; only the known ones."""
        found: dict[str, str | int | list[str]] = {}
        if self.parameter:
            found["parameter"] = self.parameter
        if self.allowed:
            found["allowed"] = list(self.allowed)
        if self.expected:
            found["expected"] = str(self.expected)
        return found


class Later(Refused):
    """Too much work in progress; the request may be repeated later (503)."""


class Unknown(Refused):
    """The named thing does not exist, or not in this shop (404)."""
