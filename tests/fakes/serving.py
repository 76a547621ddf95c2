"""A server that answers in a thread while a test runs, and one for browsers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from socketserver import TCPServer
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer


class QuietHandler(WSGIRequestHandler):
    """Prints nothing about its requests."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


class BrowserServer(WSGIServer):
    """Answers several requests at once.

    A browser opens connections that it may never use. They hold no thread of those that answer, and none is closed
    while a request may still come: a limit in seconds would close one whose browser is slow.
    """

    threads = 4

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._pool = ThreadPoolExecutor(self.threads)
        self._unused: set[Any] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._unused.add(request)
        threading.Thread(target=self._await_request, args=(request, client_address), daemon=True).start()

    def _await_request(self, request: Any, client_address: Any) -> None:
        with suppress(OSError, RuntimeError):  # the server was closed meanwhile
            if request.recv(1, socket.MSG_PEEK):
                self._pool.submit(self._answer, request, client_address)
                self._unused.discard(request)
                return
        self._unused.discard(request)
        self.shutdown_request(request)

    def _answer(self, request: Any, client_address: Any) -> None:
        with suppress(OSError):
            self.finish_request(request, client_address)
        self.shutdown_request(request)

    def end_thread(self) -> None:
        """Called in each thread at its end."""

    def server_close(self) -> None:
        """Closes connections that were never used, and ends the threads."""
        super().server_close()
        for request in list(self._unused):
            self.shutdown_request(request)
        together = threading.Barrier(self.threads)
        for _ in range(self.threads):
            self._pool.submit(self._end_thread, together)
        self._pool.shutdown()

    def _end_thread(self, together: threading.Barrier) -> None:
        together.wait()  # so that no thread ends two of them
        self.end_thread()


@contextmanager
def serving(server: TCPServer) -> Iterator[str]:
    """Its address as an URL; at the end of the block it has answered what it was asked, and is closed."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
