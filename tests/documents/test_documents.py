"""Every command and example of the documents is run, in the order of its page, in an installation of the page's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.pages import PAGES, Piece, pieces
from tests.documents.playing import play
from tests.documents.world import world_of

PLAYED = [path for path in PAGES if any(True for each in pieces(path) if not each.inline)]


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.name)
def test_page(path: Path, migrated_url: str, database_url: str, tmp_path: Path, warm: Path) -> None:
    page: list[Piece] = list(pieces(path))
    with world_of(page, migrated_url, database_url, tmp_path, warm) as world:
        found = play(world, page)
    assert not found, "\n".join(found)
