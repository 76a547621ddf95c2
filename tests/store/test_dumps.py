"""What a dump is restored by is understood by every version of PostgreSQL that may hold the tables."""

from __future__ import annotations

import re
import subprocess

import pytest

from paymatch.embedded import programs
from paymatch.store.work.dumps import compatible_script, pg_dump_stream

SETTINGS = (
    "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "client_encoding",
    "standard_conforming_strings", "check_function_bodies", "xmloption", "client_min_messages", "row_security",
    "default_tablespace", "default_table_access_method",
)  # fmt: skip
"""What pg_restore sets and PostgreSQL 15 and 16 know."""


@pytest.mark.parametrize(
    ("version", "newer"), [(15, ()), (16, ()), (17, ("transaction_timeout",)), (18, ("transaction_timeout",))]
)
def test_script_sets_nothing_that_the_server_does_not_know(
    migrated_url: str, version: int, newer: tuple[str, ...]
) -> None:
    dump = b"".join(pg_dump_stream(migrated_url, programs()))
    command = [str(programs() / "bin" / "pg_restore"), "--no-owner", "--file=-"]
    written = subprocess.run(command, input=dump, capture_output=True, check=True).stdout
    script = b"".join(compatible_script(iter([written[:4096], written[4096:]]), version))
    found = set(re.findall(r"^SET (\w+) = ", script.decode(), re.MULTILINE))
    assert found == {*SETTINGS, *newer}
    assert script.endswith(written[4096:])
