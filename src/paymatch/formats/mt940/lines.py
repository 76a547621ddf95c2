"""The physical side of an MT940 file: bytes to lines, lines to fields (:61:, :86: ...), encodings, envelopes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from paymatch.domain.words.message import Message
from paymatch.formats.mt940.wraps import Wraps, width_of
from paymatch.formats.statement import FileRefused
from paymatch.formats.text_decoding import code_page_of, encoding_of

MAX_LINE: Final = 64 * 1024  # a physical line has 65 characters, a careless export some thousand
MAX_FIELD: Final = 256 * 1024  # all lines of one field together
_NEARLY_FULL: Final = 50  # a line this long may go on in the next one
_CHUNK: Final = 64 * 1024

_KNOWN_TAGS: Final = "13 13D 20 21 25 25P 28 28C 34F 60 60F 60M 61 62 62F 62M 64 64F 65 65F 86 90C 90D 940 942 NS"
_TAGS: Final = frozenset(_KNOWN_TAGS.split())
_TAG: Final = re.compile(rb":([0-9]{2,3}[A-Z]?|NS):")
_CLOCK: Final = re.compile(rb":[0-5][0-9]:[0-5][0-9](?![0-9])")
_ENDS_IN_HOUR: Final = re.compile(rb"(?<![0-9])[0-2][0-9]\s*$")
_TERMINATOR: Final = re.compile(rb"-(?:\}.*|XXX)?[\s\x03]*")
_INDENT: Final = re.compile(rb"([ \t]*)(?::[0-9]{2}[A-Z]?:|\{[1-5]:)")
_HEADER: Final = re.compile(rb"\{[1-5]:")
_BLOCK4: Final = re.compile(rb"\{4:")
_DOS_END: Final = b"\x1a"  # end of file of DOS programs; files put together with `copy` have it in the middle
_UTF8_BOM: Final = b"\xef\xbb\xbf"
_DOS_UMLAUT: Final = b"\x81\x84\x8e\x94\x99\x9a\xe1"
_DOS_UMLAUT_INSIDE: Final = re.compile(rb"[A-Za-z][\x84\x8e\x94\x99\x9a][A-Za-z]|\x81")


@dataclass(frozen=True, slots=True)
class Mt940Field:
    """One tag with all its physical lines. `tag` "" is a terminator or an envelope header (its text in `lines`)."""

    tag: str
    lines: tuple[str, ...]
    line: int
    may_be_typed: bool = False
    """Whether it begins where a payer's text that the bank wraps may go on: behind a full line of a :86:."""

    @property
    def text(self) -> str:
        """All lines as one, nothing between them: a break may fall into a word or a tag."""
        return "".join(self.lines)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    data: bytes
    ended: bool  # by a line end, not by the end of the file


@dataclass(frozen=True, slots=True)
class EndOfFile:
    """`cut` if the last line that says something is the very end: no line end, or not even an empty line after it."""

    line: int
    unended: bool
    blank_after: bool


def fields(stream: BinaryIO, encoding: str | None = None) -> Iterator[Mt940Field | EndOfFile]:
    """The fields of the file in order, terminators as `Field("", ...)`, and at last one EndOfFile.

    Text outside of messages (bank headers such as `ABNANL2A`, `940 00`, remarks) is dropped. FileRefused for NUL bytes
    and for lines or fields longer than any bank writes.
    """
    collector = _Collector(encoding)
    held: _Line | None = None
    blank_after = False
    for line in _without_indent(_physical_lines(stream)):
        if held is not None:
            yield from collector.take(held, following=line.data)
        blank_after = not line.data.strip()
        held = line
    if held is None:
        yield EndOfFile(0, unended=False, blank_after=False)
        return
    yield from collector.take(held, following=None)
    yield from collector.flush()
    yield EndOfFile(held.number, unended=not held.ended, blank_after=blank_after)


class _Collector:
    """Gathers physical lines until the next field begins."""

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._tag = ""
        self._lines: list[bytes] = []
        self._size = 0
        self._first = 0
        self._inside = False
        self._may_be_typed = False
        self._wraps = Wraps()

    def take(self, line: _Line, following: bytes | None) -> Iterator[Mt940Field]:
        data = line.data
        is_wrapped = self._is_wrapped()
        if _HEADER.match(data) and not is_wrapped:
            yield from self.flush()
            yield Mt940Field("", (data.decode("latin-1"),), line.number)
            self._inside = False
            block = _BLOCK4.search(data)
            data = data[block.end() :] if block else b""
            if not data.startswith(b":"):
                return
        tag = self._tag_of(data)
        if tag is not None:
            yield from self.flush()
            self._may_be_typed = is_wrapped
            self._begin(tag, data[len(tag) + 2 :], line.number)
        elif self._inside and _TERMINATOR.fullmatch(data) and _ends_message(data, following, is_wrapped=is_wrapped):
            yield from self.flush()
            yield Mt940Field("", ("-",), line.number)
            self._inside = False
        elif self._inside and self._tag:
            self._append(data, line.number)

    def flush(self) -> Iterator[Mt940Field]:
        if self._tag:
            yield Mt940Field(self._tag, _decode_line(self._lines, self._encoding), self._first, self._may_be_typed)
        self._tag = ""
        self._lines = []

    def _begin(self, tag: str, data: bytes, number: int) -> None:
        self._tag, self._first, self._size, self._inside = tag, number, 0, True
        if tag == "61":
            self._wraps.see_entry(data)
        self._append(data, number)

    def _is_wrapped(self) -> bool:
        """Whether the text of a payer may go on in the next line, no matter how that begins."""
        if not self._inside or not self._lines or not (self._tag == "86" or self._may_be_typed):
            return False
        return self._wraps.is_full(self._lines[-1], len(self._tag) + 2 if len(self._lines) == 1 else 0)

    def _append(self, data: bytes, number: int) -> None:
        if self._tag == "86" and len(self._lines) > 1:
            self._wraps.see(width_of(self._lines[-1]))
        self._size += len(data)
        if self._size > MAX_FIELD:
            raise FileRefused(
                Message("file-line", line=str(number), what=Message("mt940-field", tag=self._tag, most=MAX_FIELD))
            )
        self._lines.append(data)

    def _tag_of(self, data: bytes) -> str | None:
        """The tag that the line begins with. A clock time broken before its minutes (`T16` / `:26:37`) is none."""
        found = _TAG.match(data)
        if found is None:
            return None
        tag = found[1].decode()
        if tag not in _TAGS:
            return None
        wrapped = self._tag == "86" and len(self._lines[-1]) >= _NEARLY_FULL and _ENDS_IN_HOUR.search(self._lines[-1])
        return None if wrapped and _CLOCK.match(data) else tag


def _ends_message(data: bytes, following: bytes | None, *, is_wrapped: bool) -> bool:
    """A lone `-` may be the rest of a wrapped text: it ends the message unless text goes on in the next line.

    So may any other end, where it begins behind a full line of text.
    """
    if following is None or not following.strip() or (data.rstrip(b"\x03 ") != b"-" and not is_wrapped):
        return True
    if following.startswith((b":86:", b":61:", b":62")):
        return False
    return bool(_TAG.match(following) or _HEADER.match(following) or len(following.strip()) <= 40)


def _without_indent(lines: Iterator[_Line]) -> Iterator[_Line]:
    """The lines without the blanks before all of them, as before the first tag or header."""
    indent: int | None = None
    for line in lines:
        if indent is None and (found := _INDENT.match(line.data)):
            indent = len(found[1])
        indented = indent and not line.data[:indent].strip()
        yield replace(line, data=line.data[indent:]) if indented else line


def _physical_lines(stream: BinaryIO) -> Iterator[_Line]:
    number = 0
    pending = b""
    ends: re.Pattern[bytes] | None = None
    for chunk in _chunks(stream):
        if ends is None:
            ends = re.compile(rb"\r\n|\n|\r|@@" if _uses_at_signs(chunk) else rb"\r\n|\n|\r")
        data = pending + chunk
        kept = 1 if data[-1:] in (b"\r", b"@") else 0
        *lines, pending = ends.split(data[: len(data) - kept])
        pending += data[len(data) - kept :]
        for line in lines:
            number += 1
            _check(line, number)
            yield _Line(number, _without_marks(line), ended=True)
        _check(pending, number + 1)
    for line in ends.split(pending)[:-1] if ends else ():
        number += 1
        yield _Line(number, line, ended=True)
    rest = ends.split(pending)[-1] if ends else b""
    rest = rest.strip(_DOS_END)
    if rest:
        yield _Line(number + 1, rest, ended=False)


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of the file; UTF-16 as UTF-8."""
    chunk = stream.read(_CHUNK)
    encoding, mark = encoding_of(chunk)
    chunk = chunk[mark:]
    if not encoding.startswith("utf-16"):
        while chunk:
            yield chunk
            chunk = stream.read(_CHUNK)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        while chunk:
            yield decoder.decode(chunk).encode()
            chunk = stream.read(_CHUNK)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise FileRefused(Message("mt940-utf16")) from None


def _without_marks(line: bytes) -> bytes:
    """The line without the marks of files that were put together: an end of file (DOS), a byte order mark."""
    return line.lstrip(_DOS_END).removeprefix(_UTF8_BOM)


def _uses_at_signs(start: bytes) -> bool:
    return start.lstrip().startswith(b"@@") or b"@@:25:" in start or b"@@:28C:" in start


def _check(line: bytes, number: int) -> None:
    if len(line) > MAX_LINE:
        raise FileRefused(Message("file-line", line=str(number), what=Message("mt940-long-line", most=MAX_LINE)))
    if b"\x00" in line:
        raise FileRefused(Message("file-line", line=str(number), what=Message("mt940-nul")))


def _decode_line(lines: list[bytes], encoding: str | None) -> tuple[str, ...]:
    """UTF-8 if it is, also when a line break cuts a character; else 850 if its umlauts show, else 1250 or 1252."""
    whole = b"\n".join(lines)
    if whole.isascii():
        return tuple(whole.decode("ascii").split("\n"))
    if encoding:
        return tuple(whole.decode(encoding, "replace").split("\n"))
    try:
        return tuple(whole.decode("utf-8").split("\n"))
    except UnicodeDecodeError:
        pass
    try:
        return (b"".join(lines).decode("utf-8"),)
    except UnicodeDecodeError:
        pass
    high = whole.translate(None, delete=bytes(range(128)))
    dos = not high.translate(None, delete=_DOS_UMLAUT) and _DOS_UMLAUT_INSIDE.search(whole)
    return tuple(whole.decode("cp850" if dos else code_page_of(whole), "replace").split("\n"))
