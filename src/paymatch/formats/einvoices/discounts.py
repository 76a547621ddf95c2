"""Cash discounts in payment terms (BT-20), in the form that XRechnung prescribes (BR-DE-18)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

MAX_DISCOUNTS: Final = 10
MAX_DAYS: Final = 366
_SHOWN: Final = 80

_LINE: Final = re.compile(
    r"#SKONTO#TAGE=(\d{1,3})#PROZENT=(\d{1,2}(?:[.,]\d{1,2})?)#(?:BASISBETRAG=(\d{1,12}(?:[.,]\d{1,3})?)#)?(?=\s|#|$)"
)
_BEGINS: Final = re.compile(r"#SKONTO\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DiscountLine:
    """A line: a share in hundredths of a per cent within so many days; `base` None is the amount due."""

    days: int
    basis_points: int
    base: Decimal | None


def discount_lines(text: str) -> tuple[list[DiscountLine], list[str]]:
    """(lines that state a cash discount, lines that begin like one and cannot be read)."""
    found: list[DiscountLine] = []
    unread: list[str] = []
    for begin in _BEGINS.finditer(text):
        line = _LINE.match(text, begin.start())
        read = _read(line) if line else None
        if read is None or len(found) >= MAX_DISCOUNTS:
            unread.append(text[begin.start() : begin.start() + _SHOWN].splitlines()[0].strip())
        else:
            found.append(read)
    return found, unread[:MAX_DISCOUNTS]


def basis_points_of(text: str) -> int | None:
    """`2.00` as 200; None if it is not a share below the whole with at most two decimals."""
    if not re.fullmatch(r"\d{1,2}(?:[.,]\d{1,6})?", text, re.ASCII):
        return None
    scaled = Decimal(text.replace(",", ".")) * 100
    return int(scaled) if scaled == int(scaled) and scaled > 0 else None


def _read(line: re.Match[str]) -> DiscountLine | None:
    days, percent, base = line.groups()
    basis_points = basis_points_of(percent)
    if basis_points is None or int(days) > MAX_DAYS:
        return None
    return DiscountLine(int(days), basis_points, Decimal(base.replace(",", ".")) if base else None)
