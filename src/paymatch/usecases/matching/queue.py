"""The queue of postings that wait for a person: its lists, single postings with all facts, comments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.weigh.amounts import in_order_currency, in_posting_currency
from paymatch.domain.money import currency_of, decimal_to_minor
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind, tariffs_in_words
from paymatch.domain.orders.settlement import Ledger, Mark, open_minor, payment_status
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.postings import Posting, PostingStatus
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.matching import matching as match_store
from paymatch.store.matching import payers
from paymatch.store.orders import order_history
from paymatch.store.orders.order_history import Recent
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.statements import posting_queue as store
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements.posting_queue import Credit, QueuedOrder, QueuedPosting, QueueFilter, StoredEvidence
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import last_entries
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import order_lists
from paymatch.usecases.search import matches

OPEN_LISTS: Final = ("decide", "collective")
"""Lists of postings that wait for a person and were not set aside."""
LIKELY: Final = Decimal("0.92")
"""The probability above which accepting many suggestions at once is offered first."""
MOST_AT_ONCE: Final = 100
_FOUND: Final = 8
_ORDERS_WITH_EVENTS: Final = 3
_EVENTS_OF_ONE: Final = 8
_EVENTS_OF_SEVERAL: Final = 3


def waiting_postings(tx: ShopTx) -> list[str]:
    """Ids of the postings that wait for a person and were not set aside, those with suggestions first."""
    return store.ids(tx, OPEN_LISTS)


def list_postings(
    tx: ShopTx, wanted: QueueFilter, *, after: Sequence[str] = (), limit: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """(rows of a list, the place after which the next page begins; empty on the last one)."""
    person, wanted = tx.actor.name, _with_search(tx, wanted)
    rows = store.page(tx, wanted, person=person, now=tx.now, after=after, limit=limit + 1)
    return rows[:limit], rows[limit - 1]["place"] if len(rows) > limit else []


def _with_search(tx: ShopTx, wanted: QueueFilter) -> QueueFilter:
    """With the results of its text."""
    if not wanted.text:
        return wanted
    return replace(wanted, found=matches.listed_postings(tx, wanted.text, wanted.amounts))


def place_of(wanted: QueueFilter, parts: Sequence[str]) -> Sequence[str]:
    """The place of a row in the form that `listed` takes; empty, the beginning, for anything else."""
    try:
        if wanted.listed in store.DECIDED:
            moment, posting = parts
            return (datetime.fromisoformat(moment).isoformat(), posting)
        status, day, posting = parts
        return (PostingStatus(status), date.fromisoformat(day).isoformat(), posting)
    except ValueError:
        return ()


def counts(tx: ShopTx) -> dict[str, Any]:
    """The number of postings in each list; those booked and matched automatically since the month began."""
    today, zone = tx.today, ZoneInfo(tx.shop.timezone)
    midnight = datetime.combine(today, time.min, zone)
    return store.counts(tx, today=midnight, since=today.replace(day=1), least=LIKELY)


@dataclass(frozen=True, slots=True)
class Line:
    """An order of a candidate or split: its credit, and its state afterwards.

    `open_minor`, `credited_minor` and `withheld_minor` are in the posting's currency, `open_minor` None without a rate.
    """

    number: str
    customer: str = ""
    invoices: tuple[str, ...] = ()
    due: date | None = None
    status: str = ""
    currency: str = ""
    amount_minor: int = 0
    open_minor: int | None = None
    credited_minor: int = 0
    withheld_minor: int = 0
    stays_open_minor: int | None = None  # in the order's currency
    becomes: str = ""
    callback: str = ""
    callback_due: datetime | None = None
    paid_minor: int = 0  # so far, as `refunded_minor` in the order's currency
    refunded_minor: int = 0

    @property
    def is_known(self) -> bool:
        """Whether the shop has such an order."""
        return bool(self.currency)


@dataclass(frozen=True, slots=True)
class QueueCandidate:
    """A suggestion with its orders; `difference_minor` is the posting's surplus over their open amounts."""

    place: int
    lines: tuple[Line, ...]
    probability: float
    evidence: tuple[StoredEvidence, ...]
    fee_kind: str
    open_minor: int | None
    difference_minor: int | None


@dataclass(frozen=True, slots=True)
class DisplayedTariff:
    """A payer's fee: as learnt so far, in words, and the suggested fee of this posting (minor units)."""

    known: str
    gross_minor: int
    withheld_minor: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A posting of the queue. `booked` are the orders that it is matched to, `others` the requested ones."""

    queued: QueuedPosting
    candidates: tuple[QueueCandidate, ...]
    booked: tuple[Line, ...]
    tariff: DisplayedTariff | None
    others: tuple[QueuedOrder, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it waits for a person, set aside or not."""
        return self.queued.status in ("suggested", "unmatched")

    def lines(self, place: int) -> tuple[Line, ...]:
        """The orders of the candidate at `place`; once decided, those that it was booked to."""
        if not self.is_open:
            return self.booked
        return next((each.lines for each in self.candidates if each.place == place), ())


def show_posting(tx: ShopTx, posting_id: str, *, looks: bool, others: Sequence[str] = ()) -> Shown | None:
    """The posting with its candidates; None if there is none. With `looks`, others see that the actor is viewing it.

    `others` are further orders on the same page.
    """
    now = tx.now
    queued = store.find(tx, posting_id, tx.actor.name, now, looks=looks)
    if queued is None:
        return None
    suggestions = queued.decision.suggestions
    numbers = {credit.order_number for each in suggestions for credit in each.allocations}
    known = _Orders.load(tx, tx.shop, {*numbers, *(credit.order_number for credit in queued.credits)}, others)
    candidates = tuple(
        _candidate(place, queued.posting, known.lines(queued.posting, each.allocations), each)
        for place, each in enumerate(suggestions, 1)
    )
    booked = tuple(known.lines(queued.posting, queued.credits, booked=True))
    found = tuple(known.rows[number] for number in others if number in known.rows)
    return Shown(queued, candidates, booked, _tariff(tx, queued.posting, candidates), found)


def so_far(tx: ShopTx, lines: Sequence[Line]) -> list[tuple[Line, Recent]]:
    """The last events of the first known orders of a candidate: more for one order than for several."""
    known = [line for line in lines if line.is_known][:_ORDERS_WITH_EVENTS]
    if not known:
        return []
    each = _EVENTS_OF_ONE if len(known) == 1 else _EVENTS_OF_SEVERAL
    found = order_history.recent(tx, [line.number for line in known], each)
    return [(line, found[line.number]) for line in known]


def split_lines(tx: ShopTx, posting_id: str, credits: Mapping[str, tuple[int, int]]) -> list[Line]:
    """The orders of a split by hand: number -> (credited, withheld), in minor units of the posting's currency."""
    queued = store.find(tx, posting_id, tx.actor.name, tx.clock())
    if queued is None:
        raise AssignmentRefused(Message("no-posting", posting=repr(posting_id)))
    known = _Orders.load(tx, tx.shop, credits)
    return [known.line(queued.posting, number, *amounts) for number, amounts in credits.items()]


def find_orders(tx: ShopTx, text: str) -> list[ListedOrder]:
    """Orders for a posting, by number, name, invoice or amount, the latest first."""
    return list(order_lists.find_orders(tx, text=text.strip().removeprefix("#"), limit=_FOUND))


def outcome(tx: ShopTx, numbers: Sequence[str]) -> list[QueuedOrder]:
    """The effect of a decision on the orders: status, and the state of the last callback."""
    return list(store.orders(tx, numbers).values())


def stamp(tx: ShopTx, posting_id: str) -> str:
    """The posting's stamp, for undoing exactly this state."""
    found = store.find(tx, posting_id, tx.actor.name, tx.clock())
    return "" if found is None else found.stamp


def decided_by(database: Database, shop: Shop, posting_id: str) -> str:
    """The person who decided the posting last, by name of the audit log; empty if only matching did."""
    entries = last_entries(database, shop, posting_id, 1)
    return str(entries[0]["actor"]) if entries else ""


def comment(tx: ShopTx, posting_id: str, said: str) -> None:
    """Keeps the actor's comment on the posting. AssignmentRefused if it is unknown, or the comment empty."""
    if not said.strip():
        raise AssignmentRefused(Message("assign-no-comment"))
    if not store.comment(tx, posting_id, said.strip(), tx.now):
        raise AssignmentRefused(Message("no-posting", posting=repr(posting_id)))


def likely_suggestions(tx: ShopTx, wanted: QueueFilter, least: Decimal) -> list[dict[str, Any]]:
    """The postings whose best suggestion has at least this probability, at most as many as are accepted at once."""
    person, now, wanted = tx.actor.name, tx.now, _with_search(tx, wanted)
    return store.likely_suggestions(tx, wanted, least, person=person, now=now, limit=MOST_AT_ONCE)


class Doubt(StrEnum):
    """Why a person must look at a suggestion before it is booked with many others."""

    TAKEN = "taken"  # a suggestion above it pays the same order
    OVERPAID = "overpaid"
    PARTLY = "partly"
    WITHHELD = "withheld"  # the payer would have kept a fee
    UNKNOWN = "unknown"  # an order is missing, or has no rate into the posting's currency


@dataclass(frozen=True, slots=True)
class ProposedBooking:
    """The effect of a row's best suggestion. `taken_by` is the row whose suggestion pays the same order."""

    row: Mapping[str, Any]
    candidate: QueueCandidate
    doubt: Doubt | None
    taken_by: Mapping[str, Any] | None = None


def proposed_bookings(tx: ShopTx, rows: Sequence[Mapping[str, Any]]) -> list[ProposedBooking]:
    """The effect of each row's best suggestion on its orders, in sequence; a row without doubt claims them."""
    postings = {each.id: each.posting for each in posting_store.load(tx, [row["id"] for row in rows])}
    firsts = {row["id"]: row["decision"].suggestions[0] for row in rows}
    numbers = {credit.order_number for first in firsts.values() for credit in first.allocations}
    known, taken, found = _Orders.load(tx, tx.shop, numbers), dict[str, Mapping[str, Any]](), list[ProposedBooking]()
    for row in rows:
        posting, first = postings[row["id"]], firsts[row["id"]]
        candidate = _candidate(1, posting, known.lines(posting, first.allocations), first)
        taken_by = next((taken[line.number] for line in candidate.lines if line.number in taken), None)
        doubt = Doubt.TAKEN if taken_by is not None else doubt_of(candidate)
        if doubt is None:
            taken |= {line.number: row for line in candidate.lines}
        found.append(ProposedBooking(row, candidate, doubt, taken_by))
    return found


def doubt_of(candidate: QueueCandidate) -> Doubt | None:
    """None for a suggestion that is exact to the cent."""
    stays = [line.stays_open_minor for line in candidate.lines]
    if candidate.open_minor is None or None in stays:
        return Doubt.UNKNOWN
    if any(each is not None and each < 0 for each in stays):
        return Doubt.OVERPAID
    if any(each is not None and each > 0 for each in stays):
        return Doubt.PARTLY
    return Doubt.WITHHELD if any(line.withheld_minor for line in candidate.lines) else None


@dataclass(frozen=True, slots=True)
class SeenSuggestion:
    """A suggestion as the person saw it: the posting's stamp, and its orders' open amounts in its currency."""

    stamp: str
    open_minor: int | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The result of accepting many: the matched postings, and those that had changed meanwhile."""

    matched: tuple[str, ...]
    refused: tuple[tuple[str, AssignmentRefused], ...]  # (posting, why)


def accept_all(database: Database, shop: Shop, seen: Mapping[str, SeenSuggestion], clock: datetime) -> Accepted:
    """Matches each posting to its best suggestion, if it and its orders are unchanged since they were `seen`."""
    matched, refused = [], list[tuple[str, AssignmentRefused]]()
    for posting_id, state in seen.items():
        try:
            parts = assigning.suggested_parts(database, shop, posting_id, seen=state.stamp)
            assigning.match(
                database, shop, posting_id, parts, clock, seen=state.stamp, seen_open_minor=state.open_minor
            )
            matched.append(posting_id)
        except AssignmentRefused as error:
            refused.append((posting_id, error))
    return Accepted(tuple(matched), tuple(refused))


@dataclass(frozen=True, slots=True)
class BookedPosting:
    """A posting that was matched, and its orders as they are now."""

    posting: Posting
    lines: tuple[Line, ...]


def booked_postings(tx: ShopTx, postings: Sequence[str]) -> list[BookedPosting]:
    """The results of matched postings, in this order."""
    loaded = {each.id: each.posting for each in posting_store.load(tx, postings)}
    numbers: dict[str, list[str]] = {}
    for row in posting_store.allocations(tx, postings):
        numbers.setdefault(row.posting_id, []).append(row.order_number)
    known = _Orders.load(tx, tx.shop, {number for each in numbers.values() for number in each})
    return [
        BookedPosting(
            loaded[each], tuple(known.line(loaded[each], number, 0, 0, booked=True) for number in numbers.get(each, ()))
        )
        for each in postings
    ]


def parts_of(lines: Sequence[Line], kind: str) -> list[Part]:
    """The matches that booking these lines makes."""
    fee_kind = FeeKind(kind) if kind else None
    return [
        Part(line.number, line.credited_minor - line.withheld_minor, line.withheld_minor, fee_kind) for line in lines
    ]


@dataclass(frozen=True, slots=True)
class _Orders:
    """The orders of a posting's candidates, in the view of matching and of the ledger."""

    facts: Mapping[str, OrderFacts]
    rows: Mapping[str, QueuedOrder]
    tolerance_minor: int

    @classmethod
    def load(cls, tx: ShopTx, shop: Shop, numbers: Collection[str], others: Sequence[str] = ()) -> _Orders:
        """`others` are loaded in the ledger's view only."""
        wanted = sorted(numbers)
        rows = store.orders(tx, sorted({*wanted, *others}))
        if not wanted:
            return cls({}, rows, 0)
        return cls(match_store.load_orders(tx, wanted), rows, shop.tolerance_minor)

    def lines(self, posting: Posting, credits: Sequence[Credit], *, booked: bool = False) -> list[Line]:
        currency = posting.currency
        return [
            self.line(
                posting,
                each.order_number,
                decimal_to_minor(each.amount, currency),
                decimal_to_minor(each.fee, currency),
                booked=booked,
            )
            for each in credits
        ]

    def line(self, posting: Posting, number: str, credited: int, withheld: int, *, booked: bool = False) -> Line:
        """The order with this number after the posting: its future state, or its actual one if it is `booked`."""
        facts, row = self.facts.get(number), self.rows.get(number)
        if facts is None or row is None:
            return Line(number, credited_minor=credited, withheld_minor=withheld)
        pays = 0 if booked else in_order_currency(posting, credited, facts, facts.open_minor) or 0
        mark = Mark(row.mark) if row.mark else None
        after = Ledger(row.amount_minor, row.paid_minor + pays, row.refunded_minor, self.tolerance_minor)
        return Line(
            number=number,
            customer=facts.names[0] if facts.names else "",
            invoices=facts.invoice_numbers,
            due=facts.due_date,
            status=row.status,
            currency=row.currency,
            amount_minor=row.amount_minor,
            open_minor=_open_here(posting, facts),
            credited_minor=credited,
            withheld_minor=withheld,
            stays_open_minor=open_minor(after),
            becomes=row.status if booked else payment_status(after, mark),
            callback=row.callback,
            callback_due=row.callback_due,
            paid_minor=row.paid_minor,
            refunded_minor=row.refunded_minor,
        )


def _open_here(posting: Posting, order: OrderFacts) -> int | None:
    """The order's open amount in the posting's currency; None without a rate."""
    if order.currency == posting.currency:
        return order.open_minor
    return in_posting_currency(posting, order, order.open_minor)


def _candidate(place: int, posting: Posting, lines: Sequence[Line], suggestion: store.Suggestion) -> QueueCandidate:
    opens = [line.open_minor for line in lines]
    known = [each for each in opens if each is not None]
    total = sum(known) if len(known) == len(opens) else None
    return QueueCandidate(
        place=place,
        lines=tuple(lines),
        probability=suggestion.probability,
        evidence=tuple(sorted(suggestion.evidence, key=lambda each: -each.weight)),
        fee_kind=next((credit.fee_kind for credit in suggestion.allocations if credit.fee_kind), ""),
        open_minor=total,
        difference_minor=None if total is None else posting.amount_minor - total,
    )


def _tariff(tx: ShopTx, posting: Posting, candidates: Sequence[QueueCandidate]) -> DisplayedTariff | None:
    """The payer's fee, if a candidate has one for the money that it passes on."""
    passed_on = [each for each in candidates if each.fee_kind in PAYOUT_FEES]
    if not passed_on:
        return None
    known = payers.tariffs(tx, [posting])
    words = next((tariffs_in_words(each, currency_of(posting.currency)) for each in known.values()), "")
    lines = passed_on[0].lines
    return DisplayedTariff(
        words, sum(line.credited_minor for line in lines), sum(line.withheld_minor for line in lines)
    )
