"""People of the merchant area from the command line, as processes of their own: Django is configured in each."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.warm import stand_in


def test_people_are_created_listed_disabled_and_reset(migrated_url: str, tmp_path: Path, warm: Path) -> None:
    stand_in(tmp_path, warm)
    environment = os.environ | {
        "PAYMATCH_DATABASE_URL": migrated_url,
        "PAYMATCH_DATA_DIR": str(tmp_path / "data"),
        "PAYMATCH_BASE_URL": "https://pay.example.com",
    }

    def paymatch(*words: str, stdin: str = "") -> tuple[int, Any]:
        command = [str(tmp_path / "paymatch"), *words]
        done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout or done.stderr) if "--json" in words else done.stdout

    assert paymatch("migrate")[0] == 0
    _, shop = paymatch("shop", "create", "Teehaus", "--json")
    create = ("user", "create", "Jana@example.org", "--shop", "Teehaus", "--role", "clerk", "--json")
    code, made = paymatch(*create, "--password-stdin", stdin="correct horse battery\n")
    assert (code, made["email"]) == (0, "jana@example.org")
    assert made["signInLink"].startswith("https://pay.example.com/login/link/")
    assert paymatch("user", "create", "nobody", "--json") == (1, {"error": "'nobody' is not an e-mail address"})
    row = {"email": "jana@example.org", "staff": False, "shop": shop["shop"], "role": "clerk", "lastSignIn": None}
    assert paymatch("user", "list", "--json") == (0, [row | {"active": True}])
    assert paymatch("user", "disable", "jana@example.org", "--yes", "--json")[0] == 0
    assert paymatch("user", "list", "--json") == (0, [row | {"active": False}])
    code, link = paymatch("user", "reset", "jana@example.org", "--yes", "--json")
    assert (code, "/login/invitation/" in link["signInLink"]) == (0, True)
    assert paymatch("user", "reset", "other@example.org", "--yes", "--json")[0] == 1
    _, entries = paymatch("audit", "list", "--installation", "--subject", "jana@example.org", "--json")
    assert {(row["actorKind"], row["subject"]) for row in entries} == {("command", "jana@example.org")}
    assert [row["action"] for row in reversed(entries)] == [
        "person-created", "sign-in-link-made", "person-disabled", "person-reset", "sign-in-link-made",
    ]  # fmt: skip
    _, verified = paymatch("audit", "verify", "--installation", "--json")
    assert verified["entries"] == len(entries)
    _, of_the_shop = paymatch("audit", "list", "Teehaus", "--subject", "jana@example.org", "--json")
    assert [row["action"] for row in of_the_shop] == ["person-invited"]
    assert paymatch("audit", "list", "Teehaus", "--installation", "--json") == (
        1, {"error": "Name a shop, or give --installation, not both"},
    )  # fmt: skip
