"""Migrations wait briefly, and take away nothing that the version before still uses (D-71)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from paymatch.store import migrate as migrations
from paymatch.store.migrate import files, migrate
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
LAST_FREE = "0001"
"""From the next number on servers of two versions may work on one database."""

_TAKES_AWAY = {
    "takes something away": r"\bDROP (TABLE|COLUMN|VIEW|MATERIALIZED VIEW|TYPE|DEFAULT)\b",
    "renames": r"\bALTER (?!INDEX\b).*\bRENAME\b",
    "changes a type": r"\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b",
    "asks for a value that the version before does not write": (
        r"\bSET NOT NULL\b"
        r"|\bADD (COLUMN )?(IF NOT EXISTS )?(?!CONSTRAINT)\w+ (?!.*\b(DEFAULT|GENERATED)\b).*\bNOT NULL\b"
    ),
    "refuses what the version before writes": r"\bALTER TABLE .*\bADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN KEY|EXCLUDE)\b",
    "refuses rows that the version before writes": r"\bCREATE UNIQUE INDEX\b",
}
_MARK = re.compile(r"-- contract since (\d+\.\d+\.\d+): \S.*")


def released(changelog: str) -> set[str]:
    """Versions that are out, by the headings of the changelog."""
    return set(re.findall(r"^## (\d+\.\d+\.\d+), (?!unreleased)", changelog, re.MULTILINE))


_VALUES = re.compile(r"\bCHECK ?\( ?(\w+) IN \(([^)]*)\) ?\)", re.IGNORECASE)


def widens(code: str, before: str) -> bool:
    """Whether a statement replaces the check of a column's values by one that allows all of them and more."""
    found = re.fullmatch(rf"ALTER TABLE (\w+) ADD CONSTRAINT \w+ {_VALUES.pattern}", code, re.IGNORECASE)
    if found is None:
        return False
    table, column, values = found.groups()
    allowed = ""
    for statement in re.sub(r"--.*", "", before).split(";"):
        if re.match(rf"\s*(ALTER|CREATE) TABLE {table}\b", statement, re.IGNORECASE):
            checks = _VALUES.findall(" ".join(statement.split()))
            allowed = next((known for checked, known in checks if checked == column), allowed)
    return bool(allowed) and _listed(allowed) <= _listed(values)


def _listed(values: str) -> set[str]:
    return {each.strip() for each in values.split(",")}


def breaches(text: str, versions: set[str], before: str = "") -> Iterator[str]:
    """What in a migration would stop servers of the version before, and is not marked as a contract.

    `before` holds the migrations before it.
    """
    made = {
        name.lower()
        for name in re.findall(r"\bCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)", text, re.IGNORECASE)
    }
    for statement in text.split(";"):
        code = " ".join(re.sub(r"--.*", "", statement).split())
        if any(re.search(rf"\b(TABLE|ON) {table}\b", code, re.IGNORECASE) for table in made):
            continue
        marks = _MARK.findall(statement)
        if (marks and set(marks) <= versions) or widens(code, before):
            continue
        for what, pattern in _TAKES_AWAY.items():
            if re.search(pattern, code, re.IGNORECASE):
                yield f"{what}: {code}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("ALTER TABLE orders DROP COLUMN note", 1),
        ("DROP TABLE orders", 1),
        ("ALTER TABLE orders RENAME COLUMN a TO b", 1),
        ("ALTER TABLE orders ALTER COLUMN a TYPE bigint", 1),
        ("ALTER TABLE orders ALTER a SET DATA TYPE bigint", 1),
        ("ALTER TABLE orders ALTER COLUMN a SET NOT NULL", 1),
        ("ALTER TABLE orders ADD COLUMN a text NOT NULL", 1),
        ("ALTER TABLE orders ADD CHECK (a > 0)", 1),
        ("CREATE UNIQUE INDEX one ON orders (a)", 1),
        ("-- contract since 0.9.0: nothing reads it\nALTER TABLE orders DROP COLUMN note", 1),
        ("-- contract since 0.1.0: nothing reads it\nALTER TABLE orders DROP COLUMN note", 0),
        ("-- contract since 0.1.0: nothing reads it\nDROP TABLE a; DROP TABLE b", 1),
        ("ALTER TABLE orders ADD COLUMN a text NOT NULL DEFAULT ''", 0),
        ("ALTER TABLE orders ADD COLUMN a text CHECK (a <> '')", 0),
        ("CREATE TABLE a (b text NOT NULL); CREATE UNIQUE INDEX c ON a (b); ALTER TABLE a ADD CHECK (b <> '')", 0),
        ("CREATE INDEX c ON orders (a); -- DROP TABLE orders", 0),
    ],
)
def test_the_rule(text: str, count: int) -> None:
    assert len(list(breaches(text, {"0.1.0"}))) == count


@pytest.mark.parametrize(("values", "count"), [("'a', 'b', 'c'", 0), ("'a', 'b'", 0), ("'a', 'c'", 1)])
def test_a_check_may_allow_more_than_the_one_before_it(values: str, count: int) -> None:
    before = (
        "CREATE TABLE other (kind text CHECK (kind IN ('a')));\nCREATE TABLE t (kind text CHECK (kind IN ('a', 'b')));"
    )
    text = f"ALTER TABLE t DROP CONSTRAINT k;\nALTER TABLE t ADD CONSTRAINT k CHECK (kind IN ({values}))"
    assert len(list(breaches(text, set(), before))) == count
    assert len(list(breaches(text, set()))) == 1  # nothing known of the one before


def test_versions_are_released_by_a_heading_with_a_date() -> None:
    assert released("## 0.2.0, unreleased\n\n## 0.1.0, 2026-12-01\n") == {"0.1.0"}


def test_no_migration_takes_away_what_the_version_before_uses() -> None:
    versions = released((ROOT / "CHANGELOG.md").read_text("utf-8"))
    known = files()
    found = {
        name: list(breaches(text, versions, ";\n".join(earlier for _, earlier in known[:place])))
        for place, (name, text) in enumerate(known)
        if name[:4] > LAST_FREE
    }
    assert {name: breach for name, breach in found.items() if breach} == {}


def test_a_migration_gives_up_soon_and_changes_nothing(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = (
        ("9998_first.sql", "CREATE TABLE first (a int)"),
        ("9999_waits.sql", "ALTER TABLE orders ADD COLUMN waits int"),
    )
    known = files()
    monkeypatch.setattr(migrations, "files", lambda: [*known, *slow])
    with psycopg.connect(migrated_url) as reader:
        reader.execute("SELECT count(*) FROM orders")  # holds its lock until the transaction ends
        began = time.monotonic()
        with pytest.raises(psycopg.errors.LockNotAvailable):
            migrate(migrated_url)
        waited = time.monotonic() - began
    assert 5 <= waited < PATIENCE_SECONDS
    with psycopg.connect(migrated_url) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM migrations WHERE name ~ '^999' ORDER BY 1")]
    assert names == ["9998_first.sql"]  # each is a transaction of its own: what came before it stays
    assert migrate(migrated_url) == ["9999_waits.sql"]
