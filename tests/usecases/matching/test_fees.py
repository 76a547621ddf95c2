"""What payers keep, from the statement to the books: orders are PAID by what is credited to them (D-36)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.orders.order_json import Include
from paymatch.store.statements.posting_report import report
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part, Withheld
from paymatch.usecases.orders import orders
from paymatch.usecases.orders.fees import fees
from paymatch.usecases.statements import imports
from paymatch.usecases.work.check import check_shop
from tests.usecases.conftest import Books, camt, paid

CARRIER = {"counterparty_name": "DPD Deutschland GmbH", "counterparty_iban": "DE02120300000000202051"}
MARKET = {"counterparty_name": "Kaufland e-commerce Services", "counterparty_iban": "DE02100100100006820101"}
PARCELS = ("01234567890123", "01234567890999", "01234567899111", "01234567895555")
MARKETS = ("302-1234567-1234567", "302-7654321-7654321", "302-1111111-2222222", "302-3333333-4444444")


def on_delivery(books: Books, number: str, amount: str, parcel: str) -> None:
    books.order(number, amount, type="COD", shippingNumbers=[parcel], billing=_customer(number))


def on_market(books: Books, number: str, amount: str, place: int) -> None:
    books.order(number, amount, marketplaceNumber=MARKETS[place], billing=_customer(number))


def _customer(number: str) -> dict[str, str]:
    return {"lastName": f"Kunde{number}", "countryCode": "DE"}


def reports(books: Books) -> list[dict[str, Any]]:
    with books.database.of_shop(books.shop) as tx:
        return list(report(tx))


def confirm(books: Books) -> None:
    """A person confirms what the payer of the one posting that waits has kept, as for every first payout."""
    (found,) = [each for each in reports(books) if each["status"] == "suggested"]
    assert found["heldBack"].endswith("kept: confirm this payer's fee")
    chosen = assigning.suggested_parts(books.database, books.shop, found["id"])
    assigning.match(books.database, books.shop, found["id"], chosen, books.now)


def parts(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(a["orderNumber"], a["amount"], a.get("fee"), a.get("feeKind")) for a in found["allocations"]]


def read(books: Books, number: str) -> dict[str, Any]:
    with books.database.of_shop(books.shop) as tx:
        text = orders.read(tx, number, Include(postings=True))
    found: dict[str, Any] = json.loads(text, parse_float=Decimal)
    return found


def test_a_single_parcel_less_the_carriers_fee_is_paid(books: Books) -> None:
    on_delivery(books, "61001", "100.00", PARCELS[0])
    books.bring(camt(CamtMessage.STATEMENT, paid(9800, f"Nachnahme {PARCELS[0]}", **CARRIER)))
    confirm(books)
    (found,) = reports(books)
    assert parts(found) == [("61001", "100.00", "2.00", "DELIVERY_FEE")]
    assert "cash-discount" not in found["flags"]
    order = read(books, "61001")
    assert (order["paymentStatus"], order["amountPaid"]) == ("PAID", 100)
    assert [(p["amount"], p["fee"], p["feeKind"]) for p in order["postings"]] == [(100, 2, "DELIVERY_FEE")]
    assert books.events("61001") == ["PAID"]
    books.sound()


def test_a_payout_credits_its_orders_in_full_and_undo_takes_it_all_back(books: Books) -> None:
    for place, amount in enumerate(("19.99", "30.00", "50.01")):
        on_market(books, f"A{place}", amount, place)
    books.bring(camt(CamtMessage.STATEMENT, paid(8800, "Auszahlung " + " ".join(MARKETS[:3]), **MARKET)))
    confirm(books)
    (found,) = reports(books)
    assert parts(found) == [
        ("A0", "19.99", "2.40", "COMMISSION"),
        ("A1", "30.00", "3.60", "COMMISSION"),
        ("A2", "50.01", "6.00", "COMMISSION"),
    ]
    assert [books.status(f"A{place}") for place in range(3)] == ["PAID"] * 3
    books.sound()
    assigning.unmatch(books.database, books.shop, found["id"], books.now)
    assert [books.status(f"A{place}") for place in range(3)] == ["UNPAID"] * 3
    assert books.rows("SELECT postings_minor FROM orders WHERE shop_id = $1") == [(0,)] * 3
    books.sound()


def test_two_parcels_with_the_fee_in_the_text_are_confirmed_as_well(books: Books) -> None:
    on_delivery(books, "61001", "12.00", PARCELS[0])
    on_delivery(books, "61002", "14.00", PARCELS[1])
    text = f"Sendungen {PARCELS[0]} {PARCELS[1]} abzgl. Entgelt 9,00"
    books.bring(camt(CamtMessage.STATEMENT, paid(1700, text, **CARRIER | {"counterparty_name": "Boten Meier"})))
    confirm(books)
    (found,) = reports(books)
    assert (found["status"], [a["amount"] for a in found["allocations"]]) == ("matched", ["12.00", "14.00"])
    assert (books.status("61001"), books.status("61002")) == ("PAID", "PAID")
    books.sound()


def test_an_unusual_fee_is_confirmed_once(books: Books) -> None:
    amounts = ("40.00", "60.00", "30.00", "70.00")
    for place, amount in enumerate(amounts):
        on_delivery(books, f"6100{place}", amount, PARCELS[place])
    first = paid(8260, f"Nachnahme {PARCELS[0]} {PARCELS[1]}", **CARRIER)
    second = paid(8260, f"Nachnahme {PARCELS[2]} {PARCELS[3]}", **CARRIER)
    books.bring(camt(CamtMessage.STATEMENT, first))
    (found,) = reports(books)
    assert (found["status"], found["heldBack"]) == ("suggested", "17.4 % kept: confirm this payer's fee")
    (suggestion,) = [s for s in found["suggestions"] if len(s["allocations"]) == 2]
    assert suggestion is found["suggestions"][0]
    assert [(a["amount"], a["fee"]) for a in suggestion["allocations"]] == [("40.00", "6.96"), ("60.00", "10.44")]
    confirmed = assigning.suggested_parts(books.database, books.shop, found["id"])
    assigning.match(books.database, books.shop, found["id"], confirmed, books.now)
    assert (books.status("61000"), books.status("61001")) == ("PAID", "PAID")
    books.bring(camt(CamtMessage.STATEMENT, second, opening=8260, number=2))
    assert (books.status("61002"), books.status("61003")) == ("PAID", "PAID")
    books.sound()
    with books.database.of_shop(books.shop) as tx:
        (kept,) = fees(tx)
    assert (kept.payer, kept.kind, kept.postings, kept.orders) == ("DPD Deutschland GmbH", FeeKind.DELIVERY_FEE, 2, 4)
    assert (kept.gross_minor, kept.withheld_minor) == (20000, 3480)


def test_what_was_known_to_wait_is_decided_when_the_fee_is_confirmed(books: Books) -> None:
    for place, amount in enumerate(("40.00", "60.00", "30.00", "70.00")):
        on_delivery(books, f"6100{place}", amount, PARCELS[place])
    both = [paid(8260, f"Nachnahme {PARCELS[i]} {PARCELS[i + 1]}", **CARRIER) for i in (0, 2)]
    books.bring(camt(CamtMessage.STATEMENT, *both))
    waiting = reports(books)
    assert [each["status"] for each in waiting] == ["suggested", "suggested"]
    confirmed = assigning.suggested_parts(books.database, books.shop, waiting[0]["id"])
    assigning.match(books.database, books.shop, waiting[0]["id"], confirmed, books.now)
    due = books.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL")
    assert due == [(1,)]


def test_one_unknown_number_of_a_list_leaves_the_rest_proposed(books: Books) -> None:
    on_delivery(books, "61001", "40.00", PARCELS[0])
    on_delivery(books, "61002", "60.00", PARCELS[1])
    text = f"Nachnahme {PARCELS[0]} {PARCELS[1]} {PARCELS[2]}"
    books.bring(camt(CamtMessage.STATEMENT, paid(12500, text, **CARRIER)))
    (found,) = reports(books)
    words = f"{PARCELS[2]} is not an order of this shop: 25.00 EUR stays open"
    assert (found["status"], found["heldBack"]) == ("suggested", words)
    proposed = found["suggestions"][0]["allocations"]
    assert [(a["orderNumber"], a["amount"]) for a in proposed] == [("61001", "40.00"), ("61002", "60.00")]


@pytest.mark.parametrize("charges", [0, 450])
def test_a_bank_charge_is_borne_up_to_the_shops_tolerance_or_as_the_bank_states_it(books: Books, charges: int) -> None:
    if not charges:
        books.shop = replace(books.shop, fee_tolerance_minor=750)
        books.rows("UPDATE shops SET fee_tolerance_minor = 750 WHERE shop_id = $1 RETURNING 1")
    books.order("R-2026/00293", "100.00")
    more = {"charges_minor": charges, "instructed_amount_minor": 10000, "instructed_currency": "EUR"} if charges else {}
    books.bring(camt(CamtMessage.STATEMENT, paid(10000 - (charges or 750), "R-2026/00293 Spesen SHA", **more)))
    (found,) = reports(books)
    fee = "4.50" if charges else "7.50"
    assert parts(found) == [("R-2026/00293", "100.00", fee, "BANK_CHARGE")]
    assert books.status("R-2026/00293") == "PAID"
    books.sound()


def test_a_granted_cash_discount_is_withheld_and_one_that_is_not_granted_is_missing(books: Books) -> None:
    books.order("R-2026/00293", "100.00")
    books.order("R-2026/00294", "200.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(9800, "R-2026/00293 abzgl. 2% Skonto")))
    assert books.status("R-2026/00293") == "PAID_PARTIAL"
    books.shop = replace(books.shop, discount_basis_points=200)
    books.rows("UPDATE shops SET discount_basis_points = 200 WHERE shop_id = $1 RETURNING 1")
    books.bring(camt(CamtMessage.STATEMENT, paid(19600, "R-2026/00294 abzgl. 2% Skonto"), opening=9800, number=2))
    assert books.status("R-2026/00294") == "PAID"
    order = read(books, "R-2026/00294")
    assert (order["amountPaid"], order["postings"][0]["feeKind"]) == (200, "CASH_DISCOUNT")
    books.sound()


def test_several_open_orders_that_are_not_covered_are_proposed_never_booked_onto_one(books: Books) -> None:
    numbers = ("RG26-14651", "RG26-13833", "RG26-14074", "RG26-14075")
    for place, (number, amount) in enumerate(zip(numbers, ("2000.00", "1800.00", "2400.00", "5367.14"), strict=True)):
        books.order(f"B{place}", amount, invoiceNumbers=[number], date=f"0{4 - place}-03-2026")
    books.bring(camt(CamtMessage.STATEMENT, paid(411314, "RG26-14075")))
    assert [books.status(f"B{place}") for place in range(4)] == ["UNPAID"] * 3 + ["PAID_PARTIAL"]
    text = "BESTELLUNGEN RG26-14651 U. RG26-13833 U. RG26-14074 U. RG26-14075"
    books.bring(camt(CamtMessage.STATEMENT, paid(536714, text), opening=411314, number=2))
    found = next(each for each in reports(books) if each["text"] == text)
    words = "the payment text names 4 open orders, and the amount covers none of them exactly"
    assert (found["status"], found["heldBack"]) == ("suggested", words)
    oldest, in_proportion = (
        [(a["orderNumber"], a["amount"]) for a in suggestion["allocations"]] for suggestion in found["suggestions"][:2]
    )
    assert oldest == [("B3", "1254.00"), ("B2", "2400.00"), ("B1", "1713.14")]
    assert in_proportion == [("B3", "902.93"), ("B2", "1728.08"), ("B1", "1296.06"), ("B0", "1440.07")]
    assert [books.status(f"B{place}") for place in range(4)] == ["UNPAID"] * 3 + ["PAID_PARTIAL"]


def payout(books: Books, amount: int = 9600) -> str:
    """A payout without any number, for 40.00 and 60.00."""
    on_market(books, "A0", "40.00", 0)
    on_market(books, "A1", "60.00", 1)
    books.bring(camt(CamtMessage.STATEMENT, paid(amount, "Auszahlung 4711", **MARKET)))
    (found,) = reports(books)
    return str(found["id"])


def test_by_hand_the_fee_is_given_for_all_or_for_each(books: Books) -> None:
    posting = payout(books)
    given = [Part("A0"), Part("A1")]
    assigning.match(books.database, books.shop, posting, given, books.now, Withheld(400))
    (found,) = reports(books)
    assert parts(found) == [("A0", "40.00", "1.60", "COMMISSION"), ("A1", "60.00", "2.40", "COMMISSION")]
    books.sound()
    each = [Part("A0", 3900, 100), Part("A1", 5700, 300)]
    assigning.match(books.database, books.shop, posting, each, books.now, Withheld(kind=FeeKind.PAYMENT_FEE))
    (found,) = reports(books)
    assert parts(found) == [("A0", "40.00", "1.00", "PAYMENT_FEE"), ("A1", "60.00", "3.00", "PAYMENT_FEE")]
    assert (books.status("A0"), books.status("A1")) == ("PAID", "PAID")
    assigning.match(books.database, books.shop, posting, given, books.now, Withheld(None))
    assert parts(reports(books)[0])[0] == ("A0", "40.00", "1.60", "COMMISSION")
    books.sound()


@pytest.mark.parametrize(
    ("given", "withheld", "words"),
    [
        (
            [Part("A0"), Part("A1")],
            Withheld(300),
            "The orders come to 100.00 EUR, the posting with the fee to 99.00 EUR",
        ),
        ([Part("A0"), Part("A1")], Withheld(), "Only one order may be named without an amount"),
        ([Part("A0"), Part("A0")], Withheld(), "An order is named twice"),
        ([Part("A0")], Withheld(None), "There is no fee: the posting covers all that is open on the orders"),
        ([Part("A0", 100, -5)], Withheld(), "The fee of order 'A0' must be above 0, and of a payment received"),
    ],
)
def test_a_split_that_does_not_add_up_changes_nothing(
    books: Books, given: list[Part], withheld: Withheld, words: str
) -> None:
    posting = payout(books)
    with pytest.raises(AssignmentRefused) as caught:
        assigning.match(books.database, books.shop, posting, given, books.now, withheld)
    assert str(caught.value) == words
    assert books.rows("SELECT count(*) FROM allocations WHERE shop_id = $1") == [(0,)]
    assert (books.status("A0"), books.status("A1")) == ("UNPAID", "UNPAID")


def test_a_payout_that_the_bank_takes_back_leaves_nothing_credited(books: Books) -> None:
    on_delivery(books, "61001", "100.00", PARCELS[0])
    there = paid(9800, f"Nachnahme {PARCELS[0]}", end_to_end_id="E1", **CARRIER)
    back = paid(-9800, "Rueckruf", is_return=True, return_reason="AM05", original_end_to_end_id="E1", **CARRIER)
    books.bring(camt(CamtMessage.STATEMENT, there))
    confirm(books)
    books.bring(camt(CamtMessage.STATEMENT, back, opening=9800, number=2, days=(date(2026, 3, 11), date(2026, 3, 11))))
    assert books.status("61001") == "UNPAID"
    assert books.rows("SELECT postings_minor FROM orders WHERE shop_id = $1") == [(0,)]
    with books.database.of_shop(books.shop) as tx:
        assert [(kept.gross_minor, kept.withheld_minor) for kept in fees(tx)] == [(0, 0)]
    books.sound()


def test_an_import_undone_takes_its_fees_back(books: Books) -> None:
    on_delivery(books, "61001", "100.00", PARCELS[0])
    found = books.bring(camt(CamtMessage.STATEMENT, paid(9800, f"Nachnahme {PARCELS[0]}", **CARRIER)))
    imports.undo_import(books.database, books.shop, found.import_id, books.now)
    assert books.status("61001") == "UNPAID"
    books.sound()


def test_a_fee_in_the_books_that_does_not_add_up_is_found(books: Books) -> None:
    on_delivery(books, "61001", "100.00", PARCELS[0])
    books.bring(camt(CamtMessage.STATEMENT, paid(9800, f"Nachnahme {PARCELS[0]}", **CARRIER)))
    confirm(books)
    books.sound()
    books.rows("UPDATE allocations SET withheld_minor = 199 WHERE shop_id = $1 RETURNING 1")
    found = {violation.rule for violation in check_shop(books.database, books.shop)}
    assert "an order is credited its part of the posting and what was withheld of it" in found


def test_the_command_lists_what_each_payer_kept(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, amount in enumerate(("19.99", "30.00", "50.01")):
        on_market(books, f"A{place}", amount, place)
    books.bring(camt(CamtMessage.STATEMENT, paid(8800, "Auszahlung " + " ".join(MARKETS[:3]), **MARKET)))
    confirm(books)
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", books.database.url)
    result = CliRunner().invoke(app, ["fees", str(books.shop.id), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == [
        {
            "payer": "Kaufland e-commerce Services",
            "iban": "DE02100100100006820101",
            "feeKind": "COMMISSION",
            "postings": 1,
            "orders": 3,
            "gross": "100.00",
            "fee": "12.00",
            "share": "12.0 %",
            "currency": "EUR",
            "tariff": "12.00 % or 4.00 EUR per order or 12.00 EUR per payout",
        }
    ]
    later = CliRunner().invoke(app, ["fees", str(books.shop.id), "--from", "2026-03-11", "--json"])
    assert json.loads(later.stdout) == []
