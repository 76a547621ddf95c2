"""Another system's assignments, found again among the postings of a replay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from paymatch.domain.matching.text.names import Likeness, compare, parse_name
from paymatch.domain.postings import Posting

NEAR_DAYS: Final = 3
"""Old systems note a value date or the day of the decision instead of the booking day: so far apart they may be."""
_MOST_PARTS: Final = 100


@dataclass(frozen=True, slots=True)
class OldDecision:
    """A payment in the other system's words, with the order it was assigned to; "" for none.

    `amount_minor` is that of the payment, or the part of it that went to the order; None, as the day, if only the
    bank's `reference` says which payment is meant. Name, account and text distinguish payments of one day and amount.
    """

    booking_date: date | None
    amount_minor: int | None
    order_number: str
    name: str = ""
    account: str = ""
    text: str = ""
    reference: str = ""

    @property
    def tells_more(self) -> bool:
        """Whether it has more than day and amount."""
        return bool(self.name or self.account or self.text)


@dataclass(frozen=True, slots=True)
class ReplayedPosting:
    """A posting of a replay, and the orders to which it was assigned or proposed there."""

    id: str
    posting: Posting
    ours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundDecisions:
    """Posting -> the orders that the other system assigned it to, and the decisions that are about none of them."""

    orders: Mapping[str, tuple[str, ...]]
    left: tuple[OldDecision, ...]


def find_decisions(decisions: Iterable[OldDecision], postings: Sequence[ReplayedPosting]) -> FoundDecisions:
    """The postings that the decisions are about.

    A decision that names a posting's reference is about it. Else day and amount must be the same, and what else is
    known distinguishes several. After that the day may be a few off if payer, account, text or order agree, and rows
    of one payer and day may be the parts of one payment. Where nothing distinguishes two postings, a decision goes to
    the one that has its order here. If none has, it is about neither: a guess could invent a difference.
    """
    search = _Search(postings)
    left = search.by_reference(list(decisions))
    for days in range(NEAR_DAYS + 1):
        left = search.by_amount(left, days)
        left = search.by_parts(left, days)
    found = {key: tuple(sorted({each for each in of if each})) for key, of in search.found.items()}
    return FoundDecisions(found, tuple(left))


class _Search:
    """The postings, and what was found of them so far."""

    def __init__(self, postings: Sequence[ReplayedPosting]) -> None:
        self.found: dict[str, list[str]] = {}
        self._by_sum: dict[int | None, dict[date, list[ReplayedPosting]]] = {}
        self._by_reference: dict[str, list[ReplayedPosting]] = defaultdict(list)
        for each in postings:
            of_sum = self._by_sum.setdefault(each.posting.amount_minor, {})
            of_sum.setdefault(each.posting.booking_date, []).append(each)
            for text in {_plain(each.posting.bank_reference), _plain(each.posting.end_to_end_id)} - {""}:
                self._by_reference[text].append(each)

    def by_reference(self, rows: Sequence[OldDecision]) -> list[OldDecision]:
        """Assigns the rows that name the reference of one posting; the others are returned."""
        left = []
        for row in rows:
            named = {_plain(row.reference), _plain(row.text)} - {""}
            meant = {each.id for text in named for each in self._by_reference.get(text, ())}
            if len(meant) == 1:
                self.found.setdefault(meant.pop(), []).append(row.order_number)
            else:
                left.append(row)
        return left

    def by_amount(self, rows: Sequence[OldDecision], days: int) -> list[OldDecision]:
        """Assigns the rows of postings of this amount, so many days off; the others are returned."""
        same: dict[_Payment, list[OldDecision]] = defaultdict(list)
        for row in rows:
            same[*_without_amount(row), row.amount_minor].append(row)
        best = {key: self._most_alike(of, days) for key, of in same.items()}
        left: list[OldDecision] = []
        for key in sorted(same, key=lambda each: -best[each]):
            of = same[key]
            free = self._free(of[0], days)
            points = self._likenesses(of[0], of, free, days)
            most = max(points.values(), default=0)
            left += self._spread(of, [each for each in free if points.get(each.id) == most])
        return left

    def by_parts(self, rows: Sequence[OldDecision], days: int) -> list[OldDecision]:
        """Assigns rows of one payer, account, text and day that sum up to one posting; the others are returned."""
        groups: dict[_Payment, list[OldDecision]] = defaultdict(list)
        for row in rows:
            groups[_without_amount(row)].append(row)
        left: list[OldDecision] = []
        for parts in groups.values():
            meant: list[ReplayedPosting] = []
            if parts[0].tells_more and 1 < len(parts) <= _MOST_PARTS:
                summed = replace(parts[0], amount_minor=sum(each.amount_minor or 0 for each in parts))
                free = self._free(summed, days)
                points = self._likenesses(summed, parts, free, days)
                meant = [each for each in free if points.get(each.id)]
            if len(meant) == 1:
                self.found[meant[0].id] = [each.order_number for each in parts]
            else:
                left += parts
        return left

    def _spread(self, rows: Sequence[OldDecision], fitting: Sequence[ReplayedPosting]) -> list[OldDecision]:
        """Assigns rows of one payment to the postings that fit them alike; those that nothing decides are returned."""
        if len(fitting) == 1:
            self.found[fitting[0].id] = [each.order_number for each in rows]
            return []
        free, left = list(fitting), []
        for row in rows:
            agreeing = next((each for each in free if row.order_number in (each.ours or ("",))), None)
            if agreeing is None:
                left.append(row)
            else:
                free.remove(agreeing)
                self.found[agreeing.id] = [row.order_number]
        if left and (len(free) == 1 or (len({each.order_number for each in left}) == 1 and len(left) >= len(free) > 0)):
            for place, row in enumerate(left):
                self.found.setdefault(free[min(place, len(free) - 1)].id, []).append(row.order_number)
            return []
        return left

    def _free(self, row: OldDecision, days: int) -> list[ReplayedPosting]:
        """Postings of the row's amount so many days off that have no decision yet."""
        if row.booking_date is None or row.amount_minor not in self._by_sum:
            return []
        of_sum = self._by_sum[row.amount_minor]
        return [
            each
            for day in {row.booking_date - timedelta(days), row.booking_date + timedelta(days)}
            for each in of_sum.get(day, ())
            if each.id not in self.found
        ]

    def _most_alike(self, rows: Sequence[OldDecision], days: int) -> int:
        """The best likeness of rows of one payment to a posting that is still free; 0 if there is none."""
        free = self._free(rows[0], days)
        return max(self._likenesses(rows[0], rows, free, days).values(), default=0)

    @staticmethod
    def _likenesses(
        row: OldDecision, rows: Sequence[OldDecision], free: Sequence[ReplayedPosting], days: int
    ) -> dict[str, int]:
        """How much of the row, beyond amount and day, agrees with each of these postings."""
        points = {each.id: _likeness(row, each.posting) for each in free}
        if days and points:  # another day needs another proof
            numbers = {each.order_number for each in rows} - {""}
            for each in free:
                if not points[each.id] and not numbers & {*each.ours}:
                    del points[each.id]
        return points


_Payment = tuple[object, ...]
"""What rows of one payment have in common; much cheaper to compare than rows."""


def _without_amount(row: OldDecision) -> _Payment:
    """What rows have in common that may be parts of one payment."""
    return row.booking_date, row.name, row.account, row.text, row.reference


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
