"""Scopes of an API key (D-37)."""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum
from typing import Final


class KeyScope(StrEnum):
    """A right that a key has or has not."""

    READ = "read"  # every GET
    ORDERS = "orders"  # submit and change orders; reads too
    REFUNDS = "refunds"  # file and cancel refunds; reads too
    STATEMENTS = "statements"  # upload bank statements, ask what became of them, and nothing else
    COLLECTION = "collection"  # reports of a collection agency, and nothing else (D-54)


READ_WRITE: Final = "read-write"
"""The name of orders and refunds together, as keys had it before there were scopes."""

_READERS: Final = frozenset({KeyScope.READ, KeyScope.ORDERS, KeyScope.REFUNDS})
_WRITERS: Final = frozenset({KeyScope.ORDERS, KeyScope.REFUNDS})


def parse_scopes(text: str) -> frozenset[KeyScope]:
    """Scopes from their names, separated by commas; ValueError for an unknown name, or none."""
    found: set[KeyScope] = set()
    for name in text.split(","):
        found |= _WRITERS if name.strip() == READ_WRITE else {KeyScope(name.strip())}
    return frozenset(found)


def scopes_text(scopes: Set[KeyScope]) -> str:
    """The scopes as people write them, the same text for the same scopes."""
    names = [READ_WRITE] if scopes >= _WRITERS else []
    names += [str(each) for each in KeyScope if each in scopes and not (names and each in _WRITERS)]
    return ",".join(names)


def allows(scopes: Set[KeyScope], needed: KeyScope, *, sandbox: bool) -> bool:
    """Whether a key of these scopes may do what needs `needed`.

    In a sandbox shop no money moves: a key that writes orders uploads statements as well.
    """
    if needed is KeyScope.READ:
        return not _READERS.isdisjoint(scopes)
    if needed is KeyScope.STATEMENTS and sandbox and not _WRITERS.isdisjoint(scopes):
        return True
    return needed in scopes


def only_reads(scopes: Set[KeyScope]) -> bool:
    """True for a key that changes nothing."""
    return scopes == {KeyScope.READ}
