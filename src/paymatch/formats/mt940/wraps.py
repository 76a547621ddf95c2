"""Where a :86: is wrapped: behind a full line the next one may begin with anything that a payer typed (D-80)."""

from __future__ import annotations

from typing import Final

_LINES_OF_PARTS: Final = frozenset({27, 35})
"""Widths of lines made of German subfields, or as those of payment orders."""
_WIDEST_PART: Final = 35
_FULL: Final = range(60, 81)
"""Widths at which banks wrap lines; SWIFT allows 65 characters."""
_MOST: Final = 4


class Wraps:
    """The widths at which a file has wrapped its :86: so far."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._pads = False

    def see_entry(self, line: bytes) -> None:
        """Notes whether the bank pads the line of an entry: then blanks at the end of other lines are its own, too."""
        self._pads = self._pads or (line.endswith(b"  ") and width_of(line) >= _FULL.start - 4)

    def see(self, width: int) -> None:
        """Notes that a line of this many characters went on in the next one."""
        if len(self._seen) < _MOST:
            self._seen.add(width)

    def is_full(self, line: bytes, before: int) -> bool:
        """Whether the line may go on in the next one; `before`: characters of its tag, which banks count or do not.

        A file with one width has no other. Where there are several, or none was seen yet, every usual one counts.
        """
        if self._pads and line.endswith(b" "):
            return False
        width = width_of(line)
        return self._is_width(width) or (before > 0 and width > _WIDEST_PART and self._is_width(width + before))

    def _is_width(self, width: int) -> bool:
        if len(self._seen) == 1:
            return width in self._seen
        return width in _FULL or width in _LINES_OF_PARTS or width in self._seen


def width_of(line: bytes) -> int:
    """Characters of a line whose encoding is not known yet."""
    return len(line) if line.isascii() else len(line.decode("utf-8", "replace"))
