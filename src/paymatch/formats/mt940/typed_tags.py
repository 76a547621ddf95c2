"""Fields of MT940 that a payer typed into a text which the bank wraps at that place (D-80)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from paymatch.formats.mt940.lines import EndOfFile, Mt940Field

_Item = TypeVar("_Item")
_ENTRIES: Final = frozenset({"61", "86", "90C", "90D"})
"""Fields that may follow the text of an entry."""
_CLOSING: Final = frozenset({"62F", "62M"})
_BEHIND_CLOSING: Final = frozenset({"", "20", "25", "25P", "64", "65", "86", "940", "942"})
_BEHIND_REFERENCE: Final = frozenset({"21", "25", "25P"})


def with_following(items: Iterable[_Item]) -> Iterator[tuple[_Item, _Item | None]]:
    """Each item with the one behind it; None behind the last."""
    rest = iter(items)
    for first in rest:
        before = first
        for item in rest:
            yield before, item
            before = item
        yield before, None


def is_typed(field: Mt940Field, following: Mt940Field | EndOfFile | None) -> bool:
    """Whether a field that begins behind a full line of an entry's text is text, too.

    Entries, their texts and sums are left to the balances. A bank ends a statement with its closing balance, and begins
    one with :20: and the account; nothing else of a statement's frame follows the text of an entry.
    """
    if field.tag in _ENTRIES:
        return False
    if isinstance(following, Mt940Field) and following.may_be_typed:
        return True
    tag = following.tag if isinstance(following, Mt940Field) else ""
    if field.tag in _CLOSING:
        return tag not in _BEHIND_CLOSING
    return field.tag != "20" or tag not in _BEHIND_REFERENCE


def as_text(field: Mt940Field) -> Mt940Field:
    """The field as lines of the text that it belongs to."""
    return replace(field, tag="86", lines=(f":{field.tag}:{field.lines[0]}", *field.lines[1:]))
