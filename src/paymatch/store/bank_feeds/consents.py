"""Consents to read accounts at banks: the shop's key at the provider, the bank's consent, and the state of reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.bank_feeds.consents import ConsentStatus
from paymatch.store.bank_feeds.feeds import RECOVERED
from paymatch.store.connection import Row, build, text_array
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.sealing import CONSENT_SESSION, PROVIDER_KEY
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class BankConsent:
    """A bank whose accounts are read by a provider. None: not known yet. All moments are those of the real clock."""

    id: str
    provider: str
    bank_name: str
    country: str
    for_company: bool
    status: ConsentStatus
    given_at: datetime | None
    valid_until: datetime | None
    fetch_times: tuple[str, ...]
    work_at: datetime
    next_fetch_at: datetime | None
    failures: int
    failing_since: datetime | None
    last_error: str
    resting_until: datetime | None
    lost_at: datetime | None
    lost_why: str
    reminded: int | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ConsentAccount:
    """An account of a consent. `is_offered`: the last consent covers it; `problem` "": the bank provides it."""

    consent_id: str
    account: str
    currency: str
    owner_name: str
    is_read: bool
    is_offered: bool
    problem: str
    read_on: date | None
    reads: int
    last_read_at: datetime | None
    complete_until: date | None


class ConsentSession(msgspec.Struct, frozen=True):
    """The provider's ids of a consent and of each of its accounts."""

    session: str = ""
    handles: dict[str, str] = {}


_COLUMNS: Final = (
    "id, provider, bank_name, country, for_company, status, given_at, valid_until, fetch_times, work_at, next_fetch_at,"
    " failures, failing_since, last_error, resting_until, lost_at, lost_why, reminded, created_at"
)
_ACCOUNT: Final = (
    "consent_id, account, currency, owner_name, is_read, is_offered, problem, read_on, reads, last_read_at,"
    " complete_until"
)


def set_key(tx: ShopTx, provider: str, application_id: str, private_key: str, at: datetime) -> None:
    """Stores the shop's application at a provider, replacing any earlier one."""
    tx.run(
        "INSERT INTO account_information_keys (shop_id, provider, application_id, private_key, created_at)"
        " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (shop_id, provider) DO UPDATE SET"
        " application_id = excluded.application_id, private_key = excluded.private_key,"
        " created_at = excluded.created_at",
        tx.shop_id, provider, application_id, tx.vault().seal_once(PROVIDER_KEY, private_key), at,
    )  # fmt: skip


def key(tx: ShopTx, provider: str) -> tuple[str, str] | None:
    """Application id and private key of the shop at a provider."""
    row = tx.row(
        "SELECT application_id, private_key FROM account_information_keys WHERE shop_id = $1 AND provider = $2",
        tx.shop_id,
        provider,
    )
    return None if row is None else (row.application_id, tx.vault().open(PROVIDER_KEY, row.private_key))


def application_ids(tx: ShopTx) -> dict[str, str]:
    """Provider -> the id of the shop's application there."""
    rows = tx.rows("SELECT provider, application_id FROM account_information_keys WHERE shop_id = $1", tx.shop_id)
    return {row.provider: row.application_id for row in rows}


def consents(tx: ShopTx) -> list[BankConsent]:
    """The shop's consents, the oldest first."""
    return [
        _consent(row)
        for row in tx.rows(f"SELECT {_COLUMNS} FROM bank_consents WHERE shop_id = $1 ORDER BY id", tx.shop_id)
    ]  # fmt: skip


def consent(tx: ShopTx, name: str, *, lock: bool = False) -> BankConsent | None:
    """A consent; `lock` locks it until the transaction ends."""
    tail = " FOR UPDATE" if lock else ""
    row = tx.row(f"SELECT {_COLUMNS} FROM bank_consents WHERE shop_id = $1 AND id = $2{tail}", tx.shop_id, name)
    return None if row is None else _consent(row)


def _consent(row: Row) -> BankConsent:
    return build(
        BankConsent, row, status=ConsentStatus(row.status), fetch_times=tuple(row.fetch_times),
        last_error=message_of(row.last_error), lost_why=message_of(row.lost_why),
    )  # fmt: skip


def add(tx: ShopTx, made: BankConsent) -> None:
    """Stores a consent that is not given yet."""
    tx.run(
        "INSERT INTO bank_consents (shop_id, id, provider, bank_name, country, for_company, status, fetch_times,"
        " work_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        tx.shop_id, made.id, made.provider, made.bank_name, made.country, made.for_company, made.status,
        text_array(made.fetch_times), made.work_at, made.created_at,
    )  # fmt: skip


def session(tx: ShopTx, name: str) -> ConsentSession:
    """The provider's ids of the consent, opened."""
    sealed = tx.value("SELECT session FROM bank_consents WHERE shop_id = $1 AND id = $2", tx.shop_id, name)
    text = tx.vault().open(CONSENT_SESSION, str(sealed or ""))
    return msgspec.json.decode(text, type=ConsentSession) if text else ConsentSession()


def set_given(
    tx: ShopTx, name: str, status: ConsentStatus, given: ConsentSession, valid_until: datetime, at: datetime
) -> None:
    """Stores a given or renewed consent: reading continues at once, and reminders start again."""
    sealed = tx.vault().seal_once(CONSENT_SESSION, msgspec.json.encode(given).decode())
    tx.run(
        "UPDATE bank_consents SET status = $3, session = $4, valid_until = $5, given_at = $6, work_at = $6,"
        f" next_fetch_at = $6, {RECOVERED},"
        " lost_at = NULL, lost_why = NULL, reminded = NULL WHERE shop_id = $1 AND id = $2",
        tx.shop_id, name, status, sealed, valid_until, at,
    )  # fmt: skip


def set_lost(tx: ShopTx, name: str, status: ConsentStatus, why: str, at: datetime) -> None:
    """Ends the consent: nothing more is read by it."""
    tx.run(
        "UPDATE bank_consents SET status = $3, lost_at = $4, lost_why = $5, session = '',"
        f" {RECOVERED} WHERE shop_id = $1 AND id = $2",
        tx.shop_id, name, status, at, message_to_json(why),
    )  # fmt: skip


def set_times(tx: ShopTx, name: str, times: Sequence[str], next_fetch_at: datetime) -> None:
    """Sets when the accounts are read."""
    tx.run(
        "UPDATE bank_consents SET fetch_times = $3, next_fetch_at = least(next_fetch_at, $4),"
        " work_at = least(work_at, $4) WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        text_array(times),
        next_fetch_at,
    )


def wake(tx: ShopTx, name: str, at: datetime) -> None:
    """Schedules reading at `at`, even during a back-off."""
    tx.run(
        "UPDATE bank_consents SET work_at = least(work_at, $3), next_fetch_at = least(next_fetch_at, $3),"
        " resting_until = NULL WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        at,
    )


def set_worked(tx: ShopTx, name: str, work_at: datetime, next_fetch_at: datetime | None) -> None:
    """Records that all due work is done; resets the failures."""
    tx.run(
        f"UPDATE bank_consents SET work_at = $3, next_fetch_at = $4, {RECOVERED} WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        work_at,
        next_fetch_at,
    )


def set_reminded(tx: ShopTx, name: str, days: int) -> None:
    """Records that the owners got the reminder for this many days before the end."""
    tx.run("UPDATE bank_consents SET reminded = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, name, days)


def remove(tx: ShopTx, name: str) -> None:
    """Forgets a consent with its accounts, and the returns that it waits for."""
    tx.run("DELETE FROM consent_requests WHERE shop_id = $1 AND consent_id = $2", tx.shop_id, name)
    tx.run("DELETE FROM consent_accounts WHERE shop_id = $1 AND consent_id = $2", tx.shop_id, name)
    tx.run("DELETE FROM bank_consents WHERE shop_id = $1 AND id = $2", tx.shop_id, name)


def accounts(tx: ShopTx, name: str = "") -> list[ConsentAccount]:
    """The accounts of a consent, or of all of them."""
    rows = tx.rows(
        f"SELECT {_ACCOUNT} FROM consent_accounts WHERE shop_id = $1 AND ($2 = '' OR consent_id = $2)"
        " ORDER BY consent_id, account",
        tx.shop_id,
        name,
    )
    return [build(ConsentAccount, row, problem=message_of(row.problem)) for row in rows]


def offer_accounts(tx: ShopTx, name: str, offered: Mapping[str, tuple[str, str]], chosen: set[str]) -> None:
    """Stores the accounts that a consent now covers: account -> currency and owner. New ones are read if `chosen`."""
    tx.run(
        "UPDATE consent_accounts SET is_offered = false WHERE shop_id = $1 AND consent_id = $2", tx.shop_id, name
    )  # fmt: skip
    for account, (currency, owner) in sorted(offered.items()):
        tx.run(
            "INSERT INTO consent_accounts (shop_id, consent_id, account, currency, owner_name, is_read, is_offered)"
            " VALUES ($1, $2, $3, $4, $5, $6, true) ON CONFLICT (shop_id, consent_id, account) DO UPDATE SET"
            " currency = excluded.currency, owner_name = excluded.owner_name, is_offered = true, problem = NULL"
            " RETURNING 1",
            tx.shop_id, name, account, currency, owner, account in chosen,
        )  # fmt: skip


def choose_accounts(tx: ShopTx, name: str, chosen: Sequence[str]) -> None:
    """Chooses the accounts of the consent that are read."""
    tx.run(
        "UPDATE consent_accounts SET is_read = account = ANY($3),"
        " problem = CASE WHEN account = ANY($3) THEN problem END"
        " WHERE shop_id = $1 AND consent_id = $2",
        tx.shop_id,
        name,
        list(chosen),
    )


def count_read(tx: ShopTx, name: str, account: str, day: date, most: int) -> bool:
    """Counts a read of the account on this day before it begins; False, and nothing counted, if there were `most`."""
    return bool(
        tx.run(
            "UPDATE consent_accounts SET read_on = $4, reads = CASE WHEN read_on = $4 THEN reads + 1 ELSE 1 END"
            " WHERE shop_id = $1 AND consent_id = $2 AND account = $3"
            " AND (read_on IS DISTINCT FROM $4 OR reads < $5)",
            tx.shop_id, name, account, day, most,
        )
    )  # fmt: skip


def set_read(tx: ShopTx, name: str, account: str, at: datetime, complete_until: date) -> None:
    """Records a complete read of the account."""
    tx.run(
        "UPDATE consent_accounts SET last_read_at = $4, complete_until = $5, problem = NULL"
        " WHERE shop_id = $1 AND consent_id = $2 AND account = $3",
        tx.shop_id,
        name,
        account,
        at,
        complete_until,
    )


def set_problem(tx: ShopTx, name: str, account: str, problem: str) -> None:
    """Records that the bank does not provide this account."""
    tx.run(
        "UPDATE consent_accounts SET problem = $4 WHERE shop_id = $1 AND consent_id = $2 AND account = $3",
        tx.shop_id,
        name,
        account,
        message_to_json(problem),
    )


def expect_return(tx: ShopTx, state_hash: str, name: str, person: str, until: datetime, now: datetime) -> None:
    """Records that a person went to the bank's page; earlier and expired returns no longer count."""
    tx.run(
        "DELETE FROM consent_requests WHERE shop_id = $1 AND (consent_id = $2 OR expires_at < $3)",
        tx.shop_id,
        name,
        now,
    )
    tx.run(
        "INSERT INTO consent_requests (shop_id, state_hash, consent_id, person, expires_at)"
        " VALUES ($1, $2, $3, $4, $5) RETURNING 1",
        tx.shop_id, state_hash, name, person, until,
    )  # fmt: skip


def is_awaited_by_another(tx: ShopTx, name: str, person: str, now: datetime) -> bool:
    """Whether another person is at the bank for this consent, and expected back."""
    return bool(
        tx.value(
            "SELECT EXISTS (SELECT 1 FROM consent_requests"
            " WHERE shop_id = $1 AND consent_id = $2 AND person <> $3 AND expires_at >= $4)",
            tx.shop_id, name, person, now,
        )
    )  # fmt: skip


def take_return(tx: ShopTx, state_hash: str, person: str, now: datetime) -> str:
    """The consent for which this person returns; "" if they are not expected. A return counts once."""
    row = tx.row(
        "DELETE FROM consent_requests WHERE shop_id = $1 AND state_hash = $2 AND person = $3 AND expires_at >= $4"
        " RETURNING consent_id",
        tx.shop_id,
        state_hash,
        person,
        now,
    )
    return "" if row is None else str(row.consent_id)
