"""The seven steps in which an owner sets up a shop, and the progress."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class SetupStep(StrEnum):
    """A step; listed in the order of display."""

    ACCOUNT = "account"
    ORDERS = "orders"
    STATEMENT = "statement"
    SENDER = "sender"
    LOOK = "look"
    TEAM = "team"
    LIVE = "live"


class StepState(StrEnum):
    """How far a step is."""

    DONE = "done"
    SKIPPED = "skipped"
    OPEN = "open"


MINUTES: Final[Mapping[SetupStep, int]] = {
    SetupStep.ACCOUNT: 1, SetupStep.ORDERS: 1, SetupStep.STATEMENT: 1, SetupStep.SENDER: 2, SetupStep.LOOK: 1,
    SetupStep.TEAM: 1, SetupStep.LIVE: 1,
}  # fmt: skip
"""The approximate time of a step."""


@dataclass(frozen=True, slots=True)
class SetupProgress:
    """The state of every step."""

    states: Mapping[SetupStep, StepState]

    @property
    def done(self) -> int:
        """How many steps are done."""
        return sum(state is StepState.DONE for state in self.states.values())

    @property
    def current(self) -> SetupStep | None:
        """The first step that is neither done nor skipped; None after the last."""
        return next((step for step, state in self.states.items() if state is StepState.OPEN), None)

    @property
    def minutes_left(self) -> int:
        """The approximate time of the open steps."""
        return sum(MINUTES[step] for step, state in self.states.items() if state is StepState.OPEN)


def progress(done: Collection[SetupStep], skipped: Collection[str]) -> SetupProgress:
    """The states from the done and the skipped steps; going live cannot be skipped."""
    return SetupProgress({step: _state(step, done, skipped) for step in SetupStep})


def _state(step: SetupStep, done: Collection[SetupStep], skipped: Collection[str]) -> StepState:
    if step in done:
        return StepState.DONE
    return StepState.SKIPPED if step.value in skipped and step is not SetupStep.LIVE else StepState.OPEN
