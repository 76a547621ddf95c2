"""References of entries that a bank has changed: known entries keep theirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple


class ReferencedEntry(NamedTuple):
    """A booked entry: the bank's reference for it, and the rest of its content. "": the bank gave none."""

    reference: str
    content: Hashable


def booked_references(booked: Mapping[str, Hashable], read: Sequence[ReferencedEntry]) -> list[str]:
    """For each entry of a complete read, the reference under which it is booked, or its own if it is new.

    `booked` are the entries of the same days that earlier reads have shown. A new reference replaces one that has
    vanished if the entries have the same content. While the old one is still there, they are two payments.
    """
    present = {entry.reference for entry in read}
    vanished: dict[Hashable, list[str]] = defaultdict(list)
    for reference in sorted(booked.keys() - present, reverse=True):
        vanished[booked[reference]].append(reference)
    return [
        vanished[entry.content].pop()
        if entry.reference and entry.reference not in booked and vanished.get(entry.content)
        else entry.reference
        for entry in read
    ]
