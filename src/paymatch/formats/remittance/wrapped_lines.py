"""Text that banks wrap into lines: which line ends a word, and which breaks off in the middle of one."""

from __future__ import annotations

from typing import Final

_FULL: Final = 60  # SWIFT allows 65
_SUBFIELD: Final = 27
_FULL_OF_PARTS: Final = frozenset({27, 35})  # lines made of German subfields, or as those of payment orders


def spaced_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of free text with a blank behind each that ends a word: those shorter than banks make them."""
    spaced = (line if len(line) >= _FULL or len(line) in _FULL_OF_PARTS else f"{line.rstrip()} " for line in lines[:-1])
    return (*spaced, lines[-1].rstrip()) if lines else ()


def spaced_subfields(lines: tuple[str, ...], width_before: int = 0) -> tuple[str, ...]:
    """Text subfields with a blank behind each that was not filled (27): a short one ends a word.

    `width_before` are the characters of a tag in front of the first. Lines with a blank at their end or at the start of
    the next need none.
    """
    spaced: list[str] = []
    following = ""
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        is_short = len(line) + (width_before if at == 0 else 0) < _SUBFIELD
        ends = line and following and is_short and not (line[-1].isspace() or following[0].isspace())
        spaced.append(f"{line} " if ends else line)
        following = line or following
    return tuple(reversed(spaced))
