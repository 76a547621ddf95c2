"""How long a run is: a representative part of what repeats itself, or all of it (`make long` and `make soak`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TypeVar

Case = TypeVar("Case")
LONG: Final = os.environ.get("HYPOTHESIS_PROFILE") in {"long", "soak"}
"""Whether this run is at full length."""


def times(few: int, many: int) -> int:
    """How often something is tried: `few` times each time, `many` times at full length."""
    return many if LONG else few


def some(cases: Sequence[Case], count: int) -> list[Case]:
    """So many of the cases, the first, the last and others evenly between them, always the same; all at full length."""
    if LONG or len(cases) <= count:
        return list(cases)
    return [cases[place * (len(cases) - 1) // max(count - 1, 1)] for place in range(count)]


def share(cases: Sequence[Case], place: int, parts: int) -> list[Case]:
    """The part of this place, where so many places have all cases between them; at full length all."""
    return list(cases) if LONG else list(cases[place % parts :: parts])
