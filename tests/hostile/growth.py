"""How the cost of a function grows with its input, in CPU time of this process; the clock on the wall says nothing."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median
from time import process_time

TIMES = 4
"""The second input is so many times the first."""

PLAINLY_LINEAR = 1.4
"""The large input costs at most so many times what `TIMES` small ones do: no second look is needed."""

ALLOWED = 2.8
"""Linear cost makes that ratio 1, quadratic cost 4. What is between is the noise of a busy machine, and its caches: a
small input stays in them, a large one does not, which made dictionaries of 20,000 keys cost 2.2 times their share."""

ROUNDS = 9
"""So many ratios are taken where the first is not plain; the one in the middle decides."""

NOTHING = 0.004
"""Seconds below which growth is not looked at: what is quadratic in thousands of characters takes longer."""


def cost(work: Callable[[], object], times: int = 1) -> float:
    """CPU seconds of so many runs in a row, without looks for garbage: they cost what other tests have left."""
    gc.disable()
    try:
        began = process_time()
        for _ in range(times):
            work()
        return process_time() - began
    finally:
        gc.enable()


def grows_too_fast(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """By how much the cost of `TIMES` times the input exceeds that of `TIMES` inputs, if more than allowed; else 0.

    `work` prepares the run for an input of so many characters. What is compared runs for equally long, one right after
    the other: a machine that is busy with other things takes its share of both, while the best of many short runs
    would find a quiet moment that a long one never has.
    """
    small, large = work(size), work(TIMES * size)
    ratios: list[float] = []
    while len(ratios) < ROUNDS:
        costly = cost(large)
        if costly < NOTHING:
            return 0.0
        ratios.append(costly / max(cost(small, TIMES), NOTHING / TIMES))
        if ratios[0] < PLAINLY_LINEAR:
            return 0.0
        if sum(ratio >= ALLOWED for ratio in ratios) > ROUNDS // 2:  # the one in the middle is known
            break
    return median(ratios) if sum(ratio >= ALLOWED for ratio in ratios) > ROUNDS // 2 else 0.0
