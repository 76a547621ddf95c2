"""Layout of the letter sheet: an envelope's window shows the address and nothing else.

Distances in millimetres from the top left corner of A4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SWISS: Final = frozenset({"CH", "LI"})


class Paper(StrEnum):
    """Which envelope the letter is for."""

    DIN_5008 = "din-5008"  # form B, window on the left
    SWISS_RIGHT = "swiss-right"  # SN 010130, window on the right
    SWISS_LEFT = "swiss-left"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the sheet."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """A paper's measures. `window` is what shows; in it `sender` (one line) and `address` (six lines) are written."""

    window: Box
    sender: Box
    address: Box
    details: Box  # date, numbers
    body_y: float
    fold_marks: tuple[float, ...]
    hole_mark: float | None


SHEETS: Final[Mapping[Paper, Sheet]] = {
    # DIN 5008:2020, form B: address field 85 x 45 mm, its upper 17.7 mm for the sender and remarks.
    Paper.DIN_5008: Sheet(
        window=Box(20, 45, 85, 45),
        sender=Box(25, 58.2, 80, 4.5),
        address=Box(25, 62.7, 80, 27.3),
        details=Box(125, 50, 65, 40),
        body_y=98.46,
        fold_marks=(105, 210),
        hole_mark=148.5,
    ),
    # SN 010130 and the Swiss Post's window for C5: the address within 85.5 x 25.5 mm, 60 mm from the top.
    Paper.SWISS_RIGHT: Sheet(
        window=Box(113, 50, 90.5, 40.5),
        sender=Box(118, 54.5, 85.5, 4.5),
        address=Box(118, 60, 85.5, 25.5),
        details=Box(25, 54.5, 75, 31),
        body_y=97,
        fold_marks=(148.5,),
        hole_mark=None,
    ),
    Paper.SWISS_LEFT: Sheet(
        window=Box(17, 50, 90.5, 40.5),
        sender=Box(22, 54.5, 85.5, 4.5),
        address=Box(22, 60, 85.5, 25.5),
        details=Box(125, 54.5, 65, 31),
        body_y=97,
        fold_marks=(148.5,),
        hole_mark=None,
    ),
}


def usual_paper(country: str) -> Paper:
    """The envelopes that are usual in the shop's country."""
    return Paper.SWISS_RIGHT if country in SWISS else Paper.DIN_5008
