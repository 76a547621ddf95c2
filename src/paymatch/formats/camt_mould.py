"""Moulds: a regular expression made of the tags of entries that came often, so that the next one is read at once.

A mould matches an entry only if all its tags, attributes and white space between tags are those of the entries that it
was made of, and no text holds a bracket, is indented or too long; whatever does not match is read in the ordinary way
(`camt_entry`). What both make of an entry is the same; a test compares them.
"""

from __future__ import annotations

import re
from typing import Final

from paymatch.formats.camt_plan import DetailPlan, EntryPlan
from paymatch.formats.camt_shape import Node, tree_of

MAX_MOULDS: Final = 6
MAX_MADE: Final = 40
"""Per file: making one costs as much as reading some fifty entries."""
MAX_COUNTED: Final = 2_000
MADE_AFTER: Final = 4
MAX_TAGS: Final = 400
MAX_DETAILS: Final = 4
MAX_MATCH: Final = 20_000

_TEXT: Final = r"(?!\s)([^<>]*)(?<!\s)"
_LINE: Final = r"([^<>\n\r]*)"


class Mould:
    """Expression and plans of one shape of entries; the places of the plans are groups of the expression."""

    __slots__ = ("details", "entry", "match")

    def __init__(self, tags: list[str], texts: list[str]) -> None:
        root = tree_of(tuple(tags), "Ntry").children[0]
        leaves = {node.place: node for node in _leaves(root) if node.place >= 0}
        lines = {node.place for node in root.all("NtryDtls/TxDtls/RmtInf/Ustrd")}
        between = r"[ \t\r\n]*" if any(text.isspace() for text in texts) else ""
        parts: list[str] = []
        for index, tag in enumerate(tags):
            parts.append(re.escape(f"<{tag}>"))
            if index in leaves:
                parts.append(_LINE if index in lines else _TEXT)
            elif index < len(tags) - 1:
                parts.append(between)
        self.match = re.compile("".join(parts)).match
        for group, place in enumerate(sorted(leaves)):
            leaves[place].place = group
        self.entry = EntryPlan(root)
        self.details = [DetailPlan(node) for node in root.all("NtryDtls/TxDtls")]


Found = tuple[Mould, re.Match[str]]


class Moulds:
    """The moulds of one file, those that match most in front."""

    def __init__(self) -> None:
        self._moulds: list[Mould] = []
        self._made = 0
        self._met: dict[tuple[str, ...], int] = {}

    def find(self, text: str, at: int) -> Found | None:
        """The mould that matches the entry at `at` of `text`, and the match; None if there is none."""
        for index, mould in enumerate(self._moulds):
            if found := mould.match(text, at):
                if found.end() - at > MAX_MATCH:
                    return None
                if index:
                    self._moulds.insert(index - 1, self._moulds.pop(index))
                return mould, found
        return None

    def learn(self, tags: list[str], texts: list[str], details: int) -> None:
        """Counts an entry that no mould matched; makes a mould of its shape once it came several times."""
        if details > MAX_DETAILS or len(tags) > MAX_TAGS or self._made >= MAX_MADE:
            return
        key = tuple(tags)
        if len(self._met) >= MAX_COUNTED:
            self._met.clear()
        self._met[key] = met = self._met.get(key, 0) + 1
        if met != MADE_AFTER:
            return
        self._made += 1
        del self._moulds[MAX_MOULDS - 1 :]
        self._moulds.append(Mould(tags, texts))


def _leaves(root: Node) -> list[Node]:
    if not root.children:
        return [root]
    return [leaf for child in root.children for leaf in _leaves(child)]
