"""Reads camt.052, camt.053 and camt.054 (ISO 20022, versions .01 to .13) in memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, Final

from paymatch.formats.camt.cut import cut
from paymatch.formats.camt.entry import EntryReader
from paymatch.formats.camt.entry_templates import EntryTemplates
from paymatch.formats.camt.head import Outline
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementHead, UnreadableEntry
from paymatch.formats.xml_text import XmlText

_SHOWN: Final = 10


def read_camt(stream: BinaryIO) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
    """Per statement its head, its entries in order, and its end; `stream` is read once, from where it stands.

    Namespaces and their prefixes do not matter. FileRefused names the line and the reason; it may come after entries
    were handed out, so a caller books nothing before the end of the file.
    """
    outline = Outline()
    templates = EntryTemplates()
    entries = EntryReader(templates)
    entries.statement_day = outline.day
    position = 0
    place_known = False
    text = XmlText(stream)
    for piece in cut(text, templates):
        if isinstance(piece, str):
            for event in outline.feed(piece):
                yield _with_notes(event, text, entries) if isinstance(event, StatementEnd) else event
            place_known = False
            continue
        entry, line = piece
        if not place_known:
            if not outline.in_statement():
                raise FileRefused(f"line {line}: Ntry stands outside of a statement")
            place_known = True
            if not outline.head_given:
                yield outline.head()
                outline.head_given = True
                position = 0
        if isinstance(entry, str):
            yield entries.read(entry, position, line)
        else:
            yield entries.read_matched(entry, position, line)
        position += 1
    outline.finish()


def _with_notes(end: StatementEnd, text: XmlText, entries: EntryReader) -> StatementEnd:
    """The end with what was not certain: the encoding of the file, the days of entries that have none."""
    notes = [text.guess] if text.guess else []
    if entries.undated:
        lines = ", ".join(map(str, entries.undated[:_SHOWN])) + (" ..." if len(entries.undated) > _SHOWN else "")
        notes.append(f"entries without a date were booked on the statement's day: line {lines}")
        entries.undated.clear()
    return replace(end, guesses=tuple(notes)) if notes else end
