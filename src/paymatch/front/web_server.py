"""The web server below the applications: processes with an event loop each, restarted when they fail.

A stop breaks no request: the processes take no new connections and answer those they have before they end.
"""

from __future__ import annotations

import resource
import threading
import time
from pathlib import Path
from typing import Any, Final

import structlog
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels

from paymatch.front.graceful_shutdown import Leaving
from paymatch.front.http_exchange import IDLE_SECONDS

MOST_CONNECTIONS: Final = 8000
"""Connections that a server process may have open, if the system lets it; beyond that the idle ones are dropped."""
FILES_BESIDE: Final = 200
"""Open files that are not connections: the database, logs, bodies that wait."""

SHORT_LIFE_SECONDS: Final = 5.0
"""A server process that dies within that time of the last one may not be able to start."""

STOP_SECONDS: Final = 30.0
"""How long a server process may take to answer the requests that it has begun."""

REST_SECONDS: Final = 1.0
"""Between the death of such a process and the next one, so that one that cannot start does not take the machine."""

HTTP1: Final = HTTP1Settings(header_read_timeout=int(IDLE_SECONDS * 1000), max_buffer_size=128 * 1024)
"""How long a connection may be idle, and what is buffered of an answer; HTTP/2 would add ways to hold us."""

WEB_SERVER_LOGS: Final[dict[str, Any]] = {
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}, "granian.access": {}},
}
"""What Granian says goes where our lines go and looks like them; its own handlers would write plain text to stdout."""

_log = structlog.get_logger("paymatch.front")


def connection_limit() -> int:
    """Connections that this process may have open: some files are needed for other things."""
    return min(MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - FILES_BESIDE)


def allow_connections() -> None:
    """As many open files as the system lets us have, up to what the connections of a process need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + FILES_BESIDE
    if soft < wanted:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
        )


class WebServer(Granian):  # type: ignore[misc,valid-type]  # the name stands for one of two classes
    """Granian, but processes that were killed are restarted however often; after one that failed at once it pauses.

    A stop signal is not lost when a server process ends in the same moment, as with Ctrl-C, which reaches both.
    """

    _begun_again = 0.0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.leaving = Leaving()

    def _respawn_workers(self, workers: list[int], *arguments: Any, **options: Any) -> None:
        if time.monotonic() - self._begun_again < SHORT_LIFE_SECONDS:
            self.main_loop_interrupt.wait(REST_SECONDS)
        super()._respawn_workers(workers, *arguments, **options)
        self._begun_again = time.monotonic()
        self.respawned_wrks.clear()  # Granian would end all if one of these died within seconds

    def _stop_workers(self) -> None:
        self.leaving.end(len(self.wrks))
        for each in self.wrks:
            each.terminate()
        until = time.monotonic() + STOP_SECONDS
        for each in self.wrks:
            while each.is_alive() and time.monotonic() < until:  # a process that has ended may still count as alive
                time.sleep(0.01)
            if each.is_alive():
                _log.warning("a server process does not stop and is killed")
                each.kill()
            each.join()
        self.wrks.clear()

    def signal_handler_interrupt(self, *args: Any, **kwargs: Any) -> None:
        super().signal_handler_interrupt(*args, **kwargs)
        threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        while True:
            time.sleep(0.2)
            self.main_loop_interrupt.set()


def web_server(host: str, port: int, workers: int, tls_cert: Path | None, tls_key: Path | None) -> WebServer:
    """The web server: an event loop in each of its processes, which are started again when they fail."""
    return WebServer(
        "paymatch",
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        loop=Loops.uvloop,
        http=HTTPModes.http1,
        http1_settings=HTTP1,
        workers=workers,
        backpressure=connection_limit() + FILES_BESIDE // 2,
        respawn_failed_workers=True,
        websockets=False,
        log_level=LogLevels.warning,
        log_dictconfig=WEB_SERVER_LOGS,
        ssl_cert=tls_cert,
        ssl_key=tls_key,
        process_name=None,
    )
