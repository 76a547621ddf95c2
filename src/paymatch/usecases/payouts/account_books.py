"""The books of an account at a provider: recomputed from all rows of its files, in any order (D-40, D-83)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.books.statement_lines import ResolvedPosting
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.payouts.double_reports import name_rows
from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind, combine, distinct
from paymatch.domain.payouts.payouts import Payout, PayoutBooks, TimeKey, time_key
from paymatch.domain.payouts.provider_postings import (
    ProviderPosting,
    event_of_payout,
    posting_of_payout,
    postings_of_event,
)
from paymatch.domain.payouts.providers import provider_at
from paymatch.domain.plurals import count_of
from paymatch.domain.postings import INITIAL, POSTING_LIFECYCLE, PostingEvent, PostingSource
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.matching import matching as match_store
from paymatch.store.payouts import payment_rows
from paymatch.store.payouts import payouts as store
from paymatch.store.payouts import settlement_lines as lines
from paymatch.store.payouts.payouts import PayoutRow
from paymatch.store.payouts.settlement_lines import AccountKey, LineOfSettlement
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import Booked, DecidedRow, WrittenPosting
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.matching.unmatching import release

_LOT: Final = 1000
_PAYOUTS: Final = 500
"""Payouts that are computed at once; their rows are read one event at a time."""
_OF_PROVIDER: Final = '{"flags":["provider"],"heldBack":"","evidence":[],"suggestions":[]}'


@dataclass(frozen=True, slots=True)
class Touched:
    """An import's data on an account besides its rows: payouts, and `renamed` events whose rows it changed."""

    key: AccountKey
    import_id: str
    payout_ids: frozenset[str]
    renamed: frozenset[str] = frozenset()


def touched_by(tx: ShopTx, import_id: str, renamed: Collection[str] = ()) -> list[Touched]:
    """An import's data, account by account; `renamed` are events whose rows it renamed."""
    found = []
    for key in lines.accounts_of_import(tx, import_id):
        others = frozenset(renamed if _tells_twice(key) else ())
        found.append(Touched(key, import_id, frozenset(lines.payout_ids_of(tx, key, import_id, others)), others))
    return found


def _events_of(tx: ShopTx, touched: Touched) -> Iterator[list[str]]:
    """The events of an import in small lots; an event with rows far apart in the file may come twice."""
    for first in range(0, lines.rows_of_import(tx, touched.import_id), _LOT):
        yield lines.events_of_import(tx, touched.key, touched.import_id, first, first + _LOT)
    renamed = sorted(touched.renamed)
    for first in range(0, len(renamed), _LOT):
        yield renamed[first : first + _LOT]


def _tells_twice(key: AccountKey) -> bool:
    return provider_at(key.account).tells_twice


def name_transactions(tx: ShopTx, import_id: str) -> set[str]:
    """For providers that report a transaction twice: pairs its rows; returns the changed events."""
    changed: set[str] = set()
    for key in lines.accounts_of_import(tx, import_id):
        if _tells_twice(key):
            changed |= _name_codes(tx, key, lines.unsure_codes(tx, key, import_id))
    return changed


def _name_codes(tx: ShopTx, key: AccountKey, codes: Sequence[str]) -> set[str]:
    changed: set[str] = set()
    for start in range(0, len(codes), _LOT):
        rows = lines.rows_of_codes(tx, key, codes[start : start + _LOT])
        named = [each for code, own in rows.items() for each in name_rows(code, own)]
        changed |= lines.name_transactions(tx, named)
    return changed


def recompute(tx: ShopTx, touched: Touched, now: datetime) -> int:
    """Books the touched events and payouts by all present rows; returns the number of new postings."""
    books = _AccountBooks(tx, tx.shop, touched.key, now, undoes=False)
    for events in _events_of(tx, touched):
        books.book_events(events)
    books.book_payouts(touched)
    store.call_events(tx, touched.key.account, payment_rows.joined_by(tx, touched.key, touched.import_id), now)
    return books.new


def undo(tx: ShopTx, import_id: str, now: datetime) -> int:
    """Recomputes the books without an import of a settlement file; returns the number of removed postings.

    AssignmentRefused if a person has decided a posting that would vanish.
    """
    touched = [(each, [*_events_of(tx, each)]) for each in touched_by(tx, import_id)]
    unsure = [
        (key, lines.unsure_codes(tx, key, import_id))
        for key in {each.key for each, _ in touched if _tells_twice(each.key)}
    ]
    joined = {each.key: payment_rows.joined_by(tx, each.key, import_id) for each, _ in touched}
    lines.delete(tx, import_id)
    renamed = {each for key, codes in unsure for each in _name_codes(tx, key, codes)}
    gone = 0
    for each, lots in touched:
        books = _AccountBooks(tx, tx.shop, each.key, now, undoes=True)
        for events in (*lots, *([sorted(renamed)] if _tells_twice(each.key) else ())):
            books.book_events(events)
        gone += books.gone - books.new
        books.decide_followers(joined[each.key])
        books.book_payouts(each)
    return gone


def change_amounts(tx: ShopTx, rows: Iterable[PayoutRow], now: datetime) -> None:
    """Writes payouts whose debt has changed, and their outgoing postings."""
    by_key: dict[AccountKey, list[PayoutRow]] = defaultdict(list)
    for row in rows:
        by_key[AccountKey(row.account, row.currency)].append(row)
    for key, own in by_key.items():
        _AccountBooks(tx, tx.shop, key, now, undoes=False).change_amounts(own)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A posting to be booked, and where it appeared first."""

    posting: ProviderPosting
    event: str
    statement_id: str
    import_id: str


class _AccountBooks:
    """One account at a provider while its books are recomputed."""

    def __init__(self, tx: ShopTx, shop: Shop, key: AccountKey, now: datetime, *, undoes: bool) -> None:
        self._tx, self._shop, self._shop_id = tx, shop, ShopId(shop.id)
        self._key, self._now, self._undoes = key, now, undoes
        self._zone = ZoneInfo(shop.timezone)
        self._provider = provider_at(key.account).name
        self.new = self.gone = 0

    def book_events(self, events: Sequence[str]) -> None:
        """Writes the postings of events that differ from the booked ones."""
        by_event: dict[str, list[LineOfSettlement]] = defaultdict(list)
        for line in lines.of_events(self._tx, self._key, events):
            by_event[line.movement.group].append(line)
        wanted: dict[str, _Wanted] = {}
        for event, rows in by_event.items():
            first = rows[0]
            for posting in postings_of_event(self._key.account, event, [each.movement for each in rows]):
                wanted[posting.id] = _Wanted(posting, event, first.statement_id, first.import_id)
        self._write(events, wanted)

    def _write(self, events: Collection[str], wanted: Mapping[str, _Wanted]) -> None:
        standing = {row.id: row for row in store.booked_postings(self._tx, self._key, events)}
        before = posting_store.booked_by_id(self._tx, set(standing) & set(wanted))
        kinds = self._kinds_of(before)
        gone = {row.id: row for row in standing.values() if _is_another(row, wanted.get(row.id), kinds.get(row.id))}
        if gone:
            self._take_away(list(gone.values()))
        kept = [each for name, each in wanted.items() if name in standing and name not in gone]
        new = [each for name, each in wanted.items() if name not in standing or name in gone]
        posting_store.insert(self._tx, list(map(self._posting_to_write, new)), self._now)
        self._change(kept, before)
        renamed = [each for each in kept if kinds.get(each.posting.id) is not each.posting.movement.kind]
        self._set_aside([*new, *(each for each in renamed if not standing[each.posting.id].by_hand)])
        self.new += len(new)
        self.gone += len(gone)

    def _kinds_of(self, before: Mapping[str, Booked]) -> dict[str, MovementKind]:
        """The files' data on booked postings so far."""
        vault = self._tx.vault()
        return {name: MovementKind(row.open_posting(vault).booking_text) for name, row in before.items()}

    def _posting_to_write(self, wanted: _Wanted) -> WrittenPosting:
        today = self._shop.today(self._now)
        posting = wanted.posting.as_posting(self._key.account, wanted.event, self._zone, today)
        resolved = ResolvedPosting(posting, PostingSource.FINAL, "settlement")
        return WrittenPosting(wanted.posting.id, resolved, wanted.statement_id, wanted.import_id)

    def _change(self, kept: Sequence[_Wanted], before: Mapping[str, Booked]) -> None:
        """Applies the data of further rows to booked postings."""
        vault = self._tx.vault()
        changed = []
        for each in kept:
            written, stood = self._posting_to_write(each), before[each.posting.id]
            if stood.import_id != each.import_id or stood.open_posting(vault) != written.resolved.posting:
                changed.append(written)
        posting_store.change(self._tx, changed, self._now)

    def _take_away(self, gone: Sequence[store.BookedRow]) -> None:
        by_hand = [row.id for row in gone if row.by_hand]
        if by_hand and self._undoes:
            decided = count_of(len(by_hand), "posting of the import was", "postings of the import were")
            raise AssignmentRefused(Message("assignment-decided-hand-first", decided=decided, by_hand=by_hand[0]))
        ids = [row.id for row in gone]
        statement_store.lock_matching(self._tx)
        payments = {each.posting.transaction_id for each in posting_store.load(self._tx, ids)} - {""}
        orders = release(self._tx, ids, self._now)
        posting_store.delete(self._tx, ids, self._now)
        if payments:
            self.decide_followers(payment_rows.followers_in(payment_rows.of_payments(self._tx, self._key, payments)))
        self._decide_again(store.taken_from_orders(self._tx, self._key.account, orders))

    def decide_followers(self, events: Collection[str]) -> None:
        """Decides refunds and chargebacks again whose order may have come only from removed rows."""
        rows = [
            row
            for row in store.booked_postings(self._tx, self._key, events)
            if row.status == "matched" and not row.by_hand
        ]
        self._decide_again([row.id for row in rows])

    def _decide_again(self, ids: Sequence[str]) -> None:
        """Releases automatic matches whose ground may be gone, and schedules them for matching."""
        if ids:
            release(self._tx, ids, self._now)
            decided = [DecidedRow(each, INITIAL, "") for each in ids]
            posting_store.write_decisions(self._tx, decided, self._now)
            match_store.mark_postings_for_rematch(self._tx, ids, self._now)

    def _set_aside(self, new: Iterable[_Wanted]) -> None:
        """Marks the provider's own rows, and payouts, as not order payments."""
        by_reason: dict[str, list[str]] = defaultdict(list)
        for each in new:
            if not each.posting.part.is_of_order:
                by_reason[self._reason(each.posting)].append(each.posting.id)
        status = POSTING_LIFECYCLE.move(INITIAL, PostingEvent.NO_ORDER_RECOGNISED)
        decided = [DecidedRow(each, status, _OF_PROVIDER) for ids in by_reason.values() for each in ids]
        posting_store.write_decisions(self._tx, decided, self._now)
        for reason, ids in by_reason.items():
            posting_store.set_reason_of_all(self._tx, ids, reason, self._now)

    def _reason(self, posting: ProviderPosting) -> str:
        movement, part = posting.movement, posting.part
        if part.is_payout:
            return f"{self._provider}: payout {movement.payout_id or movement.provider_id}"
        is_fee = movement.kind is MovementKind.FEE or part.amount_minor == -movement.fee_minor
        return f"{self._provider}: {MovementKind.FEE if is_fee else movement.kind}"

    def book_payouts(self, touched: Touched) -> None:
        """Recomputes payouts: the touched ones, or all if rows do not name theirs."""
        key, tx = self._key, self._tx
        has_ids = lines.has_payout_ids(tx, key)
        had_ids = has_ids if self._undoes else lines.has_payout_ids(tx, key, touched.import_id)
        if not touched.payout_ids or not has_ids or not (had_ids or self._undoes):
            self._book_some_payouts(None, has_ids=has_ids)
            return
        ids = sorted(touched.payout_ids)
        for start in range(0, len(ids), _PAYOUTS):
            self._book_some_payouts(frozenset(ids[start : start + _PAYOUTS]), has_ids=has_ids)

    def _book_some_payouts(self, looked_at: frozenset[str] | None, *, has_ids: bool) -> None:
        key, tx = self._key, self._tx
        computed = self._compute_payouts(looked_at, has_ids=has_ids, writes=True)
        known = looked_at or store.ids_of(tx, key)
        store.write(tx, [_row_of(key, each) for each in computed.payouts])
        store.delete_others(tx, key, looked_at, {each.payout_id for each in computed.payouts})
        self._book_transfers(computed, known)

    def change_amounts(self, rows: Sequence[PayoutRow]) -> None:
        """Applies changed amounts of payouts with unchanged rows."""
        store.write(self._tx, rows)
        by_id = {row.payout_id: row for row in rows}
        computed = self._compute_payouts(frozenset(by_id), has_ids=True, writes=False)
        computed.payouts = [replace(each, amount_minor=by_id[each.payout_id].amount_minor) for each in computed.payouts]
        self._book_transfers(computed, by_id)

    def _compute_payouts(self, looked_at: frozenset[str] | None, *, has_ids: bool, writes: bool) -> _Computed:
        """The payouts, computed one row at a time; with `writes` each row gets its payout."""
        key, tx = self._key, self._tx
        said = lines.stated_payouts(tx, key, looked_at)
        withdrawals = None if has_ids else self._withdrawals()
        books = PayoutBooks(key.currency, [each for _, each in said], withdrawals)
        computed = _Computed(stated_by={each.payout_id: origin for origin, each in said})
        paid_by: dict[str, str] = {}
        streamed = (
            lines.events_of_account(tx, key) if looked_at is None else lines.events_of_payouts(tx, key, looked_at)
        )
        for rows in streamed:
            paid_by[rows[0].movement.group] = ""
            for movement in combine(distinct(each.movement for each in rows)):
                payout_id = books.add(movement)
                computed.take(movement, rows[0], payout_id)
                if payout_id:
                    paid_by[movement.group] = payout_id
            if writes and len(paid_by) >= _LOT:
                lines.set_paid_by(tx, key, paid_by)
                paid_by = {}
        if writes:
            lines.set_paid_by(tx, key, paid_by)
        computed.payouts = [each for each in books.payouts() if looked_at is None or each.payout_id in looked_at]
        return computed

    def _withdrawals(self) -> list[Movement]:
        """The payouts that files of the account list as rows."""
        found = lines.events_with_payouts(self._tx, self._key)
        said = (each for rows in found for each in combine(distinct(row.movement for row in rows)))
        return [each for each in said if each.kind is MovementKind.PAYOUT]

    def _book_transfers(self, computed: _Computed, known: Collection[str]) -> None:
        """Books a payout without a row as a separate posting."""
        wanted: dict[str, _Wanted] = {}
        for payout in computed.payouts:
            if payout.payout_id in computed.with_row or not payout.is_transfer:
                continue
            first = computed.first.get(payout.payout_id)
            import_id = first[1].import_id if first else computed.stated_by.get(payout.payout_id, "")
            statement = first[1].statement_id if first else ""
            statement = statement or store.statement_of(self._tx, self._key, import_id)
            for posting in posting_of_payout(self._key.account, payout):
                event = event_of_payout(payout.payout_id)
                wanted[posting.id] = _Wanted(posting, event, statement, import_id)
        events = {event_of_payout(each) for each in (*known, *(each.payout_id for each in computed.payouts))}
        self._write(sorted(events), wanted)


@dataclass(slots=True)
class _Computed:
    """Payouts, and their places in files."""

    stated_by: Mapping[str, str]  # payout -> import that states its total
    payouts: list[Payout] = field(default_factory=list)
    with_row: set[str] = field(default_factory=set)  # payouts with a row
    first: dict[str, tuple[TimeKey, LineOfSettlement]] = field(default_factory=dict)  # the earliest row of each

    def take(self, movement: Movement, row: LineOfSettlement, payout_id: str) -> None:
        """Adds a movement of an event, whose first row is `row`, and its payout."""
        if movement.kind is MovementKind.PAYOUT:
            self.with_row.add(movement.payout_id or movement.provider_id)
        if payout_id:
            at = time_key(movement)
            if payout_id not in self.first or at < self.first[payout_id][0]:
                self.first[payout_id] = at, row


def _is_another(row: store.BookedRow, wanted: _Wanted | None, kind_before: MovementKind | None) -> bool:
    """Whether a booked posting is replaced: its amount or its effect on its order has changed.

    A person's decision stays as long as the amount is the same.
    """
    if wanted is None or row.amount_minor != wanted.posting.part.amount_minor:
        return True
    kind = wanted.posting.movement.kind
    return kind is not kind_before and not row.by_hand and bool({kind, kind_before} & set(OF_ORDERS))


def _row_of(key: AccountKey, payout: Payout) -> PayoutRow:
    return PayoutRow(
        key.account, key.currency, payout.payout_id, payout.amount_minor, payout.gross_minor, payout.kept_minor,
        payout.fee_minor, payout.net_minor, payout.carried_in_minor, payout.carried_out_minor, payout.rows,
        payout.orders, payout.sent_on, payout.trace_id, payout.is_implied,
    )  # fmt: skip
