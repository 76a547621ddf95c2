"""Reads camt.052, camt.053 and camt.054 (ISO 20022, versions .01 to .13) in memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import BinaryIO, Final

from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.formats.balances.proof import Proof
from paymatch.formats.camt.entry import read_entry, with_other_sign
from paymatch.formats.camt.head import day_of_statement, is_final, is_message, read_balances, read_end, read_head
from paymatch.formats.camt.plan import local_name
from paymatch.formats.camt.values import ValueUnreadable
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementEvent, StatementHead, UnreadableEntry
from paymatch.formats.xml_events import XmlEvents

RAW_CHARS: Final = 4_000

_ENTRY: Final = "Ntry"
_STATEMENTS: Final = ("Stmt", "Rpt", "Ntfctn")
_SHOWN: Final = 10
_TURNED: Final = Message("proven-side")


def read_camt(stream: BinaryIO) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
    """Per statement its head, its entries in order, and its end; `stream` is read once, from its present position.

    Namespaces and their prefixes do not matter. FileRefused names the line and the reason; it may come after entries
    were handed out, so a caller books nothing before the end of the file.
    """
    file = XmlEvents(stream, (_ENTRY, *_STATEMENTS))
    statement: _Statement | None = None
    for event, element in file:
        if local_name(element.tag) == _ENTRY:
            if statement is None or element.getparent() is not statement.element:
                raise FileRefused(Message("file-line", line=str(file.line_of(element)), what=Message("camt-outside")))
            if event == "end":
                yield from statement.entry(element)
        elif event == "start" and statement is None and _stands_in_message(element):
            statement = _Statement(file, element)
        elif event == "end" and statement is not None and element is statement.element:
            yield from statement.end()
            statement = None
    if not any(map(is_message, file.root.iter())):
        name = local_name(file.root.tag)
        raise FileRefused(Message("file-line", line="1", what=Message("camt-no-statement", element=name)))


def _stands_in_message(element: etree._Element) -> bool:
    message = element.getparent()
    return message is not None and is_message(message)


class _Statement:
    """A statement that is open; what was read of it is dropped."""

    def __init__(self, file: XmlEvents, element: etree._Element) -> None:
        self.element = element
        self._file = file
        self._position = 0
        self._undated: list[int] = []
        self._final = is_final(element)
        self._proof = Proof(_TURNED)

    def entry(self, element: etree._Element) -> Iterator[StatementEvent]:
        """The entry, after the head if it is the first."""
        if not self._position:
            yield read_head(self.element)
        line = self._file.line_of(element)
        turned: Entry | None = None
        read: Entry | UnreadableEntry
        try:
            read = entry = read_entry(element, self._position, line, lambda: self._day(line), final=self._final)
            turned = with_other_sign(entry) if entry.reversal else None
        except ValueUnreadable as error:
            read = UnreadableEntry(self._position, line, error.message, _source_of(element)[:RAW_CHARS])
        self._position += 1
        _drop(element)
        if turned is not None or self._proof.waits:
            self._proof.hold(read, turned)
        else:
            self._proof.count(read)
            yield read

    def end(self) -> Iterator[StatementEvent]:
        """The end, after the head of a statement without entries."""
        if not self._position:
            yield read_head(self.element)
        entries, notes = self._proof.settle(read_balances(self.element))
        yield from entries
        guesses = [self._file.guess] if self._file.guess else []
        guesses += notes
        if self._undated:
            lines = ", ".join(map(str, self._undated[:_SHOWN])) + (" ..." if len(self._undated) > _SHOWN else "")
            guesses.append(Message("camt-dayless", lines=lines))
        yield read_end(self.element, guesses)
        _drop(self.element)

    def _day(self, line: int) -> date:
        day = day_of_statement(self.element)
        if day is None:
            raise ValueUnreadable(Message("day-missing"))
        self._undated.append(line)
        return day


def _source_of(element: etree._Element) -> str:
    """The source text in the file, without the namespace that its surroundings declare."""
    text = etree.tostring(element, encoding="unicode", with_tail=False)
    for prefix, uri in element.nsmap.items():
        text = text.replace(f' xmlns{f":{prefix}" if prefix else ""}="{uri}"', "", 1)
    return text


def _drop(element: etree._Element) -> None:
    """Empties what was read. The parser may still write what follows it, so only those before it are taken away."""
    element.clear(keep_tail=True)  # type: ignore[call-arg]  # of lxml 4.4, which the stubs do not know
    before = element.getprevious()
    parent = element.getparent()
    while before is not None and parent is not None and before.tag == element.tag:
        parent.remove(before)
        before = element.getprevious()
