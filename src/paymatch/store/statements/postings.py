"""Postings in PostgreSQL: bookings, sources, allocations."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, NamedTuple

import msgspec

from paymatch.domain.books.statement_lines import ResolvedPosting
from paymatch.domain.money import digits_of
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.postings import INITIAL, Posting, PostingSource, PostingStatus
from paymatch.domain.words.message import as_text
from paymatch.store.connection import build, text_array
from paymatch.store.key_lookups import row_by_key, row_to_write, rows_by_key, written_by_key
from paymatch.store.sealing import POSTING_ACCOUNT_END, POSTING_PARTY, Vault
from paymatch.store.search import posting_texts
from paymatch.store.statements import posting_snapshots
from paymatch.store.statements.posting_documents import evidence_codes, opened_facts, sealed_facts
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_REFUNDABLE: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")


"""Allocations of our own outgoing and returned transfers."""


@dataclass(frozen=True, slots=True)
class WrittenPosting:
    """A posting to book: its most binding statement, and its import."""

    id: str
    resolved: ResolvedPosting
    statement_id: str
    import_id: str


class ComparedPosting(NamedTuple):
    """A booked posting with the facts for comparing lines; `by_hand` if a person decided it."""

    id: str
    amount_minor: int
    booking_date: date
    by_hand: bool


class Booked(NamedTuple):
    """The facts of a booked posting; `facts` are sealed."""

    id: str
    facts: str
    source: PostingSource
    format: str
    import_id: str
    statement_id: str

    def open_posting(self, vault: Vault) -> Posting:
        """What is said of it."""
        return opened_facts(self.facts, vault)


_FINAL_SUMS: Final = """
SELECT w.account, w.currency, p.booking_date, sum(p.amount_minor)::bigint
FROM unnest($2::text[], $3::text[], $4::date[], $5::date[]) w(account, currency, first_date, last_date)
JOIN postings p ON p.shop_id = $1 AND p.account = w.account AND p.currency = w.currency
  AND p.booking_date BETWEEN w.first_date AND w.last_date AND p.source = $6
WHERE p.shop_id = $1 GROUP BY 1, 2, 3"""


def final_sums(tx: ShopTx, days: Mapping[tuple[str, str], tuple[date, date]]) -> dict[tuple[str, str], dict[date, int]]:
    """The sums that final statements book on each account between its two days: per booking date, in minor units.

    The keys are (account, currency). One query for all accounts.
    """
    found: dict[tuple[str, str], dict[date, int]] = {key: {} for key in days}
    if not days:
        return found
    accounts, currencies = zip(*days, strict=True)
    firsts, lasts = zip(*days.values(), strict=True)
    for account, currency, day, minor in tx.rows(
        _FINAL_SUMS, tx.shop_id, *map(list, (accounts, currencies, firsts, lasts)), PostingSource.FINAL
    ):
        found[account, currency][day] = minor
    return found


TAKEN_UP: Final = "-"
"""Instead of a rule: a person has reopened the posting, so no rule applies to it any more."""


@dataclass(frozen=True, slots=True)
class StoredPosting:
    """A posting of the books; `open_minor` is the unallocated part, signed like the posting.

    `taken_back` are the orders that a person unmatched from it, `by_rule` is the rule that set it aside.
    """

    id: str
    posting: Posting
    status: PostingStatus
    by_hand: bool
    open_minor: int
    source: PostingSource
    format: str
    import_id: str
    taken_back: tuple[str, ...] = ()
    by_rule: str = ""

    @property
    def may_be_set_aside(self) -> bool:
        """False once a person has reopened or unmatched it: a person also makes the next decision."""
        return self.by_rule != TAKEN_UP and not self.taken_back

    @property
    def is_open(self) -> bool:
        """True if the engine may propose for it: it is undecided, or waits for a person's next decision."""
        is_waiting = self.status in (PostingStatus.SUGGESTED, PostingStatus.UNMATCHED) and self.open_minor != 0
        return is_waiting and (not self.by_hand or bool(self.taken_back))


@dataclass(frozen=True, slots=True)
class AllocationRow:
    """A part of a posting that belongs to an order; amounts signed, in the posting's and in the order's currency.

    `amount_minor` is the posting's money, `order_amount_minor` the order's credit.
    """

    posting_id: str
    order_number: str
    amount_minor: int
    order_amount_minor: int
    kind: str
    by_hand: bool
    withheld_minor: int = 0  # in the posting's currency; the order is credited both (D-36)
    fee_kind: FeeKind | None = None


def allocation_row(row: Sequence[Any]) -> AllocationRow:
    """The row of the allocation's columns in the order of its fields."""
    posting_id, number, minor, order_minor, kind, by_hand, withheld, fee_kind = row
    fee = FeeKind(fee_kind) if fee_kind else None
    return AllocationRow(posting_id, number, minor, order_minor, kind, by_hand, withheld, fee)


def compared_postings(tx: ShopTx, posting_ids: Collection[str]) -> dict[str, ComparedPosting]:
    """Booked postings by id, without their facts."""
    rows = tx.rows(
        "SELECT id, amount_minor, booking_date, by_hand FROM postings WHERE shop_id = $1 AND id = ANY($2)",
        tx.shop_id,
        text_array(sorted(posting_ids)),
    )
    return {row.id: ComparedPosting(row.id, row.amount_minor, row.booking_date, row.by_hand) for row in rows}


def booked_by_id(tx: ShopTx, posting_ids: Collection[str]) -> dict[str, Booked]:
    """Booked postings by id."""
    rows = tx.rows(
        "SELECT id, facts, source, format, import_id, statement_id FROM postings WHERE shop_id = $1 AND id = ANY($2)",
        tx.shop_id,
        text_array(sorted(posting_ids)),
    )
    return {row.id: build(Booked, row, source=PostingSource(row.source)) for row in rows}


ACCOUNT_END: Final = 4
"""Characters of an account that people recognise a payer by."""

_INSERT: Final = f"""
INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor, booking_date,
    value_date, bank_reference, entry_reference, batch_id, is_return, end_to_end_id, counterparty_name,
    counterparty_iban, counterparty_account_end, counterparty_has_iban, remittance, facts, source, format, status,
    rematch_at, created_at, since_date)
SELECT $1, r.id, r.import_id, r.statement_id, r.account, r.currency, r.digits, r.amount_minor, r.booking_date,
    r.value_date, r.bank_reference, r.entry_reference, r.batch_id, r.is_return, r.end_to_end_id, r.counterparty_name,
    r.counterparty_iban, r.counterparty_account_end, r.counterparty_has_iban, r.remittance, r.facts, r.source,
    r.format, $4, $2, $2, day.today
FROM ({posting_snapshots.TODAY.format(now="$2")}) day,
    json_to_recordset($3::json) AS r(id text, import_id text, statement_id text, account text, currency text,
    digits smallint, amount_minor bigint, booking_date date, value_date date, bank_reference text,
    entry_reference text, batch_id text, is_return boolean, end_to_end_id text, counterparty_name text,
    counterparty_iban text, counterparty_account_end text, counterparty_has_iban boolean, remittance text, facts text,
    source text, format text)
RETURNING 1"""


def insert(tx: ShopTx, new: Sequence[WrittenPosting], now: datetime) -> None:
    """Books new postings; their matching is due at once."""
    if new:
        vault = tx.vault()
        rows = [{"id": each.id, **_columns(each, vault)} for each in new]
        tx.put(_INSERT, tx.shop_id, now, _ENCODE(rows).decode(), INITIAL)
        posting_texts.save(tx, [(each.id, each.resolved.posting) for each in new])


def _is_refundable(posting: Posting) -> bool:
    """True if a refund can go to where the money came from; banks name the shop's own account where it was cash."""
    return posting.counterparty_iban != posting.account and _REFUNDABLE.fullmatch(posting.counterparty_iban) is not None


def _columns(written: WrittenPosting, vault: Vault) -> dict[str, Any]:
    resolved, posting = written.resolved, written.resolved.posting
    return {
        "import_id": written.import_id,
        "statement_id": written.statement_id,
        "account": posting.account,
        "currency": posting.currency,
        "digits": digits_of(posting.currency),
        "amount_minor": posting.amount_minor,
        "booking_date": posting.booking_date,
        "value_date": posting.value_date,
        "bank_reference": posting.bank_reference,
        "entry_reference": posting.entry_reference,
        "batch_id": posting.batch_id,
        "is_return": posting.is_return,
        "end_to_end_id": posting.end_to_end_id,
        "counterparty_name": posting.counterparty_name,
        "counterparty_iban": vault.seal(POSTING_PARTY, posting.counterparty_iban),
        "counterparty_account_end": vault.seal(POSTING_ACCOUNT_END, posting.counterparty_iban[-ACCOUNT_END:]),
        "counterparty_has_iban": _is_refundable(posting),
        "remittance": posting.shown_text,
        "facts": sealed_facts(posting, vault),
        "source": resolved.source,
        "format": resolved.format,
    }


# No join: for a shop without statistics PostgreSQL would read all rows for each changed one.
_MOVES_DAY: Final = "p.booking_date IS DISTINCT FROM ($3::jsonb -> p.id ->> 'booking_date')::date"
_CHANGE: Final = f"""
WITH {posting_snapshots.snapshot("$2", "$4", _MOVES_DAY)}
UPDATE postings p SET (import_id, statement_id, booking_date, value_date, bank_reference, entry_reference, batch_id,
    is_return, end_to_end_id, counterparty_name, counterparty_iban, counterparty_account_end, counterparty_has_iban,
    remittance, facts, source, format, rematch_at, since_date) = (
    SELECT r.import_id, r.statement_id, r.booking_date, r.value_date, r.bank_reference, r.entry_reference, r.batch_id,
        r.is_return, r.end_to_end_id, r.counterparty_name, r.counterparty_iban, r.counterparty_account_end,
        r.counterparty_has_iban, r.remittance, r.facts, r.source, r.format,
        CASE WHEN p.status IN ('suggested', 'unmatched') AND NOT p.by_hand AND p.facts <> r.facts THEN $2
             ELSE p.rematch_at END,
        CASE WHEN p.booking_date <> r.booking_date THEN greatest(p.since_date, (SELECT today FROM day))
             ELSE p.since_date END
    FROM jsonb_to_record($3::jsonb -> p.id) AS r(import_id text, statement_id text, booking_date date, value_date date,
        bank_reference text, entry_reference text, batch_id text, is_return boolean, end_to_end_id text,
        counterparty_name text, counterparty_iban text, counterparty_account_end text,
        counterparty_has_iban boolean, remittance text, facts text, source text, format text))
WHERE p.shop_id = $1 AND p.id = ANY($4)"""


def change(tx: ShopTx, changed: Sequence[WrittenPosting], now: datetime) -> None:
    """Applies further statements' facts to booked postings; open ones with changed facts are matched again."""
    if changed:
        vault = tx.vault()
        rows = {each.id: _columns(each, vault) for each in changed}
        tx.put(_CHANGE, tx.shop_id, now, _ENCODE(rows).decode(), text_array(list(rows)))
        posting_texts.save(tx, [(each.id, each.resolved.posting) for each in changed])


_STORED: Final = f"""
SELECT p.id, p.facts, p.status, p.by_hand, p.amount_minor - p.allocated_minor AS open_minor, p.source, p.format,
       p.import_id, p.taken_back, p.by_rule
FROM unnest($2::text[]) w(id) CROSS JOIN {posting_snapshots.BY_ID} ORDER BY p.booking_date, p.id"""


def load(tx: ShopTx, posting_ids: Collection[str]) -> list[StoredPosting]:
    """The postings by booking date."""
    vault = tx.vault()
    return [
        StoredPosting(
            row.id,
            opened_facts(row.facts, vault),
            PostingStatus(row.status),
            row.by_hand,
            row.open_minor,
            PostingSource(row.source),
            row.format,
            row.import_id,
            tuple(row.taken_back),
            row.by_rule,
        )
        for row in tx.rows(_STORED, tx.shop_id, text_array(sorted(set(posting_ids))))
    ]


def allocations(tx: ShopTx, posting_ids: Collection[str]) -> list[AllocationRow]:
    """The allocations of the postings."""
    rows = tx.rows(
        "SELECT posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand, withheld_minor, fee_kind"
        " FROM allocations WHERE shop_id = $1 AND posting_id = ANY($2) ORDER BY posting_id, order_number",
        tx.shop_id,
        list(posting_ids),
    )
    return [allocation_row(row) for row in rows]


_CHANGES: Final = f"""((p.status, p.by_hand, {posting_snapshots.HELD_BACK.format(decision="p.decision")})
    IS DISTINCT FROM (d.status, d.by_hand, {posting_snapshots.HELD_BACK.format(decision="d.decision")}))"""
_OF_DECISION: Final = f"decided d CROSS JOIN {row_by_key('postings', 'id', 'd.id')} p CROSS JOIN day"
_TO_DECIDE: Final = f"decided d CROSS JOIN {row_to_write('postings', 'id', 'd.id')} p CROSS JOIN day"
_ALLOCATED: Final = rows_by_key("allocations", "posting_id", "p.id")
_DECIDED: Final = f"""
WITH decided AS (
    SELECT * FROM json_to_recordset($2::json) AS r(id text, status text, decision text, by_hand boolean,
                                                    collective boolean, taken_back text[], matched_by text)),
{posting_snapshots.snapshot("$3", only=_CHANGES, read=_OF_DECISION)}
""" + written_by_key("postings", "p",
    _TO_DECIDE, status="d.status", decision="d.decision", by_hand="d.by_hand", collective="d.collective",
    taken_back="d.taken_back", decided_at="$3", rematch_at="NULL::timestamptz", matched_by="d.matched_by",
    since_date=f"CASE WHEN {_CHANGES} OR {posting_snapshots.WAS_KEPT} THEN greatest(p.since_date, day.today)"
    " ELSE p.since_date END",
    allocated_minor=f"coalesce((SELECT sum(a.amount_minor) FROM {_ALLOCATED} a), 0)",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """A posting's state after a decision; `decision` is the JSON that explains it."""

    id: str
    status: PostingStatus
    decision: str
    by_hand: bool = False
    collective: bool = False
    taken_back: Sequence[str] = ()


_ALLOCATE: Final = f"""
WITH {posting_snapshots.snapshot("$3", "$4")}
INSERT INTO allocations (shop_id, posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand,
                         withheld_minor, fee_kind, created_at)
SELECT $1, r.posting_id, r.order_number, r.amount_minor, r.order_amount_minor, r.kind, r.by_hand, r.withheld_minor,
       r.fee_kind, $3
FROM json_to_recordset($2::json) AS r(posting_id text, order_number text, amount_minor bigint,
    order_amount_minor bigint, kind text, by_hand boolean, withheld_minor bigint, fee_kind text)
RETURNING 1"""
_RELEASE: Final = f"""
WITH {posting_snapshots.snapshot("$3", "$2")}
DELETE FROM allocations WHERE shop_id = $1 AND posting_id = ANY($2) RETURNING order_number"""


def add_allocations(tx: ShopTx, rows: Sequence[AllocationRow], now: datetime) -> None:
    """Books allocations; `write_decisions` follows in the same transaction."""
    if rows:
        postings = sorted({row.posting_id for row in rows})
        tx.put(_ALLOCATE, tx.shop_id, _ENCODE(rows).decode(), now, postings)


def drop_allocations(tx: ShopTx, posting_ids: Sequence[str], now: datetime) -> list[str]:
    """Removes the allocations of the postings; returns the numbers of the orders that they paid."""
    rows = tx.rows(_RELEASE, tx.shop_id, list(posting_ids), now)
    return sorted({row[0] for row in rows})


def write_decisions(tx: ShopTx, rows: Sequence[DecidedRow], now: datetime) -> None:
    """Writes status and explanation, and the allocated sum from the allocations."""
    if rows:
        wire = [msgspec.to_builtins(row) | {"matched_by": _matched_by(row)} for row in rows]
        tx.put(_DECIDED, tx.shop_id, _ENCODE(wire).decode(), now)


def _matched_by(row: DecidedRow) -> str:
    """Codes of the evidence for an automatic match, else none."""
    if row.by_hand or row.status is not PostingStatus.MATCHED or not row.decision:
        return ""
    return evidence_codes(row.decision)


def delete(tx: ShopTx, posting_ids: Sequence[str], now: datetime) -> None:
    """Deletes postings: those of an undone import, or a batch replaced by its parts. Allocations are removed before.

    Reports of earlier days still have them.
    """
    tx.run(f"WITH {posting_snapshots.snapshot('$3', '$2')} SELECT", tx.shop_id, list(posting_ids), now)
    for table, column in (
        ("posting_comments", "posting_id"),
        ("posting_keys", "posting_id"),
        ("posting_search", "posting_id"),
        ("first_suggestions", "posting_id"),
        ("suggested_orders", "posting_id"),
        ("postings", "id"),
    ):
        tx.run(f"DELETE FROM {table} WHERE shop_id = $1 AND {column} = ANY($2)", tx.shop_id, list(posting_ids))


def status_counts(tx: ShopTx, import_id: str) -> dict[str, int]:
    """Status -> number of the postings that an import booked."""
    rows = tx.rows(
        "SELECT status, count(*) FROM postings WHERE shop_id = $1 AND import_id = $2 GROUP BY status",
        tx.shop_id,
        import_id,
    )
    return {row[0]: row[1] for row in rows}


_REASON: Final = f"""
WITH {posting_snapshots.snapshot("$4", "$2", "p.aside_reason <> $3")}
UPDATE postings p SET aside_reason = $3,
       since_date = CASE WHEN p.aside_reason <> $3 THEN greatest(p.since_date, day.today) ELSE p.since_date END
FROM day WHERE p.shop_id = $1 AND p.id = ANY($2)"""


def set_reason(tx: ShopTx, posting_id: str, reason: str, now: datetime) -> None:
    """Why a person set the posting aside or ignored it."""
    set_reason_of_all(tx, [posting_id], reason, now)


def set_reason_of_all(tx: ShopTx, posting_ids: Sequence[str], reason: str, now: datetime) -> None:
    """Why these postings are not order payments."""
    tx.put(_REASON, tx.shop_id, list(posting_ids), reason, now)


def set_rule(tx: ShopTx, posting_id: str, rule: str) -> None:
    """The rule that set the posting aside; TAKEN_UP: a person has reopened it."""
    tx.put("UPDATE postings SET by_rule = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, posting_id, rule)


def reason(tx: ShopTx, posting_id: str) -> str:
    """Why a person set the posting aside or ignored it; empty if no one did, or gave no reason."""
    return str(
        tx.value("SELECT aside_reason FROM postings WHERE shop_id = $1 AND id = $2", tx.shop_id, posting_id) or ""
    )


STAMP: Final = """md5(concat_ws('/', p.status, p.by_hand, p.aside_reason, p.allocated_minor, p.decision,
    CASE WHEN p.by_hand THEN p.decided_at END))"""
"""The stamp of the posting p: the same text until a person decides it, or matching decides differently."""


def stamp(tx: ShopTx, posting_id: str) -> str:
    """The posting's stamp (STAMP); empty if there is none."""
    return str(tx.value(f"SELECT {STAMP} FROM postings p WHERE shop_id = $1 AND id = $2", tx.shop_id, posting_id) or "")
