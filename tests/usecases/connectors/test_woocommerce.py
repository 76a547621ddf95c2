"""A WooCommerce shop: orders are taken, payments written back, and nothing is lost or overwritten on the way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from paymatch.domain.connectors.systems import ConnectorStatus
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.connectors import connectors
from paymatch.usecases.orders import orders
from tests.fakes.woocommerce import KEY, SECRET, WooShop, woo_shop
from tests.usecases.conftest import Books, camt, paid
from tests.usecases.connectors.shops import Connected, connect


@pytest.fixture
def woo() -> Iterator[WooShop]:
    with woo_shop() as found:
        yield found


@pytest.fixture
def connected(books: Books, woo: WooShop) -> Connected:
    return connect(books, "woocommerce", woo.url, woo.port, (KEY, SECRET))


def test_an_order_is_taken_paid_by_a_statement_and_written_back(connected: Connected, woo: WooShop) -> None:
    woo.place(10023, "49.90")
    woo.place(10024, "20.00", "stripe")
    ran = connected.work()
    assert ran is not None
    assert ran.words == "2 orders seen, 1 taken, 0 written back"
    assert connected.statuses() == {"10023": "UNPAID"}
    connected.books.bring(camt(CamtMessage.STATEMENT, paid(4990, "Order 10023 Erika Mustermann")))
    assert connected.statuses() == {"10023": "PAID"}
    connected.work()
    assert woo.status(10023) == "processing"
    assert woo.notes[10023] == ["paymatch: PAID, 49.90 of 49.90 EUR paid. [paymatch 1]"]
    written = connected.whole()["written"]
    assert [(each["order"], each["status"], each["state"]) for each in written] == [("10023", "PAID", "processing")]
    connected.work()
    assert len(woo.notes[10023]) == 1
    connected.books.sound()


def test_what_an_order_says_arrives_as_by_the_api(connected: Connected, woo: WooShop) -> None:
    woo.place(7, 49.9, "cod", customer_id=12, refunds=[{"id": 1, "reason": "", "total": "-9.90"}])
    connected.work()
    ((doc, kind, minor),) = connected.books.rows("SELECT doc::json, type, amount_minor FROM orders WHERE shop_id = $1")
    assert (kind, minor) == ("COD", 4000)
    assert doc == {
        "number": "7", "date": "11-03-2026", "type": "COD", "amount": 40.0, "currency": "EUR",
        "customerEmail": "erika@example.com", "customerNumber": "12", "paymentMethod": "cod",
        "paymentMethodDescription": "By cod", "statusDescription": "processing",
        "items": [{"number": "T-100", "name": "Teapot"}],
        "billing": {
            "firstName": "Erika", "lastName": "Mustermann", "street": "Weg 1", "postCode": "99084", "city": "Erfurt",
            "countryCode": "DE",
        },
    }  # fmt: skip


def test_many_orders_come_page_by_page_and_none_is_skipped(connected: Connected, woo: WooShop) -> None:
    for key in range(1, 251):
        woo.place(key, "10.00")
    # While the first page is read, an order on it is changed, and so moves behind all others.
    woo.on_list.append(lambda: woo.change(5, total="11.00"))
    ran = connected.work()
    assert ran is not None
    assert len(connected.statuses()) == 250
    assert connected.books.rows("SELECT amount_minor FROM orders WHERE shop_id = $1 AND number = '5'") == [(1100,)]
    lists = [call for call in woo.calls if call.startswith("GET")]
    assert len(lists) == 3
    assert connected.row().last_seen >= 250


def test_orders_of_one_second_are_paged_by_number(connected: Connected, woo: WooShop) -> None:
    for key in range(1, 231):
        woo.place(key, "10.00", date_modified_gmt="2026-03-11T08:30:00")
    connected.work()
    assert len(connected.statuses()) == 230


def test_the_next_look_asks_for_what_changed_since_with_an_overlap(connected: Connected, woo: WooShop) -> None:
    woo.place(1)
    connected.work()
    began = connected.row().since_at
    assert began is not None
    assert began == woo.now
    woo.calls.clear()
    assert connected.work(later=timedelta(minutes=9)) is None  # it is not due yet
    connected.work(later=timedelta(minutes=2))
    (call,) = woo.calls
    assert f"modified_after={(began - timedelta(minutes=15)):%Y-%m-%dT%H}%3A" in call
    assert connected.row().last_taken == 1  # the same order again, unchanged
    assert len(connected.books.rows("SELECT 1 FROM order_changes WHERE shop_id = $1")) == 0


def test_cancelled_refunded_and_otherwise_paid_orders_stop_being_reminded(connected: Connected, woo: WooShop) -> None:
    for key in (1, 2, 3, 4):
        woo.place(key)
    connected.work()
    woo.change(1, status="cancelled")
    woo.change(2, status="refunded")
    woo.change(3, payment_method="paypal", status="processing")
    woo.change(4, status="processing")  # a person has seen the money
    woo.place(5, status="completed")
    woo.place(6, status="cancelled")
    woo.place(8, status="checkout-draft")
    connected.work()
    assert connected.statuses() == {"1": "CANCELLED", "2": "CANCELLED", "3": "DISAPPEARED", "4": "PAID"}
    connected.work()
    assert [woo.status(key) for key in (1, 2, 3, 4)] == ["cancelled", "refunded", "processing", "processing"]
    assert connected.problems() == []


def test_our_own_move_is_no_word_of_a_person(connected: Connected, woo: WooShop) -> None:
    """After a payment that comes back, the shop's `processing` is ours: it must not set the order paid again."""
    woo.place(1)
    connected.work()
    with connected.tx() as tx:
        orders.set_paid(tx, "1")
    connected.work()
    assert woo.status(1) == "processing"
    with connected.tx() as tx:
        orders.set_unpaid(tx, "1")
    woo.change(1, customer_note="x")
    connected.work()
    assert (connected.statuses()["1"], woo.status(1)) == ("UNPAID", "on-hold")
    connected.work()
    assert (connected.statuses()["1"], woo.status(1)) == ("UNPAID", "on-hold")
    woo.change(1, status="processing")  # and now it is a person
    connected.work()
    assert connected.statuses()["1"] == "PAID"


def test_a_state_that_somebody_set_is_not_overwritten(connected: Connected, woo: WooShop) -> None:
    for key in (1, 2):
        woo.place(key)
    connected.work()
    with connected.tx() as tx:
        orders.set_paid(tx, "1")
        orders.set_paid(tx, "2")
    woo.change(1, status="failed")
    connected.work()
    assert (woo.status(1), woo.status(2)) == ("failed", "processing")
    woo.change(2, status="completed")  # the goods are on their way
    with connected.tx() as tx:
        orders.set_unpaid(tx, "2")
    connected.work()
    assert woo.status(2) == "completed"
    words = "but the order has the state {} in the shop, which paymatch does not change"
    assert dict(connected.problems()) == {
        "1": "the payment status is PAID, " + words.format("failed"),
        "2": "the payment status is UNPAID, " + words.format("completed"),
    }
    assert [kind for kind, _ in connected.alerts()] == ["connector-orders"]
    woo.change(2, status="on-hold")
    with connected.tx() as tx:
        assert connectors.try_again(tx, "") == 2
    connected.work()
    assert [order for order, _ in connected.problems()] == ["1"]


def test_a_cancelled_order_is_cancelled_in_the_shop(connected: Connected, woo: WooShop) -> None:
    woo.place(1)
    woo.place(2, method="cod")
    connected.work()
    for number in ("1", "2"):
        with connected.tx() as tx:
            orders.cancel(tx, number)
    connected.work()
    assert (woo.status(1), woo.status(2)) == ("cancelled", "processing")
    assert [order for order, _ in connected.problems()] == ["2"]


def test_an_answer_that_is_lost_leads_to_one_move_and_one_note(connected: Connected, woo: WooShop) -> None:
    woo.place(1)
    connected.work()
    with connected.tx() as tx:
        orders.set_paid(tx, "1")
    woo.loses_answers = 1  # of the move
    connected.work(later=timedelta())
    assert (woo.status(1), connected.row().failures) == ("processing", 1)
    assert connected.work(later=timedelta(seconds=30)) is None  # it is left alone for a while
    woo.loses_answers = 1  # of the note
    connected.work(later=timedelta(minutes=1))
    connected.work(later=timedelta(hours=1))
    assert [call.split()[0] for call in woo.calls if "GET" not in call] == ["PUT", "POST"]
    assert len(woo.notes[1]) == 1
    assert (connected.row().failures, connected.whole()["waiting"]) == (0, 0)


def test_an_order_that_is_refused_stops_no_other(connected: Connected, woo: WooShop) -> None:
    woo.place(1, currency="XXQ")
    woo.place(2, total="12,50")
    woo.place(3)
    woo.place(4, billing={"country": "DE"})
    ran = connected.work()
    assert ran is not None
    assert ran.words == "4 orders seen, 1 taken, 0 written back"
    assert connected.statuses() == {"3": "UNPAID"}
    assert sorted(connected.problems()) == [
        ("1", "Parameter currency is not valid"),
        ("2", "total cannot be read"),
        ("4", "Missing parameter billing.lastName"),
    ]
    kinds = [kind for kind, _ in connected.alerts()]
    assert kinds == ["connector-orders"]
    woo.change(1, currency="EUR")
    connected.work()
    assert sorted(order for order, _ in connected.problems()) == ["2", "4"]
    assert connected.statuses() == {"1": "UNPAID", "3": "UNPAID"}


def test_numbers_of_two_shops_do_not_meet(connected: Connected, woo: WooShop, books: Books) -> None:
    woo.place(1)
    connected.work()
    with woo_shop() as other:
        other.place(1, "5.00")
        other.place(2, "6.00")
        second = connect(books, "woocommerce", other.url, other.port, (KEY, SECRET), name="second")
        second.clock = connected.clock
        second.work()
        assert second.statuses() == {"1": "UNPAID", "2": "UNPAID"}
        ((number, problem),) = second.problems()
        assert (number, problem) == (
            "1",
            "number 1 belongs to an order of the connector woocommerce; set number-prefix",
        )
        second.change(number_prefix="B-")
        second.work()
        assert second.statuses() == {"1": "UNPAID", "2": "UNPAID", "B-1": "UNPAID"}
        assert second.problems() == []


def test_an_order_that_came_by_the_api_before_is_taken_over(connected: Connected, woo: WooShop, books: Books) -> None:
    books.order("1", "49.90")
    with connected.tx() as tx:
        orders.set_paid(tx, "1")
    woo.place(1)
    connected.work()
    connected.work()
    assert (connected.statuses(), woo.status(1)) == ({"1": "PAID"}, "processing")


def test_a_wrong_key_is_told_at_once_and_asked_for_less_and_less(books: Books, woo: WooShop) -> None:
    connected = connect(books, "woocommerce", woo.url, woo.port, (KEY, "cs_wrong"))
    connected.work(later=timedelta())
    row = connected.row()
    assert row.last_error == "the shop refused the key or the secret (401): Sorry, you cannot list resources."
    assert row.resting_until == connected.clock + timedelta(minutes=1)
    ((kind, text),) = connected.alerts()
    assert kind == "connector-failing"
    assert "1 attempt has failed" in text
    connected.work(later=timedelta(minutes=1))
    assert connected.row().resting_until == connected.clock + timedelta(minutes=5)
    with connected.tx() as tx:
        connectors.set_credentials(tx, "", KEY, SECRET)
    woo.place(1)
    connected.work(later=timedelta())
    assert connected.statuses() == {"1": "UNPAID"}
    assert connected.alerts() == []


def test_a_key_without_write_permission_takes_orders_and_says_why_it_writes_nothing(
    connected: Connected, woo: WooShop
) -> None:
    woo.readonly = True
    woo.place(1)
    connected.work()
    with connected.tx() as tx:
        orders.set_paid(tx, "1")
    connected.work()
    assert connected.row().last_error.endswith("(401): The API key provided does not have write permissions.")
    connected.change(write_back="off")
    woo.place(2)
    connected.work()
    assert connected.statuses() == {"1": "PAID", "2": "UNPAID"}
    assert connected.row().failures == 0


def test_a_shop_that_asks_for_a_pause_gets_it(connected: Connected, woo: WooShop) -> None:
    woo.answers.append((429, {"Retry-After": "1800"}, b"{}"))
    woo.place(1)
    connected.work(later=timedelta())
    assert connected.row().resting_until == connected.clock + timedelta(seconds=1800)
    assert connected.work(later=timedelta(minutes=29)) is None
    connected.work(later=timedelta(minutes=1))
    assert connected.statuses() == {"1": "UNPAID"}


def test_an_interrupted_look_goes_on_where_it_was(connected: Connected, woo: WooShop) -> None:
    for key in range(1, 251):
        woo.place(key, "10.00")
    woo.on_list.append(lambda: woo.answers.append((503, {}, b"")))
    connected.work()
    row = connected.row()
    assert (len(connected.statuses()), row.failures) == (100, 1)
    assert row.look is not None
    assert (row.look.seen, row.look.total, row.since_at) == (100, 250, None)
    assert connected.whole()["progress"] == "100 of 250"
    woo.calls.clear()
    connected.work()
    assert len(connected.statuses()) == 250
    assert len(woo.calls) == 2
    assert connected.row().since_at is not None


def test_a_paused_connector_rests_and_a_removed_one_is_forgotten(connected: Connected, woo: WooShop) -> None:
    woo.place(1)
    connected.set_status(ConnectorStatus.PAUSED)
    assert connected.work() is None
    connected.set_status(ConnectorStatus.ACTIVE)
    connected.work()
    with connected.tx() as tx:
        connectors.remove(tx, "")
    assert connected.statuses() == {"1": "UNPAID"}
    for table in ("connectors", "connector_orders"):
        assert connected.books.rows(f"SELECT count(*) FROM {table} WHERE shop_id = $1") == [(0,)]


def test_a_test_says_what_would_be_taken_and_takes_nothing(connected: Connected, woo: WooShop) -> None:
    woo.place(1)
    woo.place(2, method="stripe")
    woo.place(3, currency="XXQ")
    woo.place(4, status="completed")
    woo.place(5, date_created_gmt="2025-01-01T00:00:00")
    found = connectors.test(connected.books.database, connected.shop, "", connected.ways)
    assert [(each["order"], each["verdict"], each["type"]) for each in found.rows] == [
        ("1", "take", "PREPAYMENT"), ("2", "other-method", ""), ("3", "refused", "PREPAYMENT"),
        ("4", "closed", "PREPAYMENT"), ("5", "before-start", "PREPAYMENT"),
    ]  # fmt: skip
    assert found.counts == {"before-start": 1, "closed": 1, "other-method": 1, "refused": 1, "take": 1}
    assert (found.total, connected.statuses(), connected.problems()) == (5, {}, [])


def test_keys_are_sealed_and_never_shown(connected: Connected) -> None:
    ((key, secret),) = connected.books.rows("SELECT access_key, access_secret FROM connectors WHERE shop_id = $1")
    assert key.startswith("~1.")
    assert secret.startswith("~1.")
    assert SECRET not in str(connected.whole())
    entries = connected.books.rows("SELECT deed, before || after FROM audit_log WHERE shop_id = $1 ORDER BY seq")
    assert [entry for entry, _ in entries][-2:] == ["connector-added", "connector-changed"]
    assert not any(KEY in said or SECRET in said for _, said in entries)


def test_another_shop_knows_nothing_of_it(connected: Connected, books: Books) -> None:
    from paymatch.usecases.shops import shops

    other = shops.create(books.database, "Stranger", books.now).shop
    with books.database.of_shop(other) as tx:
        assert connectors.list_connectors(tx) == []
        with pytest.raises(connectors.ConnectorUnknown):
            connectors.find(tx, "woocommerce")
