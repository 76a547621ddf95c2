"""The kinds of due work that every shop has: when each is next due, and its work (D-32).

The worker and the clock of sandbox shops do the same kinds in the same way. A new kind is one entry of `KINDS`;
existing shops get their row for it automatically.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as day_time
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.plurals import count_of
from paymatch.domain.refunds.refunds import next_run_at
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.shops.shop_jobs import (
    ALERTS,
    EXPORTS,
    PRINT_RUN,
    JobRefused,
    daily_at,
    exports_at,
    print_run_at,
    spread_over_hour,
)
from paymatch.domain.words.message import Message
from paymatch.formats.languages.texts import language_among
from paymatch.formats.mail.layout import Head
from paymatch.outbound.account_information.gateway import NO_ACCOUNT_INFORMATION, AccountInformationGateway
from paymatch.outbound.exports import Bucket, BucketExports, ExportDoor, FolderExports, MailExports
from paymatch.outbound.files import Files
from paymatch.outbound.http import HttpDoor
from paymatch.outbound.letters import LetterDoor, NullLetters
from paymatch.outbound.mail.folder import NullMail
from paymatch.outbound.mail.outgoing import MailDoor
from paymatch.store.database import Database
from paymatch.store.matching.matching import mark_all_for_rematch
from paymatch.store.reminders.mails import sender as mail_sender
from paymatch.store.reminders.reminders import look_at_forgotten
from paymatch.store.sandbox.sandbox import Due
from paymatch.store.transactions import ShopId
from paymatch.usecases.bank_feeds.consent_mails import OwnerMail, remind_owners
from paymatch.usecases.bank_feeds.consent_reading import read_due
from paymatch.usecases.bank_feeds.consents import ACCOUNT_INFORMATION
from paymatch.usecases.bank_feeds.gateway import EBICS, NO_EBICS, EbicsGateway
from paymatch.usecases.bank_feeds.work import work_due as work_on_ebics
from paymatch.usecases.collection import exchange as agency
from paymatch.usecases.collection.cases import hand_over_due, keep_up
from paymatch.usecases.collection.lapses import lapse_due
from paymatch.usecases.connectors import gateways as connector_ways
from paymatch.usecases.connectors.work import work_due as work_on_connectors
from paymatch.usecases.customers import refund_requests
from paymatch.usecases.letters.printing import print_daily
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.privacy.periods import forget_files, forget_people, purge
from paymatch.usecases.privacy.retention import forget_old
from paymatch.usecases.refunds.bank_reports import watch_silence
from paymatch.usecases.refunds.refund_runs import run as run_refunds
from paymatch.usecases.refunds.transfer_files import write_out
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.reports.scheduled import Schedule, deliver_due
from paymatch.usecases.sandbox.simulated_bank import deliver
from paymatch.usecases.sandbox.transfers import take_files
from paymatch.usecases.search.writing import gather_segments, write_missing
from paymatch.usecases.settlement.order_keys import add_missing
from paymatch.usecases.shops.brands import brand_of
from paymatch.usecases.shops.cooling_off import apply_settled
from paymatch.usecases.statements.completeness import KeptGaps
from paymatch.usecases.work.alerts import keep_alerts

MORNING: Final = day_time(6, 0)
"""The hour for work that depends on the day, in the shop's time zone."""

COLLECTION_HOURS: Final = (day_time(6, 0), day_time(11, 0), day_time(16, 0))
"""The hours in which orders go to collection or lapse: of office time too, as many statements come in the morning."""

LOCAL_BASE: Final = "http://127.0.0.1:8000"
"""The default address of `paymatch serve`."""

TURN_SECONDS: Final = 20
"""How long one job matches or sends mail before other shops have their turn."""

_MONTH: Final = timedelta(days=29)
_EVERY_STATUS: Final = frozenset(ShopStatus)
_NOT_DELETED: Final = _EVERY_STATUS - {ShopStatus.DELETED}
_ACTIVE: Final = frozenset({ShopStatus.ACTIVE})


@dataclass(frozen=True, slots=True)
class JobGateways:
    """The gateways of jobs; None: there is no such gateway here, and its work waits."""

    transfers: Path | None = None  # folder of the transfer files, one folder per shop in it
    mail: MailDoor | None = None
    base: str = ""
    """The address of the service's pages, for links in mails; "" where it is unknown."""
    here: str = LOCAL_BASE
    """Their address on this machine, for links of sandbox shops where the other one is unknown."""
    letters: LetterDoor | None = None
    print_runs: Path | None = None  # folder of the daily print runs, one folder per shop in it
    collection: Path | None = None  # folder of files for agencies, one folder per shop in it
    http: HttpDoor | None = None
    files: Files | None = None  # where invoices lie
    kept_mail: Path | None = None  # folder of unsent mail, one folder per shop in it
    dropped: Path | None = None  # the drop folder, one folder per shop in it
    exports: Path | None = None  # folder of scheduled exports, one folder per shop in it
    bucket: Bucket | None = None  # the operator's S3-compatible storage
    connectors: connector_ways.ConnectorGateways = connector_ways.NO_WAYS
    writes_mail: bool = True  # without it reminders of sandbox shops are recorded without a mail text
    gaps: KeptGaps | None = None  # of the only shop, kept from job to job; None: each job computes them
    replay: Callable[[Database, Shop, float], bool] | None = None
    """Plays a shop's replay for this many seconds; True once it is done. It moves a clock, which does these jobs."""
    ebics: EbicsGateway = NO_EBICS
    account_information: AccountInformationGateway = NO_ACCOUNT_INFORMATION
    owner_mail: OwnerMail = OwnerMail()  # noqa: RUF009  frozen

    def folders_of(self, shop: Shop) -> Folders:
        """The shop's own folders in these."""
        places = (self.transfers, self.print_runs, self.collection, self.exports, self.kept_mail)
        roots = [root / str(shop.id) for root in places if root is not None]
        read = [self.dropped / str(shop.id) / place for place in ("done", "failed")] if self.dropped else []
        return Folders([*roots, *read])


@dataclass(frozen=True, slots=True)
class Done:
    """A job's result, as a text for the list of jobs; `again`: there is more, it is due again at once.

    `idle`: there was nothing to do, which is logged only at debug level.
    """

    words: str = ""
    again: bool = False
    idle: bool = False


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of due work.

    `next_at` computes from the shop and its moment when it is next due, strictly later; None: when its cause occurs.
    `do` uses its own transactions and may be interrupted and repeated at any point. It is called for shops in one of
    the `statuses`; `last` puts it after everything else that is due at the same moment. The moved clock of a sandbox
    shop does not stop for it before `first_day` (None: there is nothing to do). It never stops for `last` kinds: those
    are done where it stops anyway.
    """

    name: str
    next_at: Callable[[Shop, datetime], datetime | None]
    do: Callable[[Database, JobGateways, Shop, datetime], Done]
    statuses: frozenset[ShopStatus] = _ACTIVE
    last: bool = False
    first_day: Callable[[Due], date | None] | None = None


def _each_morning(shop: Shop, now: datetime) -> datetime:
    return daily_at(spread_over_hour(MORNING, shop), now, shop.timezone)


def _each_month(shop: Shop, now: datetime) -> datetime:
    return _each_morning(shop, now + _MONTH)


def _each_hour(shop: Shop, now: datetime) -> datetime:
    """At the shop's own minute; a sandbox, whose clock is moved from one such moment to the next, each morning only."""
    if shop.sandbox:
        return _each_morning(shop, now)
    own = spread_over_hour(MORNING, shop)
    moment = now.replace(minute=own.minute, second=own.second, microsecond=0)
    return moment if moment > now else moment + timedelta(hours=1)


def _some_times_a_day(shop: Shop, now: datetime) -> datetime:
    return min(daily_at(spread_over_hour(hour, shop), now, shop.timezone) for hour in COLLECTION_HOURS)


def _refund_run(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Releases what is due, and writes the files that no folder has received yet (D-31)."""
    if not shop.refund_runs:
        return Done("refund-runs is off", idle=True)
    result = run_refunds(database, shop, clock)
    if doors.transfers is not None and not shop.sandbox:  # a sandbox shop's bank takes its files from the database
        write_out(database, shop, doors.transfers / str(shop.id), clock)
    sent = sum(file.transfers for file in result.files)
    words = f"{count_of(len(result.files), 'file')} with {count_of(sent, 'refund')}, {len(result.held)} not sent"
    return Done(words, idle=not (result.files or result.held))


def _match(database: Database, _doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    counts = match_due(database, shop, clock, seconds=TURN_SECONDS)
    words = f"{count_of(counts.seen, 'posting')}, {counts.matched} matched, {counts.suggested} suggested"
    return Done(words, idle=not counts.seen)


def _work_for_bank(database: Database, _doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    reports, taken = deliver(database, shop, clock), take_files(database, shop, clock)
    return Done(f"{count_of(len(reports), 'statement')} delivered, {count_of(taken, 'transfer file')} taken")


def _alerts(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    with database.of_shop(shop, at=clock) as tx:
        if apply_settled(tx):
            mark_all_for_rematch(tx, shop.now(clock))
        silent = watch_silence(tx)
        raised, resolved = keep_alerts(tx, doors.gaps)
        if shop.sends_mail:  # orders submitted at the very moment when the shop switched its mail on
            look_at_forgotten(tx)
    return Done(f"{raised + silent} raised, {resolved} resolved", idle=not (raised or silent or resolved))


def _retention(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    found = forget_old(database, shop, clock)
    people = forget_people(database, shop, doors.files, clock)
    old_files = forget_files(database, shop, doors.files, doors.dropped, clock, doors.kept_mail)
    purged = purge(database, shop, doors.files, doors.folders_of(shop), clock)
    words = ", ".join(filter(None, (found.in_words(), people.words, old_files.words, purged.words)))
    return Done(words, again=found.more or people.more or old_files.more, idle=not words)


def _send_mail(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Sends due mail until there is none, or for a while; a sandbox shop's mail is kept and needs no gateway."""
    door = NullMail() if shop.sandbox else doors.mail
    if door is None:
        raise JobRefused(Message("job-no-mail-server-configured"))
    looked_at, begun, gaps = 0, time.monotonic(), doors.gaps or KeptGaps()
    base, writes = _base(doors, shop), doors.writes_mail
    while done := send_due(database, shop, door, clock, base=base, writes=writes, gaps=gaps):
        looked_at += done
        if time.monotonic() - begun > TURN_SECONDS:
            return Done(f"{count_of(looked_at, 'order')} looked at", again=True)
    return Done(f"{count_of(looked_at, 'order')} looked at", idle=not looked_at)


def _ask_for_details(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Asks customers for the bank details of refunds until none is left, or for a while."""
    door = NullMail() if shop.sandbox else doors.mail
    if door is None:
        raise JobRefused(Message("job-no-mail-server-configured"))
    looked_at, begun = 0, time.monotonic()
    while done := refund_requests.send_due(database, shop, door, _base(doors, shop), clock):
        looked_at += done
        if time.monotonic() - begun > TURN_SECONDS:
            return Done(f"{count_of(looked_at, 'refund')} looked at", again=True)
    return Done(f"{count_of(looked_at, 'refund')} looked at", idle=not looked_at)


def _base(doors: JobGateways, shop: Shop) -> str:
    """The address of the service's pages; links of sandbox shops lead to this machine where nothing else is known."""
    return doors.base or (doors.here if shop.sandbox else "")


def _letters(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Writes letters, hands them over and checks their status, until none is due or for a while."""
    ways = LetterGateways(NullLetters() if shop.sandbox else doors.letters, doors.files, _base(doors, shop))
    done, begun = 0, time.monotonic()
    while some := work_due(database, shop, ways, clock):
        done += some
        if time.monotonic() - begun > TURN_SECONDS:
            return Done(f"{count_of(done, 'letter')} dealt with", again=True)
    return Done(f"{count_of(done, 'letter')} dealt with", idle=not done)


def _print_run(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """A day's letters as one PDF with its index in the shop's folder (D-57)."""
    if shop.letter_print_hour is None:
        return Done("letter-print-hour is off", idle=True)
    if shop.now(clock).astimezone(ZoneInfo(shop.timezone)).hour < shop.letter_print_hour:
        return Done(f"begins at {shop.letter_print_hour}:00", idle=True)
    if doors.print_runs is None:
        raise JobRefused(Message("job-installation-no-folder-print"))
    count = print_daily(database, shop, doors.print_runs / str(shop.id), clock)
    return Done(f"{count_of(count, 'print run')} written", idle=not count)


def _export(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Sends exports of the last whole day, week or month; refusals are retried and raise an alert (D-32)."""
    with database.of_shop(shop, at=clock) as tx:
        sender, brand = mail_sender(tx), brand_of(tx)

    def door_of(wanted: Schedule, days: str) -> ExportDoor:
        if wanted.to == "folder" and doors.exports is not None:
            return FolderExports(doors.exports / str(shop.id))
        if wanted.to == "s3" and doors.bucket is not None:
            return BucketExports(doors.bucket, str(shop.id))
        if "@" in wanted.to and doors.mail is not None and sender.address:
            mail_id, base = f"export-{days.replace(' ', '-')}", _base(doors, shop)
            head = Head(
                message_id=f"<{mail_id}@{sender.address.rpartition('@')[2]}>", at=clock, sender=sender.address,
                reply_to="", recipient=wanted.to, customer="", language=language_among(shop.language),
                country=shop.country, brand=brand,
            )  # fmt: skip
            link = f"{base}/shops/{shop.id}/settings/exports" if base else ""
            days = days.replace(" to ", " – ").replace(" supplement ", ", #")
            return MailExports(doors.mail, str(shop.id), mail_id, head, days, link)
        raise JobRefused(Message("job-exports-cannot-delivered-folder", to=wanted.to))

    delivered = deliver_due(database, shop, door_of, clock, doors.files)
    return Done(f"{count_of(delivered, 'file')} delivered", idle=not delivered)


def _collect(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Hands orders to the agency or lets them lapse, then exchanges reports with the agency (D-54, D-42).

    Work without outside calls comes first: an unreachable agency delays no order.
    """
    ways = agency.AgencyGateways(doors.collection, doors.mail, doors.http, doors.files)
    handed = hand_over_due(database, shop, clock)
    with database.of_shop(shop, at=clock) as tx:
        changes = keep_up(tx)
    lapsed = lapse_due(database, shop, clock)
    reports = agency.take_reports(database, shop, ways, clock)
    delivered = agency.tell_agency(database, shop, ways, clock)
    idle = not (reports or handed or changes or delivered or lapsed)
    return Done(
        f"{count_of(reports, 'report')} read, {count_of(handed, 'order')} handed over, {count_of(changes, 'change')},"
        f" {count_of(delivered, 'message')} delivered, {count_of(lapsed, 'order')} lapsed",
        idle=idle,
    )


def _connect(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Imports changed orders from shop systems, and writes payments back (D-75, D-78)."""
    done = work_on_connectors(database, shop, doors.connectors, clock, TURN_SECONDS)
    return Done(done.words, again=done.more, idle=not (done.seen or done.taken or done.written))


def _exchange_with_banks(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Fetches the banks' files, and sends released ones (D-103)."""
    done = work_on_ebics(database, shop, doors.ebics, clock)
    return Done(done.words, idle=not (done.files or done.sent))


def _read_accounts(database: Database, doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Reads accounts by consents, and reminds the owners before one ends (D-130)."""
    done = read_due(database, shop, doors.account_information, clock)
    mails = remind_owners(database, shop, doors.owner_mail, clock)
    return Done(f"{done.words}, {count_of(mails, 'owner')} reminded", idle=not (done.accounts or done.files or mails))


def _search(database: Database, _doors: JobGateways, shop: Shop, _clock: datetime) -> Done:
    """Orders and postings that searches do not find yet are made searchable; all new ones are gathered (D-101)."""
    done = write_missing(database, ShopId(shop.id))
    gathered = gather_segments(database, ShopId(shop.id))
    texts = f"{count_of(done.orders, 'order')} and {count_of(done.postings, 'posting')} made searchable"
    return Done(
        f"{texts}, {count_of(gathered, 'text')} gathered",
        again=done.more,
        idle=not (done.orders or done.postings or gathered),
    )


def _add_keys(database: Database, _doors: JobGateways, shop: Shop, clock: datetime) -> Done:
    """Open orders that an earlier version stored get the lookup keys of this one (docs/matching.md)."""
    added = add_missing(database, shop, clock)
    return Done(f"{count_of(added, 'order')} with new keys", idle=not added)


def _replay(database: Database, doors: JobGateways, shop: Shop, _clock: datetime) -> Done:
    """Plays the shop's past in a separate shop (D-124)."""
    if doors.replay is None:
        return Done("replays are not played here", idle=True)
    try:
        done = doors.replay(database, shop, TURN_SECONDS)
    except SandboxRefused:
        return Done("another process plays it", idle=True)
    return Done("finished" if done else "goes on", again=not done)


REFUND_RUN: Final = JobKind(
    "refund-run", lambda shop, now: next_run_at(now, shop.timezone), _refund_run, first_day=lambda due: due.refunds_from
)
MATCHING: Final = JobKind("matching", lambda _shop, _now: None, _match, _EVERY_STATUS)
LETTERS: Final = JobKind("letters", lambda _shop, _now: None, _letters)
MAIL: Final = JobKind("mail", lambda _shop, _now: None, _send_mail)
REFUND_REQUESTS: Final = JobKind("refund-requests", lambda _shop, _now: None, _ask_for_details)
CONNECTORS: Final = JobKind(connector_ways.CONNECTORS, lambda _shop, _now: None, _connect)
REPLAY: Final = JobKind("replay", lambda _shop, _now: None, _replay)
EBICS_EXCHANGE: Final = JobKind(EBICS, lambda _shop, _now: None, _exchange_with_banks)
CONSENT_READING: Final = JobKind(ACCOUNT_INFORMATION, lambda _shop, _now: None, _read_accounts)
SANDBOX_BANK: Final = JobKind("sandbox-bank", lambda _shop, _now: None, _work_for_bank, _NOT_DELETED)
"""The simulated bank of shops whose clock follows the real time (D-34); other shops do not have this work."""

KINDS: Final[tuple[JobKind, ...]] = (
    REFUND_RUN,
    MATCHING,
    MAIL,
    REFUND_REQUESTS,
    LETTERS,
    CONNECTORS,
    REPLAY,
    EBICS_EXCHANGE,
    CONSENT_READING,
    JobKind(PRINT_RUN, print_run_at, _print_run),
    JobKind(EXPORTS, exports_at, _export),
    JobKind("collection", _some_times_a_day, _collect, first_day=lambda due: due.collection_from),
    JobKind(ALERTS, _each_morning, _alerts, _NOT_DELETED, last=True),
    JobKind("search", _each_hour, _search, _NOT_DELETED, last=True),
    JobKind("order-keys", _each_month, _add_keys, _NOT_DELETED, last=True),
    JobKind("retention", _each_morning, _retention, _EVERY_STATUS, last=True),
)
"""In the order of execution if several are due at the same moment."""

BY_NAME: Final = {kind.name: kind for kind in KINDS}
