"""Cuts the text of a camt message into its entries and what stands around them, whatever the size of the file."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Final

from paymatch.formats.camt.entry_templates import EntryTemplates, Found
from paymatch.formats.statement import FileRefused
from paymatch.formats.xml_text import XmlText

MAX_ENTRY_CHARS: Final = 1 << 24
"""About 20,000 to 35,000 details of one batch entry (250 MB of memory); more in one entry is refused."""

EntryText = tuple[str, int]
"""Source text of one Ntry with its tags, and the line on which it begins."""
MatchedEntry = tuple[Found, int]
"""An Ntry that a template has matched, and its line."""

_START: Final = re.compile(r"<((?:[^\W\d][\w.\-]*:)?Ntry)(?=[\s/>])")


def cut(source: XmlText, templates: EntryTemplates) -> Iterator[str | EntryText | MatchedEntry]:
    """The message in file order: an entry per Ntry, and the text between entries as it stands.

    The pieces of `source` are well-formed and free of comments and CDATA, so a `<Ntry` here is an element. Text between
    two entries that is only white space is left out.
    """
    line, held, waiting, waiting_chars = source.first_line, "", [""], 0
    for piece in source:
        waiting.append(piece)
        waiting_chars += len(piece)
        if waiting_chars < len(held):
            continue  # an entry of many pieces is searched anew only when the text has doubled
        text = held + "".join(waiting)
        waiting, waiting_chars = [], 0
        at, line = yield from _entries(text, line, templates)
        if not _START.match(text, at):
            tail = _unfinished_tag(text, at)
            if between := text[at:tail]:
                line += between.count("\n")
                yield between
            at = tail
        held = text[at:]
    # An entry longer than half of the file waited for more text when the file ended.
    rest = held + "".join(waiting)
    at, line = yield from _entries(rest, line, templates)
    if _START.match(rest, at):
        raise FileRefused(f"line {line}: Ntry is not closed where it was opened")
    if rest := rest[at:]:
        yield rest


def _entries(
    text: str, line: int, templates: EntryTemplates
) -> Generator[str | EntryText | MatchedEntry, None, tuple[int, int]]:
    """The complete entries of `text` and what stands between them; returns the index and line behind the last one."""
    at = 0
    has_lines = "\n" in text
    find = templates.find
    while start := _START.search(text, at):
        if start.start() > at:
            between = text[at : start.start()]
            line += between.count("\n")
            if not between.isspace():
                yield between
            at = start.start()
        if found := find(text, at):
            end = found[1].end()
            yield found, line
        else:
            end = _entry_end(text, start)
            if (end if end >= 0 else len(text)) - at > MAX_ENTRY_CHARS:
                raise FileRefused(f"line {line}: Ntry is larger than {MAX_ENTRY_CHARS:,} characters")
            if end < 0:
                break
            yield text[at:end], line
        if has_lines:
            line += text.count("\n", at, end)
        at = end
    return at, line


def _entry_end(text: str, start: re.Match[str]) -> int:
    """Index behind the end tag; -1 if the entry goes on beyond `text`."""
    opened = text.find(">", start.end())
    if opened < 0:
        return -1
    if text[opened - 1] == "/":
        return opened + 1
    close = f"</{start[1]}"
    at = text.find(close, opened)
    while at >= 0:
        end = at + len(close)
        if text[end : end + 1] == ">":
            return end + 1
        if not text[end : end + 1].strip():  # "</Ntry >", or the text ends here
            end = text.find(">", end)
            return end + 1 if end >= 0 else -1
        at = text.find(close, end)  # "</NtryDtls>"
    return -1


def _unfinished_tag(text: str, at: int) -> int:
    """Index of a tag that is cut off at the end of `text`, else its length."""
    tag = text.rfind("<", at)
    return tag if tag >= 0 and ">" not in text[tag:] else len(text)
