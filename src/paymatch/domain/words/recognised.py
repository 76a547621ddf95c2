"""English words that were kept without their code are recognised: which sentence they are, with which values (D-59)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from string import Formatter
from typing import Final

from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.message import Message, Value
from paymatch.domain.words.sentences.calls import SENTENCES as OF_CALLS
from paymatch.domain.words.sentences.evidence import SENTENCES as EVIDENCE
from paymatch.domain.words.sentences.files import FRAMES
from paymatch.domain.words.sentences.files import SENTENCES as OF_FILES
from paymatch.domain.words.sentences.held_back import SENTENCES as HELD_BACK
from paymatch.domain.words.sentences.refunds import NOT_ASKED

LONGEST: Final = 2000
"""Longer words are no sentence of ours."""
_DEPTH: Final = 4
"""A sentence within a sentence within ...: line, file, archive."""
_KEPT: Final = OF_FILES.keys() | OF_CALLS.keys() | HELD_BACK.keys() | EVIDENCE.keys() | NOT_ASKED.keys()
_INNER: Final = ("what", "why")
_Piece = tuple[str, str]
"""(words, name of the gap behind them, "" at the end)."""


def recognise(words: str, *, depth: int = _DEPTH) -> str:
    """The Message that these words are, if they are a sentence kept without its code; else the words themselves.

    Its text is the words, letter by letter. Linear in the words for each sentence.
    """
    if isinstance(words, Message) or len(words) > LONGEST or not depth:
        return words
    code = _whole().get(words)
    if code is not None:
        return Message(code)
    for code, pieces in _with_gaps():
        values = _values(words, pieces)
        if values is None:
            continue
        found = _match_template(code, values, depth)
        if found is not None and (said := Message(code, **found)) == words:
            return said
    return words


def _match_template(code: str, values: Mapping[str, str], depth: int) -> dict[str, Value] | None:
    """The values with the sentences and counts among them; None if what the sentence is about is none."""
    found: dict[str, Value] = dict(values)
    for name in _INNER:
        if name in values:
            inner = recognise(values[name], depth=depth - 1)
            if not isinstance(inner, Message) and (code in FRAMES or code in HELD_BACK):
                return None
            found[name] = inner
    if "count" in values:
        if not values["count"].isdecimal():
            return None
        found["count"] = int(values["count"])
    return found


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
    return not _frames(code, pieces), -sum(len(literal) for literal, _name in pieces)


def _frames(code: str, pieces: tuple[_Piece, ...]) -> bool:
    """Whether words are this sentence only if what stands in its gap is a sentence, too."""
    return code in FRAMES or (code in HELD_BACK and any(name in _INNER for _literal, name in pieces))


def _sentences() -> Iterator[tuple[str, str]]:
    for code, template in SENTENCES.items():
        if code in _KEPT or code.startswith("gap-"):
            for form in (template,) if isinstance(template, str) else template:
                yield code, form


def _pieces(template: str) -> tuple[_Piece, ...]:
    found = [(literal, name or "") for literal, name, _spec, _conversion in Formatter().parse(template)]
    return tuple(found) if not found[-1][1] else (*found, ("", ""))
