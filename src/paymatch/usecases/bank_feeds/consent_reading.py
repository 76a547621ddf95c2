"""The due work of consents: asks the provider for their state, reads accounts, and imports the data."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from paymatch.domain.bank_feeds.consents import (
    CHECKED_EVERY,
    READS_A_DAY,
    ConsentEvent,
    ConsentStatus,
    complete_until,
    next_status,
    read_from,
)
from paymatch.domain.bank_feeds.ebics import next_fetch_at
from paymatch.domain.bank_feeds.entry_references import ReferencedEntry, booked_references
from paymatch.domain.books.identity import said_by
from paymatch.domain.plurals import count_of
from paymatch.domain.postings import Posting
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.shops.shop_jobs import ALERTS, daily_at, retry_at
from paymatch.domain.words.message import Message
from paymatch.formats.account_information import (
    AccountReport,
    ReportedBalance,
    ReportedTransaction,
    read_report,
    write_report,
)
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Entry, FileRefused, StatementHead
from paymatch.outbound.account_information.gateway import AccountInformationGateway
from paymatch.outbound.account_information.paging import all_transactions
from paymatch.outbound.account_information.provider import (
    AccountGone,
    AccountInformationFailed,
    AccountInformationProvider,
    ConsentGone,
    PeriodRefused,
    ReadLimitReached,
)
from paymatch.store.bank_feeds import consents as store
from paymatch.store.bank_feeds import feeds, received
from paymatch.store.bank_feeds.consents import BankConsent, ConsentAccount
from paymatch.store.database import Database
from paymatch.store.shops import shops
from paymatch.store.statements import statement_lines
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.bank_feeds.consents import open_provider
from paymatch.usecases.bank_feeds.fetching import import_received

_AGAIN_AFTER: Final = timedelta(hours=2)
"""After a read that failed: each try counts as one of the day's reads."""

_LONGEST_REST: Final = timedelta(hours=24)
_SHORTER_DAYS: Final = 29
"""The first period if the bank refuses the usual one."""


@dataclass(frozen=True, slots=True)
class ConsentsWorked:
    """What was done."""

    accounts: int = 0
    files: int = 0

    @property
    def words(self) -> str:
        """For the list of jobs."""
        return f"{count_of(self.accounts, 'account')} read, {count_of(self.files, 'file')} imported"


def read_due(database: Database, shop: Shop, gateway: AccountInformationGateway, clock: datetime) -> ConsentsWorked:
    """Does the due work of all consents; if one bank fails the others go on, and it is tried again later."""
    with database.of_shop(shop, at=clock) as tx:
        rows = store.consents(tx)
    count = 0
    for row in rows:
        resting = row.resting_until is not None and row.resting_until > clock
        if row.status is not ConsentStatus.ACTIVE or resting or row.work_at > clock:
            continue
        try:
            count += _work(database, shop, row, gateway, clock)
        except ConsentGone as error:
            _lose(database, shop, row.id, error.message, clock)
        except (AccountInformationFailed, SettingRefused, FileRefused) as error:
            _note_failure(database, shop, row, error, clock)
    return ConsentsWorked(count, import_received(database, shop, clock, by_consent=True))


def _work(
    database: Database, shop: Shop, row: BankConsent, gateway: AccountInformationGateway, clock: datetime
) -> int:  # fmt: skip
    """Returns the number of accounts read. First asks the provider for the consent's state, which reads no account."""
    if row.valid_until is not None and row.valid_until <= clock:
        raise ConsentGone(Message("consent-gone", code="EXPIRED_SESSION"))
    provider = open_provider(database, shop, row.provider, gateway, clock)
    with database.of_shop(shop, at=clock) as tx:
        session, accounts = store.session(tx, row.id), store.accounts(tx, row.id)
    provider.check(session.session)
    due, count, following = row.next_fetch_at, 0, row.next_fetch_at
    if due is None or due <= clock:
        for account in accounts:
            if account.is_read and not (due and account.last_read_at and account.last_read_at >= due):
                handle = session.handles.get(account.account, "")
                count += _read_account(database, shop, row, account, provider, handle, clock)
        following = next_fetch_at(row.fetch_times, clock, shop.timezone)
    with database.of_shop(shop, at=clock) as tx:
        store.set_worked(tx, row.id, min(clock + CHECKED_EVERY, following or clock + CHECKED_EVERY), following)
        if row.failing_since is not None or count:
            shop_jobs.wake(tx, ALERTS, shop.now(clock))
    return count


def _read_account(
    database: Database, shop: Shop, row: BankConsent, account: ConsentAccount, provider: AccountInformationProvider,
    handle: str, clock: datetime,
) -> bool:  # fmt: skip
    """Reads and keeps an account; False if the bank does not provide it, or if today's reads were enough.

    ReadLimitReached if failed reads used them up.
    """
    today = shop.today(clock)
    try:
        if not handle:
            raise AccountGone(Message("consent-account-gone", code="-"))
        with database.of_shop(shop, at=clock) as tx:
            if not store.count_read(tx, row.id, account.account, today, READS_A_DAY):
                if account.last_read_at is not None and shop.day_of(account.last_read_at) == today:
                    return False
                said = Message("consent-reads-used", most=READS_A_DAY, day=today + timedelta(days=1))
                raise ReadLimitReached(said, None)
        report = _report(database, shop, row, account, provider, handle, clock)
    except AccountGone as error:
        with database.of_shop(shop, at=clock) as tx:
            store.set_problem(tx, row.id, account.account, error.message)
            shop_jobs.wake(tx, ALERTS, shop.now(clock))
        return False
    with database.of_shop(shop, at=clock) as tx:
        booked = statement_lines.of_format(tx, report.account, report.currency, row.provider, report.first_date)
        content = write_report(_as_booked(report, booked))
        name = f"{row.provider}-{account.account[-4:]}-{clock:%Y%m%d-%H%M%S}.json"
        received.keep(
            tx, row.id, received.TRANSACTIONS, [(name, hashlib.sha256(content).hexdigest(), content)], clock
        )  # fmt: skip
        store.set_read(tx, row.id, account.account, clock, report.complete_until)
    return True


def _check_account(
    database: Database, shop: Shop, account: str, found: Sequence[ReportedTransaction], clock: datetime
) -> None:  # fmt: skip
    """AccountInformationFailed if every transaction that names its own account names another one of the shop."""
    named = {(each.creditor if each.is_credit else each.debtor).account for each in found} - {""}
    if not named or account in named:
        return
    with database.of_shop(shop, at=clock) as tx:
        others = {each.account for each in shops.accounts(tx)} - {account}
    if named <= others:
        raise AccountInformationFailed(Message("consent-answer-unreadable", what="account"))


def _report(
    database: Database, shop: Shop, row: BankConsent, account: ConsentAccount, provider: AccountInformationProvider,
    handle: str, clock: datetime,
) -> AccountReport:  # fmt: skip
    local = clock.astimezone(ZoneInfo(shop.timezone))
    last_read = account.last_read_at.astimezone(local.tzinfo).date() if account.last_read_at else None
    since = read_from(account.complete_until, last_read, local.date())
    try:
        found = all_transactions(provider, handle, since)
    except PeriodRefused:
        since = max(since, local.date() - timedelta(days=_SHORTER_DAYS))
        found = all_transactions(provider, handle, since)
    complete = max(complete_until(local), account.complete_until or date.min)
    _check_account(database, shop, account.account, found, clock)
    shown = [each for each in found if not "" < (each.booking_date or each.value_date) < since.isoformat()]
    return AccountReport(
        row.provider, account.account, account.currency, min(since, complete), complete, account.owner_name,
        tuple(sorted(shown, key=msgspec.json.encode)), tuple(_balances(provider, handle)),
    )  # fmt: skip


def _balances(provider: AccountInformationProvider, handle: str) -> list[ReportedBalance]:
    """The balances; none if the bank does not provide them, as transactions do not need them."""
    try:
        return provider.balances(handle)
    except (ConsentGone, ReadLimitReached):
        raise
    except AccountInformationFailed:
        return []


def _as_booked(report: AccountReport, booked: Sequence[Posting]) -> AccountReport:
    """The report with each transaction under the reference it is booked by, in case the bank has changed it."""
    known = {each.bank_reference: _content(each) for each in booked if each.bank_reference}
    read = _postings(report)
    entries = [
        ReferencedEntry(said.reference, None if place not in read else _content(read[place]))
        for place, said in enumerate(report.transactions)
    ]
    names = booked_references(known, entries)
    transactions = tuple(
        said if name == said.reference else _with_name(said, name)
        for said, name in zip(report.transactions, names, strict=True)
    )
    return msgspec.structs.replace(report, transactions=transactions)


def _with_name(said: ReportedTransaction, name: str) -> ReportedTransaction:
    return msgspec.structs.replace(said, known_as=name)


def _postings(report: AccountReport) -> dict[int, Posting]:
    """The posting of each readable transaction, by its place."""
    found: dict[int, Posting] = {}
    head: StatementHead | None = None
    for event in read_report(io.BytesIO(write_report(report))):
        if isinstance(event, StatementHead):
            head = event
        elif isinstance(event, Entry) and head is not None:
            found[event.position] = postings_of(head, event)[0]
    return found


def _content(posting: Posting) -> tuple[date, int, tuple[str, ...]]:
    return posting.booking_date, posting.amount_minor, tuple(said_by(posting))


def _lose(database: Database, shop: Shop, name: str, why: Message, clock: datetime) -> None:
    """Marks the consent as lost: nothing is read before a person gives a new one, and an alert says so."""
    with database.of_shop(shop, at=clock) as tx:
        row = store.consent(tx, name, lock=True)
        if row is None or row.status is not ConsentStatus.ACTIVE:
            return
        store.set_lost(tx, name, next_status(row.status, ConsentEvent.LOST), why, clock)
        record(tx, shop, AuditAction.CONSENT_LOST, name, after={"bank": row.bank_name, "why": str(why)})
        shop_jobs.wake(tx, ALERTS, shop.now(clock))


def _note_failure(database: Database, shop: Shop, row: BankConsent, error: Refused, clock: datetime) -> None:
    """Schedules the next try: soon if no account was read, else so that the day's reads last."""
    with database.of_shop(shop, at=clock) as tx:
        asked = any(each.is_read and each.read_on == shop.today(clock) for each in store.accounts(tx, row.id))
        until = retry_at(row.failures + 1, clock)
        if isinstance(error, ReadLimitReached):
            midnight = daily_at(datetime.min.time(), clock, shop.timezone)
            first = next_fetch_at(row.fetch_times, midnight - timedelta(seconds=1), shop.timezone)
            until = first if error.wait is None else clock + min(error.wait, _LONGEST_REST)
        elif asked and (row.next_fetch_at is None or row.next_fetch_at <= clock):
            until = max(until, clock + _AGAIN_AFTER)
        feeds.record_failure(tx, feeds.CONSENTS, row.id, error.message, clock, until)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))
