"""Recording deeds, and looking at what was recorded (D-45): in the chain of a shop, or of the installation (D-46)."""

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
    """The deed of the transaction's actor stands in the chain once the transaction has committed.

    The caller hands over no secret, and accounts only as `masked_account` shows them.
    """
    at = tx.clock()
    by_shop = chain.now(at) if isinstance(chain, Shop) else at
    deed = AuditEntry(kind, subject, at, tx.actor, _json(before), _json(after), by_shop if by_shop != at else None)
    tx.at_end(deed, store.append)


def record_alone(
    database: Database,
    chain: HasChain,
    kind: AuditAction,
    subject: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """The deed stands in the log: for deeds outside of the database, or in tables that have other transactions."""
    with database.of_shop(ShopId(chain.id)) as tx:
        record(tx, chain, kind, subject, before=before, after=after)


def check_chain(database: Database, chain: HasChain, noted: tuple[int, bytes] | None = None) -> Verified:
    """Whether every deed of the chain stands as it was recorded; `noted` as in `verify`."""
    with database.of_shop(ShopId(chain.id)) as tx:
        end = store.end(tx)
        return verify((row for row in store.stream(tx) if row.seq <= end[0]), end, noted)


def last_deeds(database: Database, chain: HasChain, subject: str, limit: int) -> list[dict[str, Any]]:
    """The chain's last deeds, newest first; those about `subject` only unless it is empty."""
    with database.of_shop(ShopId(chain.id)) as tx:
        tx.commit_with_next()
        return [_entry_fields(row) for row in store.latest(tx, subject, limit)]


def deeds_about(tx: ShopTx, chain: HasChain, subjects: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The last deeds about any of the subjects, newest first."""
    return [_entry_fields(row) for row in store.about(tx, subjects, limit)]


def list_entries(tx: ShopTx, *, actor_kind: str = "", search: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Deeds, newest first unless they are sorted; `search` is a deed, its subject, or who did it."""
    return store.list_entries(tx, actor_kind, search, asked).map(_entry_fields)


def all_deeds(database: Database, chain: HasChain) -> Iterator[dict[str, Any]]:
    """All deeds of the chain in order, with their hashes, for keeping them elsewhere."""
    with database.of_shop(ShopId(chain.id)) as tx:
        for row in store.stream(tx):
            yield _entry_fields(row) | {"hash": row.hash.hex(), "salt": row.salt.hex(), "digest": row.digest.hex()}


def _json(value: Mapping[str, Any] | None) -> str:
    return "" if value is None else msgspec.json.encode(value, enc_hook=str, order="sorted").decode()


def _entry_fields(row: Recorded) -> dict[str, Any]:
    deed, actor = row.deed, row.deed.actor
    return {
        "seq": row.seq, "at": deed.at, "shopAt": deed.shop_at, "deed": deed.kind, "subject": deed.subject,
        "actorKind": actor.kind, "actor": actor.name, "address": actor.address, "requestId": actor.request_id,
        "before": _raw(deed.before), "after": _raw(deed.after), "erased": row.is_erased,
    }  # fmt: skip


def _raw(text: str) -> Any:
    return msgspec.Raw(text.encode()) if text else None
