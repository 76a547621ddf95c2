"""No request makes a customer's page fail, or show what is not its order's. `REQUESTS=100000` sends more."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from tests.keys import KEYRING
from tests.length import times
from tests.pages.customers.page_world import Customer, Seen
from tests.usecases.refunds.refund_world import RefundWorld

REQUESTS: Final = int(os.environ.get("REQUESTS", times(200, 600)))
SEEDS: Final = 2
CPU_SECONDS: Final = 2.0
_METHODS: Final = (*("GET", "POST") * 8, "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "get", "BREW", "")
_PATHS: Final = (
    *("", "/account", "/account", "/paid", "/wrong-person") * 5, "/", "/invoice/",
    "/invoice/x", "/invoice/../../etc/passwd", "//", "/..",
    "/paid/", "/unknown", "/\x00", "/" + "x" * 3000, "/\udcff", "/{{7*7}}", "/<script>",
)  # fmt: skip
_VALUES: Final = (
    "", "edit", "confirm", "check", "0", "1", "-1", "9" * 40, "DE89370400440532013000", "DE12500105170648489890",
    "GB33BUKB20201555555555", "Erika Mustermann", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "\x00", "\ud800",
    "{{ page }}", "x" * 5000, "\u202e", "%s%n", "'; DROP TABLE orders; --", "de", "xx", "../de",
)  # fmt: skip
_FIELDS: Final = ("step", "refund", "version", "holder", "iban", "lang", "said", "x", "")
_HEADERS: Final = {
    "accept-language": ("de", "en;q=x", "*", "x" * 5000, ",,;;==", "zz-ZZ"),
    "sec-fetch-site": ("", "none", "same-origin", "cross-site", "x"),
    "referer": ("https://evil.example/", "x"),
    "cookie": ("sessionid=1", "\x00"),
}
SECRET: Final = ("Neighbour", "neighbour@example.com", "NEIGHBOURS-ORDER")
"""Too long to stand in the random characters of a link by chance, as `N-2` did once in some ten thousand pages."""


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def customer(database: Database, tmp_path: Path) -> Customer:
    """An order that waits for bank details, and another of somebody else."""
    found = Customer(RefundWorld(database, tmp_path), DirectoryFiles(tmp_path))
    client = found.world.client
    client.submit("F-1", amount=10, type="COD", customerEmail="erika@example.com")
    client.post("order/F-1/setpaid")
    found.world.file("F-1", amount=10)
    client.submit(
        SECRET[2], amount=77.77, customerEmail=SECRET[1], billing={"lastName": SECRET[0], "countryCode": "DE"}
    )
    return found


def mutated(customer: Customer, chance: Random, refund: str) -> Seen:
    token = path = customer.link("F-1")  # a new one if the wrong person has revoked it
    if chance.random() < 0.2:
        place = chance.randrange(3, len(path))
        token = path[:place] + chance.choice("AZaz09-_~/%\x00é") + path[place + chance.randint(0, 1) :]
    fields = {chance.choice(_FIELDS): chance.choice(_VALUES) for _ in range(chance.randint(0, 6))}
    if chance.random() < 0.7:
        fields |= {
            "refund": refund,
            "version": str(chance.randint(0, 3)),
            "step": chance.choice(("", "confirm", "edit")),
        }
    fields = {name: value.encode("utf-8", "replace").decode() for name, value in fields.items()}
    headers = {name: chance.choice(values) for name, values in _HEADERS.items() if chance.random() < 0.4}
    query = f"?{chance.choice(('lang', 'said', 'x', ''))}={chance.choice(_VALUES)}" if chance.random() < 0.4 else ""
    address = f"203.0.{chance.randrange(256)}.{chance.randrange(256)}"
    target = token + chance.choice(_PATHS) + query
    return customer.send(chance.choice(_METHODS), target, fields, address, headers)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_request_makes_a_page_fail(customer: Customer, seed: int) -> None:
    chance, said = Random(seed), Counter[int]()
    refund = customer.world.client.read("F-1", "includeRefunds=true")["refunds"][0]["id"]
    for _ in range(REQUESTS // SEEDS):
        begun = time.process_time()
        seen = mutated(customer, chance, refund)
        assert time.process_time() - begun < CPU_SECONDS
        said[seen.status] += 1
        assert seen.status in (200, 303, 400, 404, 409, 429), seen.status
        assert seen.headers["Referrer-Policy"] == "no-referrer" and seen.headers["Cache-Control"] == "no-store"
        assert not any("\r" in value or "\n" in value for value in seen.headers.values())
        assert "Set-Cookie" not in seen.headers and b"<script>alert" not in seen.body
        assert not any(word.encode() in seen.body for word in SECRET)
        if seen.status == 429:
            customer.pages = type(customer.pages)(customer.world.database, customer.files, customer.world.clock)
    assert {200, 303, 400, 404} <= set(said), said
    assert customer.world.client.status(SECRET[2]) == "UNPAID"
