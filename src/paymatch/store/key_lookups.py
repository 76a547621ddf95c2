"""Rows by their key: read and written by the index of that key, independent of PostgreSQL's statistics (D-135).

Nearly every index begins with the shop. Of a shop that it has not counted PostgreSQL expects a row or two, so any of
them seems as good to it as the one that has the key, and it reads all rows of the shop. Only an index that begins with
shop and key has the rows in the order of their keys: a look-up that asks for this order ends at once, and any other
plan would have to sort, which `look_up_by_key` and `prefer_indexes` of the transaction rule out.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class _Written(NamedTuple):
    """What changing the rows of a table takes: its primary key beside the shop, and columns that have no default."""

    key: tuple[str, ...]
    columns: tuple[str, ...]


_WRITTEN: Final = {
    "orders": _Written(
        ("number",),
        (
            "doc", "type", "order_date", "currency", "digits", "amount_minor", "status", "reference", "created_at",
            "updated_at",
        ),
    ),
    "postings": _Written(
        ("id",),
        (
            "import_id", "statement_id", "account", "currency", "digits", "amount_minor", "booking_date",
            "bank_reference", "entry_reference", "batch_id", "is_return", "end_to_end_id", "counterparty_name",
            "counterparty_iban", "remittance", "facts", "source", "format", "status", "created_at",
        ),
    ),
    "settlement_lines": _Written(
        ("import_id", "place"),
        (
            "statement_id", "account", "currency", "event", "kind", "provider_id", "payment_id", "payment_alias",
            "payout_id", "facts",
        ),
    ),
}  # fmt: skip


LOCKED: Final = "FOR NO KEY UPDATE"
"""Appended to a look-up: locks the row against changes and deletion until the end of the transaction."""


def row_by_key(table: str, column: str, value: str, columns: str = "*") -> str:
    """The row of the shop $1 with this key, as a LATERAL part of a statement; none if there is no such row.

    For each of a list of keys: `unnest($2::text[]) w(number) CROSS JOIN row_by_key("orders", "number", "w.number") o`.
    """
    return rows_by_key(table, column, value, columns, limit="1")


def row_to_write(table: str, column: str, value: str, where: str = "true") -> str:
    """The same, and the row is LOCKED; only if it meets a condition, in which it is called `of_key`."""
    return f"LATERAL ({_by_key(table, column, value, '*', where)} LIMIT 1 {LOCKED})"


def rows_by_key(table: str, column: str, value: str, columns: str = "*", *, limit: str = "ALL") -> str:
    """The rows of the shop $1 that have this key, as a LATERAL part of a statement."""
    return f"LATERAL ({_by_key(table, column, value, columns)} LIMIT {limit})"


def _by_key(table: str, column: str, value: str, columns: str, where: str = "true") -> str:
    """An equality instead of BETWEEN would make the order one that each index has."""
    return (
        f"SELECT {columns} FROM {table} of_key WHERE of_key.shop_id = $1"
        f" AND of_key.{column} BETWEEN {value} AND {value} AND {where} ORDER BY of_key.{column}"
    )


def written_by_key(table: str, row: str, source: str, /, **changed: str) -> str:
    """A statement that changes rows where their primary key is: those of `source`, which calls each of them `row`.

    No UPDATE that joins: of a shop that is not counted it would read all rows, once for each that changes. None is
    new, as each is made of one that was read and is LOCKED; `changed` is column -> its value.
    """
    assert LOCKED in source, "a row that is deleted meanwhile would come back"
    key, columns = _WRITTEN[table]
    kept = ("shop_id", *key, *(column for column in columns if column not in changed))
    return (
        f"INSERT INTO {table} ({', '.join((*kept, *changed))})"
        f" SELECT {', '.join((*(f'{row}.{column}' for column in kept), *changed.values()))} FROM {source}"
        f" ON CONFLICT (shop_id, {', '.join(key)}) DO UPDATE SET"
        f" {', '.join(f'{column} = excluded.{column}' for column in changed)}"
    )
