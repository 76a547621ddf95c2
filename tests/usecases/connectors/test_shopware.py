"""A Shopware 6 shop: orders are taken, and the state machine of their payments follows the payment status."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.connectors import connectors
from paymatch.usecases.orders import orders
from tests.fakes.shopware import KEY, SECRET, ShopwareShop, shopware_shop
from tests.usecases.conftest import Books, camt, paid
from tests.usecases.connectors.shops import Connected, connect


@pytest.fixture
def shopware() -> Iterator[ShopwareShop]:
    with shopware_shop() as found:
        yield found


@pytest.fixture
def connected(books: Books, shopware: ShopwareShop) -> Connected:
    return connect(books, "shopware", shopware.url, shopware.port, (KEY, SECRET))


def set_paid(connected: Connected, number: str, *, back: bool = False) -> None:
    with connected.tx() as tx:
        (orders.set_unpaid if back else orders.set_paid)(tx, number)


def test_an_order_is_taken_paid_by_a_statement_and_written_back(connected: Connected, shopware: ShopwareShop) -> None:
    key = shopware.place("10023", 49.9)
    shopware.place("10024", 20, "payment_paypal")
    connected.work()
    ((doc,),) = connected.books.rows("SELECT doc::json FROM orders WHERE shop_id = $1")
    assert doc == {
        "number": "10023", "date": "11-03-2026", "type": "PREPAYMENT", "amount": 49.9, "currency": "EUR",
        "customerEmail": "erika@example.com", "customerNumber": "10001", "paymentMethod": "payment_prepayment",
        "paymentMethodDescription": "Paid in advance", "statusDescription": "open", "language": "de-DE",
        "items": [{"number": "T-100", "name": "Teapot"}],
        "billing": {
            "gender": "female", "firstName": "Erika", "lastName": "Mustermann", "street": "Weg 1",
            "postCode": "99084", "city": "Erfurt", "countryCode": "DE",
        },
        "shipping": {
            "firstName": "Erika", "lastName": "Mustermann", "street": "Weg 1", "postCode": "99084", "city": "Erfurt",
            "countryCode": "DE",
        },
    }  # fmt: skip
    connected.books.bring(camt(CamtMessage.STATEMENT, paid(4990, "Order 10023 Erika Mustermann")))
    connected.work()
    assert (connected.statuses(), shopware.state(key)) == ({"10023": "PAID"}, "paid")
    connected.books.sound()


def test_moves_follow_the_payment_status_through_the_state_machine(
    connected: Connected, shopware: ShopwareShop
) -> None:
    key = shopware.place("1")
    connected.work()
    set_paid(connected, "1")
    connected.work()
    assert (shopware.state(key), shopware.moved, shopware.mails) == ("paid", ["paid"], ["paid"])
    set_paid(connected, "1", back=True)
    connected.work()
    assert (shopware.state(key), shopware.moved[1:], shopware.mails) == ("open", ["cancel", "reopen"], ["paid"])
    assert connected.statuses() == {"1": "UNPAID"}
    with connected.tx() as tx:
        orders.cancel(tx, "1")
    connected.work()
    assert (shopware.state(key), connected.problems()) == ("cancelled", [])


def test_a_process_that_dies_between_two_moves_goes_on(connected: Connected, shopware: ShopwareShop) -> None:
    key = shopware.place("1")
    connected.work()
    set_paid(connected, "1")
    connected.work()
    set_paid(connected, "1", back=True)
    shopware.loses_answers = 1
    connected.work(later=timedelta(minutes=1))
    assert shopware.state(key) == "cancelled"
    connected.work(later=timedelta(hours=1))
    assert (shopware.state(key), shopware.moved) == ("open", ["paid", "cancel", "reopen"])
    assert (connected.statuses(), connected.problems()) == ({"1": "UNPAID"}, [])


def test_a_state_that_somebody_set_is_not_overwritten(connected: Connected, shopware: ShopwareShop) -> None:
    key = shopware.place("1")
    connected.work()
    set_paid(connected, "1")
    shopware.set_state(key, "failed")
    connected.work()
    ((number, problem),) = connected.problems()
    assert (number, shopware.state(key)) == ("1", "failed")
    assert "has the state failed in the shop" in problem


def test_a_move_that_the_shop_does_not_have_is_told(connected: Connected, shopware: ShopwareShop) -> None:
    key = shopware.place("1")
    connected.work()
    set_paid(connected, "1")
    shopware.set_state(key, "authorized")  # of a payment plugin, from which this shop has no move to paid
    connected.work()
    ((_, problem),) = connected.problems()
    assert problem == (
        'the shop does not allow paid in the state authorized: Illegal transition "paid" from state "authorized".'
        " Possible transitions are: cancel"
    )


def test_a_change_of_state_alone_is_seen(connected: Connected, shopware: ShopwareShop) -> None:
    first, second = shopware.place("1"), shopware.place("2")
    connected.work()
    shopware.set_state(first, "paid")
    shopware.orders[second]["stateMachineState"] = {"technicalName": "cancelled"}
    shopware.orders[second]["updatedAt"] = shopware.orders[first]["transactions"][0]["updatedAt"]
    connected.work()
    assert connected.statuses() == {"1": "PAID", "2": "CANCELLED"}


def test_another_payment_method_lets_the_order_go(connected: Connected, shopware: ShopwareShop) -> None:
    key = shopware.place("1")
    connected.work()
    shopware.choose(key, "payment_paypal")
    connected.work()
    assert connected.statuses() == {"1": "DISAPPEARED"}
    shopware.choose(key, "payment_invoicepayment")
    connected.work()
    assert connected.statuses() == {"1": "UNPAID"}
    assert connected.books.rows("SELECT type FROM orders WHERE shop_id = $1") == [("INVOICE",)]


def test_many_orders_come_page_by_page(connected: Connected, shopware: ShopwareShop) -> None:
    for number in range(1, 151):
        shopware.place(f"S{number}", 10)
    connected.work()
    assert len(connected.statuses()) == 150
    assert shopware.calls.count("/api/search/order") == 2


def test_a_token_that_has_run_out_is_asked_for_again(connected: Connected, shopware: ShopwareShop) -> None:
    for number in range(1, 151):
        shopware.place(f"S{number}", 10)
    shopware.token_calls = 1  # it holds for one call
    connected.work()
    assert len(connected.statuses()) == 150
    assert shopware.calls.count("/api/oauth/token") == 2


def test_a_wrong_secret_is_told(books: Books, shopware: ShopwareShop) -> None:
    connected = connect(books, "shopware", shopware.url, shopware.port, (KEY, "wrong"))
    connected.work(later=timedelta())
    assert connected.row().last_error == ("the shop refused the key or the secret (401): Client authentication failed")
    assert [kind for kind, _ in connected.alerts()] == ["connector-failing"]


def test_amounts_are_never_guessed(connected: Connected, shopware: ShopwareShop) -> None:
    shopware.place("1", 0.1 + 0.2)  # 0.30000000000000004, as PHP writes a sum of floats
    shopware.place("2", "19.90")
    shopware.place("3", {"value": 3})
    shopware.place("4", 10.005)
    connected.work()
    found = connected.books.rows("SELECT number, amount_minor FROM orders WHERE shop_id = $1 ORDER BY number")
    assert found == [("1", 30), ("2", 1990)]
    assert [number for number, _ in connected.problems()] in (["3", "4"], ["4", "3"])


def test_a_test_needs_no_start(connected: Connected, shopware: ShopwareShop) -> None:
    shopware.place("1")
    found = connectors.test(connected.books.database, connected.shop, "", connected.ways)
    assert (found.counts, found.total) == ({"take": 1}, 1)
