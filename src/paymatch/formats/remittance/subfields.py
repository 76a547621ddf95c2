"""The German :86: (DK annex 3, chapter 8): subfields ?00 to ?63 and the SEPA tags in ?20-?29, ?60-?63."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.formats.remittance.wrapped_lines import spaced_lines

_START: Final = re.compile(r"([0-9]{3})?\s?([?~<>^@!])(?=[0-9]{2})")
_CODE: Final = "00|1[01]|2[0-9]|3[0-8]|6[0-3]|7[0-5]"
_SUBFIELDS: Final = {mark: re.compile(rf"{re.escape(mark)}({_CODE})") for mark in "?~<>^@!"}
_FULL: Final = 27  # characters of a text subfield; a shorter one ends what it says

_TAGS: Final = (
    "EREF KREF MREF CRED DEBT SVWZ ABWA ABWE IBAN BIC COAM OAMT PURP RREF BREF RTRN MDAT SQTP ORCR ANAM INTL RETP"
)
# Banks that let the text flow through the subfields break it anywhere, inside of a tag too.
_ANY_TAG: Final = "|".join("\n?".join(tag) for tag in _TAGS.split())
_PLUS_TAG: Final = re.compile(rf"(?:(?<=\s)|^)({_ANY_TAG})\n?\+")
_GLUED: Final = "|".join("\n?".join(tag) for tag in ["EREF", "KREF", "MREF", "CRED", "SVWZ", "ABWA", "ABWE"])
_GLUED_TAG: Final = re.compile(rf"(?<=\S)({_GLUED})\n?\+")
_TAGGED: Final = re.compile(r"(?:EREF|KREF|MREF|SVWZ)\+")
_COLON_TAG: Final = re.compile(r"(?:(?<=\s)|^)(EREF|KREF|MREF|CRED|DEBT|IBAN|BIC|ABWA|ABWE|PURP): ?")
_ACCOUNT: Final = re.compile(r"[A-Z0-9\n]{15,36}")
_COLON_FIRST: Final = frozenset({"EREF", "KREF", "MREF", "CRED"})


@dataclass(frozen=True, slots=True)
class Subfields:
    """A structured :86: taken apart: the business transaction code and the text per subfield, in the order sent."""

    gvc: str
    parts: tuple[tuple[str, str], ...]

    def joined(self, *codes: str) -> str:
        return "".join(text for code, text in self.parts if code in codes)

    @property
    def name(self) -> str:
        """?32 and ?33; only a filled subfield goes on in the next one without a blank."""
        pieces = [text for code, text in self.parts if code in {"32", "33"}]
        return "".join(piece if len(piece) >= _FULL else f"{piece.rstrip()} " for piece in pieces).strip()

    @property
    def text_lines(self) -> tuple[str, ...]:
        return tuple(text for code, text in self.parts if code[0] in "26")


@dataclass(frozen=True, slots=True)
class SepaText:
    """Remittance text without its tags, line by line as sent, and the first value of every tag."""

    remittance: tuple[str, ...]
    tags: dict[str, str] = field(default_factory=dict)
    other: tuple[str, ...] = ()  # lines that belong to no tag although the remittance is tagged (SVWZ+)


def parse_subfields(text: str) -> Subfields | None:
    """The subfields of a :86: whose lines are already joined; None if it is not structured in this way.

    `?` is the German mark; Polish and Dutch banks use `<`, `>`, `~` or `^` with the same numbers.
    """
    text = text.lstrip()
    start = _START.match(text)
    if start is None:
        return None
    pieces = _SUBFIELDS[start[2]].split(text[start.end() - 1 :])
    if len(pieces) < 3:
        return None
    parts = tuple(zip(pieces[1::2], pieces[2::2], strict=True))
    return Subfields(start[1] or "", parts)


def parse_tagged_lines(lines: tuple[str, ...]) -> Subfields | None:
    """The lines of a :86: without subfields as text subfields, if they begin with a SEPA tag; else None."""
    if not lines or not _TAGGED.match(lines[0]):
        return None
    return Subfields("", tuple(("20", line) for line in spaced_lines(lines)))


def parse_sepa_text(lines: tuple[str, ...]) -> SepaText:
    """Remittance lines and tag values of the text subfields.

    A tag begins at the start of a subfield or after a blank; behind a first tag, some banks glue the others to the
    value before them (`EREF+NOTPROVIDEDSVWZ+...`). The remittance is what SVWZ+ opens, or, without it, all that belongs
    to no tag. The value of another tag goes on in the next subfield only where its own is filled (27).
    """
    text = "\n".join(lines)
    tags_found = list(_PLUS_TAG.finditer(text))
    glued = _GLUED_TAG.finditer(text, tags_found[0].end()) if tags_found else ()
    found = sorted([*tags_found, *glued, *_colon_tags(text)], key=lambda match: match.start())
    if not found:
        return SepaText(_trimmed(lines))
    tags: dict[str, str] = {}
    purpose: list[str] = []
    other: list[str] = list(text[: found[0].start()].split("\n"))
    for position, match in enumerate(found):
        end = found[position + 1].start() if position + 1 < len(found) else len(text)
        segment = text[match.end() : end].removesuffix("\n").split("\n")
        tag = match[1].replace("\n", "")
        if tag == "SVWZ":
            purpose.extend(segment)
            continue
        value, rest = _value(segment, width_before=match.end() - (text.rfind("\n", 0, match.end()) + 1))
        tags.setdefault(tag, value)
        other.extend(rest)
    has_purpose = any(match[1].replace("\n", "") == "SVWZ" for match in found)
    return SepaText(
        remittance=_trimmed(purpose if has_purpose else other),
        tags=tags,
        other=_trimmed(other) if has_purpose else (),
    )


def _colon_tags(text: str) -> list[re.Match[str]]:
    """Tags written as `EREF: ` (some cooperative and public banks), honoured only from a reference tag onward."""
    matches = list(_COLON_TAG.finditer(text))
    for position, match in enumerate(matches):
        following = matches[position + 1][1] if position + 1 < len(matches) else ""
        account = _ACCOUNT.match(text, match.end())
        pair = match[1] == "IBAN" and following == "BIC" and account and is_iban(account[0].replace("\n", ""))
        if match[1] in _COLON_FIRST or pair:
            return matches[position:]
    return []


def _value(segment: list[str], width_before: int) -> tuple[str, list[str]]:
    """The value of a tag, and the lines behind it that are not part of it any more."""
    value = [segment[0]]
    width = width_before + len(segment[0])
    for number, line in enumerate(segment[1:], start=1):
        if width < _FULL:
            return "".join(value).strip(), segment[number:]
        value.append(line)
        width = len(line)
    return "".join(value).strip(), []


def _trimmed(lines: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """The lines as sent without empty ones; blanks at the very end say nothing."""
    kept = [line for line in lines if line]
    while kept and not kept[-1].strip():
        kept.pop()
    if kept:
        kept[-1] = kept[-1].rstrip()
    return tuple(kept)
