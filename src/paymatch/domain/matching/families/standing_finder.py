"""Evidence of an order's standing: whether it awaits money, its age and type, dates in the text."""

from __future__ import annotations

from typing import Final, NamedTuple

from paymatch.domain.matching.catalogue import (
    DATE_BEFORE,
    DATE_NAMED,
    DATE_OTHER,
    STATE_CLOSED,
    STATE_SETTLED,
    TYPE_OTHER,
    Reason,
)
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.order_view import OrderView
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.weigh.ages import age_reason

_SETTLED: Final = STATE_SETTLED.reason()
_CLOSED: Final = STATE_CLOSED.reason()
_BEFORE: Final = DATE_BEFORE.reason()


class StandingEvidence(NamedTuple):
    """What state, age, type and dates say of an order."""

    reasons: tuple[Reason, ...]
    dated: bool = False  # its date is in the text


def find_standing(view: PostingView, order: OrderView) -> StandingEvidence:
    """The evidence of the order's standing on the day of the posting."""
    reasons: list[Reason] = []
    if order.state is OrderState.SETTLED:
        reasons.append(_SETTLED)
    elif order.state is OrderState.CLOSED:
        reasons.append(_CLOSED)
    age = (view.booked - order.facts.order_date).days
    if age < 0:
        reasons.append(_BEFORE)
    else:
        due = order.facts.due_date
        reasons.append(age_reason(age, None if due is None else (view.booked - due).days))
    ordered, booked = order.facts.order_date.toordinal(), view.booked.toordinal()
    dated = ordered in view.dates and ordered != booked
    if dated:
        reasons.append(DATE_NAMED.reason())
    elif any(day < booked for day in view.dates):
        reasons.append(DATE_OTHER.reason())
    if order.facts.type == "OTHER":
        reasons.append(TYPE_OTHER.reason())
    return StandingEvidence(tuple(reasons), dated)
