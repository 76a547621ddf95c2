"""D-41: which orders the service manages, to which account they are paid, and the numbers that find them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from paymatch.domain.money import Currency, Money, decimal_to_minor, minor_to_text
from paymatch.domain.orders.exchange import at_rate
from paymatch.domain.shops.shop import SettingRefused
from paymatch.usecases.statements import accounts
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.contract.bank import book, entry, pay
from tests.contract.client import ShopClient, order
from tests.contract.test_invoices_and_images import PDF, form, upload
from tests.formats.codes.png import read_code

IBAN = "DE89370400440532013000"


def test_orders_of_type_other_are_never_matched_by_themselves(shop: ShopClient) -> None:
    shop.submit("MO-70001", type="OTHER", invoiceNumbers=["RE-70001"])
    report = book(shop, entry("Bestellung MO-70001 RE-70001", 1990))
    assert (report.matched, report.suggested) == (0, 0)
    assert shop.status("MO-70001") == "UNPAID"
    assert shop.post("order/MO-70001/setpaid").json["paymentStatus"] == "PAID"
    assert shop.post("order/MO-70001/setunpaid").json["paymentStatus"] == "UNPAID"
    shop.submit("MO-70001", type="INVOICE")
    assert book(shop, entry("Bestellung MO-70001", 1990)).matched == 1


def test_an_order_that_becomes_other_is_found_no_longer(shop: ShopClient) -> None:
    shop.submit("MO-70002")
    shop.submit("MO-70002", type="OTHER")
    assert book(shop, entry("Bestellung MO-70002", 1990)).matched == 0


def test_number_of_an_uploaded_invoice_finds_its_order(shop: ShopClient) -> None:
    shop.submit("MO-80001")
    assert upload(shop, form(PDF), "RE-2026-55771", number="MO-80001").status == 200
    assert book(shop, entry("Rechnung RE-2026-55771", 1990)).matched == 1
    assert shop.status("MO-80001") == "PAID"


def test_number_of_an_uploaded_invoice_stays_when_the_order_is_sent_again(shop: ShopClient) -> None:
    shop.submit("MO-80002")
    upload(shop, form(PDF), "RE-2026-55772", number="MO-80002")
    shop.submit("MO-80002", amount=25)
    assert book(shop, entry("Rechnung RE-2026-55772", 2500)).matched == 1


def test_posting_that_waits_is_matched_again_once_its_invoice_is_uploaded(shop: ShopClient) -> None:
    shop.submit("MO-80003")
    book(shop, entry("RE-2026-55773", 1990, name="Somebody Else", account=""))
    assert shop.rows("SELECT rematch_at FROM postings WHERE shop_id = $1") == [(None,)]
    upload(shop, form(PDF), "RE-2026-55773", number="MO-80003")
    assert shop.rows("SELECT rematch_at FROM postings WHERE shop_id = $1") == [(shop.clock.now,)]


def test_min_posting_date_looks_at_payments_not_at_debits_of_refunds(shop: ShopClient) -> None:
    shop.submit("MO-90001", date="01-02-2026")
    pay(shop, "MO-90001", 1990, booking_date=date(2026, 2, 20))
    book(shop, entry("Rueckzahlung", -500))
    shop.run(
        "INSERT INTO allocations (shop_id, posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand,"
        " created_at) SELECT $1, id, 'MO-90001', -500, -500, 'refund', false, '2026-03-02' FROM postings"
        " WHERE shop_id = $1 AND amount_minor = -500 RETURNING 1"
    )
    shop.submit("MO-90001", date="01-02-2026", amount=15)  # its books are looked at again
    assert [each["number"] for each in shop.get("orders?minPostingDate=20-02-2026").json] == ["MO-90001"]
    assert shop.get("orders?minPostingDate=21-02-2026").json == []


@pytest.mark.parametrize(
    ("account", "shown"),
    [
        ("CH9300762011623852957", {"accountNumber": "011623852957", "bankCode": "00762"}),
        ("GB29NWBK60161331926819", {"accountNumber": "31926819", "bankCode": "601613"}),
        ("TR330006100519786457841326", {"accountNumber": "0519786457841326", "bankCode": "00061"}),
        (IBAN, {}),
        ("01-162-8", {"accountNumber": "01-162-8"}),
    ],
)
def test_account_of_an_order(shop: ShopClient, account: str, shown: dict[str, str]) -> None:
    accounts.add(shop.database, shop.shop, account, "", shop.clock.now)
    found = shop.submit("MO-30001")["bankAccount"]
    assert {name: found[name] for name in ("accountNumber", "bankCode") if name in found} == shown
    assert found.get("iban") == (account if account[0].isalpha() else None)


@pytest.mark.parametrize("text", ["DE89370400440532013001", "DE89", "XX00123", "no account", "", "12", "1" * 40])
def test_account_that_is_neither_iban_nor_number_is_refused(shop: ShopClient, text: str) -> None:
    with pytest.raises(SettingRefused):
        accounts.add(shop.database, shop.shop, text, "", shop.clock.now)


@pytest.fixture
def payee(make_shop: Callable[..., ShopClient]) -> ShopClient:
    shop = make_shop(ibans=[IBAN])
    shop.change(holder="Shop AG")
    return shop


def test_order_at_a_rate_is_paid_in_the_shops_currency(payee: ShopClient) -> None:
    answered = payee.submit("MO-60001", currency="USD", amount="33.33", exchangeRate=0.9155)
    assert answered["bankAccount"]["iban"] == IBAN
    assert (answered["amountToPay"], answered["currencyToPay"]) == ("36.41", "EUR")
    without = payee.submit("MO-60002", currency="USD")
    assert without.keys().isdisjoint({"bankAccount", "amountToPay", "currencyToPay"})
    image = payee.get("image/MO-60001").json
    assert "EUR36.41" in read_code(base64.b64decode(image["data"]))
    with payee.unchanged():
        assert payee.get("image/MO-60002").error == (400, "Image not possible: the shop has no bank account in USD")
    payee.run(
        "INSERT INTO bank_accounts VALUES ($1, '1-2-3', 'USD', '', 'Bank', 'Shop AG', true, '', $2)",
        payee.clock.now,
    )
    found = payee.read("MO-60001")
    assert found["bankAccount"]["accountNumber"] == "1-2-3"
    assert found.keys().isdisjoint({"amountToPay", "currencyToPay"})


@pytest.mark.parametrize(
    ("currency", "amount"), [("GBP", "0.01"), ("GBP", "99999.99"), ("JPY", "12345"), ("KWD", "12.34")]
)
@pytest.mark.parametrize("rate", ["0.855", "0.00001", "1.123456789012", "7", "161.5"])
def test_amount_to_pay_is_what_all_else_asks_for(payee: ShopClient, currency: str, amount: str, rate: str) -> None:
    answered = payee.submit("MO-60003", currency=currency, amount=amount, exchangeRate=float(rate))
    own = Currency(currency)
    wanted = at_rate(Money(decimal_to_minor(Decimal(amount), own), own), Decimal(rate), Currency("EUR"))
    assert answered["amountToPay"] == minor_to_text(wanted.minor, wanted.currency)


def test_nothing_is_asked_for_once_it_is_paid_or_beyond_any_amount(payee: ShopClient) -> None:
    assert payee.submit("MO-60004", currency="GBP", amount=100, exchangeRate=0.855)["amountToPay"] == "116.96"
    payee.post("order/MO-60004/cancel")
    assert "amountToPay" not in payee.read("MO-60004")
    assert "amountToPay" not in payee.submit("MO-60005", currency="GBP", amount=99999999, exchangeRate=0.0000001)


def test_reference_is_answered_where_payment_information_will_be_sent(payee: ShopClient) -> None:
    mail = {"customerEmail": "eva@example.com"}
    assert "referenceNumber" not in payee.submit("MO-50001", **mail)
    payee.change(mail_from="shop@example.com", payment_information="on")
    answered = payee.submit("MO-50002", **mail)
    assert answered["referenceNumber"].startswith("RF")
    several = payee.post("orders", [order("MO-50003", **mail), order("MO-50004")]).json
    assert ["referenceNumber" in each for each in several] == [True, False]
    for changes in ({"type": "COD"}, {"type": "OTHER"}, {"currency": "USD"}, {"date": "01-01-2020"}, {"amount": 0}):
        assert "referenceNumber" not in payee.submit("MO-50005", **{**mail, **changes})
    payee.change(payment_information="off")
    assert payee.submit("MO-50002", **mail, amount=5)["referenceNumber"] == answered["referenceNumber"]


def test_reference_is_answered_for_an_order_at_a_rate(payee: ShopClient) -> None:
    payee.change(mail_from="shop@example.com", payment_information="on")
    more = {"currency": "USD", "exchangeRate": 0.9, "customerEmail": "eva@example.com"}
    assert payee.submit("MO-50006", **more)["referenceNumber"].startswith("RF")


def test_alert_about_addresses_that_cannot_be_written_to(shop: ShopClient) -> None:  # D-39
    shop.post("orders", [order("MO-40001", customerEmail="x"), order("MO-40002", customerEmail="eva@")])
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        keep_alerts(tx)
    (alert,) = list_alerts(shop.database, shop.shop)
    assert (alert["kind"], alert["text"]) == (
        "mail-address",
        "2 open orders have a customerEmail that mail cannot be sent to, the latest is MO-40002",
    )
    shop.post("order/MO-40001/cancel")
    shop.submit("MO-40002")
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        keep_alerts(tx)
    assert list_alerts(shop.database, shop.shop) == []
