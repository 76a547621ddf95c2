"""The database moves to one's own PostgreSQL and back, as an operator does it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.databases import new_database


def paymatch(program: Path, words: list[str], data_dir: Path, url: str = "", stdin: str = "") -> tuple[int, Any]:
    environment = os.environ | {"PAYMATCH_DATA_DIR": str(data_dir)}
    if url:
        environment["PAYMATCH_DATABASE_URL"] = url
    command = [str(program), *words, "--json"]
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout or done.stderr)


def shops_in(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("SELECT name FROM shops ORDER BY 1")]


def test_to_ones_own_postgresql_and_back(server_url: str, tmp_path: Path, warm_program: Path) -> None:
    with new_database(server_url, "template0") as url:
        assert paymatch(warm_program, ["migrate"], tmp_path)[0] == 0
        assert paymatch(warm_program, ["shop", "create", "Teehaus"], tmp_path)[0] == 0
        code, moved = paymatch(warm_program, ["move-to", "-", "--yes"], tmp_path, stdin=f"{url}\n")
        assert code == 0
        [aside] = tmp_path.glob("postgres-moved-*")
        assert moved["oldDatabase"] == str(aside)
        assert moved["rows"] > moved["tables"] > 90
        assert shops_in(url) == ["Teehaus"]
        code, missing = paymatch(warm_program, ["shop", "list"], tmp_path)
        assert (code, missing["error"].startswith(f"The service of {tmp_path} works with test_")) == (1, True)

        assert paymatch(warm_program, ["shop", "create", "Weinhaus"], tmp_path, url)[0] == 0
        code, back = paymatch(warm_program, ["move-to", "bundled", "--yes"], tmp_path, url)
        assert code == 0
        assert back["oldDatabase"].endswith(", closed to all but superusers")
        with psycopg.connect(url) as connection:
            limit = "SELECT datconnlimit FROM pg_database WHERE datname = current_database()"
            assert connection.execute(limit).fetchone() == (0,)
    assert [shop["name"] for shop in paymatch(warm_program, ["shop", "list"], tmp_path)[1]] == ["Teehaus", "Weinhaus"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("bundled", "The database is the bundled one already"),
        ("db.example", "Name the new database by its URL (postgresql://...), or: bundled"),
    ],
)
def test_targets_that_are_none(target: str, words: str, tmp_path: Path, warm_program: Path) -> None:
    assert paymatch(warm_program, ["move-to", target, "--yes"], tmp_path) == (1, {"error": words})
    assert list(tmp_path.iterdir()) == []
