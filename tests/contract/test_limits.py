"""docs/api.md, Limits: every row, with the shop's own day and the ends of months."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.contract.client import ShopClient, order

N = "LM-1"


def test_no_rate_limit(shop: ShopClient) -> None:
    assert {shop.get("orders").status for _ in range(300)} == {200}


def test_1000_orders_per_call(shop: ShopClient) -> None:
    reply = shop.post("orders", [order(f"{N}-{place}") for place in range(1000)])
    assert (reply.status, len(reply.json)) == (200, 1000)


@pytest.mark.parametrize(
    ("today", "latest", "beyond"),
    [
        ((2026, 3, 2), "02-09-2026", "03-09-2026"),
        ((2026, 8, 31), "28-02-2027", "01-03-2027"),
        ((2027, 8, 31), "29-02-2028", "01-03-2028"),
        ((2026, 3, 31), "30-09-2026", "01-10-2026"),
        ((2026, 2, 28), "28-08-2026", "29-08-2026"),
        ((2026, 12, 31), "30-06-2027", "01-07-2027"),
    ],
)
def test_due_date_at_most_6_months_in_the_future(
    shop: ShopClient, today: tuple[int, int, int], latest: str, beyond: str
) -> None:
    shop.clock.now = datetime(*today, 12, tzinfo=UTC)
    with shop.unchanged():
        reply = shop.post(f"order/{N}", order(N, date="01-01-2026", dueDate=beyond))
        assert reply.error == (400, "Parameter dueDate must not be more than 6 months in the future")
    assert shop.submit(N, date="01-01-2026", dueDate=latest)["dueDate"] == latest


def test_due_date_may_lie_in_the_past(shop: ShopClient) -> None:
    assert shop.submit(N, dueDate="01-01-2020")["dueDate"] == "01-01-2020"


@pytest.mark.parametrize(
    ("country", "moment", "today", "tomorrow"),
    [
        ("DE", datetime(2026, 3, 28, 22, 59, tzinfo=UTC), "28-03-2026", "29-03-2026"),
        ("DE", datetime(2026, 3, 28, 23, 0, tzinfo=UTC), "29-03-2026", "30-03-2026"),
        ("DE", datetime(2026, 3, 29, 21, 59, tzinfo=UTC), "29-03-2026", "30-03-2026"),  # summer time began
        ("DE", datetime(2026, 3, 29, 22, 0, tzinfo=UTC), "30-03-2026", "31-03-2026"),
        ("DE", datetime(2026, 10, 25, 22, 59, tzinfo=UTC), "25-10-2026", "26-10-2026"),  # and ended
        ("GB", datetime(2026, 12, 31, 23, 59, tzinfo=UTC), "31-12-2026", "01-01-2027"),
    ],
)
def test_order_date_on_a_new_order_is_not_in_the_future_of_the_shops_day(
    make_shop: Callable[..., ShopClient], country: str, moment: datetime, today: str, tomorrow: str
) -> None:
    shop = make_shop(country=country)
    shop.clock.now = moment
    with shop.unchanged():
        reply = shop.post(f"order/{N}", order(N, date=tomorrow))
        assert reply.error == (400, "Parameter date must not be in the future")
    assert shop.submit(N, date=today)["date"] == today


def test_sandbox_shop_lives_in_its_own_time(make_shop: Callable[..., ShopClient]) -> None:
    shop = make_shop(sandbox=True)
    shop.run("UPDATE shops SET sandbox_now = '2026-06-01 10:00:00+00' WHERE shop_id = $1")
    assert shop.submit(N, date="01-06-2026", dueDate="01-12-2026")["date"] == "01-06-2026"
    with shop.unchanged():
        reply = shop.post("order/other", order("other", date="02-06-2026"))
        assert reply.error == (400, "Parameter date must not be in the future")
