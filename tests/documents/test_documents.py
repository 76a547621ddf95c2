"""Every command and example of the documents is run, in the order of its page, in an installation of the page's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.pages import PAGES, Piece, pieces
from tests.documents.playing import play
from tests.documents.world import world_of

PLAYED = [path for path in PAGES if any(True for each in pieces(path) if not each.inline)]
LONG = {
    "callbacks.md", "collection.md", "customer-pages.md", "first-paid-order.md", "how-to-own-postgresql.md",
    "how-to-restore.md", "letters.md", "operations.md", "README.md", "refunds.md", "sandbox.md",
    "tutorial-bookkeeper.md", "tutorial-clerk.md", "tutorial-operator.md",
}  # fmt: skip
"""Pages that take longest, played by `make long`. Their commands are always parsed (test_documented_commands.py), and
what README.md and first-paid-order.md begin with is run (tests/cli/test_readme.py)."""


@pytest.mark.parametrize(
    "path",
    [pytest.param(each, id=each.name, marks=[pytest.mark.long] if each.name in LONG else []) for each in PLAYED],
)
def test_page(path: Path, migrated_url: str, database_url: str, tmp_path: Path, warm: Path) -> None:
    page: list[Piece] = list(pieces(path))
    with world_of(page, migrated_url, database_url, tmp_path, warm) as world:
        found = play(world, page)
    assert not found, "\n".join(found)
