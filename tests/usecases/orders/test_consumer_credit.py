"""Due dates and terms that make an order a consumer credit are asked about, by the country of the customer (D-131)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from paymatch.domain.orders.consumer_credit import PutOffPayment, free_days, is_consumer_credit
from paymatch.domain.reminders.dunning_plan import PlanRefused
from paymatch.store.database import Database
from paymatch.usecases.shops import dunning_plans, shops
from paymatch.usecases.work.alerts import list_alerts, resolve
from tests.usecases.conftest import ACCOUNT, Books

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("country", "days", "since", "is_business", "large", "found"),
    [
        ("DE", 50, DAY, False, False, False),
        ("DE", 51, DAY, False, False, True),
        ("DE", 51, DAY - timedelta(days=1), False, False, False),  # ordered before the law held
        ("DE", 51, DAY, True, False, False),
        ("FR", 14, DAY, False, True, False),
        ("FR", 15, DAY, False, True, True),
        ("CH", 90, DAY, False, True, False),
        ("NO", 90, DAY, False, False, False),
        ("", 90, DAY, False, False, False),
    ],
)
def test_when_payment_put_off_is_a_credit(
    country: str, days: int, since: date, is_business: bool, large: bool, found: bool
) -> None:
    payment = PutOffPayment("A-1", since, since + timedelta(days=days), country, is_business)
    assert is_consumer_credit(payment, free_days(is_large_seller=large)) is found


@pytest.fixture
def books(database: Database) -> Books:
    now = datetime(2026, 11, 25, 9, tzinfo=UTC)
    return Books(database, shops.create(database, "Credit", now, ibans=[ACCOUNT]).shop, now)


def submit(books: Books, number: str, due: str, country: str = "DE", **billing: str) -> None:
    books.order(
        number, "12.00", type="INVOICE", date="25-11-2026", dueDate=due,
        billing={"firstName": "Eva", "lastName": "Muster", "countryCode": country, **billing},
    )  # fmt: skip


def asked(books: Books) -> list[tuple[str, str]]:
    rows: list[dict[str, Any]] = list_alerts(books.database, books.shop)
    return sorted((row["subject"], str(row["text"])) for row in rows if row["kind"] == "consumer-credit")


def test_orders_that_are_due_too_late_are_asked_about_once_for_each_country(books: Books) -> None:
    submit(books, "A-1", "14-01-2027")  # day 50
    submit(books, "A-2", "15-01-2027", company="Muster GmbH")
    submit(books, "A-3", "15-01-2027", country="CH")
    assert asked(books) == []
    submit(books, "A-4", "15-01-2027")
    submit(books, "A-5", "20-01-2027")
    submit(books, "A-6", "15-01-2027", country="AT")
    assert [subject for subject, _text in asked(books)] == ["AT 50", "DE 50"]
    assert asked(books)[1][1] == (
        "Order A-4 is due 51 days after its date. In its country (DE) that is a consumer credit after 50 days."
        " Is it intended? Close this, or set an earlier due date"
    )
    for row in list_alerts(books.database, books.shop):
        resolve(books.database, books.shop, row["id"], books.now)
    submit(books, "A-7", "15-01-2027")  # answered
    assert asked(books) == []
    books.rows("UPDATE shops SET large_online_seller = true WHERE shop_id = $1 RETURNING 1")
    submit(books, "A-8", "10-12-2026")
    assert [subject for subject, _text in asked(books)] == ["DE 14"]


def test_a_plan_whose_term_is_a_credit_is_asked_about(books: Books) -> None:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        assert dunning_plans.change_plan(tx, {"term-days": "50"}, credit_accepted=False)["term-days"] == "50"
        with pytest.raises(PlanRefused, match="later than 50 days after delivery is a credit"):
            dunning_plans.change_plan(tx, {"term-days": "51"}, credit_accepted=False)
        dunning_plans.change_plan(tx, {"term-days": "51"}, credit_accepted=True)
        # what was accepted before is not asked about again
        assert dunning_plans.change_plan(tx, {"term-days": "51", "grace-days": "9"}, credit_accepted=False)
