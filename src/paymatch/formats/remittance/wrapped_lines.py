"""Text that banks wrap into lines: which line ends a word, and which breaks off in the middle of one."""

from __future__ import annotations

from typing import Final

_FULL: Final = 60  # SWIFT allows 65
_FULL_OF_PARTS: Final = frozenset({27, 35})  # lines made of German subfields, or as those of payment orders


def spaced_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of free text with a blank behind each that ends a word: those shorter than banks make them."""
    spaced = (line if len(line) >= _FULL or len(line) in _FULL_OF_PARTS else f"{line.rstrip()} " for line in lines[:-1])
    return (*spaced, lines[-1].rstrip()) if lines else ()
