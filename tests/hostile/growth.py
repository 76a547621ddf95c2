"""How the cost of a function grows with its input, in CPU time of this process; the clock on the wall says nothing."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

TIMES = 4
"""The second input is so many times the first."""

ALLOWED = 8.0
"""Linear cost grows fourfold, quadratic cost sixteenfold: what lies between is the noise of a busy machine."""

NOTHING = 0.004
"""Seconds below which growth is not looked at: what is quadratic in thousands of characters takes longer."""


def cost(work: Callable[[], object], *, repeat: int = 1) -> float:
    """CPU seconds of the fastest of some runs."""
    best = float("inf")
    for _ in range(repeat):
        began = process_time()
        work()
        best = min(best, process_time() - began)
    return best


def grows_too_fast(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """By how much the cost grows when the input does fourfold, if that is more than allowed; else 0.

    `work` prepares the run for an input of so many characters. A first look that seems to fail is repeated more and
    more thoroughly, so that a machine that is busy with other things is not taken for a bad expression.
    """
    ratio = 0.0
    large = work(TIMES * size)
    for repeat in (1, 3, 9):
        costly = cost(large, repeat=repeat)
        if costly < NOTHING:
            return 0.0
        ratio = costly / max(cost(work(size), repeat=2 * repeat), NOTHING / ALLOWED / TIMES)
        if ratio < ALLOWED:
            return 0.0
    return ratio
