"""Faults that code expects and handles, each with a readable message."""

from __future__ import annotations

from paymatch.domain.words.message import Message


class Fault(Exception):
    """The base of such faults; `message` says what happened."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class UnreadableValue(Fault, ValueError):
    """A value is invalid for its place."""
