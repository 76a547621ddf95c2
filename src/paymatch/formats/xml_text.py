"""The text of an XML file in pieces: decoded once, DOCTYPE refused, comments dropped; libxml2 judges if it is XML."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from lxml import etree

from paymatch.formats.statement import FileRefused
from paymatch.formats.text_decoding import code_page_of, errors_in

CHUNK_BYTES: Final = 1 << 18
MAX_PROLOG: Final = 1 << 16
MAX_COMMENT: Final = 1 << 20

_ENCODINGS: Final = re.compile(r"utf-8|ascii|iso8859-\d{1,2}|cp125\d|cp850|cp437|koi8-[ru]|mac-roman")
_DECLARED: Final = re.compile(rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_PROLOG_PART: Final = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_MARKUP: Final = re.compile(r"<[!?]")
_ROOT: Final = re.compile(r"<[^\W\d][\w.\-]*(?::[\w.\-]+)?[\s/>]")
_CDATA: Final = "<![CDATA["
_LETTER_IN_UTF_8: Final = re.compile(rb"[\xc3-\xc5][\x80-\xbf]")  # such pairs make no sense in a code page
_WESTERN: Final = frozenset({"iso8859-1", "iso8859-15", "cp1252"})


class NotXml(FileRefused):
    """The bytes are not the beginning of an XML file."""


def encoding_of(head: bytes) -> tuple[str, int]:
    """Python codec of an XML file and the length of its byte order mark, from the file's first bytes.

    A file that declares UTF-16 but is written in bytes (a well-known fault of exports) is read as UTF-8, as it must
    be. FileRefused for encodings in which a DOCTYPE could hide (UTF-7, UTF-32, EBCDIC).
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise FileRefused("line 1: the encoding UTF-32 is not accepted")
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
        raise FileRefused(f"line 1: the encoding {name} is unknown") from None
    if codec.startswith("utf-16") or codec == "ascii":
        return "utf-8", 0
    if not _ENCODINGS.fullmatch(codec):
        raise FileRefused(f"line 1: the encoding {name} is not accepted")
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
        raise FileRefused(f"line {text.count(chr(10), 0, at) + 1}: {kind[0]} is not allowed in a bank file")
    if not _ROOT.match(text, at):
        raise NotXml("line 1: no XML element begins here")
    return at


class _Judge:
    """Target of the parser that only judges: it builds nothing, and refuses what we do not take."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """FileRefused: the second wall behind `prolog_end`."""
        raise FileRefused("<!DOCTYPE is not allowed in a bank file")

    def close(self) -> None:
        """Nothing was built."""


def _judging_parser() -> etree.XMLParser:
    return etree.XMLParser(
        target=_Judge(),  # type: ignore[arg-type]  # a method that is not there is an event that costs nothing
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        recover=False,
    )


class XmlText:
    """Iterates over the text of an XML file from its root element on, without comments, instructions and CDATA marks.

    libxml2 judges each piece before it is handed out, and may ask for more before it condemns one; only the end of the
    iteration says that all of the file is well-formed.
    `first_line` is the line on which the root element begins; `guess` says in words in which encoding the letters are
    read if it is not the one that the file claims. FileRefused names the line and the reason.
    """

    def __init__(self, stream: BinaryIO) -> None:
        head = stream.read(CHUNK_BYTES)
        codec, mark = encoding_of(head)
        self.guess = ""
        if codec in _WESTERN and _is_utf8(head):
            self.guess = f"the file claims the encoding {codec}, but is written in utf-8, in which it was read"
            codec = "utf-8"
        self._stream = stream
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(codec)()
        text = self._decoded(head[mark:], final=False)
        if len(head) < CHUNK_BYTES:
            text += self._decoded(b"", final=True)
        root = prolog_end(text[:MAX_PROLOG])
        self.first_line = text.count("\n", 0, root) + 1
        self._prolog = text[:root].lstrip()
        self._lines_before = text[:root].count("\n") - self._prolog.count("\n")
        self._text = text[root:]
        self._held = ""

    def __iter__(self) -> Iterator[str]:
        """The pieces, each about CHUNK_BYTES long."""
        parser = _judging_parser()
        try:
            text = self._text
            self._text = ""
            parser.feed((self._prolog + text).encode("utf-8"))
            while text:
                if clean := self._cleaned(text):
                    yield clean
                if text := self._next():
                    parser.feed(text.encode("utf-8"))
            parser.close()
        except etree.XMLSyntaxError as error:
            raise FileRefused(_reason(error, self._lines_before)) from None
        if self._held:
            raise FileRefused("end of file: the file is cut off inside a comment")

    def _next(self) -> str:
        while block := self._stream.read(CHUNK_BYTES):
            if text := self._decoded(block, final=False):
                return text
        return self._decoded(b"", final=True)

    def _decoded(self, block: bytes, *, final: bool) -> str:
        try:
            return self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            if self._codec == "utf-8" and not self.guess:
                return self._decoded(self._in_code_page(block), final=final)
            raise FileRefused(
                f"the file is not written in the encoding {self._codec} that it claims: {error.reason}"
            ) from None

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
        self.guess = f"the file claims the encoding utf-8, but has letters in {page}, in which they were read"
        return waiting

    def _cleaned(self, text: str) -> str:
        """`text` without comments and instructions, CDATA as ordinary text; an unfinished one waits for its rest."""
        # Looking for one character is several times as fast as looking for two.
        if (
            not self._held
            and text[-1] != "<"
            and not ("!" in text and "<!" in text)
            and not ("?" in text and "<?" in text)
        ):
            return text
        text = self._held + text
        self._held = ""
        out: list[str] = []
        at = 0
        while found := _MARKUP.search(text, at):
            out.append(text[at : found.start()])
            end = _end_of_markup(text, found.start())
            if end < 0:
                self._hold(text[found.start() :])
                return "".join(out)
            out.append(_instead_of(text[found.start() : end]))
            at = end
        rest = text[at:]
        if rest.endswith("<"):
            self._hold("<")
            rest = rest[:-1]
        return "".join((*out, rest))

    def _hold(self, text: str) -> None:
        if len(text) > MAX_COMMENT:
            raise FileRefused("a comment of more than a million characters is not accepted")
        self._held = text


def _end_of_markup(text: str, at: int) -> int:
    if text.startswith("<?", at):
        close, offset = "?>", 2
    elif text.startswith(_CDATA, at):
        close, offset = "]]>", len(_CDATA)
    elif text.startswith("<!--", at):
        close, offset = "-->", 4
    else:
        return -1  # cut off within "<![CDATA[" or "<!--"; the parser has refused everything else
    end = text.find(close, at + offset)
    return end + len(close) if end >= 0 else -1


def _instead_of(markup: str) -> str:
    if not markup.startswith(_CDATA):
        return "\n" * markup.count("\n")
    return markup[len(_CDATA) : -3].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _reason(error: etree.XMLSyntaxError, lines_before: int) -> str:
    message = str(error.msg).partition(", line ")[0]
    line = error.position[0]
    return f"line {line + lines_before}: the XML is broken: {message}" if line else f"the XML is broken: {message}"
