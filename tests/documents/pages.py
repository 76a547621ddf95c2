"""The commands, requests and files in the documents, in the order of each page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*(ROOT / "docs").glob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "client/README.md"))]
)
_SETTING = re.compile(r"[A-Z][A-Z0-9_]*=\S")
_CALL = re.compile(r"(?:GET|POST|PUT|DELETE)\s+/")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=\S*")
_NAMED_FILE = re.compile(r"`([\w.-]+\.\w+)`:$")
_IN_A_SENTENCE = re.compile(r"(?:paymatch |(?:GET|POST) /api/v2/)\S")


class Kind(StrEnum):
    """What a piece of a page is."""

    COMMAND = "a command for a shell"
    CALL = "a call of the API"
    REQUEST = "a whole HTTP request"
    SETTINGS = "environment variables"
    OUTPUT = "what the command or call before it prints"
    FILE = "the contents of a file that the sentence before it names"
    LISTING = "files or folders, each with what it is"
    CODE = "a text in another language"


@dataclass(frozen=True)
class Piece:
    """A piece of a page. `language` of a fence, or the name of a FILE; `inline`: it is part of a sentence."""

    page: str
    line: int
    kind: Kind
    text: str
    language: str = ""
    inline: bool = False

    @property
    def words(self) -> list[str]:
        """The words of a command, without what is assigned before its name."""
        words = shlex.split(self.text, comments=True)
        while words and _ASSIGNED.fullmatch(words[0]):
            words.pop(0)
        return words


def pieces(path: Path) -> Iterator[Piece]:
    """Everything on the page that a reader would type, send, or compare with what is seen."""
    page = f"client/{path.name}" if path.parent.name == "client" else path.name
    before = ""
    for token in MarkdownIt("commonmark").parse(path.read_text("utf-8")):
        line = token.map[0] + 1 if token.map else 0
        if token.type in ("fence", "code_block"):
            yield from _of_block(page, line, token.info.strip(), token.content, before)
            before = ""
        elif token.type == "inline":
            before = token.content
            for child in token.children or ():
                text = " ".join(child.content.split()).removeprefix(".venv/bin/")
                if child.type == "code_inline" and _IN_A_SENTENCE.match(text):
                    kind = Kind.COMMAND if text.startswith("paymatch ") else Kind.CALL
                    yield Piece(page, line, kind, text, inline=True)


def _of_block(page: str, line: int, language: str, text: str, before: str) -> Iterator[Piece]:
    named = _NAMED_FILE.search(before)
    if named:
        yield Piece(page, line, Kind.FILE, text, named[1])
    elif language not in ("", "sh"):
        yield Piece(page, line, Kind.CODE, text, language)
    elif text.startswith(("{", "[", "FAILED ")):
        yield Piece(page, line, Kind.OUTPUT, text)
    elif " HTTP/1.1\n" in text:
        yield Piece(page, line, Kind.REQUEST, text)
    elif text.split(maxsplit=1)[0].endswith("/"):
        yield Piece(page, line, Kind.LISTING, text)
    else:
        for at, each in _typed(text):
            yield Piece(page, line + at, _kind(each), each)


def _kind(text: str) -> Kind:
    if _CALL.match(text):
        return Kind.CALL
    if text.startswith(("{", "[")):
        return Kind.OUTPUT
    words = shlex.split(text, comments=True)
    return Kind.SETTINGS if all(_SETTING.match(word) for word in words) else Kind.COMMAND


def _typed(text: str) -> Iterator[tuple[int, str]]:
    """Commands of a block with the line on which each begins: lines go on behind a backslash or within quotes."""
    held: list[str] = []
    for at, line in enumerate(text.splitlines()):
        if not held and (not line.strip() or line.lstrip().startswith("#")):
            continue
        held.append(line)
        whole = "\n".join(held)
        if not line.endswith("\\") and _is_closed(whole):
            yield at - len(held) + 1, whole.strip()
            held = []
    assert not held, f"no end: {held}"


def _is_closed(text: str) -> bool:
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return True
