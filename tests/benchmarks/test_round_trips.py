"""What a request asks of the database, counted between the two: a database far away makes each question wait."""

from __future__ import annotations

from pathlib import Path

from benchmarks.api_world import encoded, new_shop, order
from benchmarks.round_trips import counted

from paymatch.api import Api, ApiConfig
from paymatch.clock import utc_now
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from tests.contract.client import call
from tests.keys import KEYRING

CONFIG = ApiConfig(("x-service-api-key",), clock=utc_now, invoice_max_bytes=1_000)


def test_a_request_costs_few_round_trips(module_url: str, tmp_path: Path) -> None:
    today = utc_now().date()
    first, again, more = (
        encoded([order(start + i, version=version, today=today) for i in range(10)])
        for start, version in ((0, 0), (0, 1), (20, 0))
    )
    with counted(module_url) as (url, relay):
        database = Database(url, size=1, keyring=KEYRING)
        api = Api(database, DirectoryFiles(tmp_path), CONFIG)
        key = new_shop(database, "counted")[1]

        def trips(method: str, path: str, body: bytes = b"") -> int:
            before = relay.round_trips
            reply = call(api, method, f"/api/v2/{path}", body, {"X-Service-API-Key": key})
            assert reply.status == 200, reply.body
            return relay.round_trips - before

        trips("POST", "orders", first)  # the key's first use is written down
        found = {
            "read": trips("GET", "order/A-100001"),
            "listed": trips("GET", "orders"),
            "unchanged": trips("POST", "orders", first),
            "changed": trips("POST", "orders", again),
            "new": trips("POST", "orders", more),
            "set paid": trips("POST", "order/A-100001/setpaid"),
            "set unpaid": trips("POST", "order/A-100001/setunpaid"),
            "cancelled": trips("POST", "order/A-100001/cancel"),
        }
        database.close()
    assert found == {
        "read": 2, "listed": 2, "unchanged": 4, "changed": 7, "new": 4, "set paid": 6, "set unpaid": 7, "cancelled": 6
    }  # fmt: skip
