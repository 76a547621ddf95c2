"""Entry templates: an expression made of the tags of entries that came often, so that the next one is read at once.

A template fits an entry only if all its tags, attributes and white space between tags are those of the entries that it
was made of, and no text holds a bracket, is indented or too long; whatever fits none is read in the ordinary way
(`entry.py`). What both make of an entry is the same; a test compares them. The templates of a file share one
expression, a tree that branches where their tags differ, and no part of it is tried twice (possessive quantifiers).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from paymatch.formats.camt.plan import DetailPlan, EntryPlan
from paymatch.formats.camt.shape import Node, tree_of

MAX_TEMPLATES: Final = 48
MAX_COUNTED: Final = 2_000
RIPE_AFTER: Final = 4
FIRST_WAIT: Final = 50
"""Entries of ripe shapes read in the ordinary way before an expression is made; twice as many before each next one."""
MAX_TAGS: Final = 400
MAX_DETAILS: Final = 4
MAX_MATCH: Final = 20_000

_TEXT: Final = r"(?!\s)([^<>]*+)(?<!\s)"
_LINE: Final = r"([^<>\n\r]*+)"
_BLANK: Final = r"[ \t\r\n]*+"


class EntryTemplate:
    """One shape of entries: its pieces of expression, and plans whose places are the order of its texts."""

    __slots__ = ("details", "entry", "groups", "pieces")

    def __init__(self, tags: tuple[str, ...], texts: list[str]) -> None:
        root = tree_of(tags, "Ntry").children[0]
        leaves = {node.place: node for node in _leaves(root) if node.place >= 0}
        details = list(_details(root))
        lines = {node.place for detail in details for node in detail.all("RmtInf/Ustrd")}
        between = _BLANK if any(text.isspace() for text in texts) else ""
        self.pieces: list[str] = []
        for index, tag in enumerate(tags):
            text = (_LINE if index in lines else _TEXT) if index in leaves else between
            self.pieces.append(re.escape(f"<{tag}>") + (text if index < len(tags) - 1 else ""))
        for order, place in enumerate(sorted(leaves)):
            leaves[place].place = order
        self.entry = EntryPlan(root)
        self.details = [DetailPlan(node) for node in details]
        self.groups: tuple[int, ...] = ()
        """Groups of its texts in the expression, set when the expression is made."""


Found = tuple[EntryTemplate, re.Match[str]]


class EntryTemplates:
    """The templates of one file."""

    def __init__(self) -> None:
        self._expression: re.Pattern[str] | None = None
        self._by_last_group: dict[int, EntryTemplate] = {}
        self._met: dict[tuple[str, ...], int] = {}
        self._ripe: dict[tuple[str, ...], list[str]] = {}
        self._late = 0
        self._wait = FIRST_WAIT

    def find(self, text: str, at: int) -> Found | None:
        """The template that fits the entry at `at` of `text`, and the match; None if none fits."""
        if self._expression is None:
            return None
        match = self._expression.match(text, at)
        if match is None or match.end() - at > MAX_MATCH:
            return None
        assert match.lastindex is not None
        return self._by_last_group[match.lastindex], match

    def learn(self, tags: list[str], texts: list[str], details: int) -> None:
        """Counts an entry that fitted no template; makes templates of the shapes that came often."""
        if details > MAX_DETAILS or len(tags) > MAX_TAGS:
            return
        key = tuple(tags)
        if len(self._met) >= MAX_COUNTED:
            self._met.clear()
        self._met[key] = met = self._met.get(key, 0) + 1
        if met < RIPE_AFTER:
            return
        if key not in self._ripe:
            if len(self._ripe) >= MAX_TEMPLATES:
                return
            self._ripe[key] = texts
        self._late += 1
        if self._late >= self._wait:
            self._late = 0
            self._wait *= 2
            self._make()

    def _make(self) -> None:
        """Makes the expression anew; the shapes that came first, as a rule the most frequent, are tried first."""
        tree = _Branches()
        templates = [EntryTemplate(tags, texts) for tags, texts in self._ripe.items()]
        for template in templates:
            tree.add(template)
        self._by_last_group = {}
        self._expression = re.compile(tree.expression([], self._by_last_group, _Counter()))


class _Counter:
    """Number of the last group that was opened."""

    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last


class _Branches:
    """The pieces that may follow at one point of the tree; a template where one ends."""

    def __init__(self) -> None:
        self._next: dict[str, _Branches] = {}
        self._template: EntryTemplate | None = None

    def add(self, template: EntryTemplate) -> None:
        """Grows the tree by the pieces of a template."""
        branches = self
        for piece in template.pieces:
            branches = branches._next.setdefault(piece, _Branches())
        branches._template = template

    def expression(self, groups: list[int], by_last_group: dict[int, EntryTemplate], counter: _Counter) -> str:
        """Expression from here on. An empty group behind each template tells which it was: it is the last to match."""
        parts: list[str] = []
        branches, groups = self, groups[:]
        while len(branches._next) == 1:
            ((piece, branches),) = branches._next.items()
            parts.append(_counted(piece, groups, counter))
        if branches._template:
            branches._template.groups = tuple(groups)
            by_last_group[counter.next()] = branches._template
            return "".join((*parts, "()"))
        alternatives = []
        for piece, following in branches._next.items():
            own = groups[:]
            first = _counted(piece, own, counter)
            alternatives.append(first + following.expression(own, by_last_group, counter))
        return "".join((*parts, "(?:", "|".join(alternatives), ")"))


def _counted(piece: str, groups: list[int], counter: _Counter) -> str:
    if piece.endswith((_TEXT, _LINE)):
        groups.append(counter.next())
    return piece


def _details(root: Node) -> Iterator[Node]:
    """The details of an entry: in NtryDtls, or in the entry itself (version .01)."""
    for child in root.children:
        if child.name == "TxDtls":
            yield child
        else:
            yield from _details(child)


def _leaves(root: Node) -> list[Node]:
    if not root.children:
        return [root]
    return [leaf for child in root.children for leaf in _leaves(child)]
