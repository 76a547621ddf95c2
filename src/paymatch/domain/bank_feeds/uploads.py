"""Known state of a transfer file sent to the bank by EBICS (D-104) or FinTS (D-138), as a table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class UploadStatus(StrEnum):
    """Known state of an upload."""

    OPEN = "OPEN"  # the bank does not have it: sending starts or continues
    UNCERTAIN = "UNCERTAIN"  # the bank may have it: protocol and status reports decide
    WAITING = "WAITING"  # the bank has it and waits for an approval in its own banking
    ACCEPTED = "ACCEPTED"
    REFUSED = "REFUSED"  # the bank certainly does not have it
    WITHDRAWN = "WITHDRAWN"  # no longer sent by EBICS: its file was discarded, or a person took it


class UploadEvent(StrEnum):
    """What the bank or a person reports about an upload."""

    ACCEPTED = "accepted"
    TAKEN_FOR_APPROVAL = "taken for approval"
    BROKE = "broke after the last segment"
    REFUSED = "refused"
    REPORTED = "named in a status report"
    SENT_AGAIN = "sent again"
    WITHDRAWN = "withdrawn"


_S, _E = UploadStatus, UploadEvent

MOVES: Final[Mapping[tuple[UploadStatus, UploadEvent], UploadStatus]] = {
    (_S.OPEN, _E.ACCEPTED): _S.ACCEPTED,
    (_S.OPEN, _E.TAKEN_FOR_APPROVAL): _S.WAITING,
    (_S.OPEN, _E.BROKE): _S.UNCERTAIN,  # D-104
    (_S.OPEN, _E.REFUSED): _S.REFUSED,
    (_S.OPEN, _E.WITHDRAWN): _S.WITHDRAWN,
    (_S.UNCERTAIN, _E.ACCEPTED): _S.ACCEPTED,  # D-104: the protocol says so
    (_S.UNCERTAIN, _E.TAKEN_FOR_APPROVAL): _S.WAITING,
    (_S.UNCERTAIN, _E.REFUSED): _S.REFUSED,
    (_S.UNCERTAIN, _E.REPORTED): _S.ACCEPTED,  # D-104: the bank reports on what it has
    (_S.UNCERTAIN, _E.WITHDRAWN): _S.WITHDRAWN,  # D-103: a person, after days without an answer from the bank
    (_S.WAITING, _E.ACCEPTED): _S.ACCEPTED,
    (_S.WAITING, _E.REPORTED): _S.ACCEPTED,
    (_S.WAITING, _E.REFUSED): _S.REFUSED,
    (_S.ACCEPTED, _E.REFUSED): _S.REFUSED,  # the final entry of the protocol
    (_S.REFUSED, _E.SENT_AGAIN): _S.OPEN,  # a person, once the reason is gone
    (_S.REFUSED, _E.WITHDRAWN): _S.WITHDRAWN,
}

UNDECIDED: Final = frozenset({_S.UNCERTAIN, _S.WAITING})
"""Uploads that are looked up in the bank's protocol."""


NEVER_SENT: Final = frozenset({_S.REFUSED, _S.WITHDRAWN})
"""Whether the bank certainly does not have the file."""


def status_after(status: UploadStatus, event: UploadEvent) -> UploadStatus | None:
    """The status after `event`; None if it says nothing new."""
    return MOVES.get((status, event))
