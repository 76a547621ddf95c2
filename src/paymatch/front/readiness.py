"""Readiness: whether the database takes changes, asked beside the threads that work with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from paymatch.front.deadlines import is_within_deadlines
from paymatch.front.shares import Outcome, Shares

KEPT_SECONDS: Final = 0.5
"""How long an answer is reused: endless requests must not keep the database busy."""
PATIENCE_SECONDS: Final = 2.0
"""Who has not answered by then is not ready."""


class Readiness:
    """Asks in a thread of its own, one question at a time."""

    def __init__(self, is_ready: Callable[[], bool]) -> None:
        self._is_ready = is_ready
        self._thread = Shares(1, 1)
        self._asked_at = 0.0
        self._asked: asyncio.Future[Outcome[bool]] | None = None

    async def ask(self) -> bool:
        """Whether it is ready now, known within PATIENCE_SECONDS."""
        now = asyncio.get_running_loop().time()
        if self._asked is None or (self._asked.done() and now - self._asked_at >= KEPT_SECONDS):
            self._asked, self._asked_at = self._thread.run("", self._is_ready), now
        asked = self._asked
        return (
            await is_within_deadlines(asked, self._asked_at + PATIENCE_SECONDS - now) and asked.result().value is True
        )
