"""Decisions of whole worlds stand still: each is pinned under the name of its case (`pinned/`)."""

from __future__ import annotations

import pytest
from lab.matching.kinds import KINDS
from lab.tests.pinned_worlds import FOLDER, ORDERS, SEEDS, pinned


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_are_those_that_were_read(kind: str) -> None:
    """Whoever changes the engine writes them anew and reads what differs: `pinned_worlds.py` says how."""
    assert pinned(kind).splitlines() == (FOLDER / f"{kind}.txt").read_text("utf-8").splitlines()


def test_pinned_worlds_hold_the_kinds_of_cases() -> None:
    lines = [line for kind in KINDS for line in (FOLDER / f"{kind}.txt").read_text("utf-8").splitlines()]
    cases = {line.split(":")[0].split()[1] for line in lines}
    outcomes = {line.split(": ")[1].split()[0] for line in lines}
    assert (len(SEEDS), ORDERS, len(lines), len(cases)) == (2, 60, 2222, 145)
    assert outcomes == {"matched", "suggested", "unmatched"}
