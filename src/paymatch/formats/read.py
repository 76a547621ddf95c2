"""Reads any bank file: recognises its format by its content, opens bundles, and hands it to that format's reader."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, Final

from paymatch.domain.books.identity import SourceFormat
from paymatch.domain.postings import PostingSource
from paymatch.domain.words.message import Message
from paymatch.formats.account_information import INTRADAY, PROVIDERS, is_report, read_report
from paymatch.formats.bundle import (
    DEFAULT_LIMITS,
    GZIP_MAGIC,
    BundleLimits,
    check_directory,
    is_gzip,
    members_of,
    unpack_gzip,
)
from paymatch.formats.camt.head import MESSAGES
from paymatch.formats.camt.reader import read_camt
from paymatch.formats.foreign_text import admit
from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.ofx import read_ofx
from paymatch.formats.statement import FileRefused, StatementEvent
from paymatch.formats.tables.profiles import CsvProfile
from paymatch.formats.tables.reader import read_csv
from paymatch.formats.tables.workbook import csv_of_workbook, is_workbook
from paymatch.formats.xml_events import NotXml, encoding_of, prolog_end

HEAD_BYTES: Final = 1 << 16
_NEAR: Final = 1000  # characters of a root element that contain its namespaces


ProfileOf = Callable[[BinaryIO], CsvProfile | None]
"""How a person said that a table is read; None if no person has. The stream is left at its beginning."""


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What a reader may need besides the file: the currency of files that name none, the layouts of tables."""

    profile_of: ProfileOf
    default_currency: str = "EUR"


@dataclass(frozen=True, slots=True)
class BankFormat:
    """A format of bank files.

    `recognise` is given the first 64 KB as text. Of two formats that show one payment the one of higher `rank` says
    more of it. Formats of one `family` are the same to the books. A `generic` format is recognised by signs that other
    files may show too: it is tried once these are ruled out.
    """

    name: str
    """As `StatementHead.format` gives it."""
    recognise: Callable[[str], bool]
    read: Callable[[BinaryIO, ReadingContext], Iterator[StatementEvent]]
    rank: int
    family: str = ""
    source: PostingSource = PostingSource.FINAL
    generic: bool = False

    @property
    def in_books(self) -> SourceFormat:
        """The format as the books know it."""
        return SourceFormat(self.family or self.name, self.rank)


_FOREIGN: Final = (
    (b"%PDF", "kind-pdf"),
    (GZIP_MAGIC, "kind-gzip"),
    (b"7z\xbc\xaf\x27\x1c", "kind-7z"),
    (b"Rar!", "kind-rar"),
    (b"\xd0\xcf\x11\xe0", "kind-office"),
    (b"\x89PNG", "kind-picture"),
    (b"\xff\xd8\xff", "kind-picture"),
)
_FOREIGN_TEXTS: Final = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (r"!(?:Type|Account|Option):", "kind-qif"),
        (r"\{\\rtf", "kind-rtf"),
        (r"0\d{13}0[15].{112}\r?\n", "kind-coda"),
        (r"01\d{5}.{113}\r?\n", "kind-cfonb"),
        (r"11\d{30}[12]", "kind-norma43"),
        (r" RH[0-9A-Z]{5}", "kind-cbi"),
        (r"T0032210[0-9]", "kind-tito"),
        (r"01BGMAX", "kind-bgmax"),
        (r"NY000010", "kind-ocr"),
        (r"(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID): |From: [^\r\n]{0,200}@", "kind-mail"),
    )
)
_OTHER_MESSAGES: Final = (
    ("CstmrCdtTrfInitn", "kind-pain001"),
    ("CstmrPmtStsRpt", "kind-pain002"),
    ("CstmrDrctDbtInitn", "kind-pain008"),
    ("BkToCstmrSvcsBllgStmt", "kind-camt086"),
)
_MESSAGE: Final = re.compile(r"<(?:[^\W\d][\w.\-]*:)?(BkToCstmr(?:AcctRpt|Stmt|DbtCdtNtfctn))(?:V[0-9]{2})?[\s>/]")
_WEB_PAGE: Final = re.compile(r"\s*(?:<!doctype\s+html|<html)", re.IGNORECASE)
_JSON: Final = re.compile(r"\s*(?:\{\s*\"|\[\s*[\[{])")
_ELEMENT: Final = re.compile(r"<(?:[^\W\d][\w.\-]*:)?([^\W\d][\w.\-]*)")
_ISO_MESSAGE: Final = re.compile(r"\b(?:camt|pain|pacs|acmt|admi|auth)\.[0-9]{3}\b")
_OFX: Final = re.compile(
    r"\A\s*(?:OFXHEADER\s*:|<OFX[\s>]|(?:<\?xml.{0,200}?\?>\s*)?<\?OFX\s)", re.IGNORECASE | re.DOTALL
)
_SWIFT_TAG: Final = re.compile(r"(?:\A|[\r\n{}]|@@)[ \t]*:(20|21|25P?|28C?|60[FM]|61|62[FM]|64|65|86|13D?|34F|90[DC]):")
_SWIFT_HEADER: Final = re.compile(r"\{2:[IO](940|942|950)")
_INTRADAY_TAGS: Final = frozenset({"34F", "13", "13D", "90D", "90C"})
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_QUOTED: Final = re.compile('"[^"]*"')  # "1,234.56" holds no delimiter
_DELIMITERS: Final = ";\t,|"


def recognise(stream: BinaryIO) -> BankFormat | None:
    """The format of the file, from its first 64 KB; None for a ZIP file, which holds others.

    `stream` must be seekable; its position is restored. FileRefused says what the file is instead, where that is known.
    """
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise FileRefused(Message("file-is", what=Message("kind-empty")))
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return None
    for magic, kind in _FOREIGN:
        if head.startswith(magic) or (magic == b"%PDF" and magic in head[:1024]):
            raise FileRefused(Message("file-is", what=Message(kind)))
    text = _decode(head)
    found = _find_format(text, generic=False)
    if found is None:
        _refuse_other_kinds(text)
        found = _find_format(text, generic=True)
    if found is None:
        raise FileRefused(_unknown_kind(text))
    return found


def _find_format(text: str, *, generic: bool) -> BankFormat | None:
    return next((each for each in FORMATS if each.generic is generic and each.recognise(text)), None)


def _decode(head: bytes) -> str:
    """The first characters: in the XML sense of encodings, and if that fails byte by byte."""
    codec, mark = encoding_of(head)
    try:
        # The last character may be cut off; a faulty one is the reader's to refuse.
        return head[mark:].decode(codec, errors="ignore" if codec.startswith("utf") else "replace")
    except LookupError:
        return head[mark:].decode("latin-1")


def _is_ofx(text: str) -> bool:
    return _OFX.match(text) is not None or _root_element(text).upper() == "OFX"


def _is_camt(name: str, text: str) -> bool:
    """Whether the XML document holds the camt message of this name."""
    if not text.lstrip().startswith("<") or _WEB_PAGE.match(text):
        return False
    try:
        found = _MESSAGE.search(text, prolog_end(text))
    except NotXml:
        return False
    return found is not None and MESSAGES[found[1]] == name


def _root_element(text: str) -> str:
    """The name of an XML document's root element; "" for other files."""
    if not text.lstrip().startswith("<") or _WEB_PAGE.match(text):
        return ""
    try:
        found = _ELEMENT.match(text, prolog_end(text))
    except NotXml:
        return ""
    return found[1] if found else ""


def _refuse_other_kinds(text: str) -> None:
    """FileRefused for XML that is not a bank statement, and for text formats that are known but not read."""
    if text.lstrip().startswith("<"):
        raise FileRefused(_kind_of_xml(text))
    for look, kind in _FOREIGN_TEXTS:
        if look.match(text):
            raise FileRefused(Message("file-is-ask-bank", what=Message(kind)))


def _kind_of_xml(text: str) -> Message:
    if _WEB_PAGE.match(text):
        return Message("file-is-no-statement", what=Message("kind-web-page"))
    try:
        root = prolog_end(text)
    except NotXml:
        return Message("file-line", line="1", what=Message("file-broken-xml-begin"))
    for element, kind in _OTHER_MESSAGES:
        if element in text:
            return Message("file-is-no-statement", what=Message(kind))
    if message := _ISO_MESSAGE.search(text, root, root + _NEAR):
        return Message("file-message", message=message[0])
    return Message("file-unknown-root", element=_root_element(text) or "?")


def _swift_message(text: str) -> str:
    """MT940 or MT942; "" for other files."""
    tags = set(_SWIFT_TAG.findall(text))
    header = _SWIFT_HEADER.search(text)
    if header:
        return "MT942" if header[1] == "942" else "MT940"
    if not tags or not tags & {"20", "25", "25P", "60F", "60M", "61", "62F", "62M"}:
        return ""
    if len(tags) == 1 and tags != {"61"} and not _SWIFT_TAG.match(text.lstrip()):
        return ""  # a table may have a colon or two
    return "MT942" if tags & _INTRADAY_TAGS and not tags & {"60F", "62F"} else "MT940"


def _is_swift(name: str, text: str) -> bool:
    return _swift_message(text) == name


def _is_table(text: str) -> bool:
    if _CONTROL.search(text) or _JSON.match(text):
        return False
    lines = [_QUOTED.sub("", line) for line in text.splitlines()[:200] if line.strip()]
    for delimiter in _DELIMITERS:
        counts = [count for line in lines if (count := line.count(delimiter))]
        if len(lines) == 1 and counts and counts[0] >= 2:
            return True
        if any(counts.count(count) >= 2 for count in set(counts)):
            return True
    return False


def _unknown_kind(text: str) -> Message:
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        if line > 1:
            return Message("file-line", line=str(line), what=Message("file-control-character"))
        return Message("file-unknown-binary")
    if _JSON.match(text):
        return Message("file-is-no-statement", what=Message("kind-json"))
    return Message("file-unknown")


def _read_camt(stream: BinaryIO, _context: ReadingContext) -> Iterator[StatementEvent]:
    return read_camt(stream)


def _read_swift(stream: BinaryIO, context: ReadingContext) -> Iterator[StatementEvent]:
    return read_mt940(stream, default_currency=context.default_currency)


def _read_ofx(stream: BinaryIO, context: ReadingContext) -> Iterator[StatementEvent]:
    return read_ofx(stream, default_currency=context.default_currency)


def _read_report(stream: BinaryIO, _context: ReadingContext) -> Iterator[StatementEvent]:
    return read_report(stream)


def _never(_text: str) -> bool:
    """A format that no file begins with: the reader of another one finds it in the file."""
    return False


def _read_table(stream: BinaryIO, context: ReadingContext) -> Iterator[StatementEvent]:
    return read_csv(stream, context.profile_of(stream), default_currency=context.default_currency)


_INTRADAY, _NOTIFICATION = PostingSource.INTRADAY, PostingSource.NOTIFICATION

TABLE: Final = BankFormat("CSV", _is_table, _read_table, rank=0, generic=True)
"""A table; a person may say how it is read."""

FORMATS: Final = (
    BankFormat("OFX", _is_ofx, _read_ofx, rank=1),
    *(BankFormat(name, partial(is_report, name), _read_report, rank=1) for name in PROVIDERS),
    *(BankFormat(name + INTRADAY, _never, _read_report, rank=1, family=name, source=_INTRADAY) for name in PROVIDERS),
    BankFormat("camt.053", partial(_is_camt, "camt.053"), _read_camt, rank=3, family="camt"),
    BankFormat("camt.052", partial(_is_camt, "camt.052"), _read_camt, rank=3, family="camt", source=_INTRADAY),
    BankFormat("camt.054", partial(_is_camt, "camt.054"), _read_camt, rank=3, family="camt", source=_NOTIFICATION),
    BankFormat("MT940", partial(_is_swift, "MT940"), _read_swift, rank=2, generic=True),
    BankFormat(
        "MT942", partial(_is_swift, "MT942"), _read_swift, rank=2, family="MT940", source=_INTRADAY, generic=True
    ),
    TABLE,
)
"""Every format of bank files that is read; the first one that recognises a file reads it."""

_NAMED: Final = {each.name: each for each in FORMATS}
_IN_BOOKS: Final = {each.in_books.name: each.in_books for each in FORMATS}


def format_named(name: str) -> BankFormat:
    """The format that `StatementHead.format` names."""
    return _NAMED[name]


def source_format(name: str) -> SourceFormat:
    """The format that a stored statement line names."""
    return _IN_BOOKS[name]


_PDF: Final = b"%PDF"


def _no_profile(_table: BinaryIO) -> CsvProfile | None:
    """No person has said how any table is read."""
    return None


@dataclass(frozen=True, slots=True)
class PlainFile:
    """A bank file without its wrapping; `is_member`: refusals name it."""

    name: str
    stream: BinaryIO
    is_member: bool = False

    def with_name(self, refusal: FileRefused) -> FileRefused:
        """The refusal with the member's name."""
        return type(refusal)(Message("file-named", name=self.name, what=refusal.message)) if self.is_member else refusal


def plain_files(stream: BinaryIO, name: str = "", limits: BundleLimits = DEFAULT_LIMITS) -> Iterator[PlainFile]:
    """The bank files that a file holds: itself, the members of a ZIP bundle, the sheet of an Excel workbook as CSV.

    What one gzip file holds is read like the file itself; a bundle in it, or gzip in a bundle, is refused.

    `stream` must be seekable. A file is open until the next is asked for. PDF members of a bundle, the print of the
    same statement, are left out. FileRefused begins with the member's name.
    """
    if is_gzip(stream):
        yield PlainFile(name, _unpack(unpack_gzip(stream, limits)))
        return
    if recognise(stream) is not None:
        yield PlainFile(name, stream)
        return
    check_directory(stream, limits)
    if is_workbook(stream):
        yield PlainFile(name, csv_of_workbook(stream))
        return
    read_any = False
    for member_name, member in members_of(stream, limits):
        if _is_pdf(member):
            continue
        read_any = True
        found = PlainFile(member_name, member, is_member=True)
        try:
            found = replace(found, stream=_unpack(member))
        except FileRefused as refusal:
            raise found.with_name(refusal) from None
        yield found
    if not read_any:
        raise FileRefused(Message("zip-pdf"))


def _unpack(member: BinaryIO) -> BinaryIO:
    """The member, or the sheet of the workbook that it is; FileRefused for a bundle."""
    if recognise(member) is not None:
        return member
    whole = io.BytesIO(member.read())  # the bundle's limits are checked
    check_directory(whole)
    if not is_workbook(whole):
        raise FileRefused(Message("zip-nested"))
    return csv_of_workbook(whole)


def first_file(stream: BinaryIO) -> BinaryIO:
    """The first bank file that a file holds, to be looked at; FileRefused as `plain_files` says."""
    for found in plain_files(stream):
        return io.BytesIO(found.stream.read()) if found.is_member else found.stream
    raise FileRefused(Message("file-is", what=Message("kind-empty")))


def read_statements(
    stream: BinaryIO,
    name: str = "",
    profile_of: ProfileOf = _no_profile,
    limits: BundleLimits = DEFAULT_LIMITS,
    *,
    default_currency: str = "EUR",
) -> Iterator[tuple[str, Iterator[StatementEvent]]]:
    """Name and events of each bank file that the file holds, as `plain_files` finds them.

    The events of a file must be taken before the next file is asked for. `default_currency` is that of files that name
    none. FileRefused may come after events were handed out, so a caller books nothing before the end.
    """
    for found in plain_files(stream, name, limits):
        yield found.name, events_of(found, profile_of, default_currency=default_currency)


def events_of(
    file: PlainFile, profile_of: ProfileOf = _no_profile, *, default_currency: str = "EUR"
) -> Iterator[StatementEvent]:
    """The events of one bank file; FileRefused begins with the name of a member."""
    try:
        found = recognise(file.stream)
        assert found is not None, "a bundle is opened by plain_files"
        yield from admit(found.read(file.stream, ReadingContext(profile_of, default_currency)))
    except FileRefused as refusal:
        raise file.with_name(refusal) from None


def _is_pdf(member: BinaryIO) -> bool:
    found = member.read(len(_PDF)) == _PDF
    member.seek(0)
    return found
