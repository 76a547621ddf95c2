"""Consents to read accounts, from the owner's view: begin, give at the bank, use, renew, remove (D-130)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.bank_feeds.consents import (
    LONGEST_DAYS,
    READS_A_DAY,
    RENEW_DAYS,
    RETURN_WITHIN,
    USUAL_TIMES,
    ConsentEvent,
    ConsentStatus,
    ConsentUnknown,
    last_day,
    next_status,
    read_consent_times,
)
from paymatch.domain.bank_feeds.ebics import EbicsStatus, next_fetch_at
from paymatch.domain.shops.audit import Actor, AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop, only_one
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency
from paymatch.outbound.account_information.gateway import MAKERS, AccountInformationGateway
from paymatch.outbound.account_information.provider import (
    AccountInformationFailed,
    AccountInformationProvider,
    ConsentNotGiven,
    ConsentWish,
    GivenConsent,
    OfferedAccount,
    ProviderAccessRefused,
    ProviderBank,
    ProviderKey,
)
from paymatch.store.bank_feeds import connections as ebics
from paymatch.store.bank_feeds import consents as store
from paymatch.store.bank_feeds import received
from paymatch.store.bank_feeds.consents import BankConsent, ConsentAccount, ConsentSession
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.bank_feeds.connections import register_account

ACCOUNT_INFORMATION: Final = "account-information"
"""The job that reads accounts by consents."""

RETURN_PATH: Final = "bank/account-information/return"
"""The path to which banks send people back, below the shop's address."""

_COUNTRY: Final = 2


@dataclass(frozen=True, slots=True)
class WantedBank:
    """A bank of the provider's list, as a person chose it."""

    provider: str
    country: str
    name: str
    for_company: bool = True


@dataclass(frozen=True, slots=True)
class ConsentPlace:
    """The person's return address, and the language of the bank's page."""

    return_url: str
    language: str = "de"


def return_url(base: str, shop: Shop) -> str:
    """The address to which banks send people back; the provider has to know it."""
    return f"{base}/shops/{shop.id}/{RETURN_PATH}"


def set_key(
    tx: ShopTx, provider: str, application_id: str, private_key: str, gateway: AccountInformationGateway
) -> None:
    """Keeps the shop's application at a provider, sealed. SettingRefused, for a bad key too."""
    if tx.shop.sandbox:
        raise SettingRefused(Message("consent-not-in-sandbox"))
    _check_provider(provider)
    named = application_id.strip()
    if not (1 <= len(named) <= 100 and named.isprintable()):
        said = Message("consent-application-id")
        raise SettingRefused(said, parameter="application", expected=said)
    at = tx.wall_time
    try:
        gateway.provider(provider, ProviderKey(named, private_key.strip()), lambda: at)
    except ProviderAccessRefused as refused:
        raise SettingRefused(refused.message, parameter="private_key", expected=refused.message) from None
    store.set_key(tx, provider, named, private_key.strip(), at)
    record(tx, tx.shop, AuditAction.ACCOUNT_INFORMATION_KEY_SET, provider, after={"application": named})


def _check_provider(name: str) -> None:
    if name not in MAKERS:
        said = Message("consent-provider", names=", ".join(sorted(MAKERS)))
        raise SettingRefused(said, parameter="provider", expected=said)


def open_provider(
    database: Database, shop: Shop, name: str, gateway: AccountInformationGateway, clock: datetime
) -> AccountInformationProvider:
    """The provider by the shop's key. SettingRefused if the shop has none; AccountInformationFailed."""
    with database.of_shop(shop, at=clock) as tx:
        found = store.key(tx, name)
    if found is None:
        raise SettingRefused(Message("consent-no-key"))
    return gateway.provider(name, ProviderKey(*found), lambda: clock)


def list_banks(
    database: Database, shop: Shop, provider: str, country: str, gateway: AccountInformationGateway, clock: datetime
) -> list[ProviderBank]:
    """The banks of a country that the provider supports, by name. SettingRefused, AccountInformationFailed."""
    _check_provider(provider)
    wanted = country.strip().upper()
    if len(wanted) != _COUNTRY or not wanted.isascii() or not wanted.isalpha():
        said = Message("consent-country")
        raise SettingRefused(said, parameter="country", expected=said)
    found = open_provider(database, shop, provider, gateway, clock).banks(wanted)
    return sorted(found, key=lambda bank: bank.name.casefold())


def begin(
    database: Database, shop: Shop, wanted: WantedBank, place: ConsentPlace, gateway: AccountInformationGateway,
    clock: datetime,
) -> tuple[BankConsent, str]:  # fmt: skip
    """A consent that is not given yet, and the address of the page for giving it: the one begun before, if any."""
    if shop.sandbox:
        raise SettingRefused(Message("consent-not-in-sandbox"))
    banks = list_banks(database, shop, wanted.provider, wanted.country, gateway, clock)
    bank = next((each for each in banks if each.name == wanted.name), None)
    if bank is None:
        said = Message("consent-bank-unknown", country=wanted.country, bank=wanted.name or "-")
        raise SettingRefused(said, parameter="bank", expected=said)
    if wanted.for_company and not bank.for_companies and bank.for_people:
        raise SettingRefused(Message("consent-bank-for-people"), parameter="accounts")
    begun = _begun_before(database, shop, wanted, bank, clock)
    if begun is not None:
        return begun, _send_to_bank(database, shop, begun, bank, place, gateway, clock, is_new=False)
    made = BankConsent(
        new_id("ai", clock), wanted.provider, bank.name, bank.country, wanted.for_company, ConsentStatus.PENDING, None,
        None, USUAL_TIMES, clock, None, 0, None, "", None, None, "", None, clock,
    )  # fmt: skip
    return made, _send_to_bank(database, shop, made, bank, place, gateway, clock, is_new=True)


def _begun_before(
    database: Database, shop: Shop, wanted: WantedBank, bank: ProviderBank, clock: datetime
) -> BankConsent | None:
    """A consent at this bank that was begun and never given. One that another person gives just now is theirs."""
    same = (wanted.provider, bank.name, bank.country, wanted.for_company)
    with database.of_shop(shop, at=clock) as tx:
        for row in store.consents(tx):
            is_same = (row.provider, row.bank_name, row.country, row.for_company) == same
            if not is_same or row.status is not ConsentStatus.PENDING:
                continue
            if not store.is_awaited_by_another(tx, row.id, _person(tx.actor), clock):
                return row
    return None


def renew(
    database: Database, shop: Shop, name: str, place: ConsentPlace, gateway: AccountInformationGateway, clock: datetime
) -> str:
    """The address of the page for giving a new consent; until then the present one is valid."""
    row = load(database, shop, name)
    banks = list_banks(database, shop, row.provider, row.country, gateway, clock)
    bank = next((each for each in banks if each.name == row.bank_name), None)
    if bank is None:
        raise SettingRefused(Message("consent-bank-unknown", country=row.country, bank=row.bank_name))
    return _send_to_bank(database, shop, row, bank, place, gateway, clock, is_new=False)


def _send_to_bank(
    database: Database, shop: Shop, row: BankConsent, bank: ProviderBank, place: ConsentPlace,
    gateway: AccountInformationGateway, clock: datetime, *, is_new: bool,
) -> str:  # fmt: skip
    state = secrets.token_urlsafe(32)
    longest = min(bank.longest.days, LONGEST_DAYS)
    wish = ConsentWish(
        row.bank_name, row.country, row.for_company, clock + timedelta(days=longest), place.return_url,
        state, place.language,
    )  # fmt: skip
    url = open_provider(database, shop, row.provider, gateway, clock).begin(wish)
    with database.of_shop(shop, at=clock) as tx:
        if is_new:
            store.add(tx, row)
        store.expect_return(tx, _hash(state), row.id, _person(tx.actor), clock + RETURN_WITHIN, clock)
        record(tx, shop, AuditAction.CONSENT_BEGUN, row.id, after={"bank": row.bank_name, "provider": row.provider})
    return url


def _hash(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()


def _person(actor: Actor) -> str:
    return f"{actor.kind}:{actor.name}"


@dataclass(frozen=True, slots=True)
class BankReturn:
    """The parameters of a person's return from the bank: a code, or an error. Both are untrusted."""

    state: str
    code: str = ""
    error: str = ""


def finish(
    database: Database, shop: Shop, came: BankReturn, gateway: AccountInformationGateway, clock: datetime
) -> BankConsent:
    """Completes a consent that this person began in this shop, on the first return. Otherwise ConsentNotGiven.

    The shop's own accounts are read at once.
    """
    with database.of_shop(shop, at=clock) as tx:
        name = store.take_return(tx, _hash(came.state), _person(tx.actor), clock)
        row = store.consent(tx, name) if name else None
    if row is None:
        raise ConsentNotGiven(Message("consent-return-unknown"))
    if came.error or not came.code:
        why = "".join(char for char in came.error[:60] if char.isalnum() or char in "_- ")
        raise ConsentNotGiven(Message("consent-not-given", why=why or "-"))
    provider = open_provider(database, shop, row.provider, gateway, clock)
    given = provider.finish(came.code)
    before = _keep_given(database, shop, row.id, given, clock)
    if before.session and before.session != given.session:
        with suppress(AccountInformationFailed):  # it ends automatically
            provider.end(before.session)
    return load(database, shop, row.id)


def _keep_given(database: Database, shop: Shop, name: str, given: GivenConsent, clock: datetime) -> ConsentSession:
    """The session that was in force before; an empty one if there was none."""
    with database.of_shop(shop, at=clock) as tx:
        row = find(tx, name, lock=True)
        after, before = next_status(row.status, ConsentEvent.GIVEN), store.session(tx, row.id)
        own = {each.account for each in shop_store.accounts(tx)} - _read_elsewhere(tx, row.id) - _asked_by_ebics(tx)
        found = _one_each(tx, given)
        handles = {number: each.handle for number, each in found.items()}
        until = min(given.valid_until, clock + timedelta(days=LONGEST_DAYS))
        store.set_given(tx, row.id, after, ConsentSession(given.session, handles), until, clock)
        offered = {number: (each.currency, each.owner_name) for number, each in found.items()}
        store.offer_accounts(tx, row.id, offered, own)
        said = {
            "bank": row.bank_name,
            "until": until.isoformat(),
            "accounts": [masked_account(each) for each in offered],
        }
        record(tx, shop, AuditAction.CONSENT_GIVEN, row.id, after=said)
        shop_jobs.wake(tx, ALERTS, tx.now)
    return before


def _one_each(tx: ShopTx, given: GivenConsent) -> dict[str, OfferedAccount]:
    """The accounts by number. If one number has balances in several currencies: that of the shop's account.

    Without a known currency (`XXX` means several) the account counts as one in the shop's.
    """
    known = {(each.account, each.currency) for each in shop_store.accounts(tx)}
    found: dict[str, OfferedAccount] = {}
    offered = [
        each if known_currency(each.currency) else replace(each, currency=tx.shop.currency) for each in given.accounts
    ]
    for each in sorted(offered, key=lambda one: one.currency != tx.shop.currency):
        if each.number not in found or (each.number, each.currency) in known:
            found[each.number] = each
    return found


def _asked_by_ebics(tx: ShopTx) -> set[str]:
    """Accounts that their bank provides directly: a consent reads them only if a person says so."""
    return {account for each in ebics.connections(tx) if each.status is EbicsStatus.ACTIVE for account in each.accounts}


def _read_elsewhere(tx: ShopTx, name: str) -> set[str]:
    return {each.account for each in store.accounts(tx) if each.consent_id != name and each.is_read}


def find(tx: ShopTx, name: str = "", *, lock: bool = False) -> BankConsent:
    """The consent of this id; without one the only one. ConsentUnknown; SettingRefused if there are several."""
    name = name or only_one([row.id for row in store.consents(tx)], lambda ids: Message("consent-several", ids=ids))
    found = store.consent(tx, name, lock=lock) if name else None
    if found is None:
        raise ConsentUnknown(name)
    return found


def load(database: Database, shop: Shop, name: str = "") -> BankConsent:
    """`find` in a transaction of its own."""
    with database.of_shop(shop) as tx:
        return find(tx, name)


@dataclass(frozen=True, slots=True)
class ConsentOverview:
    """A consent with its accounts."""

    row: BankConsent
    accounts: list[ConsentAccount]


def overviews(tx: ShopTx) -> list[ConsentOverview]:
    """All consents of the shop, the oldest first."""
    accounts = store.accounts(tx)
    return [
        ConsentOverview(row, [each for each in accounts if each.consent_id == row.id]) for row in store.consents(tx)
    ]  # fmt: skip


def overview_of(tx: ShopTx, name: str) -> ConsentOverview:
    """One consent with its accounts. ConsentUnknown."""
    row = find(tx, name)
    return ConsentOverview(row, store.accounts(tx, row.id))


def application_ids(tx: ShopTx) -> dict[str, str]:
    """Provider -> the id of the shop's application there."""
    return store.application_ids(tx)


def set_use(tx: ShopTx, name: str, chosen: Sequence[str], times: str) -> BankConsent:
    """Sets which accounts are read, and when. A chosen account becomes one of the shop's. SettingRefused."""
    row = find(tx, name, lock=True)
    next_status(row.status, ConsentEvent.LOST)
    known = {each.account for each in shop_store.accounts(tx)}
    offered = {each.account: each for each in store.accounts(tx, row.id)}
    elsewhere = _read_elsewhere(tx, row.id)
    wanted = [each.replace(" ", "") for each in chosen]
    for account in wanted:
        if account not in offered:
            raise SettingRefused(Message("consent-account-not-offered", account=account))
        if account in elsewhere:
            raise SettingRefused(Message("consent-account-taken", account=account))
        if account not in known:
            register_account(tx, account, offered[account].currency)
    read_at = read_consent_times(times)
    before = {"times": list(row.fetch_times), "accounts": [masked_account(n) for n, a in offered.items() if a.is_read]}
    store.choose_accounts(tx, row.id, wanted)
    store.set_times(tx, row.id, read_at, next_fetch_at(read_at, tx.wall_time, tx.shop.timezone))
    if set(wanted) - {number for number, each in offered.items() if each.last_read_at is not None}:
        store.wake(tx, row.id, tx.wall_time)
    after = {"times": list(read_at), "accounts": [masked_account(each) for each in wanted]}
    record(tx, tx.shop, AuditAction.CONSENT_CHANGED, row.id, before=before, after=after)
    return find(tx, row.id)


def fetch_now(tx: ShopTx, name: str) -> BankConsent:
    """Makes the worker read the accounts at once and retry failed imports.

    ConsentMoveRefused unless the consent is in force; SettingRefused if today's reads of each account are used up.
    """
    row = find(tx, name, lock=True)
    next_status(row.status, ConsentEvent.LOST)
    today = tx.shop.today(tx.wall_time)
    read = [each for each in store.accounts(tx, row.id) if each.is_read]
    if read and all(each.read_on == today and each.reads >= READS_A_DAY for each in read):
        following = next_fetch_at(row.fetch_times, tx.wall_time, tx.shop.timezone)
        raise SettingRefused(Message("consent-reads-used", most=READS_A_DAY, day=tx.shop.day_of(following)))
    received.try_again(tx, row.id)
    store.wake(tx, row.id, tx.wall_time)
    return row


def remove(
    database: Database, shop: Shop, name: str, gateway: AccountInformationGateway, clock: datetime
) -> BankConsent:
    """Ends the consent at the bank, as far as the provider can, and forgets it; imported data stays."""
    row = load(database, shop, name)
    with database.of_shop(shop, at=clock) as tx:
        session = store.session(tx, row.id).session
    if session:
        with suppress(AccountInformationFailed, SettingRefused):  # it ends automatically
            open_provider(database, shop, row.provider, gateway, clock).end(session)
    with database.of_shop(shop, at=clock) as tx:
        store.remove(tx, row.id)
        record(tx, shop, AuditAction.CONSENT_REMOVED, row.id, before={"bank": row.bank_name})
        shop_jobs.wake(tx, ALERTS, tx.now)
    return row


def asks_for_renewal(row: BankConsent, shop: Shop, clock: datetime) -> bool:
    """Whether a person should renew it now: it is lost, or ends within days."""
    if row.status is ConsentStatus.LOST:
        return True
    if row.status is not ConsentStatus.ACTIVE or row.valid_until is None:
        return False
    return (ends_on(row, shop) - shop.today(clock)).days <= RENEW_DAYS


def ends_on(row: BankConsent, shop: Shop) -> date:
    """The last day of a consent in force, in the shop's time zone."""
    assert row.valid_until is not None, "only a given consent ends"
    return last_day(row.valid_until.astimezone(ZoneInfo(shop.timezone)))


def consent_fields(shown: ConsentOverview) -> dict[str, Any]:
    """A consent for lists and for programs; never its keys."""
    row = shown.row
    return {
        "id": row.id, "provider": row.provider, "bank": row.bank_name, "country": row.country,
        "status": str(row.status), "validUntil": row.valid_until, "times": list(row.fetch_times),
        "accounts": [each.account for each in shown.accounts if each.is_read],
        "offered": [each.account for each in shown.accounts if each.is_offered],
        "lastFetchedAt": max((each.last_read_at for each in shown.accounts if each.last_read_at), default=None),
        "nextFetchAt": row.next_fetch_at, "failures": row.failures, "failingSince": row.failing_since,
        "lastError": row.last_error or row.lost_why,
    }  # fmt: skip
