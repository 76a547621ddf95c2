"""What the engine's own parts say stands still: numbers, names, amounts, times, weights, words (`pinned/tables`)."""

from __future__ import annotations

import pytest

from tests.domain.matching.pinned_tables import FOLDER, TABLES


@pytest.mark.parametrize("name", TABLES)
def test_table_says_what_was_read(name: str) -> None:
    """Whoever changes the engine writes them anew and reads what differs: `pinned_tables.py` says how."""
    found = [line.rstrip() for line in TABLES[name]()]
    assert len(found) > 10
    assert found == (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
