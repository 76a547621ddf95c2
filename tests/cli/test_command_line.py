"""What all commands share: quick help, exit codes, errors for programs, the shop that is meant."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from typer.testing import CliRunner

from paymatch import __version__
from paymatch.cli.loading import load
from paymatch.cli.main import COMMANDS, app
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.migrate import files
from paymatch.usecases.shops import shops
from tests.cli.conftest import Run
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

HEAVY = (
    "PIL",
    "babel",
    "django",
    "granian",
    "httpcore",
    "lxml",
    "msgspec",
    "pikepdf",
    "psycopg",
    "psycopg_pool",
    "pydantic_settings",
    "qrbill",
    "rapidfuzz",
    "rich",
    "schwifty",
    "segno",
    "structlog",
    "typst",
    "xlsxwriter",
    "yaml",
)
"""What only some commands use, and what no help needs."""


def test_no_help_loads_what_a_command_works_with() -> None:
    code = (
        "import sys\n"
        "from paymatch.cli.loading import load\n"
        "from paymatch.cli.main import COMMANDS\n"
        "for name, entry in COMMANDS.items(): load(name, entry)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        "print([name for name in sys.modules if name.startswith(('paymatch.usecases', 'paymatch.store'))])\n"
    )
    environment = {**os.environ, "PYTHONPATH": "src"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_where_the_list_says_and_explains_itself(name: str) -> None:
    command = load(name, COMMANDS[name])
    assert command.name == name
    assert command.help
    names = list(getattr(command, "commands", {}))
    if names:  # the line of a group names what is in it
        assert COMMANDS[name].help.rpartition(": ")[2].rstrip(".").split(", ") == names
    for words in ("-h", "--help"):
        result = CliRunner().invoke(app, [name, words])
        assert (result.exit_code, result.stderr) == (0, "")
        assert max(map(len, result.stdout.splitlines())) <= 80
    if names:
        assert CliRunner().invoke(app, [name, names[0], "-h"]).exit_code == 0


def _all_commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    found = getattr(command, "commands", {})
    for name, each in found.items():
        yield from _all_commands(each, f"{path} {name}")
    if not found:
        yield path, command


def test_usage_lines_name_what_has_to_be_given_in_capitals() -> None:
    usage = []
    for name, entry in COMMANDS.items():
        for path, command in _all_commands(load(name, entry), name):
            usage.append(" ".join([path, *command.collect_usage_pieces(typer.Context(command))[1:]]))
    assert "backup FILE" in usage
    assert "reminders text [SHOP] [MAIL] [LANGUAGE]" in usage
    assert [line for line in usage if re.search(r"[{}]|\[\[|\[[a-z]|\.\.\.\S*\.\.\.", line)] == []


def test_version() -> None:
    for words in (["--version"], ["version"]):
        result = CliRunner().invoke(app, words)
        assert (result.exit_code, result.stdout) == (0, f"{__version__}\n")


def test_completion_knows_the_commands() -> None:
    environment = {
        **os.environ, "PYTHONPATH": "src", "_PAYMATCH_COMPLETE": "complete_bash",
        "COMP_WORDS": "paymatch re", "COMP_CWORD": "1",
    }  # fmt: skip
    code = "import sys; sys.argv = ['paymatch']; from paymatch.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["restore", "review", "refunds", "reminders", "report", "replay"]


def test_a_mistake_in_the_words_is_exit_code_2() -> None:
    wrong = CliRunner().invoke(app, ["postngs"])
    assert wrong.exit_code == 2
    assert "No such command 'postngs'. Did you mean 'postings'?" in wrong.stderr
    told = CliRunner().invoke(app, ["postings", "--colour", "--json"])
    assert (told.exit_code, told.stdout) == (2, "")
    assert json.loads(told.stderr) == {"error": "No such option: --colour (Possible options: --columns)"}


@pytest.mark.usefixtures("books")
def test_a_reader_that_has_seen_enough_ends_a_command_without_a_word(migrated_url: str) -> None:
    """As `paymatch shop list | head -1` does."""
    environment = {**os.environ, "PYTHONPATH": "src", "PAYMATCH_DATABASE_URL": migrated_url}
    reading, writing = os.pipe()
    os.close(reading)
    for words in ([], ["--json"]):
        asked = [sys.executable, "-u", "-m", "paymatch", "shop", "list", *words]
        done = subprocess.run(asked, env=environment, stdout=writing, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (1, b"")
    os.close(writing)


def test_a_refusal_is_exit_code_1_and_json_for_programs(run: Run, books: Books) -> None:
    assert run("postings", "Nobody")[0] == 1
    plain = CliRunner().invoke(app, ["postings", "Nobody"])
    assert (plain.exit_code, plain.stdout, plain.stderr) == (1, "", "Error: There is no shop 'Nobody'\n")
    told = CliRunner().invoke(app, ["postings", "Nobody", "--json"])
    assert (told.exit_code, told.stdout, told.stderr) == (1, "", '{"error": "There is no shop \'Nobody\'"}\n')


def test_no_command_makes_a_database_by_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAYMATCH_DATABASE_URL", raising=False)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "mistyped"))
    simulate = ["simulate", "payment", "A-1"]  # its first word may be a shop: it is looked up before the command runs
    for words in (["shop", "list"], ["check"], ["worker", "--once"], ["postings", "Shop"], simulate):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: There is no database in {tmp_path / 'mistyped'}: start the service")
    assert list(tmp_path.iterdir()) == []


def test_doctor_examines_what_needs_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAYMATCH_DATABASE_URL", raising=False)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("PAYMATCH_LOG_LEVLE", "debug")
    result = CliRunner().invoke(app, ["doctor", "--json"])
    found = {row["check"]: row for row in json.loads(result.stdout)["checks"]}
    assert result.exit_code == 1
    assert found["variables"]["text"] == "PAYMATCH_LOG_LEVLE is not a setting; did you mean PAYMATCH_LOG_LEVEL?"
    assert {"disk", "temporary files", "memory", "open files", "address", "mail"} <= found.keys()
    assert found["database"]["state"] == "problem"
    assert found["database"]["text"].startswith(f"There is no database in {tmp_path / 'none'}: start the service")
    assert list(tmp_path.iterdir()) == []


def test_no_command_but_migrate_changes_the_tables(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", database_url)
    result = CliRunner().invoke(app, ["shop", "list"])
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: The database lacks migrations, from {files()[0][0]} on: restart the service, or run paymatch migrate\n"
    )
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT to_regclass('shops')").fetchone() == (None,)
    assert CliRunner().invoke(app, ["migrate"]).exit_code == 0
    assert CliRunner().invoke(app, ["shop", "list", "--json"]).stdout == "[]\n"


def test_the_shop_may_be_left_out_where_it_is_clear(run: Run, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    other = shops.create(books.database, "Other", books.now - timedelta(days=9), ibans=["DE02120300000000202051"]).shop
    refused = run("account", "list")
    assert refused[0] == 1
    assert refused[2].startswith("Error: Name the shop, or set PAYMATCH_SHOP. There are 2: Other (")
    monkeypatch.setenv("PAYMATCH_SHOP", "Shop")
    assert [row["account"] for row in run("account", "list")[1]] == [ACCOUNT]
    assert [row["account"] for row in run("account", "list", "Other")[1]] == ["DE02120300000000202051"]
    assert run("shop", "set", "caution=bold")[1]["name"] == "Shop"
    assert run("shop", "set", "Other", "caution=bold")[1]["name"] == "Other"
    assert run("unmatch", "pst_none")[2] == "Error: There is no posting 'pst_none'\n"
    assert run("postings", "Nobody")[2] == "Error: There is no shop 'Nobody'\n"
    monkeypatch.delenv("PAYMATCH_SHOP")
    assert run("shop", "set", str(other.id), "status=deleted", "--yes")[0] == 0
    assert [row["account"] for row in run("account", "list")[1]] == [ACCOUNT]


def test_a_shop_is_found_by_the_beginning_of_its_id(run: Run, books: Books) -> None:
    assert run("shop", "show", str(books.shop.id)[:8])[1]["name"] == "Shop"
    assert run("shop", "show", str(books.shop.id)[:3])[0] == 1


def test_what_cannot_be_undone_is_asked_for(run: Run, books: Books) -> None:
    (key,) = run("key", "list", "Shop")[1]
    code, _, error = run("key", "revoke", "Shop", key["id"])
    assert code == 1
    assert error == (
        f"Error: Revoke the key {key['id']} of 'Shop'? This cannot be undone: add --yes if that is what you want\n"
    )
    assert run("key", "list", "Shop")[1] == [key]
    assert run("key", "revoke", "Shop", key["id"], "--yes")[0] == 0
    assert run("key", "list", "Shop")[1] != [key]


def test_names_of_shops_are_unique(run: Run, books: Books) -> None:
    assert run("shop", "create", "Shop")[2] == "Error: There is already a shop named 'Shop'\n"
    assert run("shop", "create", "Other")[0] == 0
    assert run("shop", "set", "Other", "name=Shop")[2] == "Error: There is already a shop named 'Shop'\n"
    assert run("shop", "set", "Shop", "name=Shop")[0] == 0
    assert run("shop", "set", "Shop", "status=deleted", "--yes")[0] == 0
    assert run("shop", "create", "Shop")[0] == 0
    assert run("shop", "show", "Shop")[1]["status"] == "active"
    old = str(books.shop.id)
    assert run("shop", "set", old, "status=active")[2] == "Error: There is already a shop named 'Shop'\n"


def test_a_name_is_given_once_by_two_at_the_same_time(books: Books) -> None:
    def create(_: int) -> str:
        try:
            with shops.free_name(books.database, "Twice"):
                shops.create(books.database, "Twice", Books.now)
        except SettingRefused as refused:
            return str(refused)
        return "created"

    books.database.close()
    books.database = Database(books.database.url, size=4, keyring=KEYRING)
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(create, range(2))) == ["There is already a shop named 'Twice'", "created"]


def test_a_file_may_come_from_standard_input(run: Run, books: Books) -> None:
    content = camt(CamtMessage.STATEMENT, paid(1990, "A"))
    result = CliRunner().invoke(app, ["statement", "import", "Shop", "-", "--json"], input=content)
    assert [(row["file"], row["new"]) for row in json.loads(result.stdout)] == [("standard input", 1)]
    known = CliRunner().invoke(app, ["statement", "import", "Shop", "-", "--json"], input=content)
    assert [(row["new"], row["known"]) for row in json.loads(known.stdout)] == [(0, 1)]


def test_a_shop_is_shown_with_every_setting_as_it_is_set(run: Run, books: Books) -> None:
    for name, text in (("ordersync-guard", "on"), ("lapse-after", "14"), ("fee-tolerance", "2.50")):
        assert run("shop", "set", f"{name}={text}")[0] == 0
    settings = run("shop", "show")[1]["settings"]
    assert (settings["ordersync-guard"], settings["lapse-after"], settings["fee-tolerance"]) == ("on", "14", "2.50")
    assert "callback-access-code" not in settings
    shown = CliRunner().invoke(app, ["shop", "show"]).stdout.splitlines()
    assert f"shop: {books.shop.id}" in shown
    assert "ordersync-guard: on" in shown
    for name, text in settings.items():  # what is shown is taken again
        if text:
            assert run("shop", "set", f"{name}={text}")[0] == 0, name


def single_commands(found: Any) -> Iterator[Any]:
    """The command, or those of the group and of the groups in it."""
    if not hasattr(found, "commands"):
        yield found
        return
    for each in found.commands.values():
        yield from single_commands(each)


def test_yes_is_taken_by_every_command(run: Run, books: Books) -> None:
    assert run("order", "list", "--yes")[::2] == (0, "")
    for name, entry in COMMANDS.items():
        for each in single_commands(load(name, entry)):
            assert sum("--yes" in option.opts for option in each.params) == 1, f"{name} {each.name}"


def test_a_file_that_is_not_there_is_told_in_a_sentence(run: Run, books: Books, tmp_path: Path) -> None:
    code, _, said = run("statement", "import", "Shop", str(tmp_path / "none.xml"))
    assert (code, said) == (1, f"Error: none.xml: There is no {tmp_path / 'none.xml'}\n")
