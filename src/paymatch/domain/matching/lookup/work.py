"""How much work one posting may cause: counted in steps, so that the same posting always comes to the same decision.

Whoever knows a shop's orders, or writes them, can write a text that names very many of them. Such a posting is left to
a person, as is one that a clerk would not go through either; the postings beside it are decided.
"""

from __future__ import annotations

from typing import Final

from paymatch.domain.words.said import Said

LIMIT: Final = 250_000
"""Steps: a key looked up, a pair of orders compared or a subset added up is one. About half a second at most; of the
postings of all our worlds none needs a tenth of it."""
WEIGHING: Final = 50
"""Steps of weighing one order."""
MAX_FOUND: Final = LIMIT // WEIGHING
"""A posting that finds more orders than this goes beyond the limit before it looks at any of them."""

TOO_MUCH: Final = Said("too-much-work")


class TooMuchWork(Exception):
    """The posting cannot be decided within the limit."""


class Work:
    """The steps that a posting has taken."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def add(self, steps: int) -> None:
        """Counts steps that are about to be taken; TooMuchWork if they go beyond the limit."""
        self.steps += steps
        if self.steps > LIMIT:
            raise TooMuchWork
