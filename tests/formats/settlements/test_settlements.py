"""Every provider's reports are recognised by their headings and read to the cent."""

from __future__ import annotations

from datetime import UTC, date, datetime
from io import BytesIO
from typing import Final

import pytest

from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout, combine, distinct
from paymatch.domain.payouts.payouts import Payout, payouts_of
from paymatch.formats.settlements.reader import SettlementEvent, open_settlement
from paymatch.formats.settlements.values import MomentUnreadable, day_of
from paymatch.formats.statement import FileRefused
from tests.formats.settlements import files

Row = tuple[str, str, int, int, int]
"""Kind, order's number, gross, fee, net."""


def read(text: str) -> tuple[str, list[SettlementEvent]]:
    """What the file was recognised as, and its events."""
    reading = open_settlement(BytesIO(text.encode()))
    assert reading is not None
    events = list(reading.events())
    return reading.recognised_as(), events


def movements(text: str) -> list[Movement]:
    return [event for event in read(text)[1] if isinstance(event, Movement)]


def rows(text: str) -> list[Row]:
    """The movements of the file, rows of one order put together."""
    return [
        (str(each.kind), each.order_reference, each.gross_minor, each.fee_minor, each.net_minor)
        for each in combine(distinct(movements(text)))
    ]


def payouts(*texts: str) -> list[Payout]:
    events = [event for text in texts for event in read(text)[1]]
    return payouts_of(
        [each for each in events if isinstance(each, Movement)],
        [each for each in events if isinstance(each, StatedPayout)],
    )


RECOGNISED: Final = {
    files.STRIPE_PAYOUTS_RECONCILED: "Stripe, payout reconciliation, 2 payouts",
    files.STRIPE_ACTIVITY: "Stripe, balance change from activity, 0 payouts",
    files.STRIPE_NO_KIND: "Stripe, balance change from activity, 0 payouts",
    files.STRIPE_PAYOUTS: "Stripe, payouts, 1 payout",
    files.PAYPAL_DE: "PayPal, activity, 1 payout",
    files.PAYPAL_EN: "PayPal, activity, 0 payouts",
    files.PAYPAL_SETTLEMENT: "PayPal, settlement, 0 payouts",
    files.KLARNA: "Klarna, settlement, 1 payout",
    files.MOLLIE: "Mollie, settlement, 1 payout",
    files.AMAZON_V2: "Amazon, settlement, flat file V2, 1 payout",
    files.AMAZON_RANGE_DE: "Amazon, transactions by date range, 1 payout",
    files.AMAZON_RANGE_EN: "Amazon, transactions by date range, 0 payouts",
    files.SHOPIFY: "Shopify Payments, payout transactions, 1 payout",
    files.SUMUP: "SumUp, transactions, 1 payout",
    files.SUMUP_API: "SumUp, payouts, 1 payout",
    files.WISE: "Wise, balance statement, 1 payout",
}


@pytest.mark.parametrize(("text", "said"), RECOGNISED.items(), ids=RECOGNISED.values())
def test_the_import_says_what_it_recognised(text: str, said: str) -> None:
    assert read(text)[0] == said


def test_stripe_rows_have_their_kind_and_fee() -> None:
    assert rows(files.STRIPE_PAYOUTS_RECONCILED) == [
        ("sale", "SO-101", 4260, 89, 4171),
        ("sale", "", 2750, 66, 2684),
        ("sale", "SO-103", 3990, 85, 3905),
        ("refund", "", -4260, 0, -4260),
        ("chargeback", "", -2750, 2000, -4750),
        ("chargeback reversed", "", 2750, -2000, 4750),
        ("fee", "", 0, 200, -200),
        ("sale", "SO-104", 10000, 10, 9990),
        ("reserve held", "", -1000, 0, -1000),
    ]
    first, second, third, refund, *_ = movements(files.STRIPE_PAYOUTS_RECONCILED)
    assert second.text == "Order SO-102"
    assert (third.original_minor, third.original_currency) == (4200, "USD")
    assert first.payment_id == refund.payment_id == "ch_1a"
    assert first.at == datetime(2026, 11, 14, 9, 12, 44, tzinfo=UTC)


def test_stripe_reports_describe_the_same_rows_and_payouts() -> None:
    found = payouts(files.STRIPE_ACTIVITY, files.STRIPE_PAYOUTS, files.STRIPE_PAYOUTS_RECONCILED)
    assert [(each.payout_id, each.amount_minor, each.kept_minor, each.rest_minor) for each in found] == [
        ("po_1QLbWm4c", 10760, 240, 0),
        ("po_1QN2xK9d", 4530, 210, 0),
    ]
    assert found[0].trace_id == "STRIPE8G4K2"
    assert (found[0].orders, found[0].sent_on) == (3, date(2026, 11, 16))


def test_stripe_columns_may_be_left_out() -> None:
    assert rows(files.STRIPE_NO_KIND) == [("sale", "", 4260, 89, 4171), ("refund", "", -4260, 0, -4260)]


def test_paypal_memo_rows_move_nothing_and_purchases_are_no_refunds() -> None:
    assert rows(files.PAYPAL_DE) == [
        ("sale", "SO-101", 5877, 181, 5696),
        ("sale", "SO-102", 10000, 10, 9990),
        ("refund", "", -5877, 0, -5877),
        ("chargeback", "", -10000, 0, -10000),
        ("fee", "", 0, 1400, -1400),
        ("payout", "", -50000, 0, -50000),
        ("adjustment", "", -2000, 0, -2000),
    ]
    (payout,) = payouts(files.PAYPAL_DE)
    assert (payout.amount_minor, payout.rest_minor, payout.carried_out_minor) == (50000, 0, -51591)
    sale, _, refund, *_ = movements(files.PAYPAL_DE)
    assert sale.payment_id == refund.payment_id == "7AB12345CD678901E"
    assert sale.at == datetime(2026, 11, 18, 9, 12, 44, tzinfo=UTC)


def test_paypal_dates_of_american_accounts_begin_with_the_month() -> None:
    *_, sale = movements(files.PAYPAL_EN)
    assert (sale.at, sale.currency, sale.gross_minor) == (datetime(2026, 11, 3, 17, 59, tzinfo=UTC), "USD", 6000)
    assert [each.kind for each in movements(files.PAYPAL_EN)] == [
        MovementKind.CONVERSION,
        MovementKind.CONVERSION,
        MovementKind.SALE,
    ]


def test_paypal_settlement_amounts_are_minor_units_with_a_side() -> None:
    assert rows(files.PAYPAL_SETTLEMENT) == [
        ("sale", "SO-101", 5877, 181, 5696),
        ("refund", "", -1000, -20, -980),
        ("sale", "SO-109", 5877, 181, 5696),
    ]
    assert [each.provider_id for each in movements(files.PAYPAL_SETTLEMENT)][:1] == ["7AB12345CD678901E"]


@pytest.mark.parametrize("text", [files.KLARNA, files.KLARNA_SIGNED], ids=["by type", "signed"])
def test_klarna_fees_join_their_sale_whatever_their_sign(text: str) -> None:
    assert rows(text) == [
        ("sale", "SO-101", 5877, 176, 5701),
        ("sale", "SO-102", 10000, 300, 9700),
        ("refund", "SO-101", -2000, 0, -2000),
    ]
    (payout,) = payouts(text)
    assert (payout.payout_id, payout.amount_minor, payout.rest_minor) == ("987654321", 13401, 0)


def test_a_week_below_zero_is_carried_over_without_a_transfer() -> None:
    (payout,) = payouts(files.KLARNA_BELOW_ZERO)
    assert (payout.amount_minor, payout.carried_in_minor, payout.carried_out_minor) == (0, -500, -2500)
    assert payout.rest_minor == 0
    (settlement,) = payouts(files.AMAZON_V2_BELOW_ZERO)
    assert (settlement.amount_minor, settlement.carried_out_minor, settlement.rest_minor) == (0, -3900, 0)


def test_mollie_fees_belong_to_the_settlement() -> None:
    assert rows(files.MOLLIE) == [
        ("sale", "", 5877, 0, 5877),
        ("sale", "", 5500, 0, 5500),
        ("refund", "", -2000, 0, -2000),
        ("chargeback", "", -5500, 0, -5500),
        ("fee", "", 0, 73, -73),
    ]
    (payout,) = payouts(files.MOLLIE)
    assert (payout.payout_id, payout.amount_minor, payout.rest_minor) == ("1234567.2611.01", 3804, 0)


def test_amazon_amounts_of_an_order_are_one_sale() -> None:
    assert rows(files.AMAZON_V2) == [
        ("sale", "SO-101", 17000, 2640, 14360),
        ("refund", "", -3000, -360, -2640),
        ("reserve held", "", -5000, 0, -5000),
        ("reserve released", "", 8080, 0, 8080),
        ("fee", "", 0, 3900, -3900),
    ]
    (payout,) = payouts(files.AMAZON_V2)
    assert (payout.amount_minor, payout.rest_minor, payout.sent_on) == (10900, 0, date(2026, 11, 26))


def test_amazon_reports_of_one_settlement_are_not_added_up() -> None:
    both = payouts(files.AMAZON_V2, files.AMAZON_RANGE_DE)
    assert [(each.amount_minor, each.orders) for each in both] == [(10900, 1)]
    combined = combine(distinct(movements(files.AMAZON_V2) + movements(files.AMAZON_RANGE_DE)))
    sales = [each for each in combined if each.kind is MovementKind.SALE]
    assert [(each.gross_minor, each.marketplace_number) for each in sales] == [(17000, "303-1234567-1234567")]
    on_account = combine(distinct(movements(files.AMAZON_RANGE_DE) + movements(files.AMAZON_V2)))
    assert sum(each.net_minor for each in on_account) == 10900 - 10460


def test_amazon_date_range_report_lists_its_payout() -> None:
    assert rows(files.AMAZON_RANGE_DE) == [
        ("sale", "", 17000, 2640, 14360),
        ("fee", "", 0, 3900, -3900),
        ("payout", "", -10460, 0, -10460),
    ]
    (payout,) = payouts(files.AMAZON_RANGE_DE)
    assert (payout.amount_minor, payout.rest_minor) == (10460, 0)
    assert rows(files.AMAZON_RANGE_EN) == [
        ("sale", "", 126000, 36750, 89250),
        ("refund", "", -126000, -33600, -92400),
    ]


def test_shopify_pending_rows_become_the_same_row_once_paid() -> None:
    later = files.SHOPIFY.replace("pending,2026-11-25,,", "paid,2026-11-25,148156579999,")
    found = payouts(files.SHOPIFY, later)
    assert [(each.payout_id, each.amount_minor, each.rest_minor) for each in found] == [
        ("148156579998", 9071, 0),
        ("148156579999", 960, 0),
    ]
    assert movements(files.SHOPIFY)[2].original_minor == 6000


def test_sumup_rows_of_one_code_are_one_payment() -> None:
    assert rows(files.SUMUP) == [("sale", "", 5877, 82, 5795), ("sale", "", 105877, 1482, 104395)]
    (payout,) = payouts(files.SUMUP)
    assert (payout.payout_id, payout.amount_minor) == ("SUMUP PID1283966 PAYOUT 251126", 5795)
    assert distinct(movements(files.SUMUP))[0].text == "Order SO-101"


def test_sumup_deductions_lower_the_payout_of_their_day() -> None:
    (payout,) = payouts(files.SUMUP_API)
    assert (payout.amount_minor, payout.rest_minor, payout.orders) == (4795, 0, 1)


def test_wise_amounts_are_after_fees() -> None:
    assert rows(files.WISE) == [("payout", "", -50000, 39, -50039), ("sale", "", 5877, 0, 5877)]
    (payout,) = payouts(files.WISE)
    assert (payout.amount_minor, payout.fee_minor, payout.rest_minor) == (50000, 39, 0)


def test_delimiters_and_code_pages_of_old_accounts_are_read() -> None:
    with_tabs = files.PAYPAL_DE.replace('","', '"\t"')
    with_semicolons = files.PAYPAL_DE.replace('","', '";"')
    assert rows(with_tabs) == rows(with_semicolons) == rows(files.PAYPAL_DE)
    blank = files.AMAZON_V2.partition("\n")[0].count("\t") - 1
    late = files.AMAZON_V2 + ("\n" * 70_000) + f"81021822748\tMärz{chr(9) * blank}\n"
    assert blank > 0
    reading = open_settlement(BytesIO(late.encode("cp1252")))
    assert reading is not None
    with pytest.raises(FileRefused, match=r"row 70014: the amount is missing"):
        list(reading.events())


def test_a_day_is_the_one_that_is_written() -> None:
    text = files.KLARNA.replace("2026-11-20T00:00:00Z", "2026-11-20T00:00:00+01:00")
    assert payouts(text)[0].sent_on == date(2026, 11, 20)


def test_payments_that_mollie_has_not_settled_are_left_out() -> None:
    unpaid = '"2026-11-18 12:00:00","ideal","EUR","9.00","Expired","tr_9U","Order SO-103","","","","EUR","","",""\n'
    assert rows(files.MOLLIE + unpaid) == rows(files.MOLLIE)


@pytest.mark.parametrize(
    "text",
    [
        "18 Nov 2026", "Nov 18, 2026", "Nov. 18, 2026", "November 18 2026", "18. November 2026", "18.Nov 2026",
        "18-Nov-2026", "18. Nov. 2026", "18 NOV 2026 00:30 +0100", "Nov 18, 2026 12:30:00 AM CET",
    ],
)  # fmt: skip
def test_a_day_with_the_name_of_its_month_is_the_one_that_is_written(text: str) -> None:
    assert day_of(text, "dmy") == date(2026, 11, 18)


def test_german_names_of_months_are_read() -> None:
    found = [day_of(f"3. {name} 2026", "dmy").month for name in ("Mai", "März", "Okt.", "Dezember", "Mrz")]
    assert found == [5, 3, 10, 12, 3]
    with pytest.raises(MomentUnreadable):
        day_of("3. Brumaire 2026", "dmy")
