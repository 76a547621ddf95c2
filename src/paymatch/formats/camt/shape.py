"""The shape of an entry: which elements it has, and at which place its texts stand.

The entries of one bank differ in their texts, hardly ever in their elements. So the tags of an entry, taken as one
tuple, are the key to a plan that was made once (`camt_plan`); the texts are then picked by their places. Reading an
entry costs a few operations on lists instead of some hundred on a tree.

The parser that judges the file may lag behind what is read here (an open quotation mark makes it wait for its end), so
nothing here relies on well-formed text; what is made of broken text is void, as the file is refused in the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from paymatch.formats.statement import FileRefused

MAX_DEPTH: Final = 64
MAX_ELEMENTS: Final = 4_000
"""Of one entry without its details, and of one detail."""

_TAG: Final = re.compile(r"(<(?:[^\"'<>]|\"[^\"]*\"|'[^']*')*>)")
_CURRENCY: Final = re.compile(r"\sCcy\s*=\s*[\"']([^\"']*)[\"']")
_REFERENCE: Final = re.compile(r"&(#x[0-9A-Fa-f]+|#[0-9]+|amp|lt|gt|quot|apos);")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Node:
    """An element of a shape: its local name, the place of its text, its children."""

    __slots__ = ("children", "currency", "name", "place")

    def __init__(self, name: str, place: int, currency: str) -> None:
        self.name = name
        self.place = place
        self.currency = currency
        self.children: list[Node] = []

    def all(self, path: str) -> Iterator[Node]:
        """The elements at `path` (`Refs/EndToEndId`), in order."""
        name, _, rest = path.partition("/")
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(rest)
                else:
                    yield child

    def first(self, *paths: str) -> Node | None:
        """The first element at the first path that has one."""
        for path in paths:
            for node in self.all(path):
                return node
        return None

    def at(self, *paths: str) -> int:
        """Place of the text of the first leaf at the first path that has one; -1 (an empty text) if there is none."""
        for path in paths:
            for node in self.all(path):
                if not node.children:
                    return node.place
        return -1

    def places(self, *paths: str) -> list[int]:
        """Places of the texts of all leaves at the first path that has any."""
        for path in paths:
            if found := [node.place for node in self.all(path) if not node.children]:
                return found
        return []


def split_markup(text: str) -> tuple[list[str], list[str]]:
    """Tags (without angle brackets) and the text behind each, of well-formed text that begins with a tag."""
    if text.count("<") != text.count(">"):
        text = _with_stray_brackets_escaped(text)
    parts = text.replace(">", "<").split("<")
    return parts[1::2], parts[2::2]


def _with_stray_brackets_escaped(text: str) -> str:
    """A `>` may stand as it is in texts and attributes; left there, a payment's text could pass for elements."""
    parts = _TAG.split(text)
    for index, part in enumerate(parts):
        parts[index] = f"<{part[1:-1].replace('>', '&gt;')}>" if index % 2 else part.replace(">", "&gt;")
    return "".join(parts)


def local_name(tag: str) -> str:
    """Name of a start, end or empty tag without its prefix and attributes."""
    words = tag.strip("/").split(None, 1)
    return words[0].rpartition(":")[2] if words else ""


def plain_tags(tags: list[str], texts: list[str]) -> tuple[list[str], list[str]]:
    """The same elements with tags in their shortest form: `p:TxDtls ` as `TxDtls`, `Nm/` as `Nm`, `/Nm`."""
    out_tags: list[str] = []
    out_texts: list[str] = []
    for tag, text in zip(tags, texts, strict=False):
        name = local_name(tag)
        if tag.startswith("/"):
            name = f"/{name}"
        elif currency := _CURRENCY.search(tag):
            name = f'{name} Ccy="{currency[1]}"'
        out_tags.append(name)
        if tag.endswith("/"):
            out_tags.append(f"/{local_name(tag)}")
            out_texts.append("")
        out_texts.append(text)
    return out_tags, out_texts


def tree_of(tags: tuple[str, ...], place: str) -> Node:
    """The elements of these tags, under a root without name; FileRefused if they are too many or too deep."""
    if len(tags) > 2 * MAX_ELEMENTS:
        raise FileRefused(f"{place}: more than {MAX_ELEMENTS:,} elements")
    root = Node("", -1, "")
    open_nodes = [root]
    for index, tag in enumerate(tags):
        if tag.startswith("/"):
            open_nodes.pop()
            if not open_nodes:
                raise FileRefused(f"{place}: the elements are not nested as they should be")
            continue
        currency = _CURRENCY.search(tag)
        node = Node(local_name(tag), index, currency[1] if currency else "")
        open_nodes[-1].children.append(node)
        if not tag.endswith("/"):
            open_nodes.append(node)
            if len(open_nodes) > MAX_DEPTH:
                raise FileRefused(f"{place}: elements are nested more than {MAX_DEPTH} deep")
        else:
            node.place = -1
    if len(open_nodes) != 1:
        raise FileRefused(f"{place}: the elements are not nested as they should be")
    return root


def resolved(text: str) -> str:
    """`text` with its character references replaced."""
    return _REFERENCE.sub(lambda found: _character(found[1]), text)


def _character(reference: str) -> str:
    if reference[0] != "#":
        return _NAMED[reference]
    try:
        return chr(int(reference[2:], 16) if reference[1] == "x" else int(reference[1:]))
    except (ValueError, OverflowError):
        return "\ufffd"  # no character; the parser refuses the file at its end at the latest
