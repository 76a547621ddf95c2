"""When the next statement of an account is due."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from itertools import pairwise
from typing import Final

from paymatch.domain.calendar import plus_bank_days

_SEEN: Final = 11
"""How many statements show that an account gets one for each bank day."""


def due_by(days: Collection[date]) -> date | None:
    """The last day on which the next statement is on time, if the account has one per bank day; `days` are last days.

    A bank hands out the statement of a bank day on the next one. None where bank days without a statement are usual.
    """
    ordered = sorted(set(days))[-_SEEN:]
    if len(ordered) < _SEEN or any(plus_bank_days(earlier, 1) < later for earlier, later in pairwise(ordered)):
        return None
    return plus_bank_days(ordered[-1], 2)
