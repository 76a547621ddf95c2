"""Which orders of a shop system are taken."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from paymatch.domain.connectors.systems import (
    Credentials,
    ShopSystem,
    TakenAs,
    as_texts,
    change_connector,
    new_connector,
    read_credentials,
    read_system,
)
from paymatch.domain.connectors.taking import KnownConnectorOrder, Seen, Verdict, first_look, verdict
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.shops.shop import SettingRefused

START = date(2026, 3, 1)
SHOP = new_connector("x", ShopSystem.WOOCOMMERCE, "https://shop.example/", START)
UNPAID, PAID = PaymentStatus.UNPAID, PaymentStatus.PAID
PREPAID = frozenset({"PREPAYMENT"})


def seen(state: str = "on-hold", method: str = "bacs", day: int = 5, **more: object) -> Seen:
    values = {"is_draft": False, "is_cancelled": False, "paid_for": frozenset()} | more
    return Seen((method,), START + timedelta(days=day - 1), state, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("order", "known", "expected"),
    [
        (seen(), None, Verdict.TAKE),
        (seen(day=1), None, Verdict.TAKE),
        (seen(day=-1), None, Verdict.BEFORE_START),
        (seen(day=-1), KnownConnectorOrder("on-hold", UNPAID), Verdict.TAKE),
        (seen(method="stripe"), None, Verdict.OTHER_METHOD),
        (seen(method="stripe"), KnownConnectorOrder("on-hold", UNPAID), Verdict.LET_GO),
        (seen("processing", paid_for=PREPAID), None, Verdict.CLOSED),
        (seen("processing", "cod", paid_for=PREPAID), None, Verdict.TAKE),
        (seen("processing", paid_for=PREPAID), KnownConnectorOrder("on-hold", UNPAID), Verdict.TAKE_PAID),
        (seen("processing", paid_for=PREPAID), KnownConnectorOrder("on-hold", PAID), Verdict.TAKE),
        (seen("processing", paid_for=PREPAID), KnownConnectorOrder("processing", UNPAID), Verdict.TAKE),
        (
            seen("processing", paid_for=PREPAID),
            KnownConnectorOrder("on-hold", UNPAID, frozenset({"processing"})),
            Verdict.TAKE,
        ),
        (seen("cancelled", is_cancelled=True), None, Verdict.CLOSED),
        (seen("cancelled", is_cancelled=True), KnownConnectorOrder("on-hold", PAID), Verdict.CANCEL),
        (seen("cancelled", "stripe", is_cancelled=True), KnownConnectorOrder("on-hold", UNPAID), Verdict.CANCEL),
        (seen("failed", is_draft=True), KnownConnectorOrder("on-hold", UNPAID), Verdict.DRAFT),
        (seen("checkout-draft", is_draft=True), None, Verdict.DRAFT),
    ],
)
def test_what_is_done_with_an_order(order: Seen, known: KnownConnectorOrder | None, expected: Verdict) -> None:
    assert verdict(SHOP, order, known)[0] is expected


def test_the_first_name_of_a_method_that_is_in_the_table_counts() -> None:
    shopware = new_connector("x", ShopSystem.SHOPWARE, "https://shop.example", START)
    assert shopware.type_of(("unknown", "handler_shopware_invoicepayment")) is TakenAs.INVOICE
    assert shopware.type_of(("payment_cashpayment",)) is TakenAs.COD
    assert shopware.type_of(("", "payment_debitpayment")) is None


def test_the_first_look_begins_with_the_day_in_the_shop_s_zone() -> None:
    assert first_look(SHOP, "Europe/Berlin") == datetime(2026, 2, 28, 23, tzinfo=UTC)


def test_settings_are_shown_as_they_are_taken() -> None:
    texts = as_texts(SHOP)
    assert texts == {
        "url": "https://shop.example", "payment-methods": "bacs=PREPAYMENT, cod=COD", "take-from": "2026-03-01",
        "paid-status": "processing", "number-prefix": "", "poll-minutes": "10", "write-back": "on",
    }  # fmt: skip
    assert change_connector(SHOP, texts) == SHOP
    assert as_texts(
        change_connector(SHOP, {"payment-methods": "a b=cod;\nc=Invoice,", "write-back": "OFF"})
    ) == texts | {
        "payment-methods": "a b=COD, c=INVOICE",
        "write-back": "off",
    }


@pytest.mark.parametrize("text", ["5", "1440"])
def test_minutes_at_their_ends(text: str) -> None:
    assert change_connector(SHOP, {"poll-minutes": text}).minutes == int(text)


@pytest.mark.parametrize("text", ["4", "1441", "", "-5", "5.0", "9999999"])
def test_minutes_beyond_their_ends(text: str) -> None:
    with pytest.raises(SettingRefused, match="a whole number from 5 to 1440 is expected"):
        change_connector(SHOP, {"poll-minutes": text})


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a b", "x" * 41, "ä"])
def test_names_that_do_not_fit(name: str) -> None:
    with pytest.raises(SettingRefused):
        new_connector(name, ShopSystem.SHOPWARE, "https://shop.example", START)


def test_fifty_methods_at_most() -> None:
    many = [f"m{number}=COD" for number in range(50)]
    assert len(change_connector(SHOP, {"payment-methods": ",".join(many)}).methods) == 50
    with pytest.raises(SettingRefused):
        change_connector(SHOP, {"payment-methods": ",".join([*many, "x=COD"])})


def test_credentials_must_fit_into_a_header() -> None:
    assert read_credentials(" ck_1 ", "cs 1\n") == Credentials("ck_1", "cs 1")
    for key, secret in (("", "x"), ("x", " "), ("x", "y\r\nX: z"), ("ä", "x"), ("x" * 256, "x")):
        with pytest.raises(SettingRefused):
            read_credentials(key, secret)
    assert read_credentials("x" * 255, "y").key == "x" * 255


def test_systems_by_their_names() -> None:
    assert read_system(" Shopware ") is ShopSystem.SHOPWARE
    with pytest.raises(SettingRefused) as refused:
        read_system("magento")
    assert refused.value.allowed == ("woocommerce", "shopware")
