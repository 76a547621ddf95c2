"""Resealing stored values: those from before sealing, and all values after a new key (D-44).

A walk over the sealed columns in small transactions. It stores no progress: values not sealed under the newest key are
the remaining work, so it may be stopped and restarted at any moment, also by several workers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import INSTALLATION
from paymatch.domain.words.message import Message
from paymatch.store import sealing
from paymatch.store.area_schema import SCHEMA
from paymatch.store.database import Database
from paymatch.store.row_security import AREA
from paymatch.store.sealing import POSTING_PARTY, SECOND_FACTOR, Keyring, Vault
from paymatch.store.statements.posting_documents import opened_facts, sealed_facts
from paymatch.store.transactions import OperatorTx, ShopId, ShopTx

BATCH: Final = 500  # rows of one transaction: others wait for their locks for some milliseconds

Reseal = Callable[[Vault, Any], Any]

_USED: Final = "SELECT id FROM sealing_keys ORDER BY created_at, id"


class WrongKey(Refused):
    """The secret keys are not those that the database was sealed under; the text says which one is missing."""


def _text(place: str) -> Reseal:
    return lambda vault, stored: vault.seal(place, vault.open(place, stored))


def _file(place: str) -> Reseal:
    return lambda vault, stored: vault.seal_bytes(place, vault.open_bytes(place, bytes(stored)))


def _facts(vault: Vault, stored: str) -> str:
    return sealed_facts(opened_facts(stored, vault), vault) if stored else stored


@dataclass(frozen=True, slots=True)
class Sealed:
    """A column with sealed values; `key` are the columns that identify a row of its table within the shop."""

    table: str
    key: str
    column: str
    reseal: Reseal


COLUMNS: Final = (
    Sealed("shops", "shop_id", "callback_access_code", _text(sealing.ACCESS_CODE)),
    Sealed("shops", "shop_id", "webhook_secret", _text(sealing.WEBHOOK_SECRET)),
    Sealed("shops", "shop_id", "webhook_secret_old", _text(sealing.WEBHOOK_SECRET)),
    Sealed("shops", "shop_id", "learnt", _text(sealing.LEARNT)),
    Sealed("shops", "shop_id", "print_key", _text(sealing.PRINT_KEY)),
    Sealed("payer_rules", "id", "iban", _text(sealing.RULE_PAYER)),
    Sealed("advices", "id", "payer_account", _text(sealing.ADVICE_PAYER)),
    Sealed("advice_senders", "id", "payer", _text(sealing.ADVICE_SENDER_PAYER)),
    Sealed("bank_connections", "account", "user_name", _text(sealing.BANK_USER)),
    Sealed("bank_connections", "account", "system_id", _text(sealing.BANK_SYSTEM)),
    Sealed("refunds", "id", "iban", _text(sealing.REFUND_PAYEE)),
    Sealed("transfers", "end_to_end_id", "iban", _text(sealing.TRANSFER_PAYEE)),
    Sealed("transfer_files", "id", "content", _file(sealing.TRANSFER_FILE)),
    Sealed("postings", "id", "counterparty_iban", _text(POSTING_PARTY)),
    Sealed("postings", "id", "counterparty_account_end", _text(sealing.POSTING_ACCOUNT_END)),
    Sealed("postings", "id", "facts", _facts),
    Sealed("statement_lines", "statement_id, position, detail", "facts", _facts),
    Sealed("payer_accounts", "import_id, account", "account", _text(sealing.PAYER_ACCOUNT)),
    Sealed("import_errors", "import_id, position", "raw", _text(sealing.ERROR_ROW)),
    Sealed("api_requests", "at, request_id", "sent", _text(sealing.REQUEST_BODY)),
    Sealed("api_requests", "at, request_id", "answered", _text(sealing.REQUEST_BODY)),
    Sealed("replay_parts", "day, kind, place", "content", _file(sealing.REPLAY_PART)),
    Sealed("order_links", "token_hash", "token", _text(sealing.ORDER_LINK)),
    Sealed("collection_agencies", "name", "token", _text(sealing.AGENCY_TOKEN)),
    Sealed("ebics_connections", "id", "keys", _text(sealing.EBICS_KEYS)),
    Sealed("ebics_connections", "id", "new_keys", _text(sealing.EBICS_KEYS)),
    Sealed("ebics_files", "id", "content", _file(sealing.EBICS_FILE)),
    Sealed("ebics_uploads", "file_id", "transaction_key", _text(sealing.EBICS_TRANSACTION_KEY)),
    Sealed("account_information_keys", "provider", "private_key", _text(sealing.PROVIDER_KEY)),
    Sealed("bank_consents", "id", "session", _text(sealing.CONSENT_SESSION)),
    Sealed("fints_dialogues", "id", "question", _text(sealing.FINTS_QUESTION)),
    Sealed("fints_dialogues", "id", "answer", _text(sealing.FINTS_ANSWER)),
    Sealed("connectors", "name", "access_key", _text(sealing.CONNECTOR_KEY)),
    Sealed("connectors", "name", "access_secret", _text(sealing.CONNECTOR_SECRET)),
)
"""Every column of the shops that holds sealed values; `_factors` has those of the people."""

_FACTORS: Final = f"{SCHEMA}.mfa_authenticator"
_SECRET_PARTS: Final = frozenset({"secret", "seed", "migrated_codes"})
"""The secret parts of a second factor; the rest are public keys and counters."""


def check_keys(database: Database, now: datetime) -> None:
    """Records the newest key. WrongKey if any key that the database was sealed under is unknown."""
    known = database.keyring.ids
    with database.of_all_shops() as tx:
        used = [key for (key,) in tx.rows(_USED)]
        _refuse_unknown(used, known)
        if known and known[0] not in used:
            tx.run("INSERT INTO sealing_keys (id, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", known[0], now)


def check_keys_as_owner(owner_url: str, keyring: Keyring) -> None:
    """WrongKey as in `check_keys`, before anything else: the service's login has a password derived from the key."""
    _refuse_unknown(used_keys(owner_url), keyring.ids)


def used_keys(owner_url: str) -> list[str]:
    """Names of the keys that the database is sealed under, oldest first."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        return [str(key) for (key,) in connection.execute(_USED).fetchall()]


def _refuse_unknown(used: Sequence[str], known: Sequence[str]) -> None:
    missing = [key for key in used if key not in known]
    if missing:
        raise WrongKey(Message("wrong-key-sealed", missing=missing[-1]))


def reseal_all(database: Database, stopping: Callable[[], bool] = lambda: False, batch: int = BATCH) -> int:
    """Seals everything under the newest key, then forgets the older keys; returns the number of values.

    Ends early, and forgets none, once `stopping` says so. Done once per key: all writers have the key by then.
    """
    if not database.keyring.ids or _complete(database):
        return 0
    count = 0
    for column in COLUMNS:
        for shop in _shops(database):
            for changed in _walk(database, shop, column, batch):
                count += changed
                if stopping():
                    return count
    count += _reseal_factors(database)
    with database.of_all_shops() as tx:
        tx.run("UPDATE sealing_keys SET complete = true WHERE id = $1", database.keyring.ids[0])
        tx.run("DELETE FROM sealing_keys WHERE id <> $1", database.keyring.ids[0])
    return count


def _complete(database: Database) -> bool:
    with database.of_all_shops() as tx:
        return bool(tx.value("SELECT complete FROM sealing_keys WHERE id = $1", database.keyring.ids[0]))


def count_remaining(database: Database) -> dict[str, int]:
    """How many values, by column, are not sealed under the newest key."""
    found: dict[str, int] = {}
    for column in COLUMNS:
        for shop in _shops(database):
            with database.of_shop(shop) as tx:
                vault = tx.vault()
                count = sum(_differs(column, vault, row[0]) for row in tx.stream(_all(column), shop))
            if count:
                name = f"{column.table}.{column.column}"
                found[name] = found.get(name, 0) + count
    with database.of_all_shops() as tx:
        count = sum(stored != sealed for _, stored, sealed in _factors(tx))
    return found | ({_FACTORS: count} if count else {})


def _reseal_factors(database: Database) -> int:
    """Reseals the secrets of people's second factors; returns their number. They are few: one transaction."""
    count = 0
    with database.of_all_shops() as tx:
        for number, stored, sealed in _factors(tx):
            if stored != sealed:
                count += tx.run(f"UPDATE {_FACTORS} SET data = $2 WHERE id = $1", number, Jsonb(sealed))
    return count


def _factors(tx: OperatorTx) -> list[tuple[int, dict[str, Any], dict[str, Any]]]:
    """(number, stored value, the same sealed under the newest key) of each second factor; switches to the merchant
    area's role, and locks the rows.
    """
    tx.run("SELECT set_config('role', $1, true)", AREA)  # a SET would go to the nodes too (D-79)
    if tx.value("SELECT to_regclass($1)", _FACTORS) is None:  # a database without people
        return []
    vault = tx.vault(ShopId(INSTALLATION.id))
    rows = tx.rows(f"SELECT id, data FROM {_FACTORS} ORDER BY id FOR UPDATE")
    return [
        (row.id, row.data, {name: _factor_part(vault, name, value) for name, value in row.data.items()}) for row in rows
    ]


def _factor_part(vault: Vault, name: str, value: Any) -> Any:
    if name not in _SECRET_PARTS:
        return value
    if isinstance(value, list):
        return [_factor_part(vault, name, each) for each in value]
    return vault.seal(SECOND_FACTOR, vault.open(SECOND_FACTOR, value))


def _shops(database: Database) -> list[ShopId]:
    with database.of_all_shops() as tx:
        return [ShopId(row[0]) for row in tx.rows("SELECT shop_id FROM shops ORDER BY shop_id")]


def _walk(database: Database, shop: ShopId, column: Sealed, batch: int) -> Iterator[int]:
    """Reseals a shop's column batch by batch; how many values of each."""
    place: tuple[Any, ...] | None = None
    while True:
        with database.of_shop(shop) as tx:
            rows = _page(tx, column, place, batch)
            count = sum(_reseal(tx, column, row) for row in rows)
        yield count
        if len(rows) < batch:
            return
        place = rows[-1][1:]


def _page(tx: ShopTx, column: Sealed, after: tuple[Any, ...] | None, size: int) -> Sequence[tuple[Any, ...]]:
    """(value, key ...) of the next `size` rows by key."""
    names = column.key.split(", ")
    condition = ""
    if after is not None:
        marks = ", ".join(f"${place}" for place in range(2, 2 + len(names)))
        condition = f" AND ({column.key}) > ({marks})"
    statement = (
        f"SELECT {column.column}, {column.key} FROM {column.table} WHERE shop_id = $1{condition}"
        f" ORDER BY {column.key} LIMIT {size}"
    )
    return tx.rows(statement, tx.shop_id, *(after or ()))


def _reseal(tx: ShopTx, column: Sealed, row: tuple[Any, ...]) -> bool:
    """Writes the resealed value, unless it was changed meanwhile; returns whether there was anything to do."""
    stored, key = row[0], row[1:]
    if not _differs(column, tx.vault(), stored):
        return False
    marks = ", ".join(f"${place}" for place in range(4, 4 + len(key)))
    tx.run(
        f"UPDATE {column.table} SET {column.column} = $2 WHERE shop_id = $1 AND {column.column} = $3"
        f" AND ({column.key}) = ({marks})",
        tx.shop_id,
        column.reseal(tx.vault(), stored),
        stored,
        *key,
    )
    return True


def _differs(column: Sealed, vault: Vault, stored: Any) -> bool:
    return bool(column.reseal(vault, stored) != (bytes(stored) if isinstance(stored, memoryview) else stored))


def _all(column: Sealed) -> str:
    return f"SELECT {column.column} FROM {column.table} WHERE shop_id = $1"
