"""Waiting for something until a deadline, without an exception when it passes."""

from __future__ import annotations

import asyncio
from typing import Any


async def is_within_deadlines(future: Any, seconds: float) -> bool:
    """Whether a future, or what looks like one, was done within that time; it goes on if it was not."""
    loop = asyncio.get_running_loop()
    gate: asyncio.Future[bool] = loop.create_future()
    timer = loop.call_later(max(seconds, 0.0), _open, gate, False)
    future.add_done_callback(lambda _: _open(gate, True))
    in_time = await gate
    timer.cancel()
    return in_time


def _open(gate: asyncio.Future[bool], in_time: bool) -> None:
    if not gate.done():
        gate.set_result(in_time)
