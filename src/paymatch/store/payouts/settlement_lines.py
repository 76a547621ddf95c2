"""Rows of settlement files in PostgreSQL: every row as read, and its event (D-83)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Final

import msgspec

from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.told_twice import NamedRow, RowOfCode
from paymatch.domain.statement_channels import TRUSTED
from paymatch.domain.words.message import as_text
from paymatch.store.connection import build, text_array
from paymatch.store.key_lookups import LOCKED, written_by_key
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_MOVEMENT: Final = msgspec.json.Decoder(Movement).decode
_STATED: Final = msgspec.json.Decoder(StatedPayout).decode


@dataclass(frozen=True, slots=True)
class LineOfSettlement:
    """A row of a settlement file; the `group` of its movement is its event."""

    import_id: str
    statement_id: str
    movement: Movement
    is_trusted: bool = True  # its file came by a channel that vouches for it


@dataclass(frozen=True, slots=True)
class AccountKey:
    """An account at a provider in one currency."""

    account: str
    currency: str


_ADD: Final = """
INSERT INTO settlement_lines (shop_id, import_id, place, statement_id, account, currency, event, kind,
                              provider_id, payment_id, payment_alias, payout_id, facts)
SELECT $1, $2, r.place, r.statement_id, $3, r.currency, r.event, r.kind, r.provider_id, r.payment_id, r.payment_alias,
       r.payout_id, r.facts
FROM json_to_recordset($4::json) AS r(place integer, statement_id text, currency text, event text, kind text,
                                      provider_id text, payment_id text, payment_alias text, payout_id text,
                                      facts text)
RETURNING 1"""


def add(tx: ShopTx, import_id: str, account: str, first_place: int, rows: Sequence[tuple[str, Movement]]) -> None:
    """Keeps rows of an import, each with its statement; they are counted on from `first_place`."""
    wire = []
    for place, (statement_id, each) in enumerate(rows, first_place):
        event = event_of(each) or f"l:{import_id}/{place}"
        facts = _ENCODE(replace(each, group=event)).decode()
        wire.append({
            "place": place, "statement_id": statement_id, "currency": each.currency, "event": event, "kind": each.kind,
            "provider_id": each.provider_id, "payment_id": each.payment_id, "payment_alias": each.payment_alias,
            "payout_id": each.payout_id, "facts": facts,
        })  # fmt: skip
    tx.run(_ADD, tx.shop_id, import_id, account, _ENCODE(wire).decode())


def event_of(movement: Movement) -> str:
    """The event that a row itself names: rows of an order by their group, others by their id; empty without both."""
    if movement.group:
        return f"g:{movement.group}"
    return f"i:{movement.provider_id}" if movement.provider_id else ""


def add_stated(tx: ShopTx, import_id: str, account: str, stated: Sequence[StatedPayout]) -> None:
    """Stores an import's totals of payouts."""
    for each in stated:
        tx.run(
            "INSERT INTO stated_payouts (shop_id, import_id, account, currency, payout_id, facts)"
            " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (shop_id, import_id, account, currency, payout_id)"
            " DO UPDATE SET facts = excluded.facts",
            tx.shop_id, import_id, account, each.currency, each.payout_id, _ENCODE(each).decode(),
        )  # fmt: skip


# By key, as in _OF_EVENTS below: joined without statistics it would read the whole account for each row.
_UNITE: Final = """
WITH told AS MATERIALIZED (
    SELECT DISTINCT n.account, n.currency, n.provider_id FROM settlement_lines n
    WHERE n.shop_id = $1 AND n.import_id = $2 AND n.provider_id <> ''),
united AS MATERIALIZED (
    SELECT t.account, t.currency, t.provider_id, e.event FROM told t CROSS JOIN LATERAL (
        SELECT min(o.event) AS event, max(o.event) AS last FROM settlement_lines o
        WHERE o.shop_id = $1 AND o.account = t.account AND o.currency = t.currency AND o.provider_id = t.provider_id
          AND o.provider_id <> '' OFFSET 0) e WHERE e.event <> e.last)
UPDATE settlement_lines l SET event = u.event FROM united u
WHERE l.shop_id = $1 AND l.account = u.account AND l.currency = u.currency AND l.provider_id = u.provider_id
  AND l.provider_id <> '' AND l.event <> u.event
RETURNING l.account, l.currency, l.event"""


def unite(tx: ShopTx, import_id: str) -> None:
    """Makes all rows of one transaction one event, even if only one report has its group."""
    tx.rows(_UNITE, tx.shop_id, import_id)


def accounts_of_import(tx: ShopTx, import_id: str) -> list[AccountKey]:
    """The accounts of an import."""
    rows = tx.rows(
        "SELECT account, currency FROM settlement_lines WHERE shop_id = $1 AND import_id = $2"
        " UNION SELECT account, currency FROM stated_payouts WHERE shop_id = $1 AND import_id = $2 ORDER BY 1, 2",
        tx.shop_id,
        import_id,
    )
    return [AccountKey(account, currency) for account, currency in rows]


def events_of_import(tx: ShopTx, key: AccountKey, import_id: str, first: int, last: int) -> list[str]:
    """The events of an import in its rows from place `first` to before place `last`."""
    rows = tx.rows(
        "SELECT DISTINCT event FROM settlement_lines WHERE shop_id = $1 AND import_id = $2 AND account = $3"
        " AND currency = $4 AND place >= $5 AND place < $6 ORDER BY 1",
        tx.shop_id, import_id, key.account, key.currency, first, last,
    )  # fmt: skip
    return [row[0] for row in rows]


def rows_of_import(tx: ShopTx, import_id: str) -> int:
    """How many rows an import has brought."""
    count: int = tx.value(
        "SELECT coalesce(max(place) + 1, 0) FROM settlement_lines WHERE shop_id = $1 AND import_id = $2",
        tx.shop_id, import_id,
    )  # fmt: skip
    return count


_LOAD: Final = """
SELECT l.import_id, l.statement_id, l.event, l.kind, l.provider_id, l.facts,
       l.import_id <> ALL (ARRAY(SELECT i.id FROM imports i WHERE i.shop_id = $1 AND NOT i.channel = ANY($2)))
           AS is_trusted
FROM {source} ORDER BY l.import_id, l.place"""

# By key, one after another: PostgreSQL has no statistics of newly written rows, and would rather read all rows of the
# account than look up many keys at once. OFFSET 0 keeps it from joining otherwise.
_OF_EVENTS: Final = """unnest($5::text[]) AS w(event) CROSS JOIN LATERAL (SELECT * FROM settlement_lines l
    WHERE l.shop_id = $1 AND l.account = $3 AND l.currency = $4 AND l.event = w.event OFFSET 0) l"""
_PAID_BY: Final = """settlement_lines l
    WHERE l.shop_id = $1 AND l.account = $3 AND l.currency = $4 AND l.paid_by <> '' AND l.paid_by = $5"""


def load(tx: ShopTx, source: str, *params: object) -> list[LineOfSettlement]:
    """The rows of `source`, which calls them `l`; its parameters begin with $3."""
    rows = tx.rows(_LOAD.format(source=source), tx.shop_id, sorted(TRUSTED), *params)
    return [
        LineOfSettlement(import_id, statement_id, _of_event(_MOVEMENT(facts), event, kind, provider_id), is_trusted)
        for import_id, statement_id, event, kind, provider_id, facts, is_trusted in rows
    ]


_IN_SHORT: Final = """
SELECT l.import_id, l.statement_id, l.event, l.kind, l.provider_id, (l.facts::jsonb - '{text,order_reference,
    marketplace_number,payment_id,payment_alias,original_minor,original_currency}'::text[])::text AS facts
FROM settlement_lines l WHERE l.shop_id = $1 AND l.account = $2 AND l.currency = $3 AND """


def _stream_events(tx: ShopTx, key: AccountKey, condition: str, *params: object) -> Iterator[list[LineOfSettlement]]:
    """The rows, event by event, without data on customers and orders; few are in memory at once."""
    rows = tx.stream(
        f"{_IN_SHORT}{condition} ORDER BY l.event, l.import_id, l.place",
        tx.shop_id, key.account, key.currency, *params,
    )  # fmt: skip
    for _, of_event in groupby(rows, key=itemgetter(2)):
        yield [
            LineOfSettlement(import_id, statement_id, _of_event(_MOVEMENT(facts), event, kind, provider_id))
            for import_id, statement_id, event, kind, provider_id, facts in of_event
        ]


def _of_event(movement: Movement, event: str, kind: str, provider_id: str) -> Movement:
    """Renames events of earlier rows to the name that another report gives their transaction."""
    if movement.half and (movement.provider_id, movement.kind) != (provider_id, kind):
        return replace(movement, group=event, kind=MovementKind(kind), provider_id=provider_id, is_by_sign=False)
    return movement if movement.group == event else replace(movement, group=event)


_UNSURE: Final = """
SELECT l.payment_id FROM settlement_lines l
WHERE l.shop_id = $1 AND l.account = $2 AND l.currency = $3 AND l.payment_id <> ''
  AND l.payment_id IN (SELECT n.payment_id FROM settlement_lines n
                       WHERE n.shop_id = $1 AND n.import_id = $4 AND n.account = $2 AND n.payment_id <> '')
GROUP BY l.payment_id, (l.facts::json->>'gross_minor')::bigint
HAVING bool_or(l.kind = 'chargeback reversed') OR bool_or(l.provider_id <> l.facts::json->>'provider_id')
    OR count(DISTINCT l.facts::json->>'at') FILTER (WHERE l.facts::json->>'half' = 'event') > 1
    OR count(DISTINCT l.facts::json->>'payout_date') FILTER (WHERE l.facts::json->>'half' = 'payout') > 1
    OR count(DISTINCT l.facts::json->>'fee_minor') > 1
    OR count(*) FILTER (WHERE l.facts::json->>'half' = 'event') > count(DISTINCT l.import_id)
    OR count(*) FILTER (WHERE l.facts::json->>'half' = 'payout') > count(DISTINCT l.import_id)"""


def unsure_codes(tx: ShopTx, key: AccountKey, import_id: str) -> list[str]:
    """Codes of an import with more rows than one transaction each way."""
    rows = tx.rows(_UNSURE, tx.shop_id, key.account, key.currency, import_id)
    return sorted({row[0] for row in rows})


def rows_of_codes(tx: ShopTx, key: AccountKey, codes: Collection[str]) -> dict[str, list[RowOfCode]]:
    """Code -> its rows as they were read."""
    rows = tx.rows(
        "SELECT payment_id, import_id, place, facts FROM settlement_lines WHERE shop_id = $1 AND account = $2"
        " AND currency = $3 AND payment_id <> '' AND payment_id = ANY($4) ORDER BY import_id, place",
        tx.shop_id, key.account, key.currency, text_array(sorted(codes)),
    )  # fmt: skip
    found: dict[str, list[RowOfCode]] = {}
    for code, import_id, place, facts in rows:
        movement = _MOVEMENT(facts)
        if movement.half:
            found.setdefault(code, []).append(RowOfCode(import_id, place, movement))
    return found


_NAME: Final = """
UPDATE settlement_lines l SET event = 'i:' || r.name, provider_id = r.name, kind = r.kind
FROM unnest($2::text[], $3::integer[], $4::text[], $5::text[]) r(import_id, place, name, kind),
     (SELECT o.import_id, o.place, o.event FROM settlement_lines o WHERE o.shop_id = $1 AND o.import_id = ANY($2)) w
WHERE l.shop_id = $1 AND l.import_id = r.import_id AND l.place = r.place AND w.import_id = r.import_id
  AND w.place = r.place AND (l.provider_id <> r.name OR l.kind <> r.kind)
RETURNING w.event, l.event"""


def name_transactions(tx: ShopTx, named: Sequence[NamedRow]) -> set[str]:
    """Stores each row's transaction; returns the changed events."""
    rows = tx.rows(
        _NAME, tx.shop_id, [each.row.import_id for each in named], [each.row.place for each in named],
        [each.transaction for each in named], [each.kind for each in named],
    )  # fmt: skip
    return {event for row in rows for event in row}


def of_events(tx: ShopTx, key: AccountKey, events: Collection[str]) -> list[LineOfSettlement]:
    """All rows of these events, from any import."""
    return load(tx, _OF_EVENTS, key.account, key.currency, text_array(sorted(set(events))))


def events_of_account(tx: ShopTx, key: AccountKey) -> Iterator[list[LineOfSettlement]]:
    """All rows of an account in short, event by event."""
    return _stream_events(tx, key, "true")


def events_with_payouts(tx: ShopTx, key: AccountKey) -> Iterator[list[LineOfSettlement]]:
    """The rows in short, event by event, of events in which a file tells of a payout itself."""
    condition = """l.event IN (SELECT w.event FROM settlement_lines w
        WHERE w.shop_id = $1 AND w.account = $2 AND w.currency = $3 AND w.kind = 'payout')"""
    return _stream_events(tx, key, condition)


def events_of_payouts(tx: ShopTx, key: AccountKey, payout_ids: Collection[str]) -> Iterator[list[LineOfSettlement]]:
    """The rows in short, event by event, of all events that belong to these payouts."""
    condition = """l.event IN (SELECT w.event FROM settlement_lines w
        WHERE w.shop_id = $1 AND w.account = $2 AND w.currency = $3 AND w.payout_id <> ''
        AND w.payout_id = ANY($4))"""
    return _stream_events(tx, key, condition, text_array(sorted(payout_ids)))


def paid_by(tx: ShopTx, key: AccountKey, payout_id: str) -> list[LineOfSettlement]:
    """The rows of a payout."""
    return load(tx, _PAID_BY, key.account, key.currency, payout_id)


def has_payout_ids(tx: ShopTx, key: AccountKey, without: str = "") -> bool:
    """Whether rows of the account name their payout, if not counted are those of an import `without`.

    On other accounts a payout takes what came in before it.
    """
    found: bool = tx.value(
        "SELECT EXISTS (SELECT FROM settlement_lines WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND payout_id <> '' AND kind <> 'payout' AND import_id <> $4) OR EXISTS (SELECT FROM stated_payouts"
        " WHERE shop_id = $1 AND account = $2 AND currency = $3 AND import_id <> $4)",
        tx.shop_id, key.account, key.currency, without,
    )  # fmt: skip
    return found


def payout_ids_of(tx: ShopTx, key: AccountKey, import_id: str, events: Collection[str]) -> set[str]:
    """The payouts that an import tells of, itself, by its events or by these."""
    rows = tx.rows(
        "SELECT payout_id FROM stated_payouts WHERE shop_id = $1 AND import_id = $2 AND account = $3 AND currency = $4"
        " UNION SELECT payout_id FROM settlement_lines WHERE shop_id = $1 AND account = $3 AND currency = $4"
        " AND payout_id <> '' AND (event = ANY($5) OR event IN (SELECT n.event FROM settlement_lines n"
        " WHERE n.shop_id = $1 AND n.import_id = $2 AND n.account = $3 AND n.currency = $4))",
        tx.shop_id, import_id, key.account, key.currency, text_array(sorted(events)),
    )  # fmt: skip
    return {row[0] for row in rows}


def stated_payouts(
    tx: ShopTx, key: AccountKey, payout_ids: Collection[str] | None = None
) -> list[tuple[str, StatedPayout]]:
    """(import, its total of a payout); of all payouts without `payout_ids`."""
    rows = tx.rows(
        "SELECT import_id, facts FROM stated_payouts WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND ($4::text[] IS NULL OR payout_id = ANY($4)) ORDER BY import_id, payout_id",
        tx.shop_id, key.account, key.currency, None if payout_ids is None else sorted(payout_ids),
    )  # fmt: skip
    return [(row[0], _STATED(row[1])) for row in rows]


_PASS_ON: Final = written_by_key(
    "settlement_lines",
    "l",
    f"""unnest($4::text[], $5::text[]) r(event, payout) CROSS JOIN LATERAL (
        SELECT * FROM settlement_lines x WHERE x.shop_id = $1 AND x.account = $2 AND x.currency = $3
          AND x.event BETWEEN r.event AND r.event AND x.paid_by <> r.payout ORDER BY x.event {LOCKED}) l""",
    paid_by="r.payout",
)


def set_paid_by(tx: ShopTx, key: AccountKey, events: dict[str, str]) -> None:
    """Stores the payout of each event."""
    tx.look_up_by_key()
    passed_on, payouts = text_array(list(events)), text_array(list(events.values()))
    tx.run(_PASS_ON, tx.shop_id, key.account, key.currency, passed_on, payouts)


@dataclass(frozen=True, slots=True)
class RowOfFile:
    """A row of a settlement file, and the name of the file; "" for one that is being imported."""

    import_id: str
    row: int
    file_name: str


def rows_of_transaction(tx: ShopTx, provider_id: str) -> list[RowOfFile]:
    """All rows of a transaction, earliest import first."""
    rows = tx.rows(
        "SELECT l.import_id, (l.facts::json->>'row')::integer AS row, coalesce(i.file_name, '') AS file_name"
        " FROM settlement_lines l LEFT JOIN imports i ON i.shop_id = $1 AND i.id = l.import_id"
        " WHERE l.shop_id = $1 AND l.provider_id <> '' AND l.provider_id = $2 ORDER BY i.created_at NULLS LAST, 2",
        tx.shop_id,
        provider_id,
    )
    return [build(RowOfFile, row) for row in rows]


def delete(tx: ShopTx, import_id: str) -> None:
    """Deletes an import's data."""
    tx.run("DELETE FROM settlement_lines WHERE shop_id = $1 AND import_id = $2", tx.shop_id, import_id)
    tx.run("DELETE FROM stated_payouts WHERE shop_id = $1 AND import_id = $2", tx.shop_id, import_id)
