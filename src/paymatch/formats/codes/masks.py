"""The mask of a QR code: which of the eight ISO/IEC 18004, 7.8.3 asks for, with a symbol held as one whole number.

Drawing is most of the work of a mail with a payment code. segno scores each mask module by module; here bit
`row * size + column` of a number is a module, and one operation looks at all of them. The choice is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, Final

import segno
import segno.encoder

_SEGNO: Final[Any] = segno.encoder
_ENCODING_REGION: Final = 2
"""What segno's empty symbols hold where data goes."""

_FINDER: Final = (True, False, True, True, True, False, True)  # dark and light in the ratio 1:1:3:1:1
_LIGHT: Final = 4  # modules beside it
_SHARED: Final = (4, 6)  # how far two finder-like patterns may lie apart and share modules
_RUN: Final = 5


@dataclass(frozen=True, slots=True)
class _Blank:
    """A symbol without data: its function patterns, where data goes, and what each mask turns over there."""

    size: int
    functions: int
    region: int
    masks: tuple[int, ...]

    def columns(self, first: int, end: int) -> int:
        """All modules from column `first` up to, but not including, `end`."""
        row = ((1 << end) - 1) ^ ((1 << first) - 1) if end > first else 0
        return self.repeated(row)

    def rows(self, first: int, end: int) -> int:
        """All modules from row `first` up to, but not including, `end`."""
        return ((1 << end * self.size) - 1) ^ ((1 << first * self.size) - 1) if end > first else 0

    def repeated(self, row: int) -> int:
        """The row in every row."""
        return sum(row << place * self.size for place in range(self.size))


def best_mask(symbol: segno.QRCode) -> int:
    """The mask with the lowest penalty for what the symbol says, whichever it has; the first of several."""
    blank = _blank(len(symbol.matrix))
    data = _number(symbol.matrix) & blank.region ^ blank.masks[symbol.mask]
    return min(range(len(blank.masks)), key=lambda mask: _penalty(blank, blank.functions | data ^ blank.masks[mask]))


@cache
def _blank(size: int) -> _Blank:
    matrix = _SEGNO.make_matrix(size, size)
    _SEGNO.add_finder_patterns(matrix, size, size)
    _SEGNO.add_alignment_patterns(matrix, size, size)
    region = _number([[module == _ENCODING_REGION for module in row] for row in matrix])
    masks = tuple(
        _number([[bool(mask(i, j)) for j in range(size)] for i in range(size)]) & region
        for mask in _SEGNO.get_data_mask_functions(is_micro=False)
    )
    return _Blank(size, _number([[module == 1 for module in row] for row in matrix]), region, masks)


def _number(matrix: Sequence[Sequence[int]]) -> int:
    digits = "".join("1" if module else "0" for row in reversed(matrix) for module in reversed(row))
    return int(digits, 2)


def _penalty(blank: _Blank, dark: int) -> int:
    count = blank.size * blank.size
    unbalanced = 10 * (abs(100 * dark.bit_count() - 50 * count) // (5 * count))
    light = dark ^ (1 << count) - 1
    return unbalanced + _blocks(blank, dark) + _lines(blank, dark, light)


def _blocks(blank: _Blank, dark: int) -> int:
    """3 for each block of two by two modules that are alike."""
    size = blank.size
    beside, below = dark ^ dark >> 1, dark ^ dark >> size
    different = beside | below | beside >> size
    return 3 * (_all_but_last(size) & ~different).bit_count()


def _lines(blank: _Blank, dark: int, light: int) -> int:
    """Along rows and columns: what runs of five and more cost, and 40 for what looks like a finder pattern."""
    found = 0
    for line in _directions(blank.size):
        alike = line.but_last & ~(dark ^ dark >> line.step)
        runs = reduce(int.__and__, (alike >> place * line.step for place in range(_RUN - 1)))
        found += runs.bit_count() + 2 * (runs & ~(runs << line.step)).bit_count()
        found += 40 * _finders(line, dark, light)
    return found


@dataclass(frozen=True, slots=True)
class _Direction:
    """Along rows (`step` 1) or columns (`step` is the size)."""

    step: int
    but_last: int  # modules that have another behind them
    room: int  # modules at which a finder-like pattern may begin
    nothing_before: tuple[int, ...]  # modules that have fewer than 1, 2, 3, 4 others before them
    nothing_behind: tuple[int, ...]  # modules at which a pattern begins that has fewer than 1, 2, 3, 4 behind it


@cache
def _directions(size: int) -> tuple[_Direction, _Direction]:
    blank, length = _blank(size), len(_FINDER)

    def direction(step: int, band: Callable[[int, int], int]) -> _Direction:
        before = tuple(band(0, place) for place in range(1, _LIGHT + 1))
        behind = tuple(band(size - length - place + 1, size) for place in range(1, _LIGHT + 1))
        return _Direction(step, band(0, size - 1), band(0, size - length + 1), before, behind)

    return direction(1, blank.columns), direction(size, blank.rows)


@cache
def _all_but_last(size: int) -> int:
    rows, columns = _directions(size)
    return rows.but_last & columns.but_last


def _finders(line: _Direction, dark: int, light: int) -> int:
    """How many patterns there are with four light modules, or the edge, before or behind them."""
    found = line.room
    for place, is_dark in enumerate(_FINDER):
        found &= (dark if is_dark else light) >> place * line.step
    if not found:
        return 0
    before = behind = found
    for place in range(_LIGHT):
        before &= light << (place + 1) * line.step | line.nothing_before[place]
        behind &= light >> (len(_FINDER) + place) * line.step | line.nothing_behind[place]
    found = before | behind
    if not any(found & found << place * line.step for place in _SHARED):
        return found.bit_count()
    return _apart(found, line.step)


def _apart(found: int, step: int) -> int:
    """How many of the patterns share no module with one before that counts."""
    counted = 0
    while found:
        first = found & -found
        found ^= first
        if not any(counted << place * step & first for place in _SHARED):
            counted |= first
    return counted.bit_count()
