"""Electronic invoices by upload: stored, compared with the order, and refused in one sentence (D-96)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.bank import pay
from tests.contract.client import ShopClient
from tests.contract.test_invoices_and_images import N, form, upload
from tests.formats.einvoices.samples import cii, pdf_with, ubl

SKONTO = "#SKONTO#TAGE=14#PROZENT=2.00#"


def stored(shop: ShopClient) -> tuple[Any, ...]:
    (row,) = shop.rows(
        "SELECT o.due_date::text, o.invoice_terms <> '', i.media_type, i.terms::json->>'key' FROM orders o"
        " JOIN invoices i ON i.shop_id = o.shop_id AND i.order_number = o.number WHERE o.shop_id = $1"
    )
    return tuple(row)


@pytest.mark.parametrize(
    ("content", "media"),
    [
        (ubl("RE-1", "10.00", SKONTO), "application/xml"),
        (cii("RE-1", "10.00", SKONTO), "application/xml"),
        (pdf_with(cii("RE-1", "10.00", SKONTO)), "application/pdf"),
    ],
    ids=["ubl", "cii", "zugferd"],
)
def test_terms_fill_what_the_order_leaves_empty(shop: ShopClient, content: bytes, media: str) -> None:
    shop.submit(N, amount=10.0)
    assert upload(shop, form(content)).status == 200
    assert stored(shop) == ("2026-04-30", True, media, "KD4711-17")
    pay(shop, N, 980)
    assert shop.status(N) == "PAID"


def test_an_order_keeps_its_own_due_date(shop: ShopClient) -> None:
    shop.submit(N, amount=10.0, dueDate="15-04-2026")
    assert upload(shop, form(ubl("RE-1", "10.00", SKONTO))).status == 200
    assert stored(shop) == ("2026-04-15", True, "application/xml", "KD4711-17")


def test_a_due_date_of_the_invoice_survives_another_submission(shop: ShopClient) -> None:
    shop.submit(N, amount=10.0)
    upload(shop, form(ubl("RE-1", "10.00")))
    shop.submit(N, amount=10.0, customerNumber="K-1")
    assert stored(shop)[0] == "2026-04-30"
    shop.submit(N, amount=10.0, dueDate="15-04-2026")
    assert stored(shop)[0] == "2026-04-15"


@pytest.mark.parametrize(
    "content",
    [ubl("RE-2", "10.00", SKONTO), ubl("RE-1", "11.00", SKONTO), ubl("RE-1", "10.00", SKONTO, currency="CHF")],
    ids=["number", "amount", "currency"],
)
def test_nothing_is_taken_of_an_invoice_that_contradicts_its_order(shop: ShopClient, content: bytes) -> None:
    shop.submit(N, amount=10.0)
    assert upload(shop, form(content)).status == 200
    assert stored(shop) == (None, False, "application/xml", None)


def test_a_shop_may_have_terms_shown_only(shop: ShopClient) -> None:
    shop.change(**{"invoice-terms": "off"})
    shop.submit(N, amount=10.0)
    upload(shop, form(ubl("RE-1", "10.00", SKONTO)))
    assert stored(shop) == (None, False, "application/xml", None)


def test_a_discount_ends_with_the_amount_that_was_invoiced(shop: ShopClient) -> None:
    shop.submit(N, amount=10.0)
    upload(shop, form(ubl("RE-1", "10.00", SKONTO)))
    shop.submit(N, amount=9.9)
    pay(shop, N, 970)
    assert shop.status(N) == "PAID_PARTIAL"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (ubl()[:-20], "File not allowed: line 10: the XML is broken"),
        (ubl(due="10,00"), "File not allowed: line 10: BT-115 (amount due) is not an amount: 10,00"),
        (b"<!DOCTYPE a>" + ubl().partition(b"\n")[2], "File not allowed: line 1: <!DOCTYPE is not allowed"),
        (b"<?xml version='1.0'?><html/>", "File type not allowed"),
    ],
)
def test_bad_xml_is_refused_in_one_sentence(shop: ShopClient, content: bytes, error: str) -> None:
    shop.submit(N)
    with shop.unchanged():
        status, text = upload(shop, form(content)).error
    assert status == 400
    assert text.startswith(error)


def test_a_repeated_upload_takes_nothing(shop: ShopClient) -> None:
    shop.submit(N, amount=10.0)
    upload(shop, form(ubl("RE-1", "10.00")))
    assert upload(shop, form(ubl("RE-1", "10.00", SKONTO))).status == 200
    assert stored(shop) == ("2026-04-30", True, "application/xml", "KD4711-17")
    pay(shop, N, 980)
    assert shop.status(N) == "PAID_PARTIAL"
