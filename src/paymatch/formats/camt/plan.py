"""Plans: which elements below an element say what, in all versions of a message; read in one walk over the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from lxml import etree

from paymatch.domain.witnesses import BankWord

_LAST: Final = 99

Paths = str | tuple[str, ...]
"""Possible places of a field (`Refs/EndToEndId`, `Amt/@Ccy`), the best first."""
Texts = dict[str, str]
"""By field the text, stripped; "" where there is none."""
BankField = Literal[
    "Dbtr account", "Cdtr account", "payment information", "return reason", "proprietary", "rate",
    "instructed currency",
]  # fmt: skip
"""Fields that state money, and that no payer writes to (D-80)."""
Groups = dict[str, list[etree._Element]]
"""By group its elements, in the order of the file; without an entry where there are none."""


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """The name of an element without its namespace."""
    return tag.rpartition("}")[2]


@dataclass(slots=True)
class _Step:
    """What an element means, by its place: fields with the rank of this path among theirs, groups, further steps."""

    texts: list[tuple[str, int]] = field(default_factory=list)
    attributes: list[tuple[str, str, int]] = field(default_factory=list)  # of the file, field, rank
    groups: list[str] = field(default_factory=list)
    steps: dict[str, _Step] = field(default_factory=dict)


def bank_word(texts: Texts, name: BankField) -> BankWord:
    """A text of the bank: mypy refuses a field that a payer may write to."""
    return BankWord(texts[name])


class ElementPlan:
    """Places of fields and groups below an element, by paths of local names.

    A field is the first text of the first path that has one; a group is all elements at any of its paths.
    """

    def __init__(self, texts: Mapping[str, Paths], groups: Mapping[str, Paths] | None = None) -> None:
        self._nothing: Texts = dict.fromkeys(texts, "")
        self._root = _Step()
        for name, paths in texts.items():
            for rank, path in enumerate((paths,) if isinstance(paths, str) else paths):
                place, _, attribute = path.partition("/@")
                step = self._step(place)
                if attribute:
                    step.attributes.append((attribute, name, rank))
                else:
                    step.texts.append((name, rank))
        for name, paths in (groups or {}).items():
            for path in (paths,) if isinstance(paths, str) else paths:
                self._step(path).groups.append(name)

    def _step(self, path: str) -> _Step:
        step = self._root
        for name in path.split("/"):
            step = step.steps.setdefault(name, _Step())
        return step

    def read(self, element: etree._Element) -> tuple[Texts, Groups]:
        """What the element says."""
        texts, groups = self._nothing.copy(), Groups()
        _walk(element, self._root.steps, texts, {}, groups)
        return texts, groups


def _walk(
    element: etree._Element, steps: dict[str, _Step], texts: Texts, ranks: dict[str, int], groups: Groups
) -> None:
    for child in element:
        step = steps.get(local_name(child.tag))
        if step is None:
            continue
        if step.texts and (text := child.text) and not len(child) and (text := text.strip()):
            for name, rank in step.texts:
                if rank < ranks.get(name, _LAST):
                    texts[name], ranks[name] = text, rank
        for attribute, name, rank in step.attributes:
            if rank < ranks.get(name, _LAST) and (text := child.get(attribute)):
                texts[name], ranks[name] = text, rank
        for name in step.groups:
            groups.setdefault(name, []).append(child)
        if step.steps:
            _walk(child, step.steps, texts, ranks, groups)
