"""Orders of a replay as shop systems export them, and their numbers as other systems write them."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
import pytest

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.formats.order_files.documents import UsualValues
from paymatch.formats.replays.day_parts import DayPart, decisions_of, encode_decisions
from paymatch.formats.replays.known_numbers import KnownNumbers
from paymatch.formats.replays.order_documents import MOST_BYTES, MOST_ROWS, may_be_too_large, read_orders
from paymatch.formats.statement import FileRefused

USUAL = UsualValues(date(1990, 1, 1), "INVOICE", "EUR", "DE", "de")
SHOPIFY = (
    "Name,Email,Financial Status,Currency,Total,Created at,Billing Name,Cancelled at\n"
    "#1001,a@example.com,pending,EUR,19.90,2025-01-06 10:22:31 +0100,Ada Berg,\n"
    "#1002,b@example.com,voided,EUR,29.90,2025-01-06 11:00:00 +0100,Bo Christ,\n"
    "#1003,c@example.com,pending,EUR,39.90,2025-01-07 11:00:00 +0100,Cy Dorn,2025-01-08 09:00:00 +0100\n"
    "#1004,d@example.com,refunded,EUR,49.90,2025-01-07 12:00:00 +0100,Di Ernst,\n"
)


def read(content: bytes) -> list[tuple[int, str]]:
    """(place, order and day, or why it is left out)."""
    return [
        (place, str(found.message) if isinstance(found, OrderRefused)
         else f"{found.submission.number} {found.submission.order_date}")
        for place, _, found in read_orders(content, USUAL)
    ]  # fmt: skip


def test_cancelled_orders_of_an_export_are_left_out_and_refunded_ones_are_not() -> None:
    cancelled = "The order was cancelled"
    assert read(SHOPIFY.encode()) == [
        (2, "#1001 2025-01-06"), (3, cancelled), (4, cancelled), (5, "#1004 2025-01-07"),
    ]  # fmt: skip
    german = (
        "Bestellnummer;Bestelldatum;Gesamtbetrag (EUR);Kundenname;Bestellstatus\n"
        "1;06.01.2025;19,90;Ada Berg;offen\n2;06.01.2025;19,90;Ada Berg;Storniert\n"
    )
    assert read(german.encode("cp1252")) == [(2, "1 2025-01-06"), (3, cancelled)]
    dump = [{"number": "B-1", "paymentStatus": "CANCELLED"}]
    assert read(msgspec.json.encode(dump)) == [(1, cancelled)]


def test_an_order_without_its_day_has_no_place_in_a_past() -> None:
    rows = "Order number,Date,Total,Customer\n1,2025-01-06,19.90,Ada Berg\n2,,19.90,Ada Berg\n"
    assert read(rows.encode()) == [(2, "1 2025-01-06"), (3, "The order has no date")]
    with pytest.raises(FileRefused, match="need a date"):
        read(b"Order number,Total,Customer\n1,19.90,Ada Berg\n")


def test_numbers_are_recognised_as_other_systems_write_them() -> None:
    known = KnownNumbers()
    day = date(2025, 1, 6)
    orders = [
        {"number": "#1001", "invoiceNumbers": ["RE-77"]}, {"number": "SW-10002", "marketplaceNumber": "302-1-9"},
        {"number": "A-55"}, {"number": "B-55"}, {"number": "7"},
    ]  # fmt: skip
    known.learn(DayPart(day, 5, msgspec.json.encode(orders)))
    known.learn(DayPart(day + timedelta(days=1), 1, msgspec.json.encode(orders[:1])))
    assert (len(known), known.count_before(day), known.count_before(day + timedelta(days=1))) == (5, 0, 4)
    asked = ["#1001", "1001", "re 77", "10002", "sw10002", "302-1-9", "A55", "55", "7", "8", ""]
    assert [known.resolve(each) for each in asked] == [
        "#1001", "#1001", "#1001", "SW-10002", "SW-10002", "SW-10002", "A-55", "55", "7", "8", "",
    ]  # fmt: skip
    part = DayPart(day, 1, encode_decisions([OldDecision(day, 100, "1001", "Ada")]))
    assert decisions_of(known.resolved(part).content) == [OldDecision(day, 100, "#1001", "Ada")]


def test_only_a_long_file_may_be_too_large() -> None:
    assert not may_be_too_large(b"a;b\n" * MOST_ROWS)
    assert may_be_too_large(b"a;b\n" * (MOST_ROWS + 1))
    assert not may_be_too_large(b"[" + b"\n" * (MOST_ROWS + 1))  # of JSON only the orders are counted
    with pytest.raises(FileRefused, match="200 MB"):
        may_be_too_large(b"\n" * (MOST_BYTES + 1))


def test_a_dump_of_too_many_orders_is_refused() -> None:
    with pytest.raises(FileRefused, match="500000 rows"):
        next(read_orders(b"[" + b"{}," * MOST_ROWS + b"{}]", USUAL))
