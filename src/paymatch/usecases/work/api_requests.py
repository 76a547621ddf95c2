"""The log of API requests: collected in memory while requests are answered, written later by its own thread."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Any, Final

import structlog

from paymatch.domain.shops.api_requests import ApiRequest, RequestLog
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import api_requests as store

WRITTEN_EVERY_SECONDS: Final = 1.0
LAST_WRITE_SECONDS: Final = 5.0
MOST_WAITING: Final = 10_000
"""The limit of requests in memory; while the database is down, the oldest are dropped."""

STATUSES: Final = {"": (0, 999), "taken": (0, 399), "refused": (400, 499), "failed": (500, 999)}
"""Filters of a list, and their ranges of status codes."""

_log = structlog.get_logger("paymatch.api")


class RequestRecorder:
    """Collects requests and writes them once a second. A killed process loses those in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[ApiRequest] = deque(maxlen=MOST_WAITING)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep_writing, name="request log", daemon=True)

    def start(self) -> None:
        """Begins to write."""
        self._thread.start()

    def stop(self) -> None:
        """Writes the rest, if the database accepts it soon."""
        self._stopping.set()
        self._thread.join(LAST_WRITE_SECONDS)

    def take(self, request: ApiRequest) -> None:
        """Keeps the request in memory; never waits."""
        self._waiting.append(request)

    def write(self) -> None:
        """Writes the collected requests; those that cannot be written are dropped."""
        requests = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            record(self._database, requests)
        except Exception:  # for any error, the next requests are worth a try
            _log.warning("requests were not logged", count=len(requests), exc_info=True)

    def _keep_writing(self) -> None:
        while not self._stopping.wait(WRITTEN_EVERY_SECONDS):
            if self._waiting:
                self.write()
        self.write()


def record(database: Database, requests: Iterable[ApiRequest]) -> None:
    """Writes requests as their shops want them kept, a transaction for each shop."""
    of_shops: dict[ShopId, list[ApiRequest]] = defaultdict(list)
    for request in requests:
        of_shops[ShopId(request.shop)].append(request)
    for shop, made in of_shops.items():
        with database.of_shop(shop) as tx:
            kept = store.kept_of(tx)
            if kept is not RequestLog.OFF:
                store.add(tx, made, bodies=kept is RequestLog.BODIES)


def list_requests(tx: ShopTx, *, status: str = "", wanted: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Requests, the latest first unless sorted.

    `wanted` is the id of a request, the number of an order, or the start of a path.
    """
    least, most = STATUSES.get(status, STATUSES[""])
    return store.page(tx, least=least, most=most, wanted=wanted, asked=asked)


def show(tx: ShopTx, request_id: str) -> dict[str, Any] | None:
    """One request with what was sent and answered; None if there is none of this id."""
    return store.find(tx, request_id)
