"""One Chromium for all browser tests of a process: started when the first asks for it; each test has its own contexts.

Playwright runs an event loop beside the test in the same thread. Between tests the thread looks as if it had none:
Django refuses to work in a thread with a loop, and so does every test that runs a loop of its own.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from tests.waiting import PATIENCE_SECONDS

CHROMIUM: Final = Path("/usr/bin/chromium")
_FLAGS: Final = ("--no-sandbox", "--disable-gpu")
_PATIENCE_MS: Final = PATIENCE_SECONDS * 1000
"""For every step and expectation: what Playwright waits by itself, 30 and 5 seconds, is too short on a busy machine."""


class Chromium:
    """The browser and the loop that talks to it."""

    def __init__(self) -> None:
        playwright = pytest.importorskip("playwright.sync_api")
        if not CHROMIUM.exists():
            pytest.skip("no Chromium here")
        self._playwright = playwright.sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(_FLAGS))
        self._open_context, self._browser.new_context = self._browser.new_context, self._new_context
        playwright.expect.set_options(timeout=_PATIENCE_MS)
        self._loop = asyncio._get_running_loop()
        self._hide()

    def show(self) -> Any:
        """Playwright's browser; from now on the thread has a running loop."""
        asyncio._set_running_loop(self._loop)
        return self._browser

    def clear(self) -> None:
        """Closes what a test has opened."""
        for context in self.show().contexts:
            context.close()
        self._hide()

    def close(self) -> None:
        """Ends the browser."""
        self.show().close()
        self._playwright.stop()

    def _new_context(self, **options: Any) -> Any:
        context = self._open_context(**options)
        context.set_default_timeout(_PATIENCE_MS)
        return context

    def _hide(self) -> None:
        asyncio._set_running_loop(None)
