"""While the database is away the API says so, and that the same may be asked for again."""

from __future__ import annotations

import msgspec
from structlog.testing import capture_logs

from paymatch.api import Api, ApiConfig
from paymatch.outbound.files import Files
from paymatch.store.database import Database
from tests.contract.client import Clock, new_shop
from tests.fakes.gateway import gateway
from tests.keys import KEYRING
from tests.waiting import wait_until


def test_database_that_is_away_is_503_until_it_is_back(module_url: str, files: Files, clock: Clock) -> None:
    config = ApiConfig(key_headers=("x-service-api-key",), clock=clock, invoice_max_bytes=1000)
    with gateway(module_url) as way:
        database = Database(way.url, size=1, timeout=1, keyring=KEYRING)  # on a busy machine too short for an answer
        patient = Database(module_url, size=1, keyring=KEYRING)
        try:
            api = Api(database, files, config)
            shop = new_shop(api, patient, clock)
            wait_until(lambda: shop.get("orders").status == 200)
            way.close()
            with capture_logs() as lines:
                answer = shop.get("orders")
            assert answer.status == 503
            assert msgspec.json.decode(answer.body) == {"error": "The database does not answer, please retry"}
            assert answer.headers["Retry-After"] == "2"
            assert [line["event"] for line in lines if line["log_level"] == "error"] == []
            way.open()
            wait_until(lambda: shop.get("orders").status == 200)
        finally:
            database.close()
            patient.close()
