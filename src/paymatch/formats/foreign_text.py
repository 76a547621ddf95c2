"""Text of a bank, sanitised: limited in length, and without characters that control a terminal or a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec.structs import fields, replace

from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message
from paymatch.formats.statement import (
    Detail,
    Entry,
    FileRefused,
    Party,
    StatementEnd,
    StatementEvent,
    StatementHead,
    UnreadableEntry,
)

MAX_TEXT: Final = 4_096
"""Characters of one text, a name or a reference for example; the longest of ISO 20022 (AddtlNtryInf) has 500."""

MAX_REMITTANCE: Final = 65_536
"""Characters of the remittance information of one detail, all its lines together."""

_STEERING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_TURNING: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")  # left to right and back
_UNWANTED: Final = re.compile(f"{_STEERING.pattern}|{_TURNING.pattern}")
_LONG: Final = frozenset({"remittance_lines", "additional_remittance"})


def _texts_of(kind: type[msgspec.Struct], prefix: str = "") -> list[str]:
    """The paths of all single texts of a struct and of the parties in it."""
    paths: list[str] = []
    for field in fields(kind):
        if field.type in (str, BankWord):
            paths.append(prefix + field.name)
        elif field.type is Party:
            paths += _texts_of(Party, f"{prefix}{field.name}.")
    return paths


_entry_texts: Final = attrgetter(*_texts_of(Entry))
_detail_texts: Final = attrgetter(*_texts_of(Detail))

T = TypeVar("T")


def plain(text: str) -> str:
    """The text with a blank for each control character (ESC, NUL), and without marks that turn the direction of text.

    Tabs and line ends stay.
    """
    return text if text.isprintable() else _TURNING.sub("", _STEERING.sub(" ", text))


def admit(events: Iterator[StatementEvent]) -> Iterator[StatementEvent]:
    """The events with texts as they may enter; the end of each statement notes what was left out of its entries."""
    gate = _Gate()
    try:
        for event in events:
            if isinstance(event, Entry):
                yield gate.entry(event)
            elif isinstance(event, StatementEnd):
                yield replace(
                    gate.admit_value(event),
                    guesses=(*(each.with_texts(plain) for each in event.guesses), *gate.notes()),
                )
            else:
                yield gate.other(event)
    except FileRefused as refusal:
        raise FileRefused(refusal.message.with_texts(plain)) from None


class _Gate:
    """Remembers what was left out, until the statement ends."""

    def __init__(self) -> None:
        self._steered: list[int] = []  # lines of the entries that had such characters
        self._cut: list[int] = []
        self._found_steering = False
        self._found_long = False

    def entry(self, entry: Entry) -> Entry:
        """The entry as it may enter. Nearly all are as they must be, which costs one look at all their texts."""
        if _is_fine(_entry_texts(entry)) and all(map(_is_fine_detail, entry.details)):
            return entry
        self._found_steering = self._found_long = False
        admitted = self.admit_value(entry)
        if self._found_steering:
            self._steered.append(entry.line)
        if self._found_long:
            self._cut.append(entry.line)
        return admitted

    def other(self, event: StatementHead | UnreadableEntry) -> StatementHead | UnreadableEntry:
        """A head, or an unreadable entry, with limited texts."""
        return self.admit_value(event)

    def notes(self) -> tuple[Message, ...]:
        """What was left out since the last call, for a person."""
        notes = []
        if self._steered:
            notes.append(Message("text-steering", entries=_entries(self._steered)))
        if self._cut:
            most, remittance = f"{MAX_TEXT:,}", f"{MAX_REMITTANCE:,}"
            notes.append(Message("text-cut", entries=_entries(self._cut), most=most, remittance=remittance))
        self._steered, self._cut = [], []
        return tuple(notes)

    def admit_value(self, value: T) -> T:
        """A value of any of the structs of a statement with all its texts as they may be."""
        return cast("T", self._admit(value))

    def _admit(self, value: Any) -> Any:
        if isinstance(value, Message):
            return value.with_texts(plain)
        if isinstance(value, str):
            return self._text(value, MAX_TEXT)
        if isinstance(value, tuple):
            return tuple(self._admit(item) for item in value)
        if not isinstance(value, msgspec.Struct):
            return value
        changes = {}
        for field in fields(type(value)):
            old = getattr(value, field.name)
            new = self._lines(old) if field.name in _LONG else self._admit(old)
            if new is not old and new != old:
                changes[field.name] = new
        return replace(value, **changes) if changes else value

    def _lines(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        kept: list[str] = []
        room = MAX_REMITTANCE
        for line in lines:
            if room <= 0:
                self._found_long = True
                break
            kept.append(self._text(line, room))
            room -= len(kept[-1])
        return tuple(kept)

    def _text(self, text: str, room: int) -> str:
        if len(text) > room:
            self._found_long = True
            text = text[:room]
        wanted = plain(text)
        self._found_steering = self._found_steering or wanted != text
        return wanted


def _is_fine(texts: Iterable[str]) -> bool:
    whole = "".join(texts)
    return len(whole) <= MAX_TEXT and (whole.isprintable() or _UNWANTED.search(whole) is None)


def _is_fine_detail(detail: Detail) -> bool:
    texts = (
        *_detail_texts(detail),
        *detail.remittance_lines,
        *detail.referred_documents,
        *detail.additional_remittance,
    )
    if detail.structured_references or detail.other_references or detail.charges:
        pairs = (*detail.structured_references, *detail.other_references)
        texts = (*texts, *(text for pair in pairs for text in pair), *(charge.bearer for charge in detail.charges))
    return _is_fine(texts)


def _entries(lines: list[int]) -> Message:
    """`1 entry (line 7)`, `3 entries (the first in line 7)`."""
    if len(lines) == 1:
        return Message("entries-one", line=lines[0])
    return Message("entries-many", count=len(lines), line=lines[0])
