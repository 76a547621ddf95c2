"""Counts of things in readable words."""

from __future__ import annotations


def count_of(number: int, one: str, many: str = "") -> str:
    """`1 shop`, `2 shops`; `many` where the plural is not the singular with an s: `1 entry`, `2 entries`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
