"""Numbers of orders that the shop has not submitted yet, beside honest mistakes in numbers of its orders (D-148)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from paymatch.domain.matching.clerk import later
from paymatch.domain.matching.model import ShopFacts
from tests.domain.matching.clerk_case import ANOTHER, Row, said_of
from tests.domain.matching.world import BOOKED, decided, order, outcome, posting

FIVE, SIX = order("10480"), order("104853")
TICKET, CLUB, CODE = order("T57502-88"), order("MB-2026-8380"), order("TK-ZL5EDW")

CASES: dict[str, list[Row]] = {
    "later_number": [
        ("the next one", [SIX], posting("104854"), ""),
        ("the one before", [SIX], posting("104852"), ""),
        ("999 further", [SIX], posting("105852"), "later-order 105852"),
        ("1000 further", [SIX], posting("105853"), ""),
        ("999 further, of seven digits", [order("1048530")], posting("1049529"), "later-order 1049529"),
        ("1000 further, of seven digits", [order("1048530")], posting("1049530"), ""),
        ("9999 further, of eight digits", [order("10485300")], posting("10495299"), "later-order 10495299"),
        ("10000 further, of eight digits", [order("10485300")], posting("10495300"), ""),
        ("of five digits", [FIVE], posting("10499"), "later-order 10499"),
        ("of four digits", [order("1048")], posting("1049"), ""),
        ("with its letters", [order("SW-10480")], posting("SW-10499"), "later-order SW10499"),
        ("with other letters", [order("SW-10480")], posting("RG-10499"), "later-order 10499"),
        ("a longer one", [SIX], posting("1048530"), ""),
        ("of another order here", [SIX, order("104999", 7777, ANOTHER)], posting("104999"), "names-order 104999"),
        ("a date", [SIX], posting("vom 104999"), ""),
        ("a customer's", [SIX], posting("Kundennr 104999"), ""),
        ("an item's", [SIX], posting("Artikel 104999"), ""),
        ("a telephone's", [SIX], posting("Tel 104999"), ""),
        ("put together, and all of the text", [SIX], posting("104 999"), "later-order 104999"),
        ("put together, and announced", [SIX], posting("Bestellung 104 999 Danke"), "later-order 104999"),
        ("put together, and begun alike", [SIX], posting("Danke 104 999"), "later-order 104999"),
        ("put together, of other figures", [SIX], posting("Hausnummer 105 Etage 199"), ""),
        ("outside of the text", [SIX], posting("", end_to_end_id="104999"), ""),
        ("the number with a typo", [SIX], posting("104863"), ""),
        ("two of them", [order("SW-104853")], posting("104999 SW-104998"), "later-order SW104998"),
        ("another number of the order", [replace(SIX, item_numbers=("104999",))], posting("104999"), ""),
    ],
    "codes": [
        ("another code behind a short head",
         [CODE], posting("Kunde 37729 Ihre Bestellung TK-J29Z82"), "later-order TKJ29Z82"),
        ("another code of letters only", [CODE], posting("TK-TJYAAE vom 02.03.2026"), "later-order TKTJYAAE"),
        ("the same in one word", [CODE], posting("TKJ29Z82"), "later-order TKJ29Z82"),
        ("a code with a run of digits, over a blank",
         [order("TK-DA688A")], posting("Bestellung TK 89MR93"), "later-order TK89MR93"),
        ("a code of letters over a blank, and all of the text",
         [order("TK-244LJ2")], posting("TK LUULME"), "later-order TKLUULME"),
        ("another code, and the own has letters only",
         [order("TK-GDAYKB")], posting("Bestellung: TK-R2SEB9"), "later-order TKR2SEB9"),
        ("a word with an error of the own code of letters", [order("TK-GDAYKB")], posting("TK-GDAYKP"), ""),
        ("the own code with an error", [CODE], posting("TK-ZL5EDX"), ""),
        ("a word of letters behind the head", [CODE], posting("TK KUNDEN Danke"), ""),
        ("a code of another length", [CODE], posting("TK-J29Z8"), ""),
        ("another head", [CODE], posting("AB-J29Z82"), ""),
        ("digits only", [CODE], posting("TK-202603"), ""),
    ],
    "short": [
        ("four digits beside a date", [order("8490")], posting("8506 vom 04.03.2026"), "later-order 8506"),
        ("four digits beside a word", [order("8490")], posting("8506 Danke"), ""),
        ("with letters of its own", [order("A-2287")], posting("A-2298 vielen Dank"), "later-order A2298"),
        ("with letters and digits before it",
         [order("KF-7b-3086")], posting("KF-7b-3190 vom 04.03.2026"), "later-order KF7B3190"),
        ("behind a customer's number", [SIX], posting("Kundennr 12233 104999"), "later-order 104999"),
    ],
    "series": [
        ("of a series with a number at the end, far ahead",
         [TICKET], posting("T57844-67"), "later-order T5784467"),
        ("the same over a blank", [TICKET], posting("Order T57844 67"), "later-order T5784467"),
        ("an earlier number of the series", [TICKET], posting("T57101-67"), ""),
        ("with its letters behind a customer's number",
         [CLUB], posting("Kundennr. 58536 MB-2026-8399"), "later-order MB20268399"),
        ("its last part alone, announced", [CLUB], posting("Auftrag 8381 vom 02.03.2026"), "later-order 8381"),
        ("its last part alone, and all of the text", [CLUB], posting("8381"), "later-order 8381"),
        ("its last part alone, a word of the text", [CLUB], posting("Danke 8381"), ""),
        ("an earlier last part", [CLUB], posting("Auftrag 8379"), ""),
        ("a last part that is a year", [order("MB-26-2020")], posting("Rechnung 2026"), ""),
        ("another number that has lost its last digit",
         [CLUB], posting("Auftrag MB-2026-829"), "later-order MB2026829"),
        ("the own number that has lost its last digit", [CLUB], posting("Auftrag MB-2026-838"), ""),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    "row", [row for rows in CASES.values() for row in rows], ids=[row[0] for rows in CASES.values() for row in rows]
)
def test_a_number_may_be_a_later_orders(row: Row) -> None:
    _, orders, given, expected = row
    assert said_of(later.later_number, orders, given) == expected


def shop_until(number: int, day: date, *, per_day: int = 3, before: int = 40) -> ShopFacts:
    """A shop with `per_day` orders a day, the latest on `day` with this number."""
    newest = tuple((day - timedelta(at // per_day), str(number - at)) for at in range(before * per_day))
    return ShopFacts(open_orders=200, newest_orders=newest)


RUNNING = shop_until(104880, BOOKED)


@pytest.mark.parametrize(
    ("text", "shop", "result"),
    [
        ("104883", RUNNING, "suggested"),  # one digit from 104853, and the shop is about to submit it
        ("104873", RUNNING, "suggested"),  # left out, but orders of these days are submitted late
        ("104863", RUNNING, "matched"),  # left out, and older than orders are submitted late: an error
        ("104843", RUNNING, "matched"),  # before the order: an error
        ("104953", RUNNING, "matched"),  # the series is not so far
        ("194853", RUNNING, "matched"),
        ("140853", RUNNING, "matched"),  # two digits changed places
        ("10485", RUNNING, "matched"),  # a digit is lost
        ("104883", ShopFacts(open_orders=200), "matched"),  # nothing is known of the series
        ("104883", shop_until(104880, BOOKED, per_day=200, before=1), "suggested"),  # all known orders are of today
        ("104673", shop_until(104880, BOOKED, per_day=200, before=1), "matched"),
        ("SW-104883", RUNNING, "suggested"),
        ("104879", RUNNING, "suggested"),  # two digits differ, and orders of these days are submitted late
        ("104839", RUNNING, "matched"),  # two digits differ, and it is an older order's
    ],
)
def test_one_wrong_digit_is_an_error_unless_the_series_is_there(text: str, shop: ShopFacts, result: str) -> None:
    (decision,) = decided([SIX], [posting(text)], shop)
    assert outcome(decision) == (result, (("104853", 4990),))


@pytest.mark.parametrize(
    ("text", "result"),
    [("104879", "suggested"), ("104884", "suggested"), ("104811", "matched"), ("Kunde 12233 104879", "suggested")],
)
def test_an_earlier_number_may_be_an_order_that_is_submitted_late(text: str, result: str) -> None:
    (decision,) = decided([order("104881", order_date=BOOKED)], [posting(text)], shop_until(104882, BOOKED))
    assert outcome(decision)[0] == result


@pytest.mark.parametrize(("text", "result"), [("Bestellung 675454", "suggested"), ("Bestellung 679454", "matched")])
def test_numbers_with_a_check_digit_count_on_in_tens(text: str, result: str) -> None:
    newest = tuple((BOOKED - timedelta(at // 3), str(675410 - 10 * at)) for at in range(120))
    shop = ShopFacts(open_orders=200, newest_orders=newest)
    (decision,) = decided([order("674135", order_date=BOOKED - timedelta(30))], [posting(text)], shop)
    assert outcome(decision)[0] == result


def test_the_later_order_takes_its_payment_when_it_comes() -> None:
    (waits,) = decided([SIX], [posting("104883")], RUNNING)
    (taken,) = decided([SIX, order("104883")], [posting("104883")], RUNNING)
    assert outcome(waits)[0] == "suggested"
    assert outcome(taken) == ("matched", (("104883", 4990),))


def test_a_wrong_digit_of_another_customers_number_is_an_error_as_before() -> None:
    (decision,) = decided([SIX, order("104863", 777, ANOTHER)], [posting("104863")], RUNNING)
    assert outcome(decision) == ("matched", (("104853", 4990),))
