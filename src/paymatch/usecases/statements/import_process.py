"""Imports of untrusted files, each in its own process with a budget, so none delays another shop (D-137).

The process books and matches like `statements.import_file`. A process stopped during booking has booked nothing: its
transaction rolls back. If it was already matching, the file is booked, and the worker matches the rest.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any, BinaryIO, Final
from uuid import UUID

import msgspec

from paymatch import confined
from paymatch.confined import Crashed, Killed, Overrun, ProcessBudget, Tell, WorkFailed
from paymatch.domain.refusal import Later
from paymatch.domain.shops.audit import Actor
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message, message_hook, message_of, to_json
from paymatch.formats.statement import FileRefused, TableQuestion
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.sealing import Keyring
from paymatch.store.shops import shops
from paymatch.store.statements import statements as store
from paymatch.store.transactions import LockNotAcquired, ShopId, Unreachable
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.statements import IMPORT_LOCK_SECONDS, Progress, digest_of, import_file, report_of

AT_ONCE: Final = 2
"""Imports that run at once per process of the service, each for another shop."""

WAITING: Final = 10
"""Imports of one shop that may wait for their turn per process of the service."""

MEMORY_BYTES: Final = 1024**3
"""An import keeps some bytes per entry; files of a million entries stay far below."""

CPU_SECONDS: Final = 20
CPU_SECONDS_PER_MB: Final = 30
"""Measured: 0.15 s per MB of camt, 1 s per MB of a table; packed as ZIP it holds up to twenty times its size."""

MATCHING_GOES_ON: Final = Message("file-matching-goes-on")

_SETTLE_SECONDS: Final = 10  # until the database notices that the process is gone


class TooManyImports(Later):
    """The shop has too many waiting files; it must send this one again later."""

    def __init__(self) -> None:
        super().__init__(Message("import-waiting", count=WAITING))


INTERRUPTED: Final = Message("file-interrupted")


class ImportInterrupted(Later):
    """The importing process was stopped, for a reason other than the file."""

    def __init__(self) -> None:
        super().__init__(INTERRUPTED)


class ImportFailed(Exception):
    """A fault of ours stopped the import, and nothing is booked; the log has its traceback."""


def budget_of(size: int) -> ProcessBudget:
    """The budget of importing a file of `size` bytes, including the time for waiting for another import of the shop."""
    cpu_seconds = CPU_SECONDS + CPU_SECONDS_PER_MB * size // 1024**2
    return ProcessBudget(MEMORY_BYTES, cpu_seconds, wall_seconds=IMPORT_LOCK_SECONDS + 3 * cpu_seconds)


def import_in_process(
    database: Database,
    shop: Shop,
    stream: BinaryIO,
    name: str,
    clock: datetime,
    *,
    channel: StatementChannel,
    dry_run: bool = False,
    progress: Progress | None = None,
    account: str = "",
    import_id: str = "",
    budget: ProcessBudget | None = None,
) -> ImportReport:
    """As `import_file`, with its refusals, in a separate process; a file beyond its budget is refused (FileRefused).

    The shop's imports run one after another; TooManyImports if too many wait. ImportInterrupted if the process was
    killed from outside, ImportFailed for a fault of ours.
    """
    with _TURNS.of(shop.id), confined.as_file(stream) as file:
        digest, size = digest_of(file)
        allowed = budget or budget_of(size)
        try:
            said = confined.run(
                work, allowed, [file], progress, is_kept=True, url=database.url, shop=str(shop.id), name=name,
                actor=msgspec.to_builtins(database.actor), secrets=list(database.keyring.secrets), channel=str(channel),
                clock=clock.isoformat(), dry_run=dry_run, account=account, import_id=import_id,
            )  # fmt: skip
        except (Overrun, Crashed) as ended:
            return _report_of_ended_process(database, shop, ImportReport(name, dry_run=dry_run), digest, ended)
        except WorkFailed as error:
            raise ImportFailed(str(error)) from None
    return _result(said)


def work(
    files: list[BinaryIO],
    tell: Tell,
    *,
    url: str,
    actor: dict[str, str],
    secrets: list[str],
    shop: str,
    name: str,
    channel: str,
    clock: str,
    dry_run: bool,
    account: str,
    import_id: str,
) -> dict[str, Any]:
    """The import, in its own process: `report`, or the name of the exception with its message or text."""
    database = _database(url, tuple(secrets)).acting_as(msgspec.convert(actor, Actor))
    try:
        with database.of_shop(ShopId(UUID(shop))) as tx:
            found = shops.load(tx)
        assert found is not None, "an import belongs to a shop"
        report = import_file(
            database, found, files[0], name, datetime.fromisoformat(clock), channel=StatementChannel(channel),
            dry_run=dry_run, progress=tell, account=account, import_id=import_id,
        )  # fmt: skip
    except FileRefused as error:
        return {"raised": type(error).__name__, "message": to_json(error.message)}
    except _EXPECTED as error:
        return {"raised": type(error).__name__, "text": str(error)}
    return {"report": msgspec.to_builtins(report, enc_hook=to_json)}


@lru_cache(maxsize=1)
def _database(url: str, secrets: tuple[str, ...]) -> Database:
    """The connections of this process, which stay open from one file to the next."""
    return Database(url, size=2, at_boundary=boundary_from_environment(), keyring=Keyring(secrets))


_EXPECTED: Final = (LockNotAcquired, Unreachable)  # and what is derived from them


def _result(said: dict[str, Any]) -> ImportReport:
    """The report of the process, or raises its exception here."""
    if "report" in said:
        return msgspec.convert(said["report"], ImportReport, strict=False, dec_hook=message_hook)
    if "message" in said:
        refused = TableQuestion if said["raised"] == TableQuestion.__name__ else FileRefused
        raise refused(message_of(said["message"]))
    raise LockNotAcquired if said["raised"] == LockNotAcquired.__name__ else Unreachable(said["text"])


def _report_of_ended_process(
    database: Database, shop: Shop, report: ImportReport, digest: bytes, ended: Overrun | Crashed
) -> ImportReport:
    """The report of a file that was booked before its process ended; else nothing of it is booked.

    ImportInterrupted if it was killed, otherwise FileRefused.
    """
    booked = None
    if not report.dry_run:
        with database.of_shop(shop, _SETTLE_SECONDS) as tx:
            store.lock_imports(tx)  # the database may be at its last statement
            booked = store.import_of(tx, digest)
    if booked is not None:
        report = report_of(report, booked)
        report.notes = [MATCHING_GOES_ON]
        return report
    if isinstance(ended, Overrun):
        raise FileRefused(Message("file-too-dear", what=ended.message))
    if isinstance(ended, Killed):
        raise ImportInterrupted
    raise FileRefused(Message("file-crashed", what=ended.message))


class _Turns:
    """The turns of imports: one per shop at a time, a few shops at once."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: set[UUID] = set()
        self._waiting: Counter[UUID] = Counter()

    @contextmanager
    def of(self, shop: UUID) -> Iterator[None]:
        """Waits for the shop's turn, and keeps it during the block. TooManyImports."""
        with self._changed:
            if self._waiting[shop] >= WAITING:
                raise TooManyImports
            self._waiting[shop] += 1
            try:
                self._changed.wait_for(lambda: shop not in self._running and len(self._running) < AT_ONCE)
            finally:
                self._waiting[shop] -= 1
                self._waiting += Counter()  # forgets the shops that wait for nothing
            self._running.add(shop)
        try:
            yield
        finally:
            with self._changed:
                self._running.remove(shop)
                self._changed.notify_all()


_TURNS: Final = _Turns()
