"""Which seeds were used for what. Nothing that changes the engine may look at a world of the held-out range."""

from __future__ import annotations

from typing import Final

TRAINING: Final = range(10)
"""Weights of paymatch, and thresholds and models of the others, are chosen on these."""
READ: Final = range(20_000, 20_100)
"""Mistakes on these are read one by one."""
HELD_OUT: Final = range(70_000, 71_000)
"""For published figures only: no weight was ever chosen on one of these, and no mistake was read."""


class HeldOut(ValueError):
    """A command that would let somebody learn from a held-out world was refused."""


def for_choosing(seeds: list[int]) -> list[int]:
    """The seeds, if weights may be chosen or mistakes be read on all of them; else HeldOut."""
    found = [seed for seed in seeds if seed in HELD_OUT]
    if found:
        raise HeldOut(f"seed {found[0]} is held out: mistakes on it are not shown and nothing is chosen on it")
    return seeds
