"""The worker: runs all due work of every kind; any number of workers may run side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from paymatch.jobs.advice_mails import AdviceMailReader
from paymatch.jobs.bounces import BounceReader
from paymatch.jobs.callbacks import CallbackSender
from paymatch.jobs.drop_folder import DropFolderImporter
from paymatch.jobs.row_counts import RowCounter
from paymatch.jobs.sealing import Sealer
from paymatch.jobs.shop_jobs import ShopJobRunner
from paymatch.outbound.http import HttpDoor
from paymatch.outbound.mail.mailbox import Mailbox
from paymatch.store.database import Database
from paymatch.usecases.work.job_kinds import JobGateways


class Worker:
    """Sends callbacks, does due jobs, watches the drop folder and the mailboxes, for all shops.

    `run` until stopped, or `drain` once.
    """

    def __init__(
        self,
        database: Database,
        door: HttpDoor,
        clock: Callable[[], datetime],
        drop_dir: Path | None = None,
        doors: JobGateways | None = None,
        mailbox: Mailbox | None = None,
        advices: AdviceMailReader | None = None,
        alive_file: Path | None = None,
    ) -> None:
        """`alive_file` is touched while the worker is at work: a probe that finds it old may end the worker."""
        self._alive_file = alive_file
        self._sender = CallbackSender(database, door, clock)
        self._jobs = ShopJobRunner(database, doors or JobGateways(), clock, self._show_alive)
        self._files = DropFolderImporter(database, drop_dir, clock) if drop_dir is not None else None
        self._bounces = BounceReader(database, mailbox, clock)
        self._advices = advices
        self._counter = RowCounter(database)
        self._stopping = threading.Event()
        self._sealer = Sealer(database, self._stopping)

    def run(self) -> None:
        """Works until `stop`; a failing job backs off, is logged, and blocks no other."""
        self._sender.start()
        self._sealer.start()
        watchers = [each for each in (self._bounces, self._files, self._advices, self._counter) if each is not None]
        for each in watchers:
            each.start()
        try:
            self._jobs.run(self._stopping)
        finally:
            for each in watchers:
                each.stop()
            self._sender.stop()
            self._sealer.join()

    def _show_alive(self) -> None:
        if self._alive_file is not None:
            with suppress(OSError):  # a full disk is no reason to stop working
                self._alive_file.touch(mode=0o600)

    def stop(self) -> None:
        """Ends `run` once work in progress is recorded."""
        self._stopping.set()

    def drain(self) -> None:
        """Does all that is due now, then ends."""
        self._sealer.seal()
        if self._files is not None:
            self._files.look()
        self._bounces.look()
        if self._advices is not None:
            self._advices.look()
        self._jobs.drain()
        self._sender.drain()
