"""`paymatch audit` and `paymatch shop secret show`."""

from __future__ import annotations

import getpass
import json

import psycopg
from typer.testing import CliRunner

from paymatch.cli.main import app
from tests.cli.conftest import Run
from tests.usecases.conftest import Books


def test_secrets_are_shown_by_one_command_which_is_recorded(run: Run, books: Books) -> None:
    _, new, _ = run("shop", "create", "Second")
    _, shown, _ = run("shop", "show", "Second")
    assert new["callbackAccessCode"] not in json.dumps(shown)
    assert "whsec_" not in json.dumps(shown)
    code, secrets, _ = run("shop", "secret", "show", "Second")
    assert (code, secrets["callbackAccessCode"]) == (0, new["callbackAccessCode"])
    assert secrets["webhookSecret"].startswith("whsec_")
    _, entries, _ = run("audit", "list", "Second", "--limit", "1")
    assert [(row["action"], row["actorKind"], row["actor"]) for row in entries] == [
        ("credentials-shown", "command", getpass.getuser())
    ]


def test_log_is_verified_and_exported(run: Run, books: Books, migrated_url: str) -> None:
    run("shop", "set", "Shop", "tolerance=0.50")
    code, verified, _ = run("audit", "verify", "Shop")
    assert (code, verified["entries"]) == (0, 3)
    exported = CliRunner().invoke(app, ["audit", "export", "Shop"]).stdout.splitlines()
    assert [json.loads(line)["action"] for line in exported] == ["shop-created", "key-created", "settings-changed"]
    assert verified["head"] == f"3:{json.loads(exported[-1])['hash']}"
    assert run("audit", "verify", "Shop", "--head", verified["head"])[0] == 0
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        connection.execute("UPDATE audit_log SET after = '{\"tolerance_minor\":5}' WHERE seq = 3")
    assert run("audit", "verify", "Shop") == (
        1, None, "Error: The audit log does not hold: the values of entry 3 were changed\n",
    )  # fmt: skip
    assert run("audit", "verify", "Shop", "--head", "3:zz")[2].startswith("Error: --head is SEQ:HASH, as")
