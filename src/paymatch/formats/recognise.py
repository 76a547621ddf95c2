"""Recognises the format of a bank file by its content; the name of a file says nothing."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import BinaryIO, Final

from paymatch.domain.words.message import Message
from paymatch.formats.camt.head import MESSAGES
from paymatch.formats.statement import FileRefused
from paymatch.formats.xml_events import NotXml, encoding_of, prolog_end

HEAD_BYTES: Final = 1 << 16
_NEAR: Final = 1000  # characters of a root element, in which its namespaces stand


class Format(StrEnum):
    """A format of bank files that is read; the values are those of `StatementHead.format`, but for ZIP."""

    CAMT052 = "camt.052"
    CAMT053 = "camt.053"
    CAMT054 = "camt.054"
    MT940 = "MT940"
    MT942 = "MT942"
    CSV = "CSV"
    OFX = "OFX"
    ZIP = "ZIP"


_FOREIGN: Final = (
    (b"%PDF", "kind-pdf"),
    (b"\x1f\x8b", "kind-gzip"),
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


def recognise(stream: BinaryIO) -> Format:
    """The format of the file, from its first 64 KB; `stream` must be seekable and is put back to where it stood.

    FileRefused says what the file is instead, where that is known.
    """
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    if not head.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise FileRefused(Message("file-is", what=Message("kind-empty")))
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return Format.ZIP
    for magic, kind in _FOREIGN:
        if head.startswith(magic) or (magic == b"%PDF" and magic in head[:1024]):
            raise FileRefused(Message("file-is", what=Message(kind)))
    text = _decode(head)
    if _OFX.match(text):
        return Format.OFX
    if text.lstrip().startswith("<"):
        return _xml_format(text)
    for look, kind in _FOREIGN_TEXTS:
        if look.match(text):
            raise FileRefused(Message("file-is-ask-bank", what=Message(kind)))
    return _swift_format(text) or _table_format(text)


def _decode(head: bytes) -> str:
    """The first characters: in the XML sense of encodings, and if that fails byte by byte."""
    codec, mark = encoding_of(head)
    try:
        # The last character may be cut off; a faulty one is the reader's to refuse.
        return head[mark:].decode(codec, errors="ignore" if codec.startswith("utf") else "replace")
    except LookupError:
        return head[mark:].decode("latin-1")


def _xml_format(text: str) -> Format:
    if re.match(r"\s*(?:<!doctype\s+html|<html)", text, re.IGNORECASE):
        raise FileRefused(Message("file-is-no-statement", what=Message("kind-web-page")))
    try:
        root = prolog_end(text)
    except NotXml:
        raise FileRefused(Message("file-line", line="1", what=Message("file-broken-xml-begin"))) from None
    if found := _MESSAGE.search(text, root):
        return Format(MESSAGES[found[1]])
    for element, kind in _OTHER_MESSAGES:
        if element in text:
            raise FileRefused(Message("file-is-no-statement", what=Message(kind)))
    name = _ELEMENT.match(text, root)
    if name and name[1].upper() == "OFX":
        return Format.OFX
    if message := _ISO_MESSAGE.search(text, root, root + _NEAR):
        raise FileRefused(Message("file-message", message=message[0]))
    raise FileRefused(Message("file-unknown-root", element=name[1] if name else "?"))


def _swift_format(text: str) -> Format | None:
    tags = set(_SWIFT_TAG.findall(text))
    header = _SWIFT_HEADER.search(text)
    if header:
        return Format.MT942 if header[1] == "942" else Format.MT940
    if not tags or not tags & {"20", "25", "25P", "60F", "60M", "61", "62F", "62M"}:
        return None
    if len(tags) == 1 and tags != {"61"} and not _SWIFT_TAG.match(text.lstrip()):
        return None  # a table may have a colon or two
    return Format.MT942 if tags & _INTRADAY_TAGS and not tags & {"60F", "62F"} else Format.MT940


def _table_format(text: str) -> Format:
    if _CONTROL.search(text):
        raise FileRefused(Message("file-unknown-binary"))
    if re.match(r"\s*(?:\{\s*\"|\[\s*[\[{])", text):
        raise FileRefused(Message("file-is-no-statement", what=Message("kind-json")))
    lines = [_QUOTED.sub("", line) for line in text.splitlines()[:200] if line.strip()]
    for delimiter in _DELIMITERS:
        counts = [count for line in lines if (count := line.count(delimiter))]
        if len(lines) == 1 and counts and counts[0] >= 2:
            return Format.CSV
        if any(counts.count(count) >= 2 for count in set(counts)):
            return Format.CSV
    raise FileRefused(Message("file-unknown"))
