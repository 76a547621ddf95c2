"""Transfers: the reference that an attempt of a refund carries, and its status at the bank (D-4, D-19, D-31)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.money import EUR
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

REFUND_PREFIX: Final = "PMR"
"""Every refund reference begins with it: a bank line that carries it is ours."""


def refund_reference(payload: str) -> str:
    """The refund's referenceNumber and EndToEndId: fixed prefix, at most 35 characters (D-19)."""
    return f"{REFUND_PREFIX}{payload}"


def end_to_end_id(reference: str, attempt: int) -> str:
    """The reference at the bank: the refund's reference, with the number of the attempt from the second on, so late
    news of an earlier attempt is never mistaken for news of this one (D-31).
    """
    return reference if attempt == 1 else f"{reference}-{attempt}"


def refund_attempt(text: str) -> tuple[str, int] | None:
    """(refund reference, attempt) of an EndToEndId of ours; None for every other text."""
    if not text.startswith(REFUND_PREFIX):
        return None
    reference, dash, attempt = text.partition("-")
    if not dash:
        return reference, 1
    if not (attempt.isascii() and attempt.isdigit() and len(attempt) < 5 and int(attempt) > 1):
        return None
    return reference, int(attempt)


SETTLED: Final = frozenset({"ACSC", "ACCC"})
"""Status codes of pain.002 for money that has left the debtor's, or reached the creditor's account (ISO 20022)."""

NOT_EXECUTED: Final = frozenset({"RJCT", "CANC"})
"""Status codes of pain.002 for a transfer that was rejected, or cancelled at the payer's request: no money leaves."""


class TransferStatus(StrEnum):
    """The status of one attempt of a refund."""

    RELEASED = "RELEASED"  # it is in a transfer file, and the bank has not answered yet
    REJECTED = "REJECTED"
    BOOKED = "BOOKED"
    RETURNED = "RETURNED"
    DISCARDED = "DISCARDED"  # a person said that its file was never sent


class TransferEvent(StrEnum):
    """Events of a transfer in status reports and statements."""

    REPORTED_REJECTED = "reported as rejected"  # RJCT, CANC
    REPORTED_SETTLED = "reported as settled"  # ACSC, ACCC
    DEBIT_BOOKED = "debit booked"
    DEBITED_WITH_ITS_FILE = "debited with its file"  # rejected, but part of the sum that the bank booked
    RETURN_BOOKED = "return booked"
    FILE_DISCARDED = "file discarded"
    DEBIT_UNDONE = "debit undone"  # the statement was undone, and nothing else shows that the money left
    RETURN_UNDONE = "return undone"


class TransferMoveRefused(Refused):
    """The transfer cannot make this move from its present state."""

    def __init__(self, status: TransferStatus, event: TransferEvent) -> None:
        super().__init__(Message("transfer-status-does-not-take", status=status, event=event))


_S, _E = TransferStatus, TransferEvent

INITIAL: Final = _S.RELEASED

TRANSFER_LIFECYCLE: Final = Lifecycle(
    frozenset({INITIAL}),
    {
        (_S.RELEASED, _E.REPORTED_REJECTED): _S.REJECTED,  # D-4
        (_S.RELEASED, _E.REPORTED_SETTLED): _S.BOOKED,  # D-4
        (_S.RELEASED, _E.DEBIT_BOOKED): _S.BOOKED,  # D-4
        (_S.RELEASED, _E.RETURN_BOOKED): _S.RETURNED,  # D-4: a return may come before its debit
        (_S.BOOKED, _E.DEBIT_BOOKED): _S.BOOKED,  # a report said so before
        (_S.BOOKED, _E.REPORTED_REJECTED): _S.REJECTED,  # D-113: no statement shows the debit; a person is alerted
        (_S.REJECTED, _E.REPORTED_SETTLED): _S.BOOKED,  # D-113: likewise; the next attempt waits
        (_S.BOOKED, _E.RETURN_BOOKED): _S.RETURNED,  # D-4
        (_S.BOOKED, _E.DEBIT_UNDONE): _S.RELEASED,  # D-31
        (_S.REJECTED, _E.DEBIT_BOOKED): _S.BOOKED,  # D-31: what is booked outweighs what was reported
        (_S.REJECTED, _E.DEBITED_WITH_ITS_FILE): _S.REJECTED,  # D-31: the bank returns it by a separate credit
        (_S.REJECTED, _E.RETURN_BOOKED): _S.REJECTED,  # D-31: that credit
        (_S.RETURNED, _E.DEBIT_BOOKED): _S.RETURNED,  # the return came first
        (_S.RETURNED, _E.RETURN_BOOKED): _S.RETURNED,  # a batch was divided: a part repeats the news of the whole
        (_S.RETURNED, _E.RETURN_UNDONE): _S.BOOKED,  # D-31
        (_S.RETURNED, _E.DEBIT_UNDONE): _S.RELEASED,  # D-31: both were undone
        (_S.RELEASED, _E.FILE_DISCARDED): _S.DISCARDED,  # D-31
        (
            _S.DISCARDED,
            _E.DEBIT_BOOKED,
        ): _S.BOOKED,  # D-31: it was sent after all; the refund waits, a person is alerted
        (_S.DISCARDED, _E.RETURN_BOOKED): _S.RETURNED,  # D-31: likewise
        (_S.DISCARDED, _E.REPORTED_SETTLED): _S.BOOKED,  # D-31: likewise
        (_S.DISCARDED, _E.REPORTED_REJECTED): _S.REJECTED,  # D-31: likewise
    },
    TransferMoveRefused,
)

MAY_HAVE_LEFT: Final = frozenset({_S.RELEASED, _S.BOOKED})
"""Transfers whose money may be with the payee: their refund is not sent again."""


MAX_AMOUNT_MINOR: Final = 99_999_999_999  # EPC115-06: 999,999,999.99 EUR
_SWISS: Final = frozenset({"CH", "LI"})


class TransferKind(StrEnum):
    """The scheme of a file's transfers, which sets the rules for their content."""

    SEPA = "SEPA"  # EUR within SEPA (EPC132-08)
    SWISS = "SWISS"  # CHF from a Swiss or Liechtenstein account to another one (SPS credit transfer, type D)
    FOREIGN = "FOREIGN"  # everything else (SPS type X; DK annex 3, chapter on other payments)


def kind_of_transfer(currency: str, debtor_iban: str, creditor_iban: str) -> TransferKind:
    """The rules for a transfer between two accounts."""
    if currency == EUR:
        return TransferKind.SEPA
    if currency == "CHF" and debtor_iban[:2] in _SWISS and creditor_iban[:2] in _SWISS:
        return TransferKind.SWISS
    return TransferKind.FOREIGN


class TransferSpeed(StrEnum):
    """The requested speed of a euro transfer (D-112, D-131)."""

    NORMAL = "normal"
    INSTANT = "instant"


class AfterInstant(StrEnum):
    """The next step after a failed instant transfer: a person decides, or a normal transfer is sent."""

    ASK = "ask"
    NORMAL = "normal"


class PayeeCheck(StrEnum):
    """The transfer files for which the bank is asked to verify payees before execution (D-131)."""

    OFF = "off"
    SINGLE = "single"
    ON = "on"

    def covers(self, transfers: int) -> bool:
        """Whether a file with this number of transfers is checked."""
        return self is PayeeCheck.ON or (self is PayeeCheck.SINGLE and transfers == 1)


INSTANT_NOT_POSSIBLE: Final = frozenset(
    {
        "AB05", "AB06", "AB07", "AB08", "AB09", "AB10", "AG03", "AG10", "AG11", "AM02", "AM23", "CNOR", "DNOR", "ED05",
        "TM01",
    }
)  # fmt: skip
"""Reasons (ExternalStatusReason1Code) that only concern instant payment: a bank on the route was silent, absent or not
registered for it, or the amount is above the instant limit. A normal transfer to the same account may arrive.
"""


def goes_at_once(chosen: str, of_shop: str, attempt: int, kind: TransferKind) -> bool:
    """Whether a transfer asks for instant execution. `chosen` for this refund counts first; "" is the shop's setting.

    An attempt after the first goes at once only if a person has chosen so for it (D-112).
    """
    if kind is not TransferKind.SEPA:
        return False
    wanted = chosen or (of_shop if attempt == 1 else TransferSpeed.NORMAL)
    return wanted == TransferSpeed.INSTANT
