"""Shop systems in the merchant area: connected, tested, started, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service, provide
from paymatch.domain.connectors.systems import as_texts
from paymatch.formats.contract.bodies import read_order
from paymatch.outbound.connectors.calls import LIMITS
from paymatch.outbound.http import HttpClient
from paymatch.store.connectors.connectors import ConnectorRow
from paymatch.usecases import audit
from paymatch.usecases.connectors import connectors
from paymatch.usecases.connectors.gateways import ConnectorGateways
from paymatch.usecases.shops import shops
from tests.area.conftest import Person, prove
from tests.fakes.woocommerce import KEY, SECRET, WooShop, woo_shop


@pytest.fixture
def woo(service: Service) -> Iterator[WooShop]:
    with woo_shop() as found:
        provide(
            replace(
                service, connectors=lambda: ConnectorGateways(HttpClient(allow_private=True, limits=LIMITS), read_order)
            )
        )
        yield found
        provide(service)


@pytest.fixture
def person(service: Service, sign_in: Callable[..., Person], woo: WooShop) -> Person:
    """A developer whose shop may be called at the port of the fake."""
    found = sign_in(TeamRole.DEVELOPER, proven=True)
    with service.database.of_shop(found.shop) as tx:
        shops.change(tx, {"callback-ports": str(woo.port)})
    return found


def rows(service: Service, person: Person) -> list[ConnectorRow]:
    with service.database.of_shop(person.shop) as tx:
        return connectors.list_connectors(tx)


def page(person: Person, path: str) -> str:
    answer = person.get(path)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def connect(person: Person, woo: WooShop, **more: str) -> str:
    """The page that adding a connector leads to, or the form with what is wrong."""
    given = {"system": "woocommerce", "url": woo.url, "key": KEY, "secret": SECRET, "name": ""} | more
    answer = person.post("developers/connectors/new", given)
    return answer.headers.get("Location", "") or unescape(answer.content.decode())


def test_a_shop_is_connected_tested_and_started(service: Service, person: Person, woo: WooShop) -> None:
    woo.place(1, date_created_gmt=f"{service.clock():%Y-%m-%dT%H:%M:%S}")
    woo.place(2, method="stripe")
    woo.place(3, currency="XXQ", date_created_gmt=f"{service.clock():%Y-%m-%dT%H:%M:%S}")
    for order in woo.orders.values():
        order["date_modified_gmt"] = f"{service.clock():%Y-%m-%dT%H:%M:%S}"
    assert connect(person, woo).endswith("/developers/connectors/woocommerce")
    (row,) = rows(service, person)
    assert (row.status, row.settings.url) == ("paused", woo.url)
    tested = unescape(person.post("developers/connectors/woocommerce", {"do": "test"}).content.decode())
    for words in (
        "3 orders in the period",
        "is imported",
        "not imported: payment method",
        "Parameter currency is not valid",
    ):
        assert words in tested
    assert SECRET not in tested and KEY not in tested
    person.post("developers/connectors/woocommerce", {"do": "start"})
    assert rows(service, person)[0].status == "active"
    assert "runs" in page(person, "developers/connectors")
    person.post("developers/connectors/woocommerce", {"do": "pause"})
    person.post("developers/connectors/woocommerce", {"do": "look"})
    assert "Connector woocommerce is paused: start it first" in page(person, "developers/connectors/woocommerce")
    person.post("developers/connectors/woocommerce", {"do": "remove"})
    assert rows(service, person) == []
    entries = [row["action"] for row in audit.last_entries(service.database, person.shop, "", 4)]
    assert entries == ["connector-removed", "connector-changed", "connector-changed", "connector-added"]


def test_what_is_wrong_stands_beside_its_field(service: Service, person: Person, woo: WooShop) -> None:
    assert "URL not valid" in connect(person, woo, url="shop")
    assert "A key and a secret of up to 255 printable ASCII characters" in connect(person, woo, secret=" ")
    assert "A name of up to 40 lower-case letters" in connect(person, woo, name="Ä")
    assert rows(service, person) == []
    connect(person, woo)
    assert "there is a connector of this name already" in connect(person, woo)
    values = as_texts(rows(service, person)[0].settings)
    changed = person.post(
        "developers/connectors/woocommerce", {"do": "settings", **values, "payment-methods": "bacs=CARD"}
    )
    assert "bacs=CARD is not of the form" in unescape(changed.content.decode())
    person.post("developers/connectors/woocommerce", {"do": "settings", **values, "poll-minutes": "30"})
    assert rows(service, person)[0].settings.minutes == 30


def test_a_wrong_key_is_told_and_replaced(service: Service, person: Person, woo: WooShop) -> None:
    connect(person, woo, secret="cs_wrong")
    said = unescape(person.post("developers/connectors/woocommerce", {"do": "test"}).content.decode())
    assert "The shop refused the key or the secret (401): Sorry, you cannot list resources." in said
    person.post("developers/connectors/woocommerce", {"do": "keys", "new-key": KEY, "new-secret": SECRET})
    said = unescape(person.post("developers/connectors/woocommerce", {"do": "test"}).content.decode())
    assert "The shop answers, and has no orders in the period." in said


def test_a_connector_of_another_shop_is_unknown(
    service: Service, person: Person, woo: WooShop, sign_in: Callable[..., Person]
) -> None:
    connect(person, woo)
    stranger = sign_in(TeamRole.DEVELOPER, proven=True)
    assert stranger.get("developers/connectors/woocommerce").status_code == 404
    assert stranger.post("developers/connectors/woocommerce", {"do": "remove"}).status_code == 404
    assert len(rows(service, person)) == 1


def test_a_session_alone_connects_nothing(service: Service, woo: WooShop, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER)
    prove(person, minutes_ago=6)
    given = {"system": "woocommerce", "url": woo.url, "key": KEY, "secret": SECRET, "name": ""}
    assert person.post("developers/connectors/new", given).status_code == 302
    assert rows(service, person) == []
