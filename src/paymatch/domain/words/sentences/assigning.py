"""Messages about refused decisions on a posting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "assign-no-order": "Name at least one order",
    "assign-no-suggestion": "Posting {posting} has no suggestion: name the orders",
    "assign-no-such-suggestion": "Posting {posting} has no suggestion {place}",
    "assign-beyond-part": "Order {order} was credited less than that",
    "assign-not-matched": "Posting {posting} is not matched",
    "assign-not-aside": "Posting {posting} was neither ignored nor set aside",
    "assign-matched": "Posting {posting} is matched: undo the match first",
    "assign-no-fee": "There is no fee: the posting covers all that is open on the orders",
    "assign-no-rate": "Order {order}: {why}",
    "assign-no-comment": "Write a comment first",
    "assign-twice": "An order is named twice",
    "assign-too-much": "The parts add up to more than the posting",
    "assign-one-open": "Only one order may be named without an amount",
    "assign-fee-once": "A fee is what was withheld of a payment received; give it once",
    "assign-fee-too-much": "The fee is more than the orders are credited",
    "assign-sign": "The part for order {order} must have the sign of the posting",
    "assign-fee-sign": "The fee of order {order} must be above 0, and of a payment received",
}
