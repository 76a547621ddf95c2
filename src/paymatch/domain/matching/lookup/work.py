"""How much work a posting, and a batch of them, may cause: counted in steps, so that decisions do not depend on time.

Whoever knows a shop's orders, or writes them, can write a text that names very many of them. Such a posting is left to
a person, as is one that a clerk would not go through either; the postings beside it are decided.
"""

from __future__ import annotations

from typing import Final

from paymatch.domain.words.message import Message

LIMIT: Final = 250_000
"""Steps: a key looked up, a pair of orders compared or a subset added up is one. About half a second at most; of the
postings of all our worlds none needs a tenth of it."""
WEIGHING: Final = 50
"""Steps of weighing one order."""
MAX_FOUND: Final = LIMIT // WEIGHING
"""A posting that finds more orders than this goes beyond the limit before it looks at any of them."""
LOOKING_UP: Final = 100
"""Steps of looking up one key, which the database does, and of keeping it for the orders of later days."""
MAX_KEYS: Final = LIMIT // LOOKING_UP
"""A posting with more keys than this goes beyond the limit before any of them is looked up; none of them is kept."""
BATCH_LIMIT: Final = 20 * LIMIT
"""Steps after which a batch is booked as far as it is decided, so that nobody waits long for its locks."""

TOO_MUCH: Final = Message("too-much-work")


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


class BatchWork:
    """The steps that the postings of a batch have taken together; postings that come behind its limit are put off."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def add(self, steps: int) -> None:
        """Counts steps of one posting that were taken, or will be at least."""
        self.steps += steps

    @property
    def is_spent(self) -> bool:
        """True if no further posting is begun."""
        return self.steps >= BATCH_LIMIT
