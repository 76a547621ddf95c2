"""Answers to the byte (docs/api.md): dates, two decimals, unset fields left out, executionDate null."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.contract.bank import book, entry, pay
from tests.contract.client import ShopClient
from tests.contract.test_endpoints import ALL_FLAGS, refund

N = "FO-11001"


def masked(body: bytes) -> str:
    """The answer as text; what is drawn at random is replaced."""
    text = re.sub(r'"(pst|rf)_[0-9a-z]{19}"', r'"\1_"', body.decode())
    text = re.sub(r'"PMR[A-Z0-9]+"', '"PMR"', text)
    return re.sub(r'"RF\d\d[A-Z0-9]{10}"', '"RF"', text)


def test_new_order(shop: ShopClient) -> None:
    body = b'{"number":"FO-11001","date":"02-03-2026","type":"COD","amount":1e1,"currency":"EUR",'
    body += b'"billing":{"countryCode":"de","lastName":"M\\u00fcller","extra":1},"paymentStatus":"PAID",'
    body += b'"stopReminder":false}'
    reply = shop.post(f"order/{N}", body)
    assert reply.body.decode() == (
        '{"number":"FO-11001","date":"02-03-2026","type":"COD","amount":10.00,"currency":"EUR",'
        '"billing":{"lastName":"Müller","countryCode":"DE"},"stopReminder":false,"paymentStatus":"UNPAID",'
        '"dunningLevel":0}'
    )
    assert shop.get(f"order/{N}").body == reply.body
    assert shop.get("orders").body == b"[" + reply.body + b"]"
    assert reply.headers["Content-Length"] == str(len(reply.body))
    assert re.fullmatch(r"[0-9a-f]{16}", reply.headers["X-Request-Id"])
    assert reply.headers["Cache-Control"] == "no-store"


def test_order_with_all_read_only_fields(shop: ShopClient) -> None:
    shop.submit(N, amount=100)
    pay(shop, N, 4000, bank_reference="REF 1")
    shop.post(f"order/{N}/refund", refund())
    shop.run("UPDATE bank_accounts SET confirmed = true, holder = 'Shop', bic = '' WHERE shop_id = $1")
    shop.run(
        "UPDATE orders SET payment_info_at = $2, mark = 'COLLECTION', status = 'COLLECTION', dunning_level = 2"
        " WHERE shop_id = $1",
        shop.clock.now,
    )
    shop.run("INSERT INTO reminders VALUES ($1, $2, 2, '2026-03-01', 250, false, true)", N)
    shop.run("INSERT INTO reminders VALUES ($1, $2, 1, '2026-02-01', 0, true, false)", N)
    shop.run("INSERT INTO collections VALUES ($1, $2, 'Agency \"A\"', 'F/7', 'ACCEPTED', true)", N)
    shop.run("INSERT INTO collection_events VALUES ($1, $2, 1, '2026-03-29 01:30:00+00', 'taken')", N)
    shop.run("INSERT INTO collection_events VALUES ($1, $2, 0, '2026-03-29 00:30:00+00', 'sent')", N)
    assert masked(shop.get(f"order/{N}?{ALL_FLAGS}").body) == (
        '{"number":"FO-11001","date":"01-03-2026","type":"PREPAYMENT","amount":100.00,"currency":"EUR",'
        '"billing":{"lastName":"Muster","countryCode":"DE"},"paymentStatus":"COLLECTION","referenceNumber":"RF",'
        '"bankAccount":{"iban":"DE89370400440532013000","remittee":"Shop"},"dunningLevel":2,"amountPaid":40.00,'
        '"postings":[{"id":"pst_","amount":40.00,"currency":"EUR","postingDate":"02-03-2026",'
        '"valuationDate":"02-03-2026","originator":"Eva Muster","reference":"REF 1","text":"Bestellung FO-11001"}],'
        '"hasBankDetailsForRefund":true,"collectionPartner":"Agency \\"A\\"","collectionFile":"F/7",'
        '"collectionStatus":"ACCEPTED","collectionHistory":[{"timestamp":"29-03-2026 01:30:00","description":"sent"},'
        '{"timestamp":"29-03-2026 03:30:00","description":"taken"}],"paymentReminders":[{"date":"01-02-2026",'
        '"dunningLevel":1,"reminderFee":0.00,"email":true,"letter":false},{"date":"01-03-2026","dunningLevel":2,'
        '"reminderFee":2.50,"email":false,"letter":true}],"refunds":[{"externalReference":"RMA-1","amount":5.00,'
        '"currency":"EUR","plannedDate":"03-03-2026","id":"rf_","executionDate":null,"referenceNumber":"PMR",'
        '"status":"NEW"}]}'
    )


def test_collection_fields_are_left_out_once_collection_is_over(shop: ShopClient) -> None:
    shop.submit(N)
    shop.run("INSERT INTO collections VALUES ($1, $2, 'Agency', '', 'WITHDRAWN', false)", N)
    found = shop.read(N, ALL_FLAGS)
    assert not [name for name in found if name.startswith("collection")]


def test_refund_answer(shop: ShopClient) -> None:
    shop.submit(N)
    assert masked(shop.post(f"order/{N}/refund", refund(amount=5)).body) == (
        '{"externalReference":"RMA-1","amount":5.00,"currency":"EUR","plannedDate":"03-03-2026","id":"rf_",'
        '"executionDate":null,"referenceNumber":"PMR","status":"BANKDETAILS_MISSING",'
        '"reason":"the order\'s payments do not cover it"}'
    )


def test_posting_without_anything_optional(shop: ShopClient) -> None:
    book(shop, entry("", 1234, name="", account="", bic=""))
    text = masked(shop.get("postings?includeOrders=false").body)
    assert text.startswith(
        '[{"id":"pst_","amount":12.34,"currency":"EUR","postingDate":"02-03-2026","valuationDate":"02-03-2026",'
    )
    assert '"originator"' not in text
    assert '"text"' not in text
    assert '"reference"' not in text


@pytest.mark.parametrize(
    ("currency", "sent", "answered"),
    [("EUR", 0.1, "0.10"), ("EUR", 1234567.8, "1234567.80"), ("JPY", 1000, "1000.00"), ("KWD", 1.25, "1.25"),
     ("CHF", 19.95, "19.95"), ("EUR", 0.07, "0.07"), ("EUR", 1e6, "1000000.00"), ("EUR", -0.0, "0.00")],
)  # fmt: skip
def test_amount_has_two_decimals(shop: ShopClient, currency: str, sent: float, answered: str) -> None:
    reply = shop.post(f"order/{N}", {**_order(), "currency": currency, "amount": sent})
    assert f'"amount":{answered},'.encode() in reply.body


def test_amount_paid_has_two_decimals(shop: ShopClient) -> None:
    shop.submit(N, currency="JPY", amount=1000)
    shop.post(f"order/{N}/setpaid")
    assert b'"amountPaid":0.00' in shop.get(f"order/{N}").body


def test_error_body(shop: ShopClient) -> None:
    reply = shop.get("order/n%C3%B6%22")
    assert reply.body == '{"error":"Order \'nö\\"\' not found"}'.encode()
    assert shop.post("orders", [{**_order(), "type": "X"}]).body == (
        b'{"error":"Parameter type is not valid","orderNumber":"FO-11001","index":0,"parameter":"type",'
        b'"allowed":["COD","INVOICE","OTHER","PREPAYMENT"]}'
    )


def _order() -> dict[str, Any]:
    return {
        "number": N, "date": "01-03-2026", "type": "COD", "amount": 1, "currency": "EUR",
        "billing": {"lastName": "M", "countryCode": "DE"},
    }  # fmt: skip
