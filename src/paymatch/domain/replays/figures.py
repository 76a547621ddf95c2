"""Figures of a replay: what each counts, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median_low
from typing import Final


class ReplayOutcome(StrEnum):
    """What became of a posting on the day on which it came."""

    MATCHED = "matched"
    SUGGESTED = "suggested"
    LEFT = "left"
    ASIDE = "aside"  # no payment of an order: a rule says so, or money went out that gives nothing back


class ReplayFigure(StrEnum):
    """Figures that open a list."""

    MATCHED = "matched"
    SUGGESTED = "suggested"
    SUGGESTED_RIGHT = "suggested-right"
    LEFT = "left"
    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    SLOW = "slow"
    WRONG_REMINDERS = "wrong-reminders"


CLICKS_BY_HAND: Final = 3
"""Open the payment, find the order, confirm: what each payment costs a person without help."""
CLICKS_OF_SUGGESTION: Final = 1
"""Confirm what is proposed."""
SLOW_DAYS: Final = 3
"""A payment that is assigned more days after its booking is listed as slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """What a replay has come to; None where nobody said what is right."""

    postings: int
    matched: int
    suggested: int
    left: int
    aside: int
    compared: int  # postings of which the other system said something
    suggested_compared: int
    suggested_right: int
    ours: int
    theirs: int
    both: int
    reminders: int
    wrong_reminders: int
    days: int  # from booking to PAID: the usual payment
    longest_days: int
    slow: int

    @property
    def clicks_saved(self) -> int:
        """Beside a person who assigns every payment by hand; a suggestion counts as confirmed where it was right."""
        confirmed = self.suggested_right if self.suggested_compared else self.suggested
        return self.matched * CLICKS_BY_HAND + confirmed * (CLICKS_BY_HAND - CLICKS_OF_SUGGESTION)

    @property
    def hit_tenths(self) -> int | None:
        """Tenths of a per cent of the suggestions whose first place was right; None if nobody said what is right."""
        return self.suggested_right * 1000 // self.suggested_compared if self.suggested_compared else None

    @property
    def matched_tenths(self) -> int:
        """Tenths of a per cent of the postings that may be payments and were matched without a person."""
        payments = self.postings - self.aside
        return self.matched * 1000 // payments if payments else 0


def usual_days(days: Sequence[int]) -> tuple[int, int]:
    """The median and the longest of the days; 0 where there are none."""
    return (median_low(days), max(days)) if days else (0, 0)
