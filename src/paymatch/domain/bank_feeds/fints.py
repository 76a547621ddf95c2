"""A dialogue with a bank by FinTS: the bank's questions to a person, and its answers about payees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from paymatch.domain.refunds.payee_check import PayeeAnswer


class DialogueStatus(StrEnum):
    """State of a dialogue. The first two are open: a shop has one open dialogue at a time."""

    RUNNING = "RUNNING"  # the bank is being asked
    ASKING = "ASKING"  # a person is being asked
    DONE = "DONE"
    REFUSED = "REFUSED"  # by the bank, by us, or stopped by a person
    LOST = "LOST"  # its process has ended, and the PIN is gone with it


class BankQuestionKind(StrEnum):
    """What a person is asked."""

    MECHANISM = "MECHANISM"  # how they receive TANs
    MEDIUM = "MEDIUM"  # which device
    TAN = "TAN"
    APP = "APP"  # to approve in the bank's app
    PAYEES = "PAYEES"  # whether to pay although names differ


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """A question to a person. `options` are (value, words); `picture` is an image for the TAN, b"" for none."""

    kind: BankQuestionKind
    text: str = ""
    options: tuple[tuple[str, str], ...] = ()
    picture: bytes = b""
    needs_start_code: bool = False  # the bank sent a flickering graphic, which is not drawn
    payees: tuple[PayeeAnswer, ...] = ()


class SendPhase(StrEnum):
    """How far a transfer file has gone, recorded before each message that the bank may act on."""

    PREPARED = "PREPARED"  # the bank does not have it
    SENT = "SENT"  # the bank may act on it
    ASKED = "ASKED"  # the bank has it, and waits for a person's answer
