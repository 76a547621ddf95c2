"""Plays a replay: each morning brings the day's orders and the statements of the day before, and the clock moves on.

The player claims the shop like the mover of its clock. A process that dies leaves an unfinished day; that day is played
again, and everything in it happens once.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date, datetime
from datetime import time as day_time
from math import inf
from typing import Final, NoReturn
from zoneinfo import ZoneInfo

import msgspec

from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.shops.sandbox import ClockHeld
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import to_json
from paymatch.formats.contract import bodies
from paymatch.formats.replays.day_parts import settlement_of
from paymatch.formats.replays.day_statements import decode_statement
from paymatch.formats.statement import FileRefused
from paymatch.outbound.http import HttpAnswer, HttpCall
from paymatch.store.database import Database
from paymatch.store.matching import matching as match_store
from paymatch.store.replays import outcomes
from paymatch.store.replays import replays as store
from paymatch.store.replays.replays import PartKind, ReplayPart, ReplayRow, ReplayStatus
from paymatch.store.sandbox import sandbox
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.own_accounts import AccountTable, confirm_all
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from paymatch.usecases.replays.beginning import erase, erase_now, has_expired
from paymatch.usecases.replays.deciding import find_theirs
from paymatch.usecases.replays.reading import Progress, read_files
from paymatch.usecases.replays.summing import sum_up
from paymatch.usecases.statements.completeness import KeptGaps
from paymatch.usecases.statements.statements import IncomingBankFile, book
from paymatch.usecases.work.row_counts import count_grown
from paymatch.usecases.work.sandbox_clock import HOLD, hold_due_work, move

MORNING: Final = day_time(5, 0)
"""When a day's orders and the statements of the day before come, in the shop's time zone."""
_EVENING: Final = day_time(23, 0)
_LOOKS_EVERY_SECONDS: Final = 1
_COUNTED_FROM: Final = 20
"""Orders and entries after which the first rows are counted."""


class NothingLeaves:
    """The gateways of a replay: there are none."""

    def call(self, call: HttpCall) -> HttpAnswer:
        """Never called: the shop of a replay sends no callbacks."""
        _refuse(call)

    def close(self) -> None:
        """Nothing is kept."""


def _refuse(call: HttpCall) -> NoReturn:
    raise AssertionError(f"a replay sends nothing, but {call} was to be sent")


def play(
    database: Database,
    shop: Shop,
    clock: Callable[[], datetime],
    *,
    seconds: float = inf,
    tell: Progress = lambda _what, _percent: None,
) -> bool:
    """Plays the shop's replay for about this many seconds; True once there is nothing left to do.

    `tell` gets the present step and the percentage. ClockHeld if another process is playing it.
    """
    ends = time.monotonic() + seconds
    with database.of_shop(shop, at=clock()) as tx:
        row = store.find(tx)
    if row is not None and has_expired(row, clock()):
        return erase(database, shop, clock)
    if row is None or row.status in (ReplayStatus.FINISHED, ReplayStatus.FAILED):
        return True
    if row.status is ReplayStatus.ERASING:
        return erase_now(database, shop, clock)
    player = _Player(database, shop, row, clock, tell)
    with hold_due_work(database, player.load_shop(), clock):
        done = player.play(ends)
    with database.of_shop(shop, at=clock()) as tx:
        row = store.find(tx)
    return erase_now(database, shop, clock) if row is not None and row.status is ReplayStatus.ERASING else done


def play_or_watch(database: Database, shop: Shop, clock: Callable[[], datetime], tell: Progress) -> None:
    """Plays the shop's replay to its end, or reports the progress of the process that plays it: a running service."""
    while True:
        try:
            if play(database, shop, clock, tell=tell):
                return
        except ClockHeld:
            with database.of_shop(shop, at=clock()) as tx:
                row = store.find(tx)
            if row is not None:
                tell("played by the service" if row.day is None else f"{row.day:%Y-%m-%d}", row.percent)
        time.sleep(_LOOKS_EVERY_SECONDS)


def _bank_file(part: ReplayPart) -> IncomingBankFile:
    """A statement that was read, or a settlement file with its own bytes."""
    content, channel = part.content, StatementChannel.COMMAND_LINE
    if (settlement := settlement_of(content)) is not None:
        return IncomingBankFile(io.BytesIO(settlement), part.name, channel)
    return IncomingBankFile(io.BytesIO(content), part.name, channel, events=decode_statement(content).events)


class _Player:
    """One sitting of a replay."""

    def __init__(
        self, database: Database, shop: Shop, row: ReplayRow, clock: Callable[[], datetime], tell: Progress
    ) -> None:
        self._database = database
        self._origin = shop
        self._row = row
        self._id = ShopId(row.replay_shop)
        self._clock = clock
        self._tell = tell
        self._door = NothingLeaves()
        self._gaps = KeptGaps()
        self._played = self._counted = row.played

    def load_shop(self) -> Shop:
        """The replay's shop in its present state, including its clock."""
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            found = shop_store.load(tx)
        assert found is not None, "a replay that is not erased has its shop"
        return found

    def play(self, ends: float) -> bool:
        """Plays day after day; True if none is left, or a person wants the replay deleted."""
        if self._row.status is ReplayStatus.READING and not self._read():
            return True
        while (day := self._next_day()) is not None:
            try:
                self._play_day(day)
            except FileRefused as refusal:  # read, but not to be booked: a service's file of which account?
                self._fail(refusal)
                return True
            self._count_rows()
            if not self._goes_on():
                return True
            if time.monotonic() > ends and self._next_day() is not None:
                return False
        self._finish()
        return True

    def _count_rows(self) -> None:
        """Has the rows counted each time that there are a tenth more; else plans would be those for the empty shop."""
        if self._played - self._counted > max(self._counted // 10, _COUNTED_FROM):
            count_grown(self._database)
            self._counted = self._played

    def _read(self) -> bool:
        """Reads the files; False if one cannot be read, and the replay has failed."""
        try:
            with self._database.of_shop(self._id, at=self._clock()) as tx:
                sandbox.keep_holding(tx, self._clock() + HOLD * 15)
                found = read_files(tx, self._database, self._tell)
                rows = store.count_rows(tx)
        except FileRefused as refusal:
            self._fail(refusal)
            return False
        notes = msgspec.json.encode(found.first_refused).decode()
        with self._database.of_shop(self._origin, at=self._clock()) as tx:
            store.set_read(tx, orders=found.orders, refused=found.refused, rows=rows, notes=notes)
        return True

    def _fail(self, refusal: FileRefused) -> None:
        """Ends the replay without a result."""
        with self._database.of_shop(self._origin, at=self._clock()) as tx:
            store.set_failed(tx, msgspec.json.encode(to_json(refusal.message)).decode(), self._clock())

    def _next_day(self) -> date | None:
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            return store.next_day(tx)

    def _goes_on(self) -> bool:
        with self._database.of_shop(self._origin, at=self._clock()) as tx:
            row = store.find(tx)
        if row is None or row.status is not ReplayStatus.PLAYING:
            return False
        self._tell(f"{row.day:%Y-%m-%d}", row.percent)
        return True

    def _play_day(self, day: date) -> None:
        """Moves the clock to the day's morning and imports the day's data."""
        shop = self.load_shop()
        moment = datetime.combine(day, MORNING, ZoneInfo(shop.timezone))
        if shop.now(self._clock()) < moment:
            self._go_to(shop, moment)
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            parts = store.parts(tx, day, [PartKind.ORDERS, PartKind.STATEMENT])
        self._submit([part for part in parts if part.kind is PartKind.ORDERS])
        imports = self._import([part for part in parts if part.kind is PartKind.STATEMENT])
        self._note_outcomes(day, imports)
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            rows = store.drop_parts(tx, day)
        self._played += rows
        with self._database.of_shop(self._origin, at=self._clock()) as tx:
            store.set_played(tx, day, rows)

    def _go_to(self, shop: Shop, moment: datetime) -> None:
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            is_first = self._row.day is None and sandbox.now(tx, self._clock()).year < moment.year - 1
            if is_first:  # nothing is due before the first day
                sandbox.set_clock(tx, moment, held_until=self._clock() + HOLD)
        if not is_first:
            move(self._database, shop, moment, self._door, self._clock, writes_mail=False, gaps=self._gaps)

    def _keep_holding(self) -> None:
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            sandbox.keep_holding(tx, self._clock() + HOLD)

    def _submit(self, parts: Sequence[ReplayPart]) -> None:
        for part in parts:
            self._keep_holding()
            checked = [bodies.check_order(each) for each in bodies.decode_orders(part.content)]
            known: dict[str, int] = {each.submission.number: place for place, each in enumerate(checked)}
            latest = [checked[place] for place in sorted(known.values())]  # a file may list an order twice
            try:
                with self._database.of_shop(self._id, at=self._clock()) as tx:
                    orders.submit(tx, latest, [*range(len(latest))])
            except OrderRefused:
                for one in latest:
                    self._submit_one(one)

    def _submit_one(self, order: SubmittedOrder) -> None:
        try:
            with self._database.of_shop(self._id, at=self._clock()) as tx:
                orders.submit(tx, [order])
        except OrderRefused:
            with self._database.of_shop(self._origin, at=self._clock()) as tx:
                store.count_refused(tx)

    def _import(self, parts: Sequence[ReplayPart]) -> list[str]:
        """Books the statements like any import, and matches; returns the ids of the imports."""
        imports: list[str] = []
        for part in parts:
            self._keep_holding()
            file = _bank_file(part)
            with self._database.of_shop(self._id, at=self._clock()) as tx:
                statement_store.lock_imports(tx)
                imports.append(book(tx, file)[0].import_id)
                for table in AccountTable:  # without an own account no one would be reminded
                    confirm_all(tx, table)
        if parts:
            match_due(self._database, self.load_shop(), self._clock())
        return imports

    def _note_outcomes(self, day: date, imports: Sequence[str]) -> None:
        """Records the results of the day's postings and the other system's decisions; then people decide the rest."""
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            new = outcomes.new_postings(tx, imports)
            outcomes.add(tx, new, day)
            outcomes.set_theirs(tx, find_theirs(tx, new))
            left = outcomes.open_with_decision(tx, day)
        shop = self.load_shop()
        for posting_id, numbers in left:
            self._assign(shop, posting_id, numbers)

    def _assign(self, shop: Shop, posting_id: str, numbers: Sequence[str]) -> None:
        """A person assigns the posting as in the other system; a refused assignment stays open."""
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            known = match_store.load_orders(tx, numbers)
        parts = [Part(each, known[each].open_minor) for each in numbers[:-1] if each in known]
        if numbers[-1] in known:
            parts.append(Part(numbers[-1]))
        try:
            if parts:
                match(self._database, shop, posting_id, parts, self._clock())
        except AssignmentRefused:
            return

    def _finish(self) -> None:
        """Ends the last day, judges the differences, and stores the figures."""
        shop = self.load_shop()
        if self._row.day is not None or shop.now(self._clock()).year > 1990:
            last = shop.today(self._clock())
            evening = datetime.combine(last, _EVENING, ZoneInfo(shop.timezone))
            move(self._database, shop, evening, self._door, self._clock, writes_mail=False, gaps=self._gaps)
        with self._database.of_shop(self._id, at=self._clock()) as tx:
            result = sum_up(tx)
        with self._database.of_shop(self._origin, at=self._clock()) as tx:
            store.set_finished(tx, msgspec.json.encode(asdict(result)).decode(), self._clock())
