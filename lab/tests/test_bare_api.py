"""The peer of the benchmark of the API does the same work: it answers as ours does."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path
from typing import Any

from lab.api import unnamed
from lab.api_world import encoded, new_shop, order
from lab.bare_api import BareApi
from tests.contract.client import call
from tests.keys import KEYRING

from paymatch.api import Api, ApiConfig
from paymatch.clock import utc_now
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database

Call = tuple[str, str, bytes]
CONFIG = ApiConfig(("x-service-api-key",), clock=utc_now, invoice_max_bytes=1_000)


def calls(today: date) -> list[Call]:
    """New orders, the same with one changed, one set paid, one read, all listed."""
    first = encoded([order(i, today=today) for i in range(3)])
    again = encoded([order(i, version=int(i == 1), today=today) for i in range(3)])
    number = "A-100000"
    return [
        ("POST", "orders", first),
        ("POST", "orders", again),
        ("POST", f"order/{number}/setpaid", b""),
        ("GET", f"order/{number}", b""),
        ("GET", "orders", b""),
    ]


async def answered_by_peer(url: str, key: str, wanted: list[Call]) -> list[bytes]:
    """The bodies that the peer answers, each with status 200."""
    peer, bodies = BareApi(url), []
    inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    started = asyncio.Event()

    async def lived(_: Any) -> None:
        started.set()

    await inbox.put({"type": "lifespan.startup"})
    life = asyncio.create_task(peer({"type": "lifespan"}, inbox.get, lived))
    await started.wait()
    for method, path, body in wanted:
        sent: list[Any] = []

        async def receive(body: bytes = body) -> dict[str, Any]:
            return {"type": "http.request", "body": body}

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": method, "path": f"/api/v2/{path}", "query_string": b"",
            "headers": [(b"x-service-api-key", key.encode())],
        }  # fmt: skip
        await peer(scope, receive, send)
        assert sent[0]["status"] == 200, sent
        bodies.append(sent[1]["body"])
    await inbox.put({"type": "lifespan.shutdown"})
    await life
    return bodies


def test_peer_answers_byte_by_byte_as_ours(migrated_url: str, tmp_path: Path) -> None:
    database = Database(migrated_url, size=2, keyring=KEYRING)
    try:
        api = Api(database, DirectoryFiles(tmp_path), CONFIG)
        wanted = calls(utc_now().date())
        (_, our_key), (_, peer_key) = (new_shop(database, name) for name in ("written", "written"))
        ours = [
            call(api, method, f"/api/v2/{path}", body, {"X-Service-API-Key": our_key}).body
            for method, path, body in wanted
        ]
    finally:
        database.close()
    theirs = asyncio.run(answered_by_peer(migrated_url, peer_key, wanted))
    assert [unnamed(body) for body in theirs] == [unnamed(body) for body in ours]
