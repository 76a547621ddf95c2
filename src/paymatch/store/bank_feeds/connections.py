"""EBICS connections: settings, sealed keys, the bank's services, and the state of the exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg.types.json import Jsonb

from paymatch.domain.bank_feeds.ebics import EbicsStatus
from paymatch.store.bank_feeds.feeds import RECOVERED
from paymatch.store.connection import Row, build, text_array
from paymatch.store.messages import message_of
from paymatch.store.sealing import EBICS_KEYS
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class EbicsConnection:
    """A subscriber of the shop at a bank. Empty texts and None: not known yet; `sends_from` None: nothing is sent.

    `bank_keys` are certificates whose fingerprints a person compared, `offered_bank_keys` wait for that. All moments
    are those of the real clock.
    """

    id: str
    bank_name: str
    url: str
    host_id: str
    partner_id: str
    user_id: str
    country: str
    with_certificates: bool
    status: EbicsStatus
    bank_keys: str
    offered_bank_keys: str
    sending_began: bool
    submitted_at: datetime | None
    activated_at: datetime | None
    offer: dict[str, Any]
    offer_at: datetime | None
    accounts: tuple[str, ...]
    fetches: tuple[str, ...]
    fetch_times: tuple[str, ...]
    sends_from: datetime | None
    work_at: datetime
    next_fetch_at: datetime | None
    last_fetched_at: datetime | None
    last_data_at: datetime | None
    failures: int
    failing_since: datetime | None
    last_error: str
    resting_until: datetime | None
    created_at: datetime

    @property
    def transfer_level(self) -> str:
        """The class of signature for transfers, as the bank last said: E, A, B, T, or "" for none."""
        return str(self.offer.get("level", ""))

    def transfer_service(self, name: str, options: Sequence[str]) -> dict[str, str] | None:
        """The service for transfers (SCT, SCI) that the bank offers the user with the first of the options it has.

        None: it offers none. A service with another option is another service.
        """
        services: list[dict[str, str]] = self.offer.get("services", [])
        found = {each["option"]: each for each in services if (each["name"], each["message"]) == (name, "pain.001")}
        return next((found[option] for option in options if option in found), None)

    @property
    def offered_accounts(self) -> tuple[str, ...]:
        """The accounts that the bank says the user may use."""
        return tuple(self.offer.get("accounts", ()))


_COLUMNS: Final = (
    "id, bank_name, url, host_id, partner_id, user_id, country, with_certificates, status, bank_keys,"
    " offered_bank_keys, sending_began, submitted_at, activated_at, offer, offer_at, accounts, fetches, fetch_times,"
    " sends_from, work_at, next_fetch_at, last_fetched_at, last_data_at, failures, failing_since, last_error,"
    " resting_until, created_at"
)


def connections(tx: ShopTx) -> list[EbicsConnection]:
    """The shop's EBICS connections, the oldest first."""
    found = tx.rows(f"SELECT {_COLUMNS} FROM ebics_connections WHERE shop_id = $1 ORDER BY id", tx.shop_id)
    return [_connection(row) for row in found]


def connection(tx: ShopTx, name: str, *, lock: bool = False) -> EbicsConnection | None:
    """A connection; `lock` locks it until the transaction ends."""
    tail = " FOR UPDATE" if lock else ""
    row = tx.row(f"SELECT {_COLUMNS} FROM ebics_connections WHERE shop_id = $1 AND id = $2{tail}", tx.shop_id, name)
    return None if row is None else _connection(row)


def _connection(row: Row) -> EbicsConnection:
    return build(
        EbicsConnection, row, status=EbicsStatus(row.status), accounts=tuple(row.accounts), fetches=tuple(row.fetches),
        fetch_times=tuple(row.fetch_times), last_error=message_of(row.last_error),
    )  # fmt: skip


def add(tx: ShopTx, made: EbicsConnection, keys: str) -> None:
    """Stores a connection with its private keys, sealed."""
    tx.run(
        "INSERT INTO ebics_connections (shop_id, id, bank_name, url, host_id, partner_id, user_id, country,"
        " with_certificates, status, keys, fetch_times, work_at, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        tx.shop_id, made.id, made.bank_name, made.url, made.host_id, made.partner_id, made.user_id, made.country,
        made.with_certificates, made.status, tx.vault().seal_once(EBICS_KEYS, keys),
        text_array(made.fetch_times), made.work_at, made.created_at,
    )  # fmt: skip


def keys(tx: ShopTx, name: str) -> tuple[str, str]:
    """The private keys, and those of a change in progress ("" for none), opened."""
    row = tx.row("SELECT keys, new_keys FROM ebics_connections WHERE shop_id = $1 AND id = $2", tx.shop_id, name)
    assert row is not None, "the caller has the connection"
    vault = tx.vault()
    return vault.open(EBICS_KEYS, row.keys), vault.open(EBICS_KEYS, row.new_keys)


def set_new_keys(tx: ShopTx, name: str, keys: str) -> None:
    """Stores the keys that HCS is about to send; "" removes them."""
    sealed = tx.vault().seal_once(EBICS_KEYS, keys)
    tx.run("UPDATE ebics_connections SET new_keys = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, name, sealed)


def take_new_keys(tx: ShopTx, name: str) -> None:
    """Makes the new keys the present ones: the bank knows them."""
    tx.run(
        "UPDATE ebics_connections SET keys = new_keys, new_keys = '' WHERE shop_id = $1 AND id = $2 AND new_keys <> ''",
        tx.shop_id,
        name,
    )


def set_sending_began(tx: ShopTx, name: str) -> None:
    """Notes that the bank may have some of the keys."""
    tx.run("UPDATE ebics_connections SET sending_began = true WHERE shop_id = $1 AND id = $2", tx.shop_id, name)


def set_submitted(tx: ShopTx, name: str, status: EbicsStatus, at: datetime, ask_at: datetime) -> None:
    """Notes that the bank has the keys; from `ask_at` on it is polled for the user's activation."""
    tx.run(
        "UPDATE ebics_connections SET status = $3, submitted_at = $4, work_at = $5,"
        f" {RECOVERED} WHERE shop_id = $1 AND id = $2",
        tx.shop_id, name, status, at, ask_at,
    )  # fmt: skip


def set_offered_keys(tx: ShopTx, name: str, status: EbicsStatus, keys: str) -> None:
    """Stores the bank's keys; they do not count before a person has compared their fingerprints."""
    tx.run(
        f"UPDATE ebics_connections SET status = $3, offered_bank_keys = $4, {RECOVERED} WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        status,
        keys,
    )


def set_confirmed(tx: ShopTx, name: str, status: EbicsStatus, at: datetime) -> None:
    """Accepts the bank's offered keys, and begins the exchange at once."""
    tx.run(
        "UPDATE ebics_connections SET status = $3, bank_keys = offered_bank_keys, offered_bank_keys = '',"
        " activated_at = $4, work_at = $4, next_fetch_at = $4,"
        f" {RECOVERED} WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        status,
        at,
    )


def set_status(tx: ShopTx, name: str, status: EbicsStatus) -> None:
    """Sets the connection's state; an inactive one sends nothing."""
    tx.run(
        "UPDATE ebics_connections SET status = $3, sends_from = CASE WHEN $3 = 'ACTIVE' THEN sends_from END"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        status,
    )


def set_offer(
    tx: ShopTx, name: str, offer: dict[str, Any], fetches: Sequence[str], accounts: Sequence[str],
    at: datetime,
) -> None:  # fmt: skip
    """Stores the bank's services, and those in use."""
    tx.run(
        "UPDATE ebics_connections SET offer = $3, offer_at = $4, fetches = $5, accounts = $6"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id, name, Jsonb(offer), at, text_array(fetches), text_array(accounts),
    )  # fmt: skip


def set_use(
    tx: ShopTx, name: str, fetches: Sequence[str], accounts: Sequence[str], times: Sequence[str],
    sends_from: datetime | None, next_fetch_at: datetime,
) -> None:  # fmt: skip
    """Sets fetched subjects, times, accounts, and the start of transfers."""
    tx.run(
        "UPDATE ebics_connections SET fetches = $3, accounts = $4, fetch_times = $5, sends_from = $6,"
        " next_fetch_at = least(next_fetch_at, $7), work_at = least(work_at, $7) WHERE shop_id = $1 AND id = $2",
        tx.shop_id, name, text_array(fetches), text_array(accounts), text_array(times), sends_from, next_fetch_at,
    )  # fmt: skip


def remove(tx: ShopTx, name: str) -> None:
    """Forgets a connection with its keys; the log of its orders stays."""
    tx.run("DELETE FROM ebics_connections WHERE shop_id = $1 AND id = $2", tx.shop_id, name)


def wake(tx: ShopTx, name: str, at: datetime, *, fetch: bool = False) -> None:
    """Schedules the connection at `at`, even during a back-off; `fetch`: it fetches."""
    tx.run(
        "UPDATE ebics_connections SET work_at = least(work_at, $3), resting_until = NULL,"
        " next_fetch_at = CASE WHEN $4 THEN least(next_fetch_at, $3) ELSE next_fetch_at END"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        at,
        fetch,
    )


def set_worked(tx: ShopTx, name: str, work_at: datetime) -> None:
    """Records that all due work is done; resets the failures."""
    tx.run(
        f"UPDATE ebics_connections SET work_at = $3, {RECOVERED} WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        work_at,
    )


def set_fetched(tx: ShopTx, name: str, at: datetime, next_at: datetime) -> None:
    """Records that the bank delivered everything it had."""
    tx.run(
        "UPDATE ebics_connections SET last_fetched_at = $3, next_fetch_at = $4 WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        at,
        next_at,
    )


def set_data_came(tx: ShopTx, name: str, at: datetime) -> None:
    """Records that the bank delivered something."""
    tx.run("UPDATE ebics_connections SET last_data_at = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, name, at)


def sending_connection(tx: ShopTx, account: str, at: datetime) -> str:
    """The connection that sends transfers from the account at a moment; "" if none."""
    found = tx.value(
        "SELECT min(id) FROM ebics_connections WHERE shop_id = $1 AND status = 'ACTIVE' AND sends_from <= $3"
        " AND $2 = ANY(accounts) AND offer->>'level' <> ''",
        tx.shop_id,
        account,
        at,
    )
    return str(found or "")
