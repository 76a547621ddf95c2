"""The worker: everything that is due, by whichever job it belongs to; any number of workers may run side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog

from paymatch.domain.shops import Shop
from paymatch.jobs.callbacks import CallbackSender
from paymatch.jobs.drop_folder import DropFolderImporter
from paymatch.outbound.http import HttpDoor
from paymatch.store import matching as match_store
from paymatch.store import sandbox as sandbox_store
from paymatch.store import shops as shop_store
from paymatch.store.database import Database, LockNotAcquired, ShopId
from paymatch.usecases.alerts import keep_alerts
from paymatch.usecases.bank_reports import watch_silence
from paymatch.usecases.callbacks import forget_old_attempts
from paymatch.usecases.matching import match_due
from paymatch.usecases.sandbox_bank import deliver
from paymatch.usecases.sandbox_transfers import take_files

POLL_SECONDS: Final = 0.5
HOUSEKEEPING: Final = timedelta(hours=1)
_BACK_OFF_SECONDS: Final = (1, 5, 30, 120)

_log = structlog.get_logger("paymatch.jobs")


class Worker:
    """Sends callbacks, matches postings that wait for it, keeps house. `run` until stopped, or `drain` once."""

    def __init__(
        self, database: Database, door: HttpDoor, clock: Callable[[], datetime], drop_dir: Path | None = None
    ) -> None:
        self._database = database
        self._clock = clock
        self._sender = CallbackSender(database, door, clock)
        self._files = DropFolderImporter(database, drop_dir, clock) if drop_dir is not None else None
        self._stopping = threading.Event()
        self._kept_house_at: datetime | None = None
        self._failures: dict[ShopId, tuple[int, datetime]] = {}

    def run(self) -> None:
        """Works until `stop`; a job that fails backs off, is logged, and holds up no other."""
        self._sender.start()
        if self._files is not None:
            self._files.start()
        try:
            while not self._stopping.wait(POLL_SECONDS):
                self._round()
        finally:
            if self._files is not None:
                self._files.stop()
            self._sender.stop()

    def stop(self) -> None:
        """Ends `run` once what is under way is recorded."""
        self._stopping.set()

    def drain(self) -> None:
        """Does all that is due now, then ends."""
        if self._files is not None:
            self._files.look()
        self._round()
        self._sender.drain()

    def _round(self) -> None:
        try:
            clock = self._clock()
            with self._database.transaction(None) as tx:
                banks = sandbox_store.shops_with_bank_work(tx, clock)
                waiting = match_store.shops_to_rematch(tx, clock)
            for shop_id in banks:
                self._do(shop_id, clock, self._work_for_bank)
            for shop_id in waiting:
                self._do(shop_id, clock, self._match)
            if self._kept_house_at is None or clock - self._kept_house_at >= HOUSEKEEPING:
                self._keep_house(clock)
                self._kept_house_at = clock
        except Exception:
            # The database may be away for a moment: the next round finds the same work.
            _log.exception("round failed")
            self._stopping.wait(1)

    def _do(self, shop_id: ShopId, clock: datetime, work: Callable[[Shop, datetime], None]) -> None:
        failures, not_before = self._failures.get(shop_id, (0, clock))
        if clock < not_before:
            return
        try:
            with self._database.transaction(shop_id) as tx:
                shop = shop_store.load(tx, shop_id)
            if shop is not None:
                work(shop, clock)
            self._failures.pop(shop_id, None)
        except LockNotAcquired:
            return  # somebody works on these orders: the next round tries again
        except Exception:
            pause = _BACK_OFF_SECONDS[min(failures, len(_BACK_OFF_SECONDS) - 1)]
            self._failures[shop_id] = (failures + 1, clock + timedelta(seconds=pause))
            _log.exception(
                f"{work.__name__.strip('_')} failed", shop=str(shop_id), failures=failures + 1, pause_seconds=pause
            )

    def _match(self, shop: Shop, clock: datetime) -> None:
        counts = match_due(self._database, shop, clock)
        _log.info("matched", shop=str(shop.id), seen=counts.seen, matched=counts.matched)

    def _work_for_bank(self, shop: Shop, clock: datetime) -> None:
        """The simulated bank of a shop whose clock follows the real time (D-34)."""
        reports = deliver(self._database, shop, clock)
        taken = take_files(self._database, shop, clock)
        _log.info("sandbox bank", shop=str(shop.id), delivered=len(reports), taken=taken)

    def _keep_house(self, clock: datetime) -> None:
        with self._database.transaction(None) as tx:
            every = shop_store.every(tx)
        for shop in every:
            with self._database.transaction(ShopId(shop.id)) as tx:
                watch_silence(tx, shop, clock)
            more = True
            while more and not self._stopping.is_set():
                with self._database.transaction(ShopId(shop.id)) as tx:
                    more = forget_old_attempts(tx, shop, clock)
            with self._database.transaction(ShopId(shop.id)) as tx:
                raised, resolved = keep_alerts(tx, shop, clock)
            if raised or resolved:
                _log.warning("alerts", shop=str(shop.id), raised=raised, resolved=resolved)
