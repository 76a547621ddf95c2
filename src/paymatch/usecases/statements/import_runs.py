"""Imports that may outlast their caller: they continue, and their result can be requested."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any, BinaryIO, Final

import structlog

from paymatch.domain.refusal import Later, Unknown
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.statements import import_runs as store
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.import_runs import ImportRunRow
from paymatch.store.transactions import LockNotAcquired, ShopTx, passes
from paymatch.usecases.statements.import_process import INTERRUPTED, ImportFailed, import_in_process
from paymatch.usecases.statements.import_report import ImportReport, report_from_json

RUNS_KEPT: Final = timedelta(days=30)
"""How long the result of an outlasting import can be requested; an import that booked stays for ever."""

LEASE: Final = timedelta(seconds=60)
"""How long a run counts as running without a renewal."""

BUSY: Final = Message("file-waited")
FAILED: Final = Message("file-internal")

_AGAIN_SECONDS: Final = 1.0  # between two attempts to record how an import ended

_log = structlog.get_logger("paymatch.imports")


class ImportUnknown(Unknown):
    """The shop has no import of this id."""

    def __init__(self, import_id: str) -> None:
        super().__init__(Message("import-not-found", import_id=import_id))


class ImportRun:
    """An import in its own thread, started on creation; `clock` is the real one."""

    def __init__(
        self,
        database: Database,
        shop: Shop,
        stream: BinaryIO,
        name: str,
        clock: Callable[[], datetime],
        *,
        channel: StatementChannel,
        dry_run: bool,
    ) -> None:
        self.id = new_id("im", shop.now(clock()))
        self._database = database
        self._shop = shop
        self._name = name
        self._clock = clock
        self._channel = channel
        self._outcome: Future[ImportReport] = Future()
        arguments = (stream, clock(), dry_run)
        threading.Thread(target=self._run, args=arguments, name="import", daemon=True).start()

    def wait(self, seconds: float) -> ImportReport | None:
        """The report; None if the import still runs after `seconds`: use `find` later. Raises its refusal."""
        try:
            return self._outcome.result(seconds)
        except TimeoutError:
            if self._outcome.done():
                raise
        self._begin_to_keep()
        threading.Thread(target=self._keep, name="import kept", daemon=True).start()
        return None

    def _run(self, stream: BinaryIO, clock: datetime, dry_run: bool) -> None:
        try:
            report = import_in_process(
                self._database,
                self._shop,
                stream,
                self._name,
                clock,
                channel=self._channel,
                dry_run=dry_run,
                import_id=self.id,
            )
        except BaseException as error:
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(report)

    def _begin_to_keep(self) -> None:
        now = self._clock()
        row = ImportRunRow(self.id, self._name, "running", "", "", self._shop.now(now), now + LEASE)
        with self._database.of_shop(self._shop) as tx:
            store.add(tx, row)

    def _keep(self) -> None:
        """Renews the run until it ends, then records the end."""
        report = ""
        error: str = ""
        while not error and not report:
            try:
                found = self._outcome.result(LEASE.total_seconds() / 3)
                report = found.to_json()
            except TimeoutError:
                self._write(lambda tx: store.renew(tx, self.id, self._clock() + LEASE))
            except FileRefused as refusal:
                error = refusal.message
            except LockNotAcquired:
                error = BUSY
            except Later as later:
                error = later.message
            except ImportFailed as failure:
                _log.error("import failed", shop=str(self._shop.id), file=self._name, error=str(failure))
                error = FAILED
            except Exception as failure:
                _log.exception("import failed", shop=str(self._shop.id), file=self._name)
                error = INTERRUPTED if passes(failure) else FAILED
        ends = time.monotonic() + LEASE.total_seconds()
        while time.monotonic() < ends:
            if self._write(lambda tx: store.finish(tx, self.id, report=report, error=error)):
                return
            time.sleep(_AGAIN_SECONDS)

    def _write(self, change: Callable[[ShopTx], None]) -> bool:
        """Whether the change is written. If the end never is, the run counts as interrupted once its lease is over."""
        try:
            with self._database.of_shop(self._shop) as tx:
                change(tx)
        except Exception:
            # The database is down: if the file was booked, the books show it.
            _log.exception("state of an import could not be written", shop=str(self._shop.id), file=self._name)
            return False
        return True


def find(tx: ShopTx, import_id: str) -> dict[str, Any]:
    """An import: its report with `state` (running, done, refused, undone); ImportUnknown."""
    booked = statement_store.shown_import(tx, import_id)
    found: dict[str, Any]
    if booked is not None:
        counts = posting_store.status_counts(tx, import_id)
        now = {"matched": counts.get("matched", 0), "suggested": counts.get("suggested", 0)}
        state = "done" if booked.status == "BOOKED" else "undone"
        found = report_from_json(booked.result)
        return found | now | {"importId": import_id, "state": state}
    run = store.find(tx, import_id)
    if run is None:
        raise ImportUnknown(import_id)
    found = {"importId": import_id, "state": run.state, "file": run.file_name}
    if run.state == "done":
        return report_from_json(run.report) | found
    if run.state == "running" and run.alive_until < tx.wall_time:
        return found | {"state": "refused", "error": str(INTERRUPTED)}
    return found | {"error": run.error} if run.error else found
