"""The elements of an XML file as they come by: decoded once, any DOCTYPE refused, parsed by libxml2 piece by piece."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused
from paymatch.formats.text_decoding import code_page_of, errors_in

CHUNK_BYTES: Final = 1 << 18
MAX_PROLOG: Final = 1 << 16
MAX_SILENCE: Final = 1 << 24
"""Characters between two events, so within one entry too: 20,000 to 35,000 details of one batch; more are refused."""

_ENCODINGS: Final = re.compile(r"utf-8|ascii|iso8859-\d{1,2}|cp125\d|cp850|cp437|koi8-[ru]|mac-roman")
_DECLARED: Final = re.compile(rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_PROLOG_PART: Final = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_ROOT: Final = re.compile(r"<[^\W\d][\w.\-]*(?::[\w.\-]+)?[\s/>]")
_LETTER_IN_UTF_8: Final = re.compile(rb"[\xc3-\xc5][\x80-\xbf]")  # such pairs make no sense in a code page
_WESTERN: Final = frozenset({"iso8859-1", "iso8859-15", "cp1252"})

MAX_FAULTS: Final = 100
"""The number of lines that the parser counts; it does not report later ones."""


class NotXml(FileRefused):
    """The bytes are not the beginning of an XML file."""


def encoding_of(head: bytes) -> tuple[str, int]:
    """Python codec of an XML file and the length of its byte order mark, from the file's first bytes.

    A file that declares UTF-16 but is written in bytes (a well-known fault of exports) is read as UTF-8, as it must
    be. FileRefused for encodings in which a DOCTYPE could hide (UTF-7, UTF-32, EBCDIC).
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise FileRefused(Message("file-line", line="1", what=Message("xml-encoding-refused", encoding="UTF-32")))
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if head.startswith(mark):
            return codec, len(mark)
    start = head.lstrip(b" \t\r\n\0")[:2]
    if head[:2] == b"\0<" or (head[:1] == b"\0" and start[:1] == b"<" and start[1:] == b"\0"):
        return "utf-16-be", 0
    if start == b"<\0" or head[1:2] == b"\0":
        return "utf-16-le", 0
    declared = _DECLARED.search(head[:1024])
    if not declared:
        return "utf-8", 0
    name = declared[1].decode()
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        raise FileRefused(Message("file-line", line="1", what=Message("xml-encoding-unknown", encoding=name))) from None
    if codec.startswith("utf-16") or codec == "ascii":
        return "utf-8", 0
    if not _ENCODINGS.fullmatch(codec):
        raise FileRefused(Message("file-line", line="1", what=Message("xml-encoding-refused", encoding=name)))
    return codec, 0


def _is_utf8(head: bytes) -> bool:
    """True if these bytes have letters beyond ASCII and all are UTF-8; the last one may be cut off."""
    try:
        return not codecs.getincrementaldecoder("utf-8")().decode(head).isascii()
    except UnicodeDecodeError:
        return False


def prolog_end(text: str) -> int:
    """Index of the root element's start tag; FileRefused for a DOCTYPE, NotXml if no element begins there."""
    at = 0
    while part := _PROLOG_PART.match(text, at):
        at = part.end()
    if text.startswith("<!", at):
        kind = re.match(r"<!\w*", text[at:])
        assert kind
        raise FileRefused(
            Message(
                "file-line", line=str(text.count(chr(10), 0, at) + 1), what=Message("xml-not-allowed", kind=kind[0])
            )
        )
    if not _ROOT.match(text, at):
        raise NotXml(Message("file-line", line="1", what=Message("xml-none")))
    return at


class XmlEvents:
    """Iterates over the beginnings and ends of the elements with some names, in any namespace.

    At its end an element is there with all that it holds; empty it after use, so memory does not grow with the file.
    Comments and instructions are left out. `guess` says in words in which encoding the letters are read if it is not
    the one that the file claims. FileRefused names the line and the reason; only the end of the iteration says that all
    of the file is well-formed, and `root` is there from then on.
    """

    root: etree._Element

    def __init__(self, stream: BinaryIO, names: Iterable[str]) -> None:
        head = stream.read(CHUNK_BYTES)
        codec, mark = encoding_of(head)
        self.guess: Message | None = None
        if codec in _WESTERN and _is_utf8(head):
            self.guess = Message("xml-utf8", encoding=codec)
            codec = "utf-8"
        self._names = tuple(f"{{*}}{name}" for name in names)
        self._stream = stream
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(codec)()
        text = self._decode(head[mark:], final=False)
        if len(head) < CHUNK_BYTES:
            text += self._decode(b"", final=True)
        prolog_end(text[:MAX_PROLOG])
        self._head = text.lstrip()
        self._lines_before = text.count("\n", 0, len(text) - len(self._head))

    def line_of(self, element: etree._Element) -> int:
        """The line of the file on which the element begins."""
        line: Any = element.sourceline  # the stubs know no number
        return int(line or 0) + self._lines_before

    def __iter__(self) -> Iterator[tuple[str, etree._Element]]:
        """("start" or "end", element), in the order of the file."""
        parser = etree.XMLPullParser(
            events=("start", "end"), tag=self._names, encoding="utf-8", resolve_entities=False, no_network=True,
            load_dtd=False, dtd_validation=False, huge_tree=False, remove_comments=True, remove_pis=True, recover=True,
        )  # fmt: skip
        silence = 0
        for piece in self._pieces():
            parser.feed(piece.encode("utf-8"))
            self._judge(parser)
            silence += len(piece)
            for event, element in parser.read_events():
                assert isinstance(element, etree._Element)
                silence = 0
                yield event, element
            if silence > MAX_SILENCE:
                raise FileRefused(Message("xml-large", most=f"{MAX_SILENCE:,}"))
        self.root = parser.close()
        self._judge(parser)

    def _judge(self, parser: etree.XMLPullParser) -> None:
        """FileRefused if the text is not well-formed.

        The parser goes on after faults, because those of namespaces do not matter: banks forget to declare `xsi`.
        """
        noted: Any = parser.feed_error_log
        for fault in noted:
            if fault.level_name == "FATAL":
                raise FileRefused(
                    Message(
                        "file-line",
                        line=str(fault.line + self._lines_before),
                        what=Message("xml-broken", error=fault.message),
                    )
                )
        if len(noted) >= MAX_FAULTS:
            raise FileRefused(
                Message(
                    "file-line",
                    line=str(noted[-1].line + self._lines_before),
                    what=Message("xml-namespaces", count=MAX_FAULTS),
                )
            )

    def _pieces(self) -> Iterator[str]:
        """The text of the file, about CHUNK_BYTES at a time."""
        text, self._head = self._head, ""
        while text:
            yield text
            text = self._next()

    def _next(self) -> str:
        while block := self._stream.read(CHUNK_BYTES):
            if text := self._decode(block, final=False):
                return text
        return self._decode(b"", final=True)

    def _decode(self, block: bytes, *, final: bool) -> str:
        try:
            return self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            if self._codec == "utf-8" and self.guess is None:
                return self._decode(self._in_code_page(block), final=final)
            raise FileRefused(Message("xml-encoding-false", encoding=self._codec, error=error.reason)) from None

    def _in_code_page(self, block: bytes) -> bytes:
        """From `block` on the file is read in a code page, but for letters in UTF-8 if there are such as well.

        Banks write so that convert files carelessly. What is to be decoded next comes back.
        """
        waiting = self._decoder.getstate()[0] + block
        page = code_page_of(waiting)
        mixed = _LETTER_IN_UTF_8.search(waiting) is not None
        self._decoder = (
            codecs.getincrementaldecoder("utf-8")(errors_in(page)) if mixed else codecs.getincrementaldecoder(page)()
        )
        self.guess = Message("xml-mixed", encoding=page)
        return waiting
