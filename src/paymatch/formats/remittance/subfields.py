"""The German :86: (DK annex 3, chapter 8): subfields ?00 to ?63 and the SEPA tags in ?20-?29, ?60-?63.

The bank writes the subfields and the tags in front of the text; the payer writes the text, and the value of EREF.
What the two could both have written counts as the payer's (D-80).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from paymatch.domain.witnesses import BankWord, PayerWord

_FULL_LINE: Final = 60  # SWIFT allows 65
_SUBFIELD: Final = 27
_FULL_OF_PARTS: Final = frozenset({27, 35})  # lines made of German subfields, or as those of payment orders


def spaced_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of free text with a blank behind each that ends a word: those shorter than banks make them."""
    spaced = (
        line if len(line) >= _FULL_LINE or len(line) in _FULL_OF_PARTS else f"{line.rstrip()} " for line in lines[:-1]
    )
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


_START: Final = re.compile(r"([0-9]{3})?\s?([?~<>^@!])(?=[0-9]{2})")
_CODE: Final = "00|1[01]|2[0-9]|3[0-8]|6[0-3]|7[0-5]"
_SUBFIELDS: Final = {mark: re.compile(rf"{re.escape(mark)}({_CODE})") for mark in "?~<>^@!"}
_FULL: Final = 27  # characters of a text subfield; a shorter one ends what it says

_OF_PAYER: Final = "EREF KREF MREF CRED DEBT PURP ABWA ABWE MDAT SQTP INTL ORCR"
"""Tags whose values change no money. Banks put them anywhere in front of the text: behind a blank, or glued."""
_OF_BANK: Final = "COAM OAMT RTRN RETP RREF BREF"
"""Tags that state amounts and returns: the bank's only at the start of a subfield that no value can reach."""


def _breakable(tags: str) -> str:
    """A pattern of tags that a subfield's end may break anywhere, as banks do that let the text flow."""
    return "|".join("\n?".join(tag) for tag in tags.split())


_OPENING: Final = re.compile(rf"(?:{_breakable(_OF_PAYER + ' ' + _OF_BANK + ' SVWZ')})\n?\+")
_TEXT: Final = re.compile(rf"(?:{_breakable('SVWZ')})\n?\+")
_APART: Final = re.compile(rf"(?:(?<=\s)|^)({_breakable(_OF_PAYER)})\n?\+")
_GLUED: Final = re.compile(rf"(?<=\S)({_breakable('EREF KREF MREF CRED ABWA ABWE')})\n?\+")
_AT_START: Final = re.compile(rf"^({'|'.join(_OF_BANK.split())})\+", re.MULTILINE)
_IN_TEXT: Final = re.compile(r"(?<=\w)(?=(?:ABWA|ABWE|PURP)\+)")
_TAGGED: Final = re.compile(r"(?:EREF|KREF|MREF|SVWZ)\+")
_LABELLED: Final = re.compile(r"(?:(?<=\s)|^)EREF: ?")
_HEAD: Final = frozenset({"00", "10", "11"})


@dataclass(frozen=True, slots=True)
class Subfields:
    """A structured :86: taken apart: the business transaction code and the text per subfield, in the order sent."""

    gvc: BankWord
    parts: tuple[tuple[str, str], ...]

    def join(self, *codes: str) -> BankWord:
        """What the bank's own subfields say."""
        assert not any(_is_text(code) for code in codes), "text subfields are the payer's"
        return BankWord("".join(text for code, text in self.parts if code in codes))

    @property
    def name(self) -> str:
        """?32 and ?33; only a filled subfield goes on in the next one without a blank."""
        pieces = [text for code, text in self.parts if code in {"32", "33"}]
        return "".join(piece if len(piece) >= _FULL else f"{piece.rstrip()} " for piece in pieces).strip()

    @property
    def text_lines(self) -> tuple[str, ...]:
        """The text subfields as sent, with the bank's tags in front of the text."""
        return tuple(text for code, text in self.parts if _is_text(code))


@dataclass(frozen=True, slots=True)
class SepaText:
    """Remittance text without its tags, line by line, and the first value of every tag in front of it."""

    remittance: tuple[PayerWord, ...]
    tags: dict[str, PayerWord] = field(default_factory=dict)
    bank_tags: dict[str, BankWord] = field(default_factory=dict)
    other: tuple[PayerWord, ...] = ()  # lines that belong to no tag although the remittance is tagged (SVWZ+)


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
    parts = list(zip(pieces[1::2], pieces[2::2], strict=True))
    return Subfields(BankWord(start[1] or ""), tuple(_without_typed(parts, start[2])))


def _is_text(code: str) -> bool:
    return code[0] in "26"


def _without_typed(parts: list[tuple[str, str]], mark: str) -> list[tuple[str, str]]:
    """The subfields with those put back into the text that only a payer can have typed into it.

    A bank writes its codes once: in front of the text (?00 to ?11) and behind it (?30 to ?38). So a bank's code between
    two text subfields is text, and of two runs of bank's codes behind the text the last is the bank's. Where ?60 goes
    on with the text behind them, two runs cannot be distinguished, and both are text.
    """
    parts = [("20" if code == "00" and _OPENING.match(text) else code, text) for code, text in parts]
    texts = [at for at, (code, _) in enumerate(parts) if code[0] == "2"]
    if not texts:
        return parts
    first, last = texts[0], texts[-1]
    again = (at for at in range(last + 2, len(parts)) if parts[at][0] <= parts[at - 1][0] and parts[at][0] not in _HEAD)
    runs = [last + 1, *again]  # where the codes after the text begin again
    believed = runs[-1]
    if len(runs) > 1 and any(code[0] == "6" for code, _ in parts[last + 1 :]):
        believed = len(parts)
    given = {code for code, _ in parts[:first]}
    result = parts[: first + 1]
    for at, (code, text) in enumerate(parts[first + 1 :], start=first + 1):
        typed = at < believed and not _is_text(code)
        if typed or (code in given and not _is_text(code) and code not in _HEAD):
            result[-1] = (result[-1][0], f"{result[-1][1]}{mark}{code}{text}")
        elif code in _HEAD and (code in given or parts[at - 1][0][0] == "2"):
            result.append(("70", text))  # a second booking text is kept beside, as what has no place of its own
        else:
            result.append((code, text))
    return result


def parse_tagged_lines(lines: tuple[str, ...]) -> Subfields | None:
    """The lines of a :86: without subfields as text subfields, if they begin with a SEPA tag; else None."""
    if not lines or not _TAGGED.match(lines[0]):
        return None
    return Subfields(BankWord(""), tuple(("20", line) for line in spaced_lines(lines)))


def parse_sepa_text(lines: tuple[str, ...], *, without_text: bool = False) -> SepaText:
    """Remittance lines and tag values of the text subfields.

    Tags count only if the first subfield begins with one, and only in front of SVWZ+: everything after it is text.
    Without SVWZ+ all is text, unless `without_text` says that no payer wrote it (money out, returns); the label `EREF:
    ` counts there, too. The value of a tag goes on in the next subfield only where its own is filled (27).
    """
    text = "\n".join(lines)
    opening = _OPENING.match(text)
    svwz = _TEXT.search(text) if opening else None
    if opening is None or (svwz is None and not without_text):
        labelled = _LABELLED.search(text) if without_text else None
        return SepaText(_remittance(lines), {"EREF": PayerWord(_labelled_value(labelled, text))} if labelled else {})
    head = text[: svwz.start()] if svwz else text
    tags, bank_tags, rest = _tags_of(head)
    if svwz is None:
        return SepaText(_remittance(tuple(rest)), tags, bank_tags)
    width_before = svwz.end() - (text.rfind("\n", 0, svwz.end()) + 1)
    purpose = tuple(text[svwz.end() :].split("\n"))
    return SepaText(_remittance(purpose, width_before), tags, bank_tags, _remittance(tuple(rest)))


def _labelled_value(found: re.Match[str], text: str) -> str:
    """The value of `EREF: `, as cooperative and public banks write it behind the text: to the next blank."""
    value = _value(text[found.end() :].split("\n"), width_before=found.end() - (text.rfind("\n", 0, found.end()) + 1))[
        0
    ]
    return value.split(" ", 1)[0]


def _tags_of(head: str) -> tuple[dict[str, PayerWord], dict[str, BankWord], list[str]]:
    """The values of the tags in front of the text, and the lines that belong to none of them."""
    found = [*_APART.finditer(head), *_GLUED.finditer(head)]
    found += [match for match in _AT_START.finditer(head) if _behind_an_end(head, match.start())]
    found.sort(key=lambda match: match.start())
    tags: dict[str, PayerWord] = {}
    bank_tags: dict[str, BankWord] = {}
    rest = list(head[: found[0].start()].split("\n")) if found else head.split("\n")
    for position, match in enumerate(found):
        end = found[position + 1].start() if position + 1 < len(found) else len(head)
        segment = head[match.end() : end].removesuffix("\n").split("\n")
        value, behind = _value(segment, width_before=match.end() - (head.rfind("\n", 0, match.end()) + 1))
        tag = match[1].replace("\n", "")
        if tag in _OF_BANK:
            bank_tags.setdefault(tag, BankWord(value))
        else:
            tags.setdefault(tag, PayerWord(value))
        rest.extend(behind)
        if any(map(str.strip, behind)):  # text has begun
            rest.extend(head[end:].split("\n"))
            break
    return tags, bank_tags, rest


def _behind_an_end(head: str, at: int) -> bool:
    """Whether the subfield before `at` was not filled, so that no value goes on here."""
    return at > 0 and at - 1 - (head.rfind("\n", 0, at - 1) + 1) < _FULL


def _value(segment: list[str], width_before: int) -> tuple[str, list[str]]:
    """The value of a tag, and the lines after it that are not part of it."""
    value = [segment[0]]
    width = width_before + len(segment[0])
    for number, line in enumerate(segment[1:], start=1):
        if width < _FULL:
            return "".join(value).strip(), segment[number:]
        value.append(line)
        width = len(line)
    return "".join(value).strip(), []


def _remittance(lines: tuple[str, ...], width_before: int = 0) -> tuple[PayerWord, ...]:
    """The lines with a blank behind each that ends a word, without empty ones; blanks at the very end say nothing."""
    kept = [_IN_TEXT.sub(" ", line) for line in spaced_subfields(lines, width_before) if line]
    while kept and not kept[-1].strip():
        kept.pop()
    if kept:
        kept[-1] = kept[-1].rstrip()
    return tuple(map(PayerWord, kept))
