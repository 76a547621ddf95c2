"""docs/callbacks.md: the receivers that it shows accept what we sign, store it, and answer 401 to everything else."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from paymatch.clock import utc_now
from paymatch.domain.callbacks.signatures import secret_text, signature_headers
from tests.waiting import free_port, wait_until

PAGE = (Path(__file__).parents[2] / "docs" / "callbacks.md").read_text("utf-8")
SECRET = secret_text(bytes(range(32)))
OTHER = secret_text(bytes(32))
BODY = '{"number":"Ä-1","paymentStatus":"PAID"}'.encode()

Headers = Mapping[str, str]
Answer = tuple[int, list[list[str]]]
"""What a receiver answers, and which statuses of which orders it has stored."""


def blocks(language: str) -> list[str]:
    """The examples in a language, in the order of the page."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def in_python(headers: Headers, body: bytes) -> Answer:
    """The function and the handler; Flask's request is one of Werkzeug."""
    stored: list[list[str]] = []
    handlers: dict[str, Callable[[], tuple[str, int]]] = {}
    function, handler = blocks("python")
    sent = Request(
        EnvironBuilder(
            method="POST", data=body, content_type="application/json", headers=[*headers.items()]
        ).get_environ()
    )

    class App:
        @staticmethod
        def post(path: str) -> Callable[[Any], None]:
            return lambda found: handlers.update({path: found})

    names: dict[str, Any] = {
        "app": App, "request": sent, "os": os, "store_payment_status": lambda *said: stored.append(list(said)),
    }  # fmt: skip
    exec(function + handler, names)  # noqa: S102  our own document
    _text, status = handlers["/payment-status"]()
    return status, stored


_EXPRESS = """
const stored = [], handlers = {};
const express = { raw: () => null };
const app = { post: (path, _raw, handler) => { handlers[path] = handler; } };
const storePaymentStatus = async (...said) => { stored.push(said); };
EXAMPLES
const given = JSON.parse(process.env.GIVEN);
const response = { sendStatus: (status) => { console.log(JSON.stringify([status, stored])); } };
await handlers["/payment-status"]({ headers: given.headers, body: Buffer.from(given.body, "hex") }, response);
"""


def in_javascript(headers: Headers, body: bytes) -> Answer:
    """The function and the handler, in an Express that hands the request over as the real one does."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    imports, function = blocks("javascript")[0].split("\n\n", 1)
    script = imports + _EXPRESS.replace("EXAMPLES", function + blocks("javascript")[1])
    given = {
        **os.environ,
        "WEBHOOK_SECRET": SECRET,
        "GIVEN": json.dumps({"headers": dict(headers), "body": body.hex()}),
    }
    command = [node, "--input-type=module", "-e", script]
    ran = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    status, stored = json.loads(ran.stdout)
    return status, stored


def in_php(headers: Headers, body: bytes) -> Answer:
    """The page as PHP's own web server shows it."""
    php = shutil.which("php")
    if php is None:
        pytest.skip("needs php")
    with _php_server(php) as (address, stored):
        answer = httpx.post(
            address, content=body, headers=httpx.Headers({**headers, "Content-Type": "application/json"}, "latin-1")
        )
        return answer.status_code, [json.loads(line) for line in stored.read_text("utf-8").splitlines()]


@contextmanager
def _php_server(php: str) -> Iterator[tuple[str, Path]]:
    """Address of the document's receiver, and the file in which it stores."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stored = folder / "stored"
        stored.touch()
        line = "json_encode($said) . PHP_EOL"
        store = f"function storePaymentStatus(...$said) {{ file_put_contents('{stored}', {line}, FILE_APPEND); }}"
        (folder / "index.php").write_text(blocks("php")[0].replace("<?php\n", f"<?php\n{store}\n"), "utf-8")
        address = f"127.0.0.1:{free_port()}"
        command = [php, "-S", address, "-t", str(folder)]
        environment = {**os.environ, "WEBHOOK_SECRET": SECRET}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                wait_until(lambda: _listens(address))
                yield f"http://{address}/", stored
            finally:
                server.kill()


def _listens(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


@pytest.mark.parametrize("received", [in_python, in_javascript, in_php])
def test_receivers_of_the_document(
    received: Callable[[Headers, bytes], Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", SECRET)
    headers = dict(signature_headers([OTHER, SECRET], "cb_1", utc_now(), BODY))
    by_another = dict(signature_headers([OTHER], "cb_1", utc_now(), BODY))
    old = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 301)}
    assert received(headers, BODY) == (200, [["Ä-1", "PAID"]])
    assert received({**headers, "x-service-test": "true"}, BODY) == (200, [])
    for given, body in (
        (headers, BODY + b" "),
        (by_another, BODY),
        (old, BODY),
        ({}, BODY),
        ({**headers, "webhook-timestamp": "now"}, BODY),
        ({**headers, "webhook-signature": "v1,ÄÖ"}, BODY),
        ({name: text for name, text in headers.items() if name != "webhook-id"}, BODY),
    ):
        assert received(given, body) == (401, []), given
