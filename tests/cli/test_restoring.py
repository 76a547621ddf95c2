"""A restore that is refused leaves nothing, and commands open no bundled database beside the operator's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.settings import Settings
from tests.databases import new_database
from tests.usecases.conftest import Books


@pytest.fixture
def archive(books: Books, migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A backup of an installation with one shop and an invoice."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "old"))
    (tmp_path / "old" / "invoices").mkdir(parents=True)
    (tmp_path / "old" / "invoices" / "one.pdf").write_bytes(bytes(3_000_000))
    paymatch("backup", str(tmp_path / "today.backup"))
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "var" / "new"))
    return tmp_path / "today.backup"


def paymatch(*words: str) -> str:
    """What the command prints, or its error."""
    result = CliRunner().invoke(app, [*words, "--json"])
    return result.stdout if result.exit_code == 0 else str(json.loads(result.stderr.splitlines()[-1])["error"])


def test_a_refused_restore_leaves_nothing(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAYMATCH_DATABASE_URL")
    damaged = bytearray(archive.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.backup").write_bytes(damaged)
    assert "is damaged at" in paymatch("restore", str(tmp_path / "damaged.backup"))
    assert not (tmp_path / "var").exists()
    monkeypatch.setenv("PAYMATCH_SECRET_KEY", "another key of at least thirty-two characters")
    assert "which is not here" in paymatch("restore", str(archive))
    assert not (tmp_path / "var").exists()


def test_files_of_a_refused_restore_are_removed_and_others_stay(
    archive: Path, server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "var" / "new" / "letters" / "mine.pdf"
    there.parent.mkdir(parents=True)
    there.write_bytes(b"mine")
    with new_database(server_url, "template0") as url:
        monkeypatch.setenv("PAYMATCH_DATABASE_URL", url)
        with monkeypatch.context() as broken:
            broken.setattr("paymatch.store.work.dumps._RUN", ("psql", "--no-such-option"))
            assert paymatch("restore", str(archive)).startswith("The database could not be restored")
        assert [path for path in (tmp_path / "var").rglob("*") if path.is_file()] == [there]
        assert json.loads(paymatch("restore", str(archive)))["files"] == 1
        assert (tmp_path / "var" / "new" / "invoices" / "one.pdf").stat().st_size == 3_000_000


def test_no_command_opens_a_bundled_database_beside_the_configured_one(
    archive: Path, server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new_database(server_url, "template0") as url:
        monkeypatch.setenv("PAYMATCH_DATABASE_URL", url)
        assert json.loads(paymatch("restore", str(archive)))["files"] == 1
        monkeypatch.delenv("PAYMATCH_DATABASE_URL")
        note = Settings(data_dir=tmp_path / "var" / "new").own_database_file()
        place = note.read_text("utf-8").strip()
        assert place.startswith("test_") and "@" not in place
        for words in (["shop", "list"], ["migrate"], ["restore", str(archive)]):
            assert paymatch(*words).startswith(
                f"The service of {tmp_path / 'var' / 'new'} works with {place}, and PAYMATCH_DATABASE_URL is not set:"
            )
    assert not (tmp_path / "var" / "new" / "postgres").exists()
