"""Every command and example of the documents is run, in the order of its page, in an installation of the page's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.pages import PAGES, Piece, pieces
from tests.documents.playing import play
from tests.documents.world import world_of

PLAYED = [path for path in PAGES if any(True for each in pieces(path) if not each.inline)]


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the warm paymatch listens."""
    path = tmp_path_factory.mktemp("warm") / "door"
    command = [sys.executable, "-m", "tests.documents.warm", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield path
        process.terminate()


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.name)
def test_page(path: Path, migrated_url: str, database_url: str, tmp_path: Path, door: Path) -> None:
    page: list[Piece] = list(pieces(path))
    with world_of(page, migrated_url, database_url, tmp_path, door) as world:
        found = play(world, page)
    assert not found, "\n".join(found)
