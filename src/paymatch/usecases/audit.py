"""The audit log (D-45): records and lists entries in the chain of a shop, or of the installation (D-46)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from paymatch.domain.shops.audit import AuditAction, AuditEntry, HasChain, Recorded, Verified, verify
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import audit as store

_LONGEST_NUMBER: Final = 19  # digits of a bigint


def record(
    tx: ShopTx,
    chain: HasChain,
    kind: AuditAction,
    subject: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Records an action of the transaction's actor; it is in the chain once the transaction has committed.

    The caller passes no secrets, and accounts only masked by
    `masked_account`.
    """
    at = tx.clock()
    by_shop = chain.now(at) if isinstance(chain, Shop) else at
    entry = AuditEntry(kind, subject, at, tx.actor, _json(before), _json(after), by_shop if by_shop != at else None)
    tx.at_end(entry, store.append)


def record_alone(
    database: Database,
    chain: HasChain,
    kind: AuditAction,
    subject: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Writes the action to the log: for actions outside of the database, or in tables with other transactions."""
    with database.of_shop(ShopId(chain.id)) as tx:
        record(tx, chain, kind, subject, before=before, after=after)


def check_chain(database: Database, chain: HasChain, noted: tuple[int, bytes] | None = None) -> Verified:
    """Whether every entry of the chain is as it was recorded; `noted` as in `verify`."""
    with database.of_shop(ShopId(chain.id)) as tx:
        end = store.end(tx)
        return verify((row for row in store.stream(tx) if row.seq <= end[0]), end, noted)


def last_entries(database: Database, chain: HasChain, subject: str, limit: int) -> list[dict[str, Any]]:
    """The chain's last entries, newest first; only those about `subject` unless it is empty."""
    with database.of_shop(ShopId(chain.id)) as tx:
        tx.commit_with_next()
        return [_entry_fields(row) for row in store.latest(tx, subject, limit)]


def entries_about(tx: ShopTx, chain: HasChain, subjects: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The last entries about any of the subjects, newest first."""
    return [_entry_fields(row) for row in store.about(tx, subjects, limit)]


def list_entries(tx: ShopTx, *, actor_kind: str = "", search: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Audit entries, newest first unless sorted; `search` is an action, its subject, or the actor."""
    return store.list_entries(tx, actor_kind, search, asked).map(_entry_fields)


def all_entries(database: Database, chain: HasChain) -> Iterator[dict[str, Any]]:
    """All entries of the chain in order, with their hashes, for storage elsewhere."""
    with database.of_shop(ShopId(chain.id)) as tx:
        for row in store.stream(tx):
            yield _entry_fields(row) | {"hash": row.hash.hex(), "salt": row.salt.hex(), "digest": row.digest.hex()}


def _json(value: Mapping[str, Any] | None) -> str:
    return "" if value is None else msgspec.json.encode(value, enc_hook=str, order="sorted").decode()


def _entry_fields(row: Recorded) -> dict[str, Any]:
    entry, actor = row.entry, row.entry.actor
    return {
        "seq": row.seq, "at": entry.at, "shopAt": entry.shop_at, "action": entry.kind, "subject": entry.subject,
        "actorKind": actor.kind, "actor": actor.name, "address": actor.address, "requestId": actor.request_id,
        "before": _raw(entry.before), "after": _raw(entry.after), "erased": row.is_erased,
    }  # fmt: skip


def _raw(text: str) -> Any:
    return msgspec.Raw(text.encode()) if text else None
