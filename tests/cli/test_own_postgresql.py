"""One's own PostgreSQL with the roles of `deploy/postgresql`: migrations, backup, restore and move work with them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from tests.own_postgresql import installed, own_server

VERSIONS = list(installed()) if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else list(installed())[:1]
"""`make soak` tries each that is installed here; otherwise the oldest, since all other tests have the bundled one."""


def paymatch(*words: str, given: str = "") -> Any:
    """What the command prints as JSON."""
    result = CliRunner().invoke(app, [*words, "--json", "--yes"], input=given)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("version", VERSIONS)
def test_own_postgresql_is_migrated_backed_up_restored_and_moved(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_server(version) as server:

        def work_with(database: str) -> tuple[str, str]:
            owner, service = server.url("paymatch", database), server.url("paymatch_service", database)
            monkeypatch.setenv("PAYMATCH_DATABASE_URL", service)
            monkeypatch.setenv("PAYMATCH_DATABASE_OWNER_URL", owner)
            monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / database))
            return owner, service

        for database in ("second", "third"):
            server.run(f"CREATE DATABASE {database} OWNER paymatch TEMPLATE template0 ENCODING 'UTF8'")
        work_with("paymatch")
        assert len(paymatch("migrate")["applied"]) >= 2
        paymatch("shop", "create", "Teehaus Österreicher")
        backup = paymatch("backup", str(tmp_path / "today.backup"))
        assert backup["postgresql"].startswith(f"{version}.")

        work_with("second")
        assert paymatch("restore", str(tmp_path / "today.backup"))["applied"] == []
        target = work_with("third")
        work_with("second")
        moved = paymatch("move-to", "-", given="\n".join(target))
        assert moved["oldDatabase"].endswith(", closed to all but superusers")

        work_with("third")
        assert [row["name"] for row in paymatch("shop", "list")] == ["Teehaus Österreicher"]
        assert paymatch("check")["violations"] == []
        with pytest.raises(psycopg.OperationalError, match="too many connections"):
            psycopg.connect(server.url("paymatch_service", "second"))
