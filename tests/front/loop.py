"""An event loop whose clock jumps to the next thing that is due: deadlines pass without real waiting."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting the time passes."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "nothing is due any more, and somebody waits"
        self.now += timeout
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """The loop; its time begins at 0."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns, at once."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(coroutine)
