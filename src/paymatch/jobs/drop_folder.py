"""Imports files from the drop folder; any number of processes may watch the same one."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

import structlog

from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused, TableQuestion
from paymatch.jobs.polling_thread import PollingThread
from paymatch.outbound.drop_folder import DropFolder, TakenFile, drop_folder, inbox_state, shops_in
from paymatch.outbound.folders import FolderRefused
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import LockNotAcquired, ShopId, Unreachable
from paymatch.usecases.advices.advices import import_advice
from paymatch.usecases.bisection import tell_alone
from paymatch.usecases.statements.import_process import ImportInterrupted, TooManyImports, import_in_process
from paymatch.usecases.statements.table_questions import raise_table_question, settle_table_question

LOOK_SECONDS: Final = 5
GLANCE_SECONDS: Final = 0.25
"""How often it is seen whether an inbox has changed, which asks no database: a payment is booked within two seconds."""
ADVICES: Final = "advices"
"""The folder of the inbox for remittance advices; the others are named for accounts."""
INTERRUPTIONS: Final = 3
"""How often the import of a file may be interrupted; beyond it the file may be the cause."""

_log = structlog.get_logger("paymatch.drop_folder")


class DropFolderImporter(PollingThread):
    """Takes each file once: imported ones go to done, refused ones to failed with the reason beside them."""

    def __init__(self, database: Database, root: Path, clock: Callable[[], datetime]) -> None:
        super().__init__("drop-folder", GLANCE_SECONDS)
        self._looked_at = -math.inf
        self._seen: dict[ShopId, frozenset[tuple[str, int, int]]] = {}  # contents of the inbox at the last poll
        self._database = database
        self._root = root
        self._clock = clock
        self._strays: set[Path] = set()  # already logged
        self._refused: set[str] = set()  # likewise
        self._layouts: dict[ShopId, tuple[tuple[str, str, str], ...]] = {}  # confirmed at the last look
        self._interrupted: Counter[tuple[ShopId, str]] = Counter()  # imports of files that wait for another try

    def run(self) -> None:
        """Looks until `stop`: at all shops every five seconds, meanwhile at those whose inbox has changed."""
        while not self.stopping.is_set():
            if time.monotonic() - self._looked_at >= LOOK_SECONDS:
                self.look()
                self._looked_at = time.monotonic()
            else:
                self.glance()
            self.stopping.wait(GLANCE_SECONDS)

    def look(self) -> int:
        """Imports all files that are whole; how many were taken. A failing file does not stop the others."""
        return self._look_at_shops(lambda _shop: True)

    def glance(self) -> int:
        """The same for shops whose inbox has changed since the last glance."""
        return self._look_at_shops(self._has_changed)

    def _has_changed(self, shop_id: ShopId) -> bool:
        before, now = self._seen.get(shop_id, frozenset()), inbox_state(self._root, shop_id)
        self._seen[shop_id] = now
        return not now <= before

    def _look_at_shops(self, is_wanted: Callable[[ShopId], bool]) -> int:
        taken = 0
        try:
            found = shops_in(self._root)
        except FolderRefused as refusal:
            self._tell_of_refused(refusal)
            return 0
        for shop_uuid in found:
            try:
                if is_wanted(ShopId(shop_uuid)):
                    taken += self._shop(ShopId(shop_uuid))
            except FolderRefused as refusal:
                self._tell_of_refused(refusal)
            except Exception:
                # The database or the folder may be away for a moment: the files wait where they are.
                _log.exception("drop folder failed", shop=str(shop_uuid))
        return taken

    def _shop(self, shop_id: ShopId) -> int:
        with self._database.of_shop(shop_id) as tx:
            shop = shop_store.load(tx)
            layouts = tuple(shop_store.csv_profiles(tx))
        if shop is None or shop.status is ShopStatus.DELETED:
            return 0
        with drop_folder(self._root, shop_id) as folder:
            if self._layouts.get(shop_id) != layouts:  # a person has answered, or this process begins
                self._layouts[shop_id] = layouts
                folder.take_up_asked()
            return self._take(folder, shop)

    def _take(self, folder: DropFolder, shop: Shop) -> int:
        taken = 0
        self._tell_of_strays(folder)
        for waiting in folder.waiting(self._clock().timestamp()):
            if self.stopping.is_set():
                break
            with folder.taken(waiting) as file:
                if file is not None:
                    self._import(folder, shop, file)
                    taken += 1
        return taken

    def _tell_of_refused(self, refusal: FolderRefused) -> None:
        if str(refusal) not in self._refused:
            self._refused.add(str(refusal))
            _log.error("drop folder is not watched", reason=str(refusal))

    def _tell_of_strays(self, folder: DropFolder) -> None:
        strays = set(folder.strays())
        for path in sorted(strays - self._strays):
            _log.warning("file is not taken: put it into inbox", file=str(path))
        self._strays |= strays

    def _import(self, folder: DropFolder, shop: Shop, file: TakenFile) -> None:
        try:
            said = self._bring(shop, file)
        except TableQuestion as asked:
            folder.ask(file)
            raise_table_question(self._database, shop, file.name, asked.message, self._clock(), identity=file.identity)
            _log.warning("table waits for an answer", shop=str(shop.id), file=file.name)
            return
        except (FileRefused, ImportInterrupted) as refusal:
            if isinstance(refusal, ImportInterrupted) and self._may_try_again(shop, file):
                raise  # the file waits where it is
            folder.failed(file, str(refusal))
            _log.warning("file refused", shop=str(shop.id), file=file.name, reason=str(refusal))
            return
        except (Unreachable, LockNotAcquired, TooManyImports):
            raise
        except Exception as error:
            # Our own fault must not block the files after it; a person sees the file and may drop it again.
            folder.failed(file, f"could not be imported, see the log: {type(error).__name__}: {error}")
            tell_alone(self._database, ShopId(shop.id), Message("item-file", file=file.name), error, self._clock())
            return
        folder.done(file)
        settle_table_question(self._database, shop, self._clock(), identity=file.identity)
        _log.info("file imported", shop=str(shop.id), file=file.name, **said)

    def _bring(self, shop: Shop, file: TakenFile) -> dict[str, int]:
        """Imports the file, and counts what it brought."""
        if file.account == ADVICES:
            found = import_advice(
                self._database, shop, file.stream, file.name, self._clock(), StatementChannel.DROP_FOLDER
            )
            return {"advices": len(found)}
        report = import_in_process(
            self._database, shop, file.stream, file.name, self._clock(), account=file.account,
            channel=StatementChannel.DROP_FOLDER,
        )  # fmt: skip
        return {"new": report.new, "known": report.known}

    def _may_try_again(self, shop: Shop, file: TakenFile) -> bool:
        """Whether a file whose import was interrupted waits for the next look."""
        which = (ShopId(shop.id), file.name)
        self._interrupted[which] += 1
        if self._interrupted[which] < INTERRUPTIONS:
            return True
        del self._interrupted[which]
        return False
