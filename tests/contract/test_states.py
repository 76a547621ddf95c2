"""docs/api.md, States: every row, D-1 to D-3 and D-11, each change with one event and one callback."""

from __future__ import annotations

import pytest

from tests.contract.bank import book, entry, pay
from tests.contract.client import ShopClient, order

N = "ST-20001"


def events(shop: ShopClient) -> list[tuple[str, str]]:
    return [(a, b) for a, b in shop.rows("SELECT from_status, to_status FROM events WHERE shop_id = $1 ORDER BY seq")]


def test_submit_of_a_new_number_is_unpaid(shop: ShopClient) -> None:
    assert shop.submit(N)["paymentStatus"] == "UNPAID"
    assert events(shop) == []


def test_amount_due_of_zero_is_paid(shop: ShopClient) -> None:  # D-2
    assert shop.submit(N, amount=0)["paymentStatus"] == "PAID"


def test_payment_that_covers_the_amount_is_paid(shop: ShopClient) -> None:
    shop.submit(N)
    pay(shop, N, 1990)
    found = shop.read(N)
    assert (found["paymentStatus"], found["amountPaid"]) == ("PAID", "19.90")
    assert events(shop) == [("UNPAID", "PAID")]


def test_payment_below_the_amount_is_partial_and_the_rest_makes_it_paid(shop: ShopClient) -> None:  # D-2
    shop.submit(N, amount=100)
    pay(shop, N, 4000)
    assert (shop.status(N), shop.read(N)["amountPaid"]) == ("PAID_PARTIAL", "40.00")
    pay(shop, N, 6000)
    assert (shop.status(N), shop.read(N)["amountPaid"]) == ("PAID", "100.00")
    assert events(shop) == [("UNPAID", "PAID_PARTIAL"), ("PAID_PARTIAL", "PAID")]


def test_raising_the_amount_leads_back_to_partial_and_lowering_it_to_paid(shop: ShopClient) -> None:  # D-2
    shop.submit(N)
    pay(shop, N, 1990)
    assert shop.submit(N, amount=30)["paymentStatus"] == "PAID_PARTIAL"
    assert shop.submit(N, amount=19.9)["paymentStatus"] == "PAID"
    assert events(shop) == [("UNPAID", "PAID"), ("PAID", "PAID_PARTIAL"), ("PAID_PARTIAL", "PAID")]


def test_returned_payment_leads_back_to_unpaid(shop: ShopClient) -> None:  # D-2
    shop.submit(N)
    book(shop, entry(f"Bestellung {N}", 1990, end_to_end_id="E2E-4711"))
    assert shop.status(N) == "PAID"
    book(shop, entry(f"Bestellung {N}", -1990, end_to_end_id="E2E-4711", reversal=True, return_reason="AC04"))
    assert shop.status(N) == "UNPAID"
    assert events(shop) == [("UNPAID", "PAID"), ("PAID", "UNPAID")]


def test_setpaid_from_every_state_but_paid(shop: ShopClient) -> None:
    shop.submit(N, amount=100)
    pay(shop, N, 4000)
    for prepare, before in (("", "PAID_PARTIAL"), ("cancel", "CANCELLED")):
        if prepare:
            shop.post(f"order/{N}/{prepare}")
        assert shop.status(N) == before
        assert shop.post(f"order/{N}/setpaid").json["paymentStatus"] == "PAID"
    shop.post(f"order/remove/{N}")
    assert shop.post(f"order/{N}/setpaid").json["paymentStatus"] == "PAID"
    for mark in ("LEGACY", "COLLECTION"):
        shop.run("UPDATE orders SET mark = $2, status = $2 WHERE shop_id = $1", mark)
        assert shop.post(f"order/{N}/setpaid").json["paymentStatus"] == "PAID"


def test_setunpaid_recomputes_from_the_books(shop: ShopClient) -> None:  # D-12
    shop.submit(N, amount=100)
    pay(shop, N, 4000)
    shop.post(f"order/{N}/setpaid")
    assert shop.post(f"order/{N}/setunpaid").json["paymentStatus"] == "PAID_PARTIAL"


@pytest.mark.parametrize(
    "start", ["UNPAID", "PAID", "PAID by hand", "CANCELLED", "DISAPPEARED", "LEGACY", "COLLECTION"]
)
@pytest.mark.parametrize(("target", "end"), [("order/{}/cancel", "CANCELLED"), ("order/remove/{}", "DISAPPEARED")])
def test_cancel_and_remove_from_any_state(shop: ShopClient, start: str, target: str, end: str) -> None:
    shop.submit(N)
    if start == "PAID":
        pay(shop, N, 1990)
    elif start == "PAID by hand":
        shop.post(f"order/{N}/setpaid")
    elif start != "UNPAID":
        shop.run("UPDATE orders SET mark = $2, status = $2 WHERE shop_id = $1", start)
    earlier = len(events(shop))
    assert shop.post(target.format(N)).json["paymentStatus"] == end
    assert len(events(shop)) - earlier == (0 if start == end else 1)
    assert shop.count("callbacks") == shop.count("events")


def test_cancelled_order_takes_other_data_but_no_other_amount(shop: ShopClient) -> None:  # D-11
    shop.submit(N)
    shop.post(f"order/{N}/cancel")
    assert shop.submit(N)["paymentStatus"] == "CANCELLED"
    assert shop.submit(N, customerEmail="eva@example.com")["paymentStatus"] == "CANCELLED"
    for changes in ({"amount": 20}, {"currency": "CHF"}):
        with shop.unchanged():
            reply = shop.post(f"order/{N}", order(N, **{"customerEmail": "eva@example.com", **changes}))
        assert reply.error == (400, "Could not update order (status CANCELLED)")


def test_refunded_order_takes_no_other_amount(shop: ShopClient) -> None:  # D-11
    shop.submit(N)
    shop.run("UPDATE orders SET status = 'REFUNDED' WHERE shop_id = $1")
    assert shop.post(f"order/{N}", order(N, amount=1)).error == (400, "Could not update order (status REFUNDED)")


@pytest.mark.parametrize("status", ["CANCELLED", "REFUNDED"])
def test_closed_order_with_payments_names_its_status_when_the_currency_changes(shop: ShopClient, status: str) -> None:
    shop.submit(N)
    pay(shop, N, 1990)
    shop.run("UPDATE orders SET status = $2 WHERE shop_id = $1", status)
    with shop.unchanged():
        reply = shop.post(f"order/{N}", order(N, currency="CHF"))  # D-11
    assert reply.error == (400, f"Could not update order (status {status})")


def test_order_in_collection_takes_no_other_amount(shop: ShopClient) -> None:  # D-11
    shop.submit(N)
    shop.run("UPDATE orders SET mark = 'COLLECTION', status = 'COLLECTION' WHERE shop_id = $1")
    assert shop.post(f"order/{N}", order(N, amount=1)).error == (400, "Could not update order (status COLLECTION)")


def test_order_with_payments_takes_no_other_currency(shop: ShopClient) -> None:
    shop.submit(N, amount=100)
    pay(shop, N, 4000)
    with shop.unchanged():
        reply = shop.post(f"order/{N}", order(N, amount=100, currency="CHF"))
    assert reply.error == (400, "Could not update order (currency of an order with payments)")


@pytest.mark.parametrize("unchanged", [True, False])
def test_disappeared_order_comes_back_when_submitted(shop: ShopClient, unchanged: bool) -> None:  # D-11
    shop.submit(N)
    shop.post(f"order/remove/{N}")
    answered = shop.submit(N) if unchanged else shop.submit(N, amount=5)
    assert answered["paymentStatus"] == "UNPAID"
    assert events(shop) == [("UNPAID", "DISAPPEARED"), ("DISAPPEARED", "UNPAID")]


def test_legacy_order_comes_back_when_submitted(shop: ShopClient) -> None:  # D-6, D-11
    shop.submit(N)
    shop.run("UPDATE orders SET mark = 'LEGACY', status = 'LEGACY' WHERE shop_id = $1")
    assert shop.submit(N)["paymentStatus"] == "UNPAID"


def test_order_paid_by_hand_stays_paid_when_submitted_again(shop: ShopClient) -> None:
    shop.submit(N)
    shop.post(f"order/{N}/setpaid")
    assert shop.submit(N, amount=50)["paymentStatus"] == "PAID"


def test_refund_that_reaches_the_payment_is_refunded_and_below_it_partial(shop: ShopClient) -> None:  # D-3
    shop.submit(N, amount=100)
    pay(shop, N, 10000)
    for amount, minor, status in ((30, 3000, "REFUNDED_PARTIAL"), (70, 7000, "REFUNDED")):
        reply = shop.post(
            f"order/{N}/refund",
            {"externalReference": f"R{amount}", "amount": amount, "currency": "EUR", "plannedDate": "03-03-2026"},
        )
        shop.run("UPDATE refunds SET status = 'IN_PROCESS' WHERE shop_id = $1 AND status = 'NEW'")
        book(shop, entry("Erstattung", -minor, end_to_end_id=reply.json["referenceNumber"]))
        assert shop.status(N) == status
    assert shop.read(N)["amountPaid"] == "0.00"
    refunds = shop.read(N, "includeRefunds=true")["refunds"]
    assert [(each["status"], each["executionDate"]) for each in refunds] == [("PROCESSED", "02-03-2026")] * 2
    assert shop.count("callbacks") == shop.count("events") == 3
    # amountPaid is the "sum of postings minus sum of refunds": the debits are the refunds, not postings beside them.
    assert [each["amount"] for each in shop.read(N, "includePostings=true")["postings"]] == ["100.00"]
    assert [each["amount"] for each in refunds] == ["30.00", "70.00"]
    assert len(shop.get("postings").json) == 3


def test_refund_of_a_pure_overpayment_leaves_paid(shop: ShopClient) -> None:  # D-3
    shop.submit(N, amount=100, billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"})
    pay(shop, N, 12000)
    reply = shop.post(
        f"order/{N}/refund",
        {"externalReference": "R", "amount": 20, "currency": "EUR", "plannedDate": "03-03-2026"},
    )
    shop.run("UPDATE refunds SET status = 'IN_PROCESS' WHERE shop_id = $1")
    book(shop, entry("Erstattung", -2000, end_to_end_id=reply.json["referenceNumber"]))
    assert (shop.status(N), shop.read(N)["amountPaid"]) == ("PAID", "100.00")


def test_each_change_has_one_event_and_one_callback_that_waits_if_the_shop_wants_it(shop: ShopClient) -> None:  # D-1
    shop.submit(N)
    shop.post(f"order/{N}/setpaid")
    shop.change(callback_url="https://shop.example/cb", callbacks="on")
    shop.post(f"order/{N}/cancel")
    shop.post(f"order/{N}/cancel")
    found = shop.rows("SELECT order_number, order_seq, status FROM callbacks WHERE shop_id = $1 ORDER BY order_seq")
    assert found == [(N, 1, "OFF"), (N, 2, "PENDING")]
    assert events(shop) == [("UNPAID", "PAID"), ("PAID", "CANCELLED")]
