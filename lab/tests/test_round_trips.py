"""What requests and due work ask of the database, counted between: a database far away makes each question wait."""

from __future__ import annotations

from pathlib import Path

from lab.api_world import encoded, new_shop, order
from lab.round_trips import counted
from tests.contract.client import call
from tests.keys import KEYRING

from paymatch.api import Api, ApiConfig
from paymatch.clock import utc_now
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.alerts import keep_alerts
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways

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
        "read": 2, "listed": 2, "unchanged": 4, "changed": 10, "new": 5, "set paid": 7, "set unpaid": 8, "cancelled": 6
    }  # fmt: skip


def test_due_work_costs_few_round_trips(module_url: str) -> None:
    """Each cause of an alert asks by itself: plain queries, once an hour for each shop."""
    with counted(module_url) as (url, relay):
        database = Database(url, size=1, keyring=KEYRING)
        shop = shops.create(database, "watched", utc_now(), ibans=["DE89370400440532013000"]).shop
        shop_id = ShopId(shop.id)
        while shop_jobs.plan(database):
            pass

        before = relay.round_trips
        due = shop_jobs.due(database, utc_now(), 10)
        looked = relay.round_trips - before
        with database.of_shop(shop) as tx:
            tx.value("SELECT 1")
            before = relay.round_trips
            assert keep_alerts(tx) == (0, 0)
            causes = relay.round_trips - before
        before = relay.round_trips
        ran = shop_jobs.run(database, JobGateways(), shop_id, BY_NAME["alerts"], utc_now, early=True)
        job = relay.round_trips - before
        database.close()
    assert due == []
    assert ran == shop_jobs.Ran(shop_jobs.JobOutcome.DONE, "0 raised, 0 resolved")
    assert {"looking": looked, "causes": causes, "job": job} == {"looking": 11, "causes": 54, "job": 63}
