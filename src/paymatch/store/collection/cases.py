"""Cases at the collection agency in PostgreSQL, with their history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.collection.agency import Agency, Channel
from paymatch.domain.collection.cases import CaseStatus
from paymatch.store.connection import Row, build
from paymatch.store.lists.sorted_lists import (
    AskedPage,
    ListStatement,
    PageOfRows,
    by_day,
    by_moment,
    by_number,
    by_text,
)
from paymatch.store.orders.order_list import BILLED_TO
from paymatch.store.orders.orders import customer_of
from paymatch.store.sealing import AGENCY_TOKEN
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case. `file`: its number at the agency; interest counts from the day after `due_on` to `interest_until`.

    `warned_on`: the day of the last reminder, None where none was sent.

    Amounts in minor units of the order's currency: the open amount at the handover and further claims;
    `told_open_minor`: the open amount last reported to the agency.
    """

    order_number: str
    id: str
    partner: str
    file: str
    status: CaseStatus
    active: bool
    handed_over_at: datetime
    due_on: date | None
    interest_until: date | None
    warned_on: date | None
    claim_minor: int
    fees_minor: int
    interest_minor: int
    lump_minor: int
    told_open_minor: int


@dataclass(frozen=True, slots=True)
class ListedCase:
    """A case with its order's present data."""

    case: CaseRow
    currency: str
    order_status: str
    open_minor: int
    mark: str | None


def agency(tx: ShopTx) -> Agency:
    """The shop's agency; one without a name if none is set."""
    row = tx.row(
        "SELECT name, channel, address, customer_number, after_days, interest, lump_sum FROM collection_agencies"
        " WHERE shop_id = $1",
        tx.shop_id,
    )
    return Agency() if row is None else build(Agency, row, channel=Channel(row.channel))


def shops_with_interest(tx: Tx) -> list[ShopId]:
    """The active real shops whose claims bear interest."""
    rows = tx.rows(
        "SELECT a.shop_id FROM collection_agencies a JOIN shops s ON s.shop_id = a.shop_id"
        " WHERE a.interest AND s.status = 'active' AND NOT s.sandbox ORDER BY s.name, a.shop_id"
    )
    return [ShopId(row[0]) for row in rows]


def set_agency(tx: ShopTx, wanted: Agency) -> None:
    """Stores the shop's agency."""
    tx.run(
        "INSERT INTO collection_agencies (shop_id, name, channel, address, customer_number, after_days, interest,"
        " lump_sum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (shop_id) DO UPDATE SET name = excluded.name,"
        " channel = excluded.channel, address = excluded.address, customer_number = excluded.customer_number,"
        " after_days = excluded.after_days, interest = excluded.interest, lump_sum = excluded.lump_sum",
        tx.shop_id, wanted.name, wanted.channel, wanted.address, wanted.customer_number, wanted.after_days,
        wanted.interest,
        wanted.lump_sum,
    )  # fmt: skip


def agency_token(tx: ShopTx) -> str:
    """The agency's token; "" if none was made."""
    sealed = tx.value("SELECT token FROM collection_agencies WHERE shop_id = $1", tx.shop_id)
    return tx.vault().open(AGENCY_TOKEN, sealed or "")


def set_agency_token(tx: ShopTx, token: str, token_hash: bytes, before_until: datetime) -> None:
    """Stores a new token of the agency; the previous one is accepted until a moment of the real clock."""
    tx.run(
        "UPDATE collection_agencies SET token = $2, token_hash = $3, token_before_hash = token_hash,"
        " token_before_until = $4 WHERE shop_id = $1",
        tx.shop_id, tx.vault().seal(AGENCY_TOKEN, token), token_hash, before_until,
    )  # fmt: skip


def takes_token(tx: ShopTx, token_hash: bytes, clock: datetime) -> bool:
    """Whether this is the hash of the agency's token, or of the previous one while that is accepted."""
    return bool(
        tx.value(
            "SELECT EXISTS (SELECT FROM collection_agencies WHERE shop_id = $1 AND (token_hash = $2"
            " OR token_before_hash = $2 AND token_before_until > $3))",
            tx.shop_id,
            token_hash,
            clock,
        )
    )


def base_rates(tx: ShopTx) -> list[tuple[date, Decimal]]:
    """(first day, per cent a year) of the base rates that the shop has added, oldest first."""
    rows = tx.rows(
        "SELECT first_date, percent FROM collection_base_rates WHERE shop_id = $1 ORDER BY first_date", tx.shop_id
    )
    return [(row[0], row[1]) for row in rows]


def set_base_rate(tx: ShopTx, first: date, percent: Decimal) -> None:
    """Stores a base rate that the shop has added, or corrects it."""
    tx.run(
        "INSERT INTO collection_base_rates (shop_id, first_date, percent) VALUES ($1, $2, $3)"
        " ON CONFLICT (shop_id, first_date) DO UPDATE SET percent = excluded.percent",
        tx.shop_id,
        first,
        percent,
    )


_CASES: Final = """
SELECT c.order_number, c.id, c.partner, c.file, c.status, c.active, c.handed_over_at, c.due_on,
       c.interest_until, c.warned_on, c.claim_minor, c.fees_minor, c.interest_minor, c.lump_minor, c.told_open_minor,
       o.currency, o.status AS order_status, o.mark,
       o.amount_minor - o.postings_minor + o.refunded_minor AS open_minor
FROM collections c JOIN orders o ON o.shop_id = c.shop_id AND o.number = c.order_number WHERE c.shop_id = $1 """


def cases(tx: ShopTx, *, active_only: bool = False) -> list[ListedCase]:
    """The shop's cases, those handed over last first."""
    rows = tx.rows(
        _CASES + "AND (c.active OR NOT $2) ORDER BY c.handed_over_at DESC, c.order_number", tx.shop_id, active_only
    )
    return [_listed_case(row) for row in rows]


CASES: Final = ListStatement(
    _CASES + "AND ($2::text = '' OR c.status = $2) AND ($3::text = '' OR c.order_number = $3 OR c.file = $3)",
    usual="-handed_over",
    key="order_number",
    currency="currency",
    amount="claim_minor",
    sorts={
        "number": by_text("order_number"),
        "handed_over": by_moment("handed_over_at", is_filled=True),
        "partner": by_text("partner"),
        "file": by_text("file"),
        "state": by_text("status"),
        "claim": by_number("claim_minor"),
        "beside": by_number("listed.fees_minor + listed.interest_minor + listed.lump_minor"),
        "open": by_number("open_minor"),
    },
)


def page(tx: ShopTx, status: str, search: str, asked: AskedPage) -> PageOfRows[ListedCase]:
    """Cases, the last handed over first unless sorted.

    `status` "" for all; `search` is an order's number or the agency's, "" for all.
    """
    return CASES.page(tx, asked, tx.shop_id, status, search).map(_case_of)


def find(tx: ShopTx, text: str) -> ListedCase | None:
    """The case of this order number, or of this number at the agency if only one has it."""
    rows = tx.rows(_CASES + "AND (c.order_number = $2 OR c.file = $2) ORDER BY c.order_number <> $2", tx.shop_id, text)
    found = [_listed_case(row) for row in rows]
    if found and found[0].case.order_number == text:
        return found[0]
    return found[0] if len(found) == 1 else None


def _listed_case(row: Row) -> ListedCase:
    return _case_of(row._asdict())


def _case_of(columns: dict[str, Any]) -> ListedCase:
    more = {name: columns.pop(name) for name in ("currency", "order_status", "mark", "open_minor")}
    return ListedCase(CaseRow(**columns | {"status": CaseStatus(columns["status"])}), **more)


def save(tx: ShopTx, case: CaseRow) -> None:
    """Stores a case's present state; an order has one, which restarts when it is handed over again."""
    tx.run(
        "INSERT INTO collections (shop_id, order_number, id, partner, file, status, active, handed_over_at, warned_on,"
        " claim_minor, fees_minor, interest_minor, lump_minor, told_open_minor, due_on,"
        " interest_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
        " ON CONFLICT (shop_id, order_number) DO UPDATE SET id = excluded.id, partner = excluded.partner,"
        " file = excluded.file, status = excluded.status, active = excluded.active,"
        " handed_over_at = excluded.handed_over_at, warned_on = excluded.warned_on,"
        " claim_minor = excluded.claim_minor, fees_minor = excluded.fees_minor,"
        " interest_minor = excluded.interest_minor, lump_minor = excluded.lump_minor,"
        " told_open_minor = excluded.told_open_minor, due_on = excluded.due_on,"
        " interest_until = excluded.interest_until",
        tx.shop_id, case.order_number, case.id, case.partner, case.file, case.status, case.active, case.handed_over_at,
        case.warned_on, case.claim_minor, case.fees_minor, case.interest_minor, case.lump_minor, case.told_open_minor,
        case.due_on, case.interest_until,
    )  # fmt: skip


def add_event(tx: ShopTx, number: str, at: datetime, description: str) -> None:
    """Adds a line to the order's collectionHistory."""
    tx.run(
        "INSERT INTO collection_events (shop_id, order_number, position, at, description)"
        " SELECT $1, $2, coalesce(max(position), 0) + 1, $3, $4 FROM collection_events"
        " WHERE shop_id = $1 AND order_number = $2 RETURNING 1",
        tx.shop_id,
        number,
        at,
        description,
    )


def events(tx: ShopTx, number: str) -> list[tuple[datetime, str]]:
    """(moment, description) of the order's collectionHistory, oldest first."""
    rows = tx.rows(
        "SELECT at, description FROM collection_events WHERE shop_id = $1 AND order_number = $2 ORDER BY position",
        tx.shop_id,
        number,
    )
    return [(row[0], row[1]) for row in rows]


def ready(tx: ShopTx, levels: int, after: str, limit: int) -> list[str]:
    """A page of the numbers, after `after`, of open orders with this many reminders that were never handed over."""
    return [
        row[0]
        for row in tx.rows(
            "SELECT number FROM orders WHERE shop_id = $1 AND status IN ('UNPAID', 'PAID_PARTIAL') AND mark IS NULL"
            " AND dunning_level >= $2 AND number > $3 AND NOT EXISTS (SELECT FROM collections c WHERE c.shop_id = $1"
            " AND c.order_number = number) ORDER BY number LIMIT $4",
            tx.shop_id,
            levels,
            after,
            limit,
        )
    ]


def customer(tx: ShopTx, number: str) -> dict[str, Any]:
    """The agency's data on an order and its customer: the submitted document, and the ledger's columns."""
    rows = tx.named(
        "SELECT number, doc::json AS document, type, order_date, due_date, currency, digits, amount_minor, reference,"
        " created_at, (SELECT json_agg(json_build_object('date', m.sent_date, 'level', m.dunning_level, 'feeMinor',"
        " m.fee_minor, 'email', m.email, 'letter', m.letter) ORDER BY m.dunning_level) FROM reminders m"
        " WHERE m.shop_id = $1 AND m.order_number = o.number) AS reminders,"
        " (SELECT json_agg(json_build_object('id', p.id, 'date', p.booking_date, 'name', p.counterparty_name,"
        " 'text', p.remittance, 'creditedMinor', a.order_amount_minor) ORDER BY p.booking_date, p.id)"
        " FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.order_number = o.number AND a.kind IN ('payment', 'return')) AS postings"
        " FROM orders o WHERE o.shop_id = $1 AND o.number = $2",
        tx.shop_id,
        number,
    )
    return rows[0]


@dataclass(frozen=True, slots=True)
class LapseRow:
    """A prepayment order that is unpaid, or was given up at `lapsed_at`; amounts in minor units."""

    number: str
    order_date: date
    customer: str
    currency: str
    open_minor: int
    amount_minor: int
    lapsed_at: datetime | None


LAPSES: Final = ListStatement(
    """
SELECT o.number, o.order_date, o.status, o.doc, o.currency, o.amount_minor, o.billed_to,
       o.amount_minor - o.postings_minor + o.refunded_minor AS open_minor
FROM orders o WHERE o.shop_id = $1 AND o.type = 'PREPAYMENT'
  AND (o.status = 'UNPAID' AND $2 <> 'lapsed' OR o.status = 'CANCELLED' AND $2 <> 'open' AND EXISTS (
       SELECT FROM events e WHERE e.shop_id = $1 AND e.order_number = o.number AND e.cause = 'lapsed'))
  AND ($3 = '' OR strpos(lower(o.number), lower($3)) > 0)""",
    usual="order_date",
    key="number",
    currency="currency",
    amount="amount_minor",
    sorts={
        "number": by_text("number"),
        "order_date": by_day("order_date", is_filled=True),
        "customer": BILLED_TO,
        "state": by_text("status"),
        "amount": by_number("amount_minor"),
        "open": by_number("CASE WHEN listed.status = 'UNPAID' THEN listed.open_minor END"),
    },
)
_LAPSED_AT: Final = """
SELECT order_number, max(at) AS at FROM events WHERE shop_id = $1 AND order_number = ANY($2) AND cause = 'lapsed'
GROUP BY 1"""


def lapses(tx: ShopTx, state: str, text: str, asked: AskedPage) -> PageOfRows[LapseRow]:
    """Prepayment orders, by order date unless sorted: unpaid ones, and lapsed ones.

    `state` is open, lapsed or "" for both; `text` is a part of the number.
    """
    found = LAPSES.page(tx, asked, tx.shop_id, state, text)
    cancelled = [row["number"] for row in found.rows if row["status"] == "CANCELLED"]
    moments = dict(tx.rows(_LAPSED_AT, tx.shop_id, cancelled)) if cancelled else {}

    def lapse_row(row: dict[str, Any]) -> LapseRow:
        return LapseRow(
            row["number"], row["order_date"], customer_of(row["doc"]), row["currency"], row["open_minor"],
            row["amount_minor"], moments.get(row["number"]),
        )  # fmt: skip

    return found.map(lapse_row)


def unpaid_prepayments(tx: ShopTx, after: str, limit: int) -> list[str]:
    """A page of the numbers of unpaid prepayment orders, after `after`."""
    return [
        row[0]
        for row in tx.rows(
            "SELECT number FROM orders WHERE shop_id = $1 AND status = 'UNPAID' AND type = 'PREPAYMENT'"
            " AND payment_info_at IS NOT NULL AND number > $2 ORDER BY number LIMIT $3",
            tx.shop_id,
            after,
            limit,
        )
    ]


def commission(tx: ShopTx, number: str) -> int:
    """Agencies' fees from the order's money, in the currency of its postings."""
    found: int = tx.value(
        "SELECT coalesce(sum(withheld_minor), 0)::bigint FROM allocations WHERE shop_id = $1 AND order_number = $2"
        " AND fee_kind = 'COMMISSION'",
        tx.shop_id, number,
    )  # fmt: skip
    return found
