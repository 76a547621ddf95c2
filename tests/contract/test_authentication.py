"""docs/api.md, Authentication: who may call what, over all routes (D-17, D-21)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta

import pytest

from paymatch.api import Api
from paymatch.api.router import ROUTES, EndpointRoute
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from tests.contract.client import ShopClient, call

NO_HEADER = (401, "Authentication header not present")
UNKNOWN = (401, "Invalid authentication header")
PLACEHOLDER = (401, "Replace the placeholder in the authentication header with your API key from the merchant area")
NOT_ACTIVE = (400, "Shop not active")
API_OFF = (400, "API not active, contact support")
READ_ONLY = (400, "Update not allowed for non-API Shop")

EVERY_ROUTE = pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")


def target_of(route: EndpointRoute, number: str = "A-1") -> str:
    """The path of a route for an order, in the request line."""
    filled = route.template.replace("{orderNumber}", number)
    while "{" in filled:
        before, _, rest = filled.partition("{")
        filled = f"{before}X{rest.partition('}')[2]}"
    return "/api/v2/" + filled


def ask(shop: ShopClient, route: EndpointRoute, **headers: str) -> tuple[int, str]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = call(shop.api, route.method, target_of(route), b"{}" if route.method == "POST" else b"", sent)
    return reply.error


@EVERY_ROUTE
def test_every_route_asks_for_a_valid_key(shop: ShopClient, route: EndpointRoute) -> None:
    shop.submit("A-1")
    revoked, expiring = _more_keys(shop)
    with shop.unchanged():
        assert ask(shop, route) == NO_HEADER
        assert ask(shop, route, X_Service_API_Key="") == NO_HEADER
        assert ask(shop, route, X_Service_API_Key="  ") == NO_HEADER
        assert ask(shop, route, Authorization=f"Bearer {shop.key}") == NO_HEADER
        for bad in ("x", shop.key[:-1] + "!", shop.key[:-1], shop.key + "0", "pm_live_" + "0" * 54, "ÿ", revoked):
            assert ask(shop, route, X_Service_API_Key=bad) == UNKNOWN
        for literal in ("<API_KEY>", "API_KEY", "<api_key>", "<YOUR_API_KEY>", " <API_KEY> "):
            assert ask(shop, route, X_Service_API_Key=literal) == PLACEHOLDER
        shop.clock.pass_time(hours=25)
        assert ask(shop, route, X_Service_API_Key=expiring) == UNKNOWN


@EVERY_ROUTE
def test_every_route_refuses_a_shop_that_is_not_active(shop: ShopClient, route: EndpointRoute) -> None:
    shop.submit("A-1")
    for status in ("paused", "deleted"):
        shop.change(status=status, api="off", access="read-only")
        assert ask(shop, route, X_Service_API_Key=shop.key) == NOT_ACTIVE
    shop.change(status="active")
    assert ask(shop, route, X_Service_API_Key=shop.key) == API_OFF
    shop.change(api="on")
    with shop.unchanged():
        reply = call(shop.api, route.method, target_of(route), b"", {"X-Service-API-Key": shop.key})
        assert (reply.status == 400 and reply.error == READ_ONLY) is route.writes


@EVERY_ROUTE
def test_every_route_that_writes_refuses_a_key_that_only_reads(shop: ShopClient, route: EndpointRoute) -> None:
    shop.submit("A-1")
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        key = shops.create_key(tx, scope="read")
    with shop.unchanged():
        reply = call(shop.api, route.method, target_of(route), b"", {"X-Service-API-Key": key})
    assert (reply.status == 400 and reply.error == READ_ONLY) is route.writes


@EVERY_ROUTE
def test_every_route_needs_https(shop: ShopClient, route: EndpointRoute) -> None:
    headers = {"X-Service-API-Key": shop.key}
    plain = call(shop.api, route.method, target_of(route), b"", headers, REMOTE_ADDR="203.0.113.9")
    assert plain.error == (400, "HTTPS must be used")


def test_https_from_afar_is_answered(shop: ShopClient) -> None:
    reply = call(
        shop.api, "GET", "/api/v2/orders", b"", {"X-Service-API-Key": shop.key},
        REMOTE_ADDR="203.0.113.9", **{"wsgi.url_scheme": "https"},
    )  # fmt: skip
    assert reply.status == 200


def test_all_posts_but_none_of_the_gets_write() -> None:
    assert all(route.writes is (route.method == "POST") for route in ROUTES)


def test_another_header_that_the_operator_allows_carries_the_key(shop: ShopClient) -> None:
    assert call(shop.api, "GET", "/api/v2/orders", b"", {"X-Other-Key": shop.key}).status == 200


def test_rolled_key_stays_valid_for_the_chosen_time(shop: ShopClient) -> None:  # D-17
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        (key_id,) = shop.rows("SELECT id FROM api_keys WHERE shop_id = $1")[0]
        new = shops.roll_key(tx, key_id, timedelta(days=1))
    old, shop.key = shop.key, new
    assert shop.get("orders").status == 200
    shop.key = old
    assert shop.get("orders").status == 200
    shop.clock.pass_time(days=1)
    assert shop.get("orders").error == UNKNOWN


def test_key_is_stored_as_its_hash_and_its_last_use_remembered(shop: ShopClient) -> None:  # D-17
    shop.get("orders")
    ((hint, used),) = shop.rows("SELECT hint, last_used_at FROM api_keys WHERE shop_id = $1")
    assert (hint, used) == (f"pm_live_...{shop.key[-4:]}", shop.clock.now)
    assert shop.key[8:] not in str(shop.rows("SELECT * FROM api_keys WHERE shop_id = $1"))


def test_call_does_not_wait_for_another_that_notes_the_keys_use(shop: ShopClient) -> None:
    with shop.database.of_shop(ShopId(shop.id)) as tx:
        tx.run("UPDATE api_keys SET last_used_at = $2 WHERE shop_id = $1", shop.id, shop.clock.now)
        assert shop.get("orders").status == 200


def test_sandbox_shop_has_a_test_key(make_shop: Callable[..., ShopClient]) -> None:  # D-17
    shop = make_shop(sandbox=True)
    assert shop.key.startswith("pm_test_")
    assert shop.get("orders").status == 200


def _more_keys(shop: ShopClient) -> tuple[str, str]:
    """(a revoked key, a key that expires in a day)."""
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        revoked = shops.create_key(tx, label="revoked")
        expiring = shops.create_key(tx, expires=shop.clock.now + timedelta(days=1))
        tx.run("UPDATE api_keys SET expires_at = $2 WHERE shop_id = $1 AND label = 'revoked'", shop.id, shop.clock.now)
    return revoked, expiring


def test_openapi_needs_no_key(api: Api) -> None:
    assert call(api, "GET", "/api/v2/openapi.json").status == 200


@EVERY_ROUTE
def test_every_scope_on_every_route(shop: ShopClient, route: EndpointRoute) -> None:
    shop.submit("A-1")
    allowed = set()
    for scope in KeyScope:
        with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
            key = shops.create_key(tx, scope=scope)
        with shop.unchanged() if route.writes else nullcontext():
            reply = call(shop.api, route.method, target_of(route, "UNKNOWN"), b"{}", {"X-Service-API-Key": key})
        refusals = {READ_ONLY, (401, f"API key lacks the scope {route.scope}")}
        if reply.status == 200 or reply.error not in refusals:
            allowed.add(scope)
    readers = {KeyScope.READ, KeyScope.ORDERS, KeyScope.REFUNDS}
    uploaders = (
        {KeyScope.STATEMENTS} if route.template in ("statements", "advices", "imports/{importId}") else {route.scope}
    )
    assert allowed == (readers if route.scope is KeyScope.READ else {route.scope}) | (uploaders & {KeyScope.STATEMENTS})
