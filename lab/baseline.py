"""One migration in place of all that led to the first release, and the way there for databases of before.

    PYTHONPATH=src:. python -m lab.baseline print            the baseline that today's migrations amount to
    PYTHONPATH=src:. python -m lab.baseline apply            writes it in place of them, in this work tree
    PYTHONPATH=src:. python -m lab.baseline carry-over URL   a database of before, as its owner; stop the service first

`apply` keeps the replaced migrations in `lab/replaced_migrations.json.gz`: a database of any earlier state is first
brought to their end by them, then said to have the baseline. It moves the dumps of `tests/upgrades` beside the tests of
this program and keeps a new one. `lab/tests/test_baseline.py` proves that both ways lead to the same tables.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import psycopg
from tests.databases import new_database

from paymatch.embedded import programs, running_server
from paymatch.store import migrate as store_migrate
from paymatch.store.distribution.catalogue import SHOP

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "src" / "paymatch" / "store" / "migrations"
REPLACED: Final = ROOT / "lab" / "replaced_migrations.json.gz"
NAME: Final = "0001_baseline.sql"
DUMPS: Final = ROOT / "lab" / "tests" / "dumps"

_HEAD: Final = """\
-- The tables of the first release, made by `lab/baseline.py` of the migrations that led to it. Policies, rights on
-- tables of shops and the eraser of the audit log are written by store/row_security.py in the same transaction.

"""
_OF_GUARD: Final = re.compile(
    r"^(CREATE POLICY|CREATE FUNCTION erase_audit_values|REVOKE ALL ON FUNCTION erase_audit_values"
    r"|GRANT \w+ ON FUNCTION erase_audit_values|ALTER TABLE (ONLY )?\w+ (ENABLE|FORCE) ROW LEVEL SECURITY"
    r"|GRANT USAGE ON SCHEMA|SET |SELECT pg_catalog\.set_config|COMMENT ON SCHEMA|CREATE SCHEMA)"
)
_TABLE_OF: Final = re.compile(
    r"^(?:CREATE (?:UNLOGGED )?TABLE|ALTER TABLE(?: ONLY)?|CREATE (?:UNIQUE )?INDEX \w+ ON(?: ONLY)?"
    r"|GRANT .*? ON TABLE) (\w+)"
)


def replaced() -> Sequence[tuple[str, str]]:
    """(name, SQL) of the migrations that the baseline replaces: the kept ones, or all of today while none are kept."""
    if not REPLACED.is_file():
        return store_migrate.files()
    return [(name, text) for name, text in json.loads(gzip.decompress(REPLACED.read_bytes()))]


def schema_of(url: str) -> str:
    """All tables, functions, policies and rights of a database as statements, the same text for the same schema."""
    command = [
        str(programs() / "bin" / "pg_dump"), "--schema-only", "--no-owner", "--schema=public", f"--dbname={url}",
    ]  # fmt: skip
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return "\n\n".join(_statements(text)) + "\n"


def _statements(dump: str) -> Iterator[str]:
    """The statements of a dump without comments and names of the schema; names of NOT NULL are PostgreSQL 18's own."""
    lines = [line for line in dump.splitlines() if not re.match(r"--|\\(un)?restrict |$", line)]
    text = re.sub(r"\bpublic\.(?=\w)", "", "\n".join(lines))
    text = re.sub(r" CONSTRAINT \w+ NOT NULL", " NOT NULL", text)
    statement, quote = "", ""
    for line in text.splitlines():
        statement += line + "\n"
        for mark in re.findall(r"\$\w*\$", line):
            quote = "" if mark == quote else quote or mark
        if line.endswith(";") and not quote:
            yield statement.strip()
            statement = ""
    assert not statement.strip(), statement


def baseline(url: str, migrations: Sequence[tuple[str, str]]) -> str:
    """The migration that makes the tables of a database which has these migrations, with their comments."""
    with psycopg.connect(url) as connection:
        of_shops = {
            str(name)
            for (name,) in connection.execute(
                "SELECT attrelid::regclass::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
                " WHERE attname = %s AND relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
                (SHOP,),
            )
        }
    comments = _comments(migrations)
    every = "\n".join(text for _, text in migrations)
    made = re.findall(r"^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)", every, re.MULTILINE)
    ranks = {name: place for place, name in reversed([*enumerate(made)])}
    parts: list[tuple[tuple[int, int, str], str]] = []
    for statement in _statements_of(url):
        found = _TABLE_OF.match(statement)
        table = found[1] if found else ""
        if _OF_GUARD.match(statement) or (statement.startswith(("GRANT", "REVOKE")) and table in of_shops):
            continue
        if re.match(r"CREATE TABLE migrations|ALTER TABLE (ONLY )?migrations", statement):
            continue
        parts.append((_rank(statement, table, ranks), _commented(statement, table, comments)))
    ordered = [text for _, text in sorted(parts, key=lambda part: part[0])]
    return _HEAD + "\n\n".join(ordered) + "\n" + _seed(url)


def _rank(statement: str, table: str, ranks: Mapping[str, int]) -> tuple[int, int, str]:
    """Functions, then each table with its keys, indexes and rights, the oldest first; what joins two tables last."""
    joins = "FOREIGN KEY" in statement or "ATTACH PARTITION" in statement or statement.startswith("CREATE TRIGGER")
    if not table or joins:
        return 0 if statement.startswith("CREATE FUNCTION") else 2, 0, ""
    return 1, ranks.get(table, len(ranks)), table


def _statements_of(url: str) -> list[str]:
    return [each for each in schema_of(url).split("\n\n") if each.strip()]


def _seed(url: str) -> str:
    """Rows that the migrations themselves have made, but for the list of them."""
    command = [
        str(programs() / "bin" / "pg_dump"), "--data-only", "--inserts", "--schema=public",
        "--exclude-table=migrations", f"--dbname={url}",
    ]  # fmt: skip
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.replace("INSERT INTO public.", "INSERT INTO ") for line in text.splitlines() if "INSERT INTO" in line]
    return "".join(f"\n{row}" for row in rows) + ("\n" if rows else "")


def _comments(migrations: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """`table` or `table.column` -> what the migrations say of it."""
    found: dict[str, str] = {}
    for _, text in migrations:
        above: list[str] = []
        table = ""
        for line in text.splitlines():
            if line.startswith("--"):
                above.append(line.removeprefix("--").strip())
                continue
            if made := re.match(r"CREATE (?:UNLOGGED )?TABLE (\w+)", line):
                table = made[1]
                if above:
                    found[table] = " ".join(above)
            if added := re.match(r"ALTER TABLE (\w+)(?: ADD COLUMN (\w+))?", line):
                table = added[1]
            column = re.match(r"\s+(?:ADD COLUMN )?(\w+) .*?--\s*(.+)$", line) or re.match(
                r"ALTER TABLE \w+ ADD COLUMN (\w+) .*?--\s*(.+)$", line
            )
            if column and table:
                found[f"{table}.{column[1]}"] = column[2].strip()
            above = above if not line.strip() else []
    return found


def _commented(statement: str, table: str, comments: Mapping[str, str]) -> str:
    if not statement.startswith("CREATE TABLE"):
        return statement
    lines = statement.splitlines()
    for place, line in enumerate(lines):
        column = re.match(r"    (\w+) ", line)
        said = comments.get(f"{table}.{column[1]}") if column else None
        if said:
            lines[place] = f"{line}  -- {said}"
    return "\n".join([*([f"-- {comments[table]}"] if table in comments else []), *lines])


def carry_over(url: str) -> list[str]:
    """Brings a database of before to the end of the replaced migrations, and says that it has the baseline instead.

    The names of the migrations that it lacked. Nothing is done for one that has the baseline already.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        if connection.execute("SELECT FROM migrations WHERE name = %s", (NAME,)).fetchone() is not None:
            return []
    known = replaced()
    applied = store_migrate.migrate(url, known)
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM migrations WHERE name = ANY(%s)", ([name for name, _ in known],))
        connection.execute("INSERT INTO migrations VALUES (%s, clock_timestamp())", (NAME,))
    return applied


def generated() -> str:
    """The baseline of `replaced()`, made on a database of its own."""
    migrations = replaced()
    with tempfile.TemporaryDirectory(prefix="paymatch-baseline-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o711)
        with running_server(folder, durable=False) as server, new_database(server, "template0") as url:
            store_migrate.migrate(url, migrations)
            return baseline(url, migrations)


_EDITS: Final = (
    ("tests/upgrades/test_migration_rules.py", 'LAST_FREE = "0079"', 'LAST_FREE = "0001"'),
    ("tests/upgrades/test_old_databases.py", "assert len(KEPT) >= 3", "assert len(KEPT) >= 1"),
)
_GONE: Final = (
    "tests/store/test_history_migration.py",
    "tests/store/test_lines_migration.py",
    "tests/store/test_fee_migration.py",
)
"""Tests of migrations that are replaced."""


def apply() -> None:
    """Writes the baseline in place of today's migrations; the work tree is changed, and nothing is committed."""
    from tests.upgrades import keep_dump  # noqa: PLC0415  reads the settings of a service

    assert not REPLACED.is_file(), "the baseline is applied already"
    text = generated()
    old = store_migrate.files()
    REPLACED.write_bytes(gzip.compress(json.dumps(old, ensure_ascii=False, indent=0).encode(), 9, mtime=0))
    for name, _ in old:
        (FOLDER / name).unlink()
    (FOLDER / NAME).write_text(text, "utf-8")
    for name, before, after in _EDITS:
        path = ROOT / name
        content = path.read_text("utf-8")
        assert before in content, f"{name}: {before}"
        path.write_text(content.replace(before, after), "utf-8")
    for name in _GONE:
        (ROOT / name).unlink(missing_ok=True)
    DUMPS.mkdir(exist_ok=True)
    for dump in keep_dump.DUMPS.glob("*.sql.gz"):
        dump.rename(DUMPS / dump.name)
    keep_dump.main(str(ROOT), sys.executable, NAME.removesuffix(".sql"))
    print(f"{len(old)} migrations are now {NAME}; run tests/upgrades, tests/store and lab/tests/test_baseline.py")


def main() -> int:
    """Prints, applies or carries over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("print", help="print the baseline of today's migrations")
    commands.add_parser("apply", help="write it in place of them")
    commands.add_parser("carry-over", help="bring a database of before to the baseline").add_argument("url")
    options = parser.parse_args()
    if options.command == "print":
        print(generated(), end="")
    elif options.command == "apply":
        apply()
    else:
        print("\n".join([*carry_over(options.url), f"has {NAME}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
