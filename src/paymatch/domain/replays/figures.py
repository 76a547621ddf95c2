"""Figures of a replay: their counts and totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median_low
from typing import Final


class ReplayOutcome(StrEnum):
    """The outcome of a posting on the day of its arrival."""

    MATCHED = "matched"
    SUGGESTED = "suggested"
    LEFT = "left"
    ASIDE = "aside"  # not an order payment: a rule says so, or it is a debit that reverses nothing


class ReplayFigure(StrEnum):
    """Figures that link to a list."""

    POSTINGS = "postings"
    MATCHED = "matched"
    SUGGESTED = "suggested"
    SUGGESTED_RIGHT = "suggested-right"
    LEFT = "left"
    ASIDE = "aside"
    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    SLOW = "slow"
    REMINDERS = "reminders"
    WRONG_REMINDERS = "wrong-reminders"
    UNKNOWN = "unknown"  # decisions of the other system whose payment is not in the statements


CLICKS_BY_HAND: Final = 3
"""Open the payment, find the order, confirm: the cost of each payment to a person without help."""
CLICKS_OF_SUGGESTION: Final = 1
"""Confirm what is proposed."""
SLOW_DAYS: Final = 3
"""A payment that is assigned later than this after its booking is listed as slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """The results of a replay; None where the right answer is unknown."""

    postings: int
    matched: int
    suggested: int
    left: int
    aside: int
    compared: int  # postings with a decision by the other system
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
    decisions_unknown: int = 0  # decisions of the other system whose payment is not in the statements
    found_by: Mapping[str, int] = field(default_factory=dict)
    """Matches by the first family of their evidence (`MatchedBy`), in the order of the report;
    empty in results of earlier versions."""

    @property
    def clicks_saved(self) -> int:
        """Compared with a person who assigns every payment by hand; a right suggestion counts as confirmed."""
        confirmed = self.suggested_right if self.suggested_compared else self.suggested
        return self.matched * CLICKS_BY_HAND + confirmed * (CLICKS_BY_HAND - CLICKS_OF_SUGGESTION)

    @property
    def hit_tenths(self) -> int | None:
        """Tenths of a per cent of the suggestions whose first place was right; None if right answers are unknown."""
        return self.suggested_right * 1000 // self.suggested_compared if self.suggested_compared else None

    @property
    def payments(self) -> int:
        """The postings that may be payments: matched, suggested or left."""
        return self.postings - self.aside

    @property
    def differences(self) -> int:
        """The payments that the other system assigned otherwise."""
        return self.ours + self.theirs + self.both

    @property
    def matched_tenths(self) -> int:
        """Tenths of a per cent of the postings that may be payments and were matched without a person."""
        return self.tenths_of(self.matched)

    def tenths_of(self, count: int) -> int:
        """Tenths of a per cent of the postings that may be payments."""
        return count * 1000 // self.payments if self.payments else 0


def usual_days(days: Sequence[int]) -> tuple[int, int]:
    """The median and the longest of the days; 0 where there are none."""
    return (median_low(days), max(days)) if days else (0, 0)
