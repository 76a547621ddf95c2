"""Limits, terms and weights change on purpose only."""

from __future__ import annotations

from tests.domain.measures import FILE, measures


def test_measures_are_those_that_were_read() -> None:
    """Whoever changes one writes the list anew and reads what differs: `measures.py` says how."""
    found = list(measures())
    assert len(found) > 200
    assert found == FILE.read_text("utf-8").splitlines()
