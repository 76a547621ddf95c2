"""A case at the collection agency: its life as a table (D-20, D-54)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.words.message import Message


class CaseStatus(StrEnum):
    """The state of a case; the API's collectionStatus."""

    SUBMITTED = "SUBMITTED"  # handed over, the agency has not answered
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"  # the agency does not take it
    PRELEGAL = "PRELEGAL"  # the agency writes to the customer
    INSTALMENT = "INSTALMENT"  # the customer pays in instalments
    LEGAL = "LEGAL"  # a court is asked for an order
    PAID = "PAID"
    PAID_PARTIAL = "PAID_PARTIAL"
    WITHDRAWN = "WITHDRAWN"  # by the shop
    UNCOLLECTIBLE = "UNCOLLECTIBLE"  # the agency has given up


class CaseEvent(StrEnum):
    """What can happen to a case."""

    TAKEN = "agency accepts"
    REFUSED = "agency rejects"
    WRITES = "agency writes to the customer"
    AGREED = "instalments agreed"
    SUED = "legal proceedings"
    PAID = "paid in full"
    PART_PAID = "paid in part"
    GIVEN_UP = "agency gives up"
    WITHDRAWN = "shop withdraws"
    HANDED_OVER = "handed over again"


class CaseMoveRefused(Refused):
    """The case cannot make this move from its present state."""

    def __init__(self, status: CaseStatus, event: CaseEvent, number: str) -> None:
        super().__init__(Message("case-collection-order-does-not", number=number, status=status, event=event))


class CollectionRefused(Refused):
    """An order cannot be handed over or withdrawn, or the agency is not notified; the text says why."""


class CaseUnknown(Unknown):
    """No case has this order number or file number."""

    def __init__(self, what: str) -> None:
        super().__init__(Message("case-unknown", what=repr(what)))


_S, _E = CaseStatus, CaseEvent

AT_AGENCY: Final = (_S.SUBMITTED, _S.ACCEPTED, _S.PRELEGAL, _S.INSTALMENT, _S.LEGAL, _S.PAID_PARTIAL)
"""The agency works on it."""

_OVER: Final = (_S.REJECTED, _S.WITHDRAWN, _S.UNCOLLECTIBLE)
"""The agency no longer works on it: the order may be handed over again."""

_REPORTS: Final = {
    _E.TAKEN: _S.ACCEPTED,
    _E.REFUSED: _S.REJECTED,
    _E.WRITES: _S.PRELEGAL,
    _E.AGREED: _S.INSTALMENT,
    _E.SUED: _S.LEGAL,
    _E.PAID: _S.PAID,
    _E.PART_PAID: _S.PAID_PARTIAL,
    _E.GIVEN_UP: _S.UNCOLLECTIBLE,
    _E.WITHDRAWN: _S.WITHDRAWN,
}

INITIAL: Final = _S.SUBMITTED

CASE_LIFECYCLE: Final = Lifecycle(
    frozenset({INITIAL}),
    {
        # An agency reports in its own rhythm and may leave steps out (D-54); it never goes back to ACCEPTED.
        **{
            (start, event): end
            for start in AT_AGENCY
            for event, end in _REPORTS.items()
            if event not in (_E.TAKEN, _E.REFUSED) or start is _S.SUBMITTED
        },
        # A payment that comes directly ends what the agency had given up (D-54).
        (_S.UNCOLLECTIBLE, _E.PAID): _S.PAID,
        (_S.REJECTED, _E.PAID): _S.PAID,
        # A payment that went back (returned debit) opens the case again (D-54).
        (_S.PAID, _E.PART_PAID): _S.PAID_PARTIAL,
        **{(start, _E.HANDED_OVER): _S.SUBMITTED for start in _OVER},  # D-54
    },
    CaseMoveRefused,
)

EVENT_OF: Final[Mapping[CaseStatus, CaseEvent]] = {end: event for event, end in _REPORTS.items()}
"""Events that an agency reports by naming the state that was reached."""
