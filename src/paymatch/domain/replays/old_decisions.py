"""Another system's assignments, found again among the postings of a replay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from paymatch.domain.matching.text.names import Likeness, compare, parse_name
from paymatch.domain.postings import Posting


@dataclass(frozen=True, slots=True)
class OldDecision:
    """A payment in the other system's words, with the order it was assigned to; "" for none.

    `amount_minor` is that of the payment. Name, account and text distinguish payments of one day and amount.
    """

    booking_date: date
    amount_minor: int
    order_number: str
    name: str = ""
    account: str = ""
    text: str = ""

    @property
    def tells_more(self) -> bool:
        """Whether it has more than day and amount."""
        return bool(self.name or self.account or self.text)


@dataclass(frozen=True, slots=True)
class FoundDecisions:
    """Posting -> the orders that the other system assigned it to, and how many decisions name no posting."""

    orders: Mapping[str, tuple[str, ...]]
    unknown: int


def find_decisions(decisions: Iterable[OldDecision], postings: Sequence[tuple[str, Posting]]) -> FoundDecisions:
    """The postings that the decisions are about: of the same day and amount, distinguished by other known facts.

    Rows for the same payment are spread over the postings that fit it; if there are more rows than postings, the last
    posting was assigned to several orders.
    """
    by_sum: dict[tuple[date, int], list[tuple[str, Posting]]] = defaultdict(list)
    for each in postings:
        by_sum[each[1].booking_date, each[1].amount_minor].append(each)
    rows_of: dict[OldDecision, list[str]] = defaultdict(list)
    for row in decisions:
        rows_of[replace(row, order_number="")].append(row.order_number)
    found: dict[str, list[str]] = {}
    unknown = 0
    for payment in sorted(rows_of, key=lambda each: not each.tells_more):
        free = [each for each in by_sum[payment.booking_date, payment.amount_minor] if each[0] not in found]
        fitting = _most_alike(payment, free)
        if not fitting:
            unknown += len(rows_of[payment])
            continue
        for place, number in enumerate(rows_of[payment]):
            found.setdefault(fitting[min(place, len(fitting) - 1)], []).append(number)
    return FoundDecisions({key: tuple(sorted({each for each in of if each})) for key, of in found.items()}, unknown)


def _most_alike(payment: OldDecision, postings: Sequence[tuple[str, Posting]]) -> list[str]:
    """The postings that agree most with the payment beyond day and amount."""
    points = {id_: _likeness(payment, posting) for id_, posting in postings}
    best = max(points.values(), default=0)
    return [id_ for id_, count in points.items() if count == best]


def _likeness(row: OldDecision, posting: Posting) -> int:
    """How much of the row, beyond day and amount, agrees with the posting."""
    points = 0
    if row.account and row.account == posting.counterparty_iban:
        points += 4
    if row.text and _plain(row.text) in _plain(posting.text):
        points += 2
    if row.name and compare(parse_name(row.name), parse_name(posting.counterparty_name)) >= Likeness.PART:
        points += 1
    return points


def _plain(text: str) -> str:
    return "".join(character for character in text.upper() if character.isalnum())
