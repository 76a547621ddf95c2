"""The demo's story works on any day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from paymatch.cli.demo.customers import bank_story
from paymatch.cli.demo.orders import demo_orders
from paymatch.cli.demo.three_months import bank_days_before

CHRISTMAS = [date(2026, 11, 20) + timedelta(days=n) for n in range(56)]
EASTER = [date(2027, 3, 15) + timedelta(days=n) for n in range(35)]


@pytest.mark.parametrize("days", [CHRISTMAS, EASTER], ids=["Christmas", "Easter"])
def test_nobody_pays_before_the_shop_has_submitted_the_order(days: list[date]) -> None:
    for today in days:
        bank_days = bank_days_before(today)
        orders = demo_orders(bank_days[-1])
        story = bank_story(orders, bank_days[0], bank_days[-1])
        submitted = {each.number: min(day for day in bank_days if day >= each.day) for each in orders}
        early = [
            (today, day, number)
            for day in bank_days
            for call in story.days.get(day, ())
            for number in [*call.body.get("orderNumbers", ()), *filter(None, [call.body.get("orderNumber")])]
            if submitted[number] > day
        ]
        assert early == []
