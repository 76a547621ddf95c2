"""Polling thread: checks a source repeatedly until it is stopped."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod


class PollingThread(ABC):
    """A thread that polls every `rest_seconds`; `stopping` is set to end it."""

    def __init__(self, name: str, rest_seconds: float) -> None:
        self.stopping = threading.Event()
        self._rest_seconds = rest_seconds
        self._thread = threading.Thread(target=self.run, name=name, daemon=True)

    def start(self) -> None:
        """Looks in a thread of its own until `stop`."""
        self._thread.start()

    def stop(self) -> None:
        """Ends polling after the present batch."""
        self.stopping.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def run(self) -> None:
        """Looks until `stop`."""
        while not self.stopping.is_set():
            self.look()
            self.stopping.wait(self._rest_seconds)

    @abstractmethod
    def look(self) -> int:
        """One look; how much was taken. It raises nothing."""
