"""What the audit log must tell of: the tables that a person, a key or an operator changes, and whether it grew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops.settings import SETTINGS, column_of

TOLD: Final = {
    "orders": "t.number, t.mark, t.reminders_stopped",
    "allocations": "t.*",
    "postings": "t.id, t.status, t.by_hand",
    "refunds": "t.id, t.status, t.iban, t.account_version, t.planned_date, t.speed",
    "refund_releases": "t.*",
    "transfer_files": "t.id",
    "bank_accounts": "t.account, t.currency, t.confirmed",
    "bank_connections": "t.account, t.server_url, t.user_name",
    "ebics_connections": "t.id, t.status, t.bank_keys, t.offered_bank_keys, t.accounts, t.fetches, t.fetch_times,"
    " t.sends_from",
    "connectors": "t.name, t.status, t.url, t.access_key, t.access_secret, t.methods, t.take_from, t.paid_status,"
    " t.prefix, t.minutes, t.write_back",
    "api_keys": "t.id, t.scope, t.label, t.expires_at",
    "shops": "to_jsonb(t) - 'sandbox_now' - 'exported_until'",
    "shop_logos": "t.*",
    "collection_agencies": "t.*",
    "collections": "t.order_number, t.status",
    "payer_rules": "t.*",
    "advice_senders": "t.id, t.address",
    "mail_texts": "t.*",
    "imports": "t.id",
}
"""Table -> what of it is told of: marks of orders, matches, refunds, accounts, settings, keys, secrets."""


_NAMED: Final = (
    "X002, E002, account, accounts, action, active, address, after-days, agency, alert, amount, amountMinor, "
    "answer, attempt, bank, bankCode, body, by, case, channel, closes, columns, currency, customer-number, "
    "customer_name, customer_number, fetches, sendsFrom, times, way, databaseBytes, deletedAt, deleted_at, erasure, "
    "expiresAt, externalReference, file, files, grace-days, hash, height, hint, host, iban, information-days, "
    "interest, keys, label, legacy, letter, letters, letters-from, letters-without-mail, levels, lump-sum, madeAt, "
    "mark, methods, minutes, name, note, oldValidUntil, oldest-days, open, opens, order, orders, partner, "
    "paidStatus, password, pay-within-days, paymatch, percent, postgresql, postings, prefix, provider, purgedAt, "
    "reason, refunds, resealed, restored, role, rows, rules, scope, sealed, sessions, sha256, sharedWithOthers, "
    "shop, speed, staff, statement-bank-days, status, subject, system, takeFrom, term-days, token, totalMinor, url, "
    "user, validUntil, width, words, writeBack, open again, live_at, setup_skipped, trial_mail_at"
)
NAMED: Final = frozenset(_NAMED.split(", ")) | {column_of(name) for name in SETTINGS}
"""Fields in audit entries, each with words in the merchant area; the walks that record them allow no other."""


def contents(database: Database, shop: ShopId) -> dict[str, str]:
    """Table -> a digest of what of it must be told of."""
    parts = (
        f"SELECT '{table}', coalesce(md5(string_agg(row({columns})::text, ',' ORDER BY row({columns})::text)), '')"
        f" FROM {table} t WHERE t.shop_id = $1"
        for table, columns in TOLD.items()
    )
    with database.of_shop(shop) as tx:
        return dict(tx.rows(" UNION ALL ".join(parts), shop))


@contextmanager
def told(database: Database, shop: ShopId, what: Any, known: dict[str, str] | None = None) -> Iterator[set[str]]:
    """Asserts that all changes in the block are in the audit log; the changed tables are in the set afterwards.

    `known`: what the shop held after the last time, where nothing else changes it: to read it costs more than an entry.
    """
    changed = set[str]()
    was, end = dict(known or contents(database, shop)), _end(database, shop)
    yield changed
    after = contents(database, shop)
    if known is not None:
        known.update(after)
    changed |= {table for table in TOLD if was[table] != after[table]}
    assert not changed or _end(database, shop) > end, f"{what} has changed {sorted(changed)}, and no entry says so"


def _end(database: Database, shop: ShopId) -> int:
    with database.of_shop(shop) as tx:
        return int(tx.value("SELECT count(*) FROM audit_log WHERE shop_id = $1", shop))


def fields_of(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    """The fields in the audit entries, before and after; refunds' ids, which are fields of bank reports, left out."""
    sides = [
        msgspec.json.decode(bytes(side)) for entry in entries for side in (entry["before"], entry["after"]) if side
    ]
    return {name for values in sides for name in values if not name.startswith("rf_")}
