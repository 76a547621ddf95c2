"""Calibration: from the engine's posterior to the share of proposals that turned out right.

The posterior treats the pieces of evidence as independent, which they are not quite. The table below was fitted by
isotonic regression on the benchmark's training seeds and maps a suggestion's posterior to the measured share; an
automatic match has also passed the clerk's rules, and keeps its posterior. `fit` makes a new table.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple


class CalibrationPoint(NamedTuple):
    """A posterior and the share that was right there."""

    raw: float
    share: float


SUGGESTIONS: Final[tuple[CalibrationPoint, ...]] = (
    CalibrationPoint(0.0, 0.0),
    CalibrationPoint(0.0685, 0.033),
    CalibrationPoint(0.19, 0.098),
    CalibrationPoint(0.347, 0.162),
    CalibrationPoint(0.485, 0.386),
    CalibrationPoint(0.545, 0.468),
    CalibrationPoint(0.672, 0.659),
    CalibrationPoint(0.826, 0.675),
    CalibrationPoint(0.9615, 0.917),
    CalibrationPoint(0.98, 0.928),
    CalibrationPoint(0.994, 0.956),
    CalibrationPoint(0.9993, 0.976),
    CalibrationPoint(1.0, 0.985),
)
"""Fitted on seeds 0 to 5 of every kind of shop of the benchmark: first suggestions, at least 60 per step."""
BOUNDS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)


def calibrate(raw: float) -> float:
    """The probability to show for a suggestion's posterior, by the table; a match is shown with its posterior."""
    return interpolate(SUGGESTIONS, raw)


def interpolate(table: Sequence[CalibrationPoint], raw: float) -> float:
    """The share at `raw`, on the straight line between the table's points."""
    at = bisect_right(table, raw, key=lambda point: point.raw)
    if at == 0:
        return table[0].share
    if at == len(table):
        return table[-1].share
    low, high = table[at - 1], table[at]
    return low.share + (high.share - low.share) * (raw - low.raw) / (high.raw - low.raw)


def fit(outcomes: Iterable[tuple[float, bool]], least: int = 25) -> tuple[CalibrationPoint, ...]:
    """The isotonic table of (posterior, was right) pairs: shares never fall as the posterior rises.

    Neighbouring pairs are pooled (pool adjacent violators) until each step rests on at least `least` of them.
    """
    grouped: dict[float, list[float]] = {}
    for raw, right in sorted(outcomes):
        group = grouped.setdefault(raw, [0.0, 0.0, 0.0])
        group[0] += raw
        group[1] += right
        group[2] += 1
    blocks: list[list[float]] = []  # sum of posteriors, number right, count
    for group in grouped.values():
        blocks.append(group)
        while len(blocks) > 1 and (
            blocks[-2][1] * blocks[-1][2] > blocks[-1][1] * blocks[-2][2] or blocks[-2][2] < least
        ):
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    points = [CalibrationPoint(raw / count, right / count) for raw, right, count in blocks]
    return (
        CalibrationPoint(0.0, 0.0),
        *(point for point in points if 0.0 < point.raw < 1.0),
        CalibrationPoint(1.0, 1.0),
    )
