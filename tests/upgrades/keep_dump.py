"""Keeps a dump of what another version leaves in its database: `python -m tests.upgrades.keep_dump TREE PYTHON NAME`.

TREE is a checkout of that version, PYTHON an interpreter with what it needs. A shop lives there for a moment by the
version's own HTTP and command line, as shops did: orders, the statement in `dumps/`, a refund. A release keeps one.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psycopg

from paymatch.embedded import programs, running_server
from tests.keys import SECRET_KEY
from tests.waiting import free_port

DUMPS = Path(__file__).parent / "dumps"
STATEMENT = DUMPS / "statement.xml"
SHOP = "Old shop"
_ORDERS = (
    ("OLD-1001", "PREPAYMENT", 49.9, "Erika", "Mustermann"),
    ("OLD-1002", "INVOICE", 120.0, "Max", "Mustermann"),
    ("OLD-1003", "INVOICE", 80.0, "Otto", "Beispiel"),
    ("OLD-1004", "PREPAYMENT", 95.0, "Frieda", "Beispiel"),
)


@dataclass(frozen=True)
class _Version:
    """Another version at work on a database of its own."""

    tree: Path
    python: str
    url: str
    folder: Path

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "PYTHONPATH": str(self.tree / "src"), "PAYMATCH_DATABASE_URL": self.url,
            "PAYMATCH_DATA_DIR": str(self.folder / "data"), "PAYMATCH_SECRET_KEY": SECRET_KEY,
        }  # fmt: skip

    def run(self, *arguments: str) -> Any:
        """The JSON that a command prints."""
        command = [self.python, "-m", "paymatch", *arguments, "--json"]
        done = subprocess.run(command, env=self.environment(), check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    @contextmanager
    def serving(self) -> Iterator[int]:
        """The port on which it answers."""
        port = free_port()
        command = [self.python, "-m", "paymatch", "serve", "--port", str(port)]
        process = subprocess.Popen(command, env=self.environment())
        try:
            while _ask(port, "GET", "/healthz")[0] != 200:
                assert process.poll() is None
                time.sleep(0.2)
            yield port
        finally:
            process.terminate()
            process.wait(60)


def _ask(port: int, method: str, path: str, key: str = "", body: Any = None) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    headers = {"X-Service-API-Key": key, "Content-Type": "application/json"} if key else {}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except OSError:
        return 0, b""
    finally:
        connection.close()


def _submit(port: int, key: str, path: str, body: Any) -> None:
    status, said = _ask(port, "POST", f"/api/v2/{path}", key, body)
    if status != 200:
        raise SystemExit(f"{path}: {status} {said.decode()}")


def _live(version: _Version) -> None:
    """A day of a shop."""
    with version.serving() as port:
        key = version.run("shop", "create", SHOP, "--iban", "DE89370400440532013000")["apiKey"]
        for number, kind, amount, first, last in _ORDERS:
            billing = {
                "firstName": first,
                "lastName": last,
                "countryCode": "DE",
                "email": f"{first}@example.com".lower(),
            }
            order = {"number": number, "date": "16-11-2026", "type": kind, "amount": amount, "currency": "EUR"}
            _submit(port, key, f"order/{number}", order | {"billing": billing})
        version.run("statement", "import", SHOP, str(STATEMENT))
        refund = {"externalReference": "R-1", "amount": 20.0, "currency": "EUR", "plannedDate": "31-12-2029"}
        _submit(port, key, "order/OLD-1004/refund", refund)
        time.sleep(3)  # what is due at once, the worker does now


def main(tree: str, python: str, name: str) -> None:
    """Writes `dumps/NAME.sql.gz`, statements that any connection can run."""
    with tempfile.TemporaryDirectory(prefix="paymatch-dump-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o711)
        with running_server(folder, durable=False) as server:
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute("CREATE DATABASE old")
            url = re.sub(r"/[^/?]*(?=\?)", "/old", server, count=1)
            _live(_Version(Path(tree).absolute(), python, url, folder))
            command = [str(programs() / "bin" / "pg_dump"), "--no-owner", "--inserts", f"--dbname={url}"]
            text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    packed = gzip.compress(re.sub(rb"(?m)^\\(un)?restrict .*\n", b"", text), 9, mtime=0)
    (DUMPS / f"{name}.sql.gz").write_bytes(packed)


if __name__ == "__main__":
    main(*sys.argv[1:])
