"""Everything that the database has of a person, place by place of the list, opened (D-63)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from paymatch.domain.matching import learn
from paymatch.store import sealing
from paymatch.store.privacy.erasing import ErasureTarget, audit_numbers
from paymatch.store.privacy.places import PLACES, DataClass, ErasureMethod, Owner, PersonalColumns, swept
from paymatch.store.sealing import Vault
from paymatch.store.statements.posting_documents import opened_facts, to_facts
from paymatch.store.transactions import ShopTx

_DECODE: Final = msgspec.json.decode
_SEALED: Final = {
    ("postings", "counterparty_iban"): sealing.POSTING_PARTY,
    ("postings", "counterparty_account_end"): sealing.POSTING_ACCOUNT_END,
    ("refunds", "iban"): sealing.REFUND_PAYEE,
    ("transfers", "iban"): sealing.TRANSFER_PAYEE,
    ("payer_rules", "iban"): sealing.RULE_PAYER,
    ("advices", "payer_account"): sealing.ADVICE_PAYER,
    ("advice_senders", "payer"): sealing.ADVICE_SENDER_PAYER,
    ("import_errors", "raw"): sealing.ERROR_ROW,
    ("api_requests", "sent"): sealing.REQUEST_BODY,
    ("api_requests", "answered"): sealing.REQUEST_BODY,
}
_LEFT_OUT: Final = frozenset({"shop_id", "token", "token_hash", "hash", "salt", "digest", "file_key", "sha256"})
"""Keys and checksums: they say nothing about the person, and would give a reader access to their data."""
_OF_OTHERS_TOO: Final = frozenset(
    {"transfer_files", "match_keys", "posting_keys", "suggested_orders", "order_search", "posting_search"}
)
"""Files that pay several people (the transfers say what is theirs), and keys of what is shown elsewhere."""


def rows_of(tx: ShopTx, target: ErasureTarget) -> dict[str, list[dict[str, Any]]]:
    """Class of data -> rows, each with its table."""
    found: dict[str, list[dict[str, Any]]] = {each.value: [] for each in DataClass}
    seen: set[str] = set()
    for place in PLACES:
        if place.owner.ids and place.table not in seen | _OF_OTHERS_TOO:
            seen.add(place.table)
            found[place.data] += [_readable_row(place.table, row, tx.vault()) for row in _own_rows(tx, target, place)]
    for place in PLACES:
        if place.how is ErasureMethod.REDACT and place.table not in seen:
            found[place.data] += _rows_naming(tx, target, place.table, swept()[place.table])
            seen.add(place.table)
    found[DataClass.NOTES] += _notes_elsewhere(tx, target)
    found[DataClass.AUDIT] += _deeds(tx, target)
    found[DataClass.MATCHING] += list(_learnt(tx, target))
    found[DataClass.MATCHING] += _opened_rows(tx, "payer_rules", lambda row: _of_rule(row, target))
    found[DataClass.POSTINGS] += _opened_rows(tx, "advices", lambda row: row["payer_account"] in target.ibans)
    found[DataClass.POSTINGS] += _opened_rows(tx, "advice_senders", lambda row: _of_sender(row, target))
    found[DataClass.IMPORTS] += _opened_rows(tx, "import_errors", lambda row: target.names(row["raw"]))
    return {name: rows for name, rows in found.items() if rows}


def _own_rows(tx: ShopTx, target: ErasureTarget, place: PersonalColumns) -> list[dict[str, Any]]:
    statement = f"SELECT to_jsonb(t) AS row FROM {place.table} t WHERE shop_id = $1 AND {place.owner.condition}"
    return [row[0] for row in tx.rows(statement, tx.shop_id, target.of(place.owner))]


def _rows_naming(tx: ShopTx, target: ErasureTarget, table: str, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    """For rows without an owner: only the texts in them that name the person."""
    naming = " OR ".join(f"{column}::text ~ $2" for column in columns)
    rows = tx.rows(f"SELECT to_jsonb(t) FROM {table} t WHERE shop_id = $1 AND ({naming})", tx.shop_id, target.pattern)
    return [
        {"table": table, **{column: row[0][column] for column in columns if target.names(str(row[0][column]))}}
        for row in rows
    ]


def _notes_elsewhere(tx: ShopTx, target: ErasureTarget) -> list[dict[str, Any]]:
    """Comments about the person at orders and payments of others."""
    found = []
    for table, column, owner in (
        ("order_comments", "order_number", Owner.ORDER), ("posting_comments", "posting_id", Owner.POSTING),
    ):  # fmt: skip
        rows = tx.rows(
            f"SELECT said, at FROM {table} WHERE shop_id = $1 AND {column} <> ALL($2) AND said ~ $3",
            tx.shop_id, target.of(owner), target.pattern,
        )  # fmt: skip
        found += [{"table": table, "said": row.said, "at": str(row.at)} for row in rows]
    return found


def _deeds(tx: ShopTx, target: ErasureTarget) -> list[dict[str, Any]]:
    rows = tx.rows(
        "SELECT to_jsonb(t) FROM audit_log t WHERE shop_id = $1 AND seq = ANY($2) ORDER BY seq",
        tx.shop_id, audit_numbers(tx, target),
    )  # fmt: skip
    return [_readable_row("audit_log", row[0], tx.vault()) for row in rows]


def _learnt(tx: ShopTx, target: ErasureTarget) -> Iterator[dict[str, Any]]:
    """Facts about the person as a payer."""
    stored = str(tx.value("SELECT learnt FROM shops WHERE shop_id = $1", tx.shop_id))
    if stored:
        state = learn.from_json(_DECODE(tx.vault().open(sealing.LEARNT, stored)))
        for payer in state.payers:
            if payer.iban in target.ibans or target.names(payer.customer):
                yield {"table": "shops", "iban": payer.iban, "customer": payer.customer, "confirmed": payer.confirmed}


def _opened_rows(tx: ShopTx, table: str, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    rows = tx.rows(f"SELECT to_jsonb(t) FROM {table} t WHERE shop_id = $1", tx.shop_id)
    return [row for found in rows if wanted(row := _readable_row(table, found[0], tx.vault()))]


def _of_rule(row: Mapping[str, Any], target: ErasureTarget) -> bool:
    said = " ".join([row["name"], row["reason"], row["customer_name"], *row["words"]])
    return row["iban"] in target.ibans or target.names(said)


def _of_sender(row: Mapping[str, Any], target: ErasureTarget) -> bool:
    return row["payer"] in target.ibans or target.names(f"{row['address']} {row['payer_name']}")


def _readable_row(table: str, row: Mapping[str, Any], vault: Vault) -> dict[str, Any]:
    """The row as a person reads it: sealed values opened, JSON as JSON, files as Base64."""
    found: dict[str, Any] = {"table": table}
    for column, value in row.items():
        if column not in _LEFT_OUT:
            found[column] = _value(table, column, value, vault)
    return found


def _value(table: str, column: str, value: Any, vault: Vault) -> Any:
    if not isinstance(value, str) or not value:
        return value
    if column == "facts" and table != "sandbox_bookings":
        return _DECODE(to_facts(opened_facts(value, vault)))
    if (table, column) in _SEALED:
        return vault.open(_SEALED[table, column], value)
    if column == "content":
        raw = bytes.fromhex(value.removeprefix("\\x"))
        return raw.decode() if table in ("mails", "refund_requests") else b64encode(raw).decode()
    if column in ("doc", "fields", "decision", "before", "after"):
        return _DECODE(value)
    return value
