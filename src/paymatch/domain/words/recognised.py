"""English words that were kept without their code are recognised: which sentence they are, with which values (D-59)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from string import Formatter
from typing import Final

from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.files import FRAMES
from paymatch.domain.words.files import SENTENCES as OF_FILES
from paymatch.domain.words.said import Said

LONGEST: Final = 2000
"""Longer words are no sentence of ours."""
_DEPTH: Final = 4
"""A sentence within a sentence within ...: line, file, archive."""
_INNER: Final = "what"
_Piece = tuple[str, str]
"""(words, name of the gap behind them, "" at the end)."""


def recognised(words: str, *, depth: int = _DEPTH) -> str:
    """The Said that these words are, if they are a sentence about files; the words themselves otherwise.

    Its text is the words, letter by letter. Linear in the words for each sentence.
    """
    if isinstance(words, Said) or len(words) > LONGEST or not depth:
        return words
    code = _whole().get(words)
    if code is not None:
        return Said(code)
    for code, pieces in _with_gaps():
        values = _values(words, pieces)
        if values is None:
            continue
        if _INNER in values:
            values[_INNER] = recognised(values[_INNER], depth=depth - 1)
            if code in FRAMES and not isinstance(values[_INNER], Said):
                continue
        said = Said(code, **values)
        if said == words:
            return said
    return words


def _values(words: str, pieces: tuple[_Piece, ...]) -> dict[str, str] | None:
    """What stands in the gaps, each as short as can be; None if the words between them are not there."""
    found: dict[str, str] = {}
    at, gap = 0, ""
    for literal, name in pieces:
        last = not name and gap
        place = (len(words) - len(literal) if words.endswith(literal) else -1) if last else words.find(literal, at)
        if place < at or (not gap and place > at):
            return None
        if gap:
            found[gap] = words[at:place]
            if not found[gap]:
                return None
        at, gap = place + len(literal), name
    return found if at == len(words) else None


@cache
def _whole() -> Mapping[str, str]:
    """Sentences without gaps: words -> code."""
    return {template: code for code, template in _sentences() if not _pieces(template)[0][1]}


@cache
def _with_gaps() -> tuple[tuple[str, tuple[_Piece, ...]], ...]:
    """Sentences with gaps: frames of others first, then those with the most words, as what fits them is hardly
    anything else.
    """
    found = [(code, _pieces(template)) for code, template in _sentences() if _pieces(template)[0][1]]
    return tuple(sorted(found, key=_rank))


def _rank(each: tuple[str, tuple[_Piece, ...]]) -> tuple[bool, int]:
    code, pieces = each
    return code not in FRAMES, -sum(len(literal) for literal, _name in pieces)


def _sentences() -> Iterator[tuple[str, str]]:
    for code, template in SENTENCES.items():
        if isinstance(template, str) and (code in OF_FILES or code.startswith("gap-")):
            yield code, template


def _pieces(template: str) -> tuple[_Piece, ...]:
    found = [(literal, name or "") for literal, name, _spec, _conversion in Formatter().parse(template)]
    return tuple(found) if not found[-1][1] else (*found, ("", ""))
