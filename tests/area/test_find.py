"""Find anything: ten callers' wordings, the answer to the caller, and the same without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from tests.area.conftest import Person
from tests.contract.bank import PAYER, book, entry
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld

MARIE: dict[str, Any] = {
    "customerNumber": "70562", "customerEmail": "m.iversen@posteo.example",
    "billing": {"firstName": "Marie", "lastName": "Iversen", "street": "Deichstraße 12", "postCode": "26789",
                "city": "Leer", "countryCode": "DE"},
}  # fmt: skip
RESULT = re.compile(r'<a class="find-result"[^>]*href="[^"]*/(orders|postings)(?:/|\?q=)([^"]+)"')
TITLE = re.compile(r'<span class="find-what"><strong>(.*?)</strong>')
TAG = re.compile(r"<[^>]+>")


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """A clerk of a shop to which its customers telephone."""
    client = world.client
    client.submit("WT-11667", amount=58.30, invoiceNumbers=["RE 2026-10411"], **MARIE)
    client.submit("WT-11670", amount=41.20, **MARIE)
    client.submit("WT-11700", amount=1912, billing={"firstName": "Jörg", "lastName": "Rößler", "countryCode": "DE"})
    client.submit("WT-11701", amount=20, billing={"company": "Schmidt Lorenz GmbH", "countryCode": "DE"})
    client.submit("WT-11702", amount=30, billing={"firstName": "René", "lastName": "Müller", "countryCode": "DE"})
    book(client, entry("Bestellung WT-11667 Tee", 5_830, name="M. IVERSEN und T. Iversen"))
    client.clock.pass_time(seconds=1)  # two payments of one millisecond have no order
    book(client, entry("danke", 2_240, name="Iverson Marie", account=ERIKA))
    return sign_in(TeamRole.CLERK, client.shop)


def found(person: Person, text: str, **more: str) -> tuple[list[str], list[str]]:
    """(numbers of the orders, names of the payments) that a caller's words find."""
    page = person.get("find", data={"q": text, **more}).content.decode()
    kinds = [(kind, unescape(rest)) for kind, rest in RESULT.findall(page)]
    titles = [unescape(TAG.sub("", title)) for title in TITLE.findall(page)]
    orders = [rest for kind, rest in kinds if kind == "orders" and rest.startswith("WT-")]
    return orders, [title for (kind, _rest), title in zip(kinds, titles, strict=True) if kind == "postings"]


IVERSENS = ["WT-11670", "WT-11667"]
PAID = "M. IVERSEN und T. Iversen"


@pytest.mark.parametrize(
    ("said", "orders", "payments"),
    [
        ("Marie Iversen", IVERSENS, ["Iverson Marie"]),
        ("iversen marie", IVERSENS, ["Iverson Marie"]),
        (PAYER, ["WT-11667"], [PAID]),
        ("DE75 5121 0800 1245 1261 99", ["WT-11667"], [PAID]),
        (PAYER[4:12], ["WT-11667"], [PAID]),
        (f"{PAYER[9:13]} {PAYER[13:16]}", ["WT-11667"], [PAID]),
        (PAYER[-4:], ["WT-11667"], [PAID]),
        ("Roessler", ["WT-11700"], []),
        ("rossler", ["WT-11700"], []),
        ("Rößler Joerg", ["WT-11700"], []),
        ("Schmidt Lorenz", ["WT-11701"], []),
        ("Lorenz Schmidt", ["WT-11701"], []),
        ("rene mueller", ["WT-11702"], []),
        ("WT 11667", ["WT-11667"], [PAID]),
        ("WT-11667", ["WT-11667"], [PAID]),
        ("wt11667", ["WT-11667"], [PAID]),
        ("re202610411", ["WT-11667"], [PAID]),
        ("58,30", ["WT-11667"], [PAID]),
        ("58.30 EUR", ["WT-11667"], [PAID]),
        ("1.912,00", ["WT-11700"], []),
        ("1,912.00", ["WT-11700"], []),
        ("bestellung tee", [], [PAID]),
        ("Iverson", IVERSENS, ["Iverson Marie", PAID]),
        ("70562", IVERSENS, ["Iverson Marie", PAID]),
        ("m.iversen@posteo.example", IVERSENS, []),
        ("Deichstrasse Leer", IVERSENS, []),
        ("Nemo", [], []),
        ("%", [], []),
        ("_", [], []),
    ],
)  # fmt: skip
def test_what_a_caller_says_is_found(clerk: Person, said: str, orders: list[str], payments: list[str]) -> None:
    assert found(clerk, said) == (orders, payments)


@pytest.mark.parametrize("width", [4, 5, 25])
def test_the_reference_of_every_mail_is_found_however_it_is_read_out(
    clerk: Person, world: RefundWorld, width: int
) -> None:
    ((reference,),) = world.client.rows("SELECT reference FROM orders WHERE shop_id = $1 AND number = 'WT-11667'")
    said = " ".join(reference[place : place + width] for place in range(0, len(reference), width))
    assert found(clerk, said.lower()) == (["WT-11667"], [PAID])
