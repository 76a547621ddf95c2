"""Single rules of the engine, each in a case that only this rule decides, with the whole decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from paymatch.domain.matching.model import OrderFacts, PastPosting, PostingFacts, Related
from paymatch.domain.matching.prepare import prepare
from tests.domain.matching.decision_text import told
from tests.domain.matching.world import BOOKED, decided, order, paid, posting

STRANGER = "Otto Seiler"
ANOTHER = "Hans Pruschke"

CASES: dict[str, tuple[list[OrderFacts], PostingFacts, str]] = {
    "double the amount with a number that continues the order's may be for an order that is yet to come": (
        [order("10480")], posting("10480 104853", 9980),
        "suggested may-be-unknown-order | 0.985 10480 9980 | amount-double 1.00, number-order-full 9.50,"
        " name-equal 11.00, date-age -0.20",
    ),
    "the same text pays both orders where both are there": (
        [order("10480"), order("104853", name=ANOTHER)], posting("10480 104853", 9980),
        "matched | 1.000 10480 4990, 104853 4990 | sum-exact 9.00, number-order-full 9.50, number-order-full 11.00,"
        " name-equal 11.00",
    ),
    "a number announced as the customer's counts against the order of that number": (
        [order("10480")], posting("Kundennr 10480", name=STRANGER),
        "suggested unnamed-other-name | 0.963 10480 4990 | amount-exact 7.50, number-order-full 4.50, name-other -3.00,"
        " date-age -0.20",
    ),
    "a number without a word is the order's": (
        [order("10480")], posting("10480", name=STRANGER),
        "matched | 1.000 10480 4990 | amount-exact 7.50, number-order-full 9.50, name-other -3.00, date-age -0.20",
    ),
    "a number announced as the order's says more": (
        [order("10480")], posting("Bestellung 10480", name=STRANGER),
        "matched | 1.000 10480 4990 | amount-exact 7.50, number-order-full 11.00, name-other -3.00, date-age -0.20",
    ),
    "a number with its zeros leaves the order without them in question": (
        [order("0010480"), order("10480", name=ANOTHER)], posting("0010480", name=STRANGER),
        "suggested not-certain | 0.925 0010480 4990 | 0.012 10480 4990 | amount-exact 7.50, number-order-full 12.50,"
        " name-other -3.00, date-age -0.20",
    ),
    "a number that is another order's with its zeros is no damaged one without them": (
        [order("00104853", 7777, name=ANOTHER), order("SW104835")], posting("00104853"),
        "suggested names-order | 0.984 SW104835 4990 | amount-exact 7.50, name-equal 11.00, near-number 0.50,"
        " date-age -0.20",
    ),
    "the surname alone is enough to ask about the very figure in another currency": (
        [order("10480", currency="USD", customer_number="20009")], posting("Kd 20009", name="Gotthard"),
        "suggested no-rate-advice | 0.985 10480 4990 | amount-no-rate 3.00, number-customer 11.00, name-part 5.00,"
        " date-age -0.20",
    ),
    "what is left over beside an order that is paid already is not made up of others": (
        [order("10480"), order("10490", **paid(order("10490"))), order("10500", 3000)], posting("10480 10490", 7990),
        "suggested also-names | 0.892 10480 7990 | 0.017 10480 4990, 10500 3000 | amount-over -1.00,"
        " number-order-full 9.50, name-equal 11.00, date-age -0.20",
    ),
    "one number names one order, though it is two orders' with its zeros and without": (
        [order("0010480"), order("10480")], posting("0010480", 9980),
        "suggested several-do-not-add-up | 0.984 0010480 4990, 10480 4990 | sum-filled 7.00, number-order-full 12.50,"
        " number-order-full 8.81, name-equal 11.00",
    ),
    "four letters before digits that go on are a user's name": (
        [order("10480", customer_number="20009/miaa_12")], posting("miaa_12/7", name=STRANGER),
        "matched | 1.000 10480 4990 | amount-exact 7.50, number-customer 7.20, name-other -3.00, date-age -0.20",
    ),
    "three letters are none": (
        [order("10480", customer_number="20009/mia_12")], posting("mia_12/7", name=STRANGER),
        "suggested unnamed-other-name | 0.665 10480 4990 | amount-exact 7.50, name-other -3.00, date-age -0.20",
    ),
    "a number that begins with 9 is announced as any other": (
        [order("98480")], posting("Kundennr 98480", name=STRANGER),
        "suggested unnamed-other-name | 0.963 98480 4990 | amount-exact 7.50, number-order-full 4.50, name-other -3.00,"
        " date-age -0.20",
    ),
    "a number that begins with 9 is no date and no letters": (
        [order("9904853")], posting("Rechnung 9904853", name=STRANGER),
        "matched | 1.000 9904853 4990 | amount-exact 7.50, number-order-full 14.00, name-other -3.00, date-age -0.20",
    ),
    "a short key is a whole number": (
        [order("R-24-117")], posting("R-24-117", name=STRANGER),
        "matched | 1.000 R-24-117 4990 | amount-exact 7.50, number-order-full 11.50, name-other -3.00, date-age -0.20",
    ),
    "a short key is read over blanks": (
        [order("R-24-117")], posting("R 24 117", name=STRANGER),
        "matched | 1.000 R-24-117 4990 | amount-exact 7.50, number-order-full 12.00, name-other -3.00, date-age -0.20",
    ),
    "the last part of a short key is a tail": (
        [order("R-24-117")], posting("117", name=STRANGER),
        "suggested unnamed-other-name | 0.901 R-24-117 4990 | amount-exact 7.50, number-order-tail 2.00,"
        " name-other -3.00, date-age -0.20",
    ),
    "three last digits count where a word announces them": (
        [order("2026-104853")], posting("Bestellung 853", name=STRANGER),
        "suggested unnamed-other-name | 0.963 2026-104853 4990 | amount-exact 7.50, number-order-short 4.50,"
        " name-other -3.00, date-age -0.20",
    ),
    "three last digits alone say nothing": (
        [order("2026-104853")], posting("853", name=STRANGER),
        "suggested unnamed-other-name | 0.665 2026-104853 4990 | amount-exact 7.50, name-other -3.00, date-age -0.20",
    ),
    "four last digits count alone": (
        [order("2026-104853")], posting("4853", name=STRANGER),
        "matched | 0.999 2026-104853 4990 | amount-exact 7.50, number-order-short 6.50, name-other -3.00,"
        " date-age -0.20",
    ),
    "two last digits say nothing, announced or not": (
        [order("2026-104853")], posting("Bestellung 53", name=STRANGER),
        "suggested unnamed-other-name | 0.665 2026-104853 4990 | amount-exact 7.50, name-other -3.00, date-age -0.20",
    ),
    "three last digits do not decide between two orders of the payer": (
        [order("2026-104853"), order("2026-104854")], posting("Bestellung 853"),
        "suggested fits-as-well | 0.946 2026-104853 4990 | 0.005 2026-104854 4990 | amount-exact 7.50,"
        " number-order-short 4.50, name-equal 11.00, date-age -0.20",
    ),
    "a short number with the exact amount stays a proposal, however well the payer's own orders fit": (
        [order("705", name=STRANGER), order("732"), order("735")], posting("2 Karten 12.06. Nr 705"),
        "suggested names-order | 0.406 732 4990 | 0.406 735 4990 | 0.000 705 4990 | amount-exact 7.50, name-equal"
        " 11.00, date-age -0.20, date-other -0.50",
    ),
    "so does an equal one of the payer's, where another payment may be for the one that is named": (
        [order("10480", contested=True), order("10485")], posting("Bestellung 10480"),
        "suggested contested-twin | 0.985 10480 4990 | 0.000 10485 4990 | amount-exact 7.50, number-order-full 11.00,"
        " name-equal 11.00, date-age -0.20",
    ),
    "so does one that is asked about": (
        [order("905", name=ANOTHER), order("955")], posting("905 Danke"),
        "suggested names-order | 0.984 955 4990 | 0.000 905 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "of the orders named the payer's own counts, filled up with another of theirs": (
        [order("1834"), order("1835", 3000, ANOTHER), order("1836", 2000)], posting("1834 1835", 6990),
        "suggested several-do-not-add-up | 0.985 1834 4990, 1836 2000 | sum-filled 7.00, number-order-full 7.50,"
        " name-equal 11.00",
    ),
    "of the orders named some add up, and one that is open for nothing is none of them": (
        [order("1834"), order("1835", 0), order("1836", 3000), order("1837", 2000)],
        posting("1834 1835 1836 1837", 7990),
        "suggested several-do-not-add-up | 0.985 1834 4990, 1836 3000 | sum-part 6.50, number-order-full 7.50,"
        " number-order-full 7.50, name-equal 11.00",
    ),
    "one unit more than the sum of the orders named is rounding, which the last one gets": (
        [order("1834"), order("1835", 3000)], posting("1834 1835", 8090),
        "matched fee | 1.000 1834 4990, 1835 3100 | sum-near 4.00, number-order-full 7.50, number-order-full 7.50,"
        " name-equal 11.00",
    ),
    "a cent more than that is asked about": (
        [order("1834"), order("1835", 3000)], posting("1834 1835", 8091),
        "suggested sum-more | 0.925 1834 4990, 1835 3000 | 0.012 1834 8091 | sum-odd -1.00, number-order-full 7.50,"
        " number-order-full 7.50, name-equal 11.00",
    ),
    "a relative pays, and the first name in the text is that of another relative's order of the amount": (
        [order("B-1017"), order("B-1018", name="Mia Gotthard")], posting("B-1017 Mia", name="Peter Gotthard"),
        "suggested relative | 0.922 B-1017 4990 | 0.014 B-1018 4990 | amount-exact 7.50, number-order-full 9.50,"
        " name-surname 2.50, date-age -0.20",
    ),
    "a relative's order of another amount is not meant": (
        [order("B-1017"), order("B-1018", 5000, name="Mia Gotthard")], posting("B-1017 Mia", name="Peter Gotthard"),
        "matched | 1.000 B-1017 4990 | amount-exact 7.50, number-order-full 9.50, name-surname 2.50, date-age -0.20",
    ),
    "a customer number of four digits says who pays where the bank names nobody": (
        [order("R-2026/00293", customer_number="2000")], posting("Kd-Nr 2000", name=""),
        "matched | 1.000 R-2026/00293 4990 | amount-exact 7.50, number-customer 9.00, date-age -0.20",
    ),
    "it does not against another name": (
        [order("R-2026/00293", customer_number="2000")], posting("Kd-Nr 2000", name=STRANGER),
        "suggested unnamed-other-name | 0.984 R-2026/00293 4990 | amount-exact 7.50, number-customer 9.00,"
        " name-other -3.00, date-age -0.20",
    ),
    "one of five digits does": (
        [order("R-2026/00293", customer_number="20009")], posting("Kd-Nr 20009", name=STRANGER),
        "matched | 1.000 R-2026/00293 4990 | amount-exact 7.50, number-customer 11.00, name-other -3.00,"
        " date-age -0.20",
    ),
    "a part that the text speaks of may be another order's": (
        [order("1834"), order("1835", 9980)], posting("Rate 1 von 2"),
        "suggested fits-as-well | 0.932 1834 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "unless a part of the order is paid already": (
        [order("1834", 9980, paid_minor=4990, open_minor=4990), order("1835", 9980)], posting("Rate 2"),
        "suggested not-certain | 0.932 1834 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "a relative's payment of a part is for the order named": (
        [order("10480")], posting("Bestellung 10480", 3000, name="Peter Gotthard"),
        "matched partial | 1.000 10480 3000 | amount-partial -1.50, number-order-full 11.00, name-surname 2.50,"
        " date-age -0.20",
    ),
    "a stranger's is asked about": (
        [order("10480")], posting("Bestellung 10480", 3000, name=STRANGER),
        "suggested nothing-matches-named | 0.901 10480 3000 | amount-partial -1.50, number-order-full 11.00,"
        " name-other -3.00, date-age -0.20",
    ),
    "a carrier's number in which a letter stands for a digit is just long enough": (
        [order("104853", type="COD")], posting("1O4853", 4500, name="DHL Paket GmbH"),
        "suggested collective kept-confirm | 0.978 104853 4500 less 490 DELIVERY_FEE | amount-kept-in-doubt 1.00,"
        " number-order-full 10.00, date-age -0.20",
    ),
    "a document that is nobody's here makes a payer doubtful whose name agrees but for an initial": (
        [order("104853")], posting("Rechnung 104999", name="C. Gotthard"),
        "suggested unknown-document | 0.985 104853 4990 | amount-exact 7.50, name-close 8.00, date-age -0.20",
    ),
    "unless the order's number is there with a typo": (
        [order("104853")], posting("104835 Rechnung 104999", name="C. Gotthard"),
        "matched | 1.000 104853 4990 | amount-exact 7.50, name-close 8.00, number-damaged 6.00, date-age -0.20",
    ),
    "money that covers neither of the orders named nor both is proposed for one, the oldest first, or in proportion": (
        [order("1834"), order("1835", 3000)], posting("1834 1835", 4000),
        "suggested also-names | 0.663 1834 4000 | 0.060 1834 4000 | 0.048 1835 4000 | amount-short 1.00,"
        " number-order-full 7.50, name-equal 11.00, date-age -0.20",
    ),
    "a payout that lacks just one order's money keeps nothing of the others": (
        [order(f"10485{at}", 5000, f"Kunde{at} Test{at}") for at in range(4)],
        posting("104850 104851 104852 104853", 15000, name="DHL Paket GmbH"),
        "suggested collective sum-gap | 0.980 104851 5000, 104852 5000, 104853 5000 | sum-gap 2.00,"
        " number-order-full 11.00, number-order-full 11.00, number-order-full 11.00",
    ),
    "the last digits of a second number are filled up from the longest number before them": (
        [order("104853"), order("104860", 3000)], posting("104853 und 12345 und 60", 7990),
        "matched | 1.000 104853 4990, 104860 3000 | sum-exact 9.00, number-order-full 11.00, number-order-full 11.00,"
        " name-equal 11.00",
    ),
    "orders that are not named add up exactly, and the one that is named has another name and amount": (
        [order("10480", 5100, ANOTHER), order("10490", 3000), order("10491", 1990)], posting("10480"),
        "suggested sum-fits-unnamed | 0.970 10490 3000, 10491 1990 | sum-unnamed 5.00, name-equal 11.00",
    ),
    "that is no question where the amount of the one named is near": (
        [order("10480", 5000, ANOTHER), order("10490", 3000), order("10491", 1990)], posting("10480"),
        "suggested not-certain | 0.664 10480 4990 | 0.129 10490 4990 | amount-cents 4.50, number-order-full 9.50,"
        " name-other -3.00, date-age -0.20",
    ),
    "two cents less of twenty are no discount": (
        [order("10480", 10), order("10481", 10)], posting("10480 10481", 18),
        "matched fee | 1.000 10480 10, 10481 8 | sum-near 4.00, number-order-full 9.50, number-order-full 9.50,"
        " name-equal 11.00",
    ),
    "a range is all open orders of the customer within it": (
        [order("10480", 1000), order("10481", 500), order("10482", 500)], posting("10480-10482", 2000),
        "matched | 1.000 10480 1000, 10482 500, 10481 500 | sum-filled 7.00, number-order-full 9.50,"
        " number-order-full 9.50, name-equal 11.00",
    ),
    "one of them that is open for more than what is left is not passed over": (
        [order("10480", 1000), order("10481", 500), order("10482", 3500), order("10483", 500)],
        posting("10480-10483", 2000),
        "suggested several-do-not-add-up | 0.985 10480 1000, 10483 500, 10481 500 | sum-filled 7.00,"
        " number-order-full 9.50, number-order-full 9.50, name-equal 11.00",
    ),
    "two of three orders named add up, which is asked about": (
        [order("1834"), order("1835", 3000), order("1836", 1000)], posting("1834 1835 1836", 7990),
        "suggested several-do-not-add-up | 0.985 1834 4990, 1835 3000 | sum-part 6.50, number-order-full 7.50,"
        " number-order-full 7.50, name-equal 11.00",
    ),
    "a short number that is announced as an order's is not passed over, though name and amount are another's": (
        [order("48"), order("7", 3000, name="C. Gotthard")], posting("Bestellung 7"),
        "suggested has-number | 0.973 48 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "a relative's order whose short number stands in the text may be meant": (
        [order("48"), order("7", name="Peter Gotthard")], posting("Bestellung 7"),
        "suggested names-order | 0.922 48 4990 | 0.014 7 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "a number that only begins with it does not name it": (
        [order("48"), order("7", name="Peter Gotthard")], posting("71 danke"),
        "matched | 1.000 48 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    orders, given, expected = CASES[name]
    assert [told(decision) for decision in decided(orders, [given])] == [expected]


@pytest.mark.parametrize(
    ("number", "text", "shown"),
    [
        ("104853", "104853 Danke", [("number-order-full", ((0, 6),))]),
        ("104853", "X 104853", [("number-order-full", ((2, 8),))]),
        ("104853", "104835 Danke", [("number-damaged", ((0, 6),))]),
        ("104853", "X 104835", [("number-damaged", ((2, 8),))]),
        ("2026-104853", "4853 Danke", [("number-order-short", ((0, 4),))]),
        ("2026-104853", "X 4853", [("number-order-short", ((2, 6),))]),
    ],
)
def test_a_number_is_shown_where_it_stands(number: str, text: str, shown: list[tuple[str, Any]]) -> None:
    (decision,) = decided([order(number)], [posting(text, name="C. Gotthard")])
    assert decision.match is not None
    assert [(each.code, each.highlight) for each in decision.match.reasons if each.highlight] == shown


@pytest.mark.parametrize(
    ("lines", "numbers"),
    [
        (("IBAN DE89 3704 0044 ", "0532 0130 00 1834"), ["1834"]),  # one account number over two lines
        (("Danke 1834", "1835"), ["18341835", "1834", "1835"]),  # two numbers, or one that was cut
        (("Danke 1834", " 1835"), ["1834", "18341835", "1835"]),
    ],
)
def test_lines_are_read_singly_where_no_sign_parts_them(lines: tuple[str, ...], numbers: list[str]) -> None:
    (view,) = prepare([posting("", remittance_lines=lines)]).views
    assert [number.compact for number in view.numbers] == numbers


@pytest.mark.parametrize(("said", "found"), [("104853", "number-order-full"), ("104835", "number-damaged")])
def test_a_number_outside_of_the_text_is_shown_nowhere(said: str, found: str) -> None:
    (decision,) = decided([order("104853")], [posting("", name="C. Gotthard", end_to_end_id=said)])
    assert decision.match is not None
    assert [each.highlight for each in decision.match.reasons if each.code == found] == [()]


PAYMENT = posting("Bestellung 1834", id="P1", counterparty_iban="DE1")
RETURN = posting("RETOURE Bestellung 1834", -4990, id="P2", counterparty_iban="DE1", is_return=True)
EARLIER = {"P2": Related((PastPosting("P1", PAYMENT.posting),))}
PAID = "matched | 1.000 1834 4990 | amount-exact 7.50, number-order-full 9.00, name-equal 11.00, date-age -0.20"
GIVEN_BACK = "matched returned | 0.999 1834 -4990 | returned 16.00"


@pytest.mark.parametrize("batch", [[PAYMENT, RETURN], [RETURN, PAYMENT]])
def test_a_return_in_the_batch_of_its_payment_waits_for_it(batch: list[PostingFacts]) -> None:
    found = decided([order("1834")], batch, related=EARLIER)
    assert [decision.posting_id for decision in found] == [given.id for given in batch]
    assert {decision.posting_id: told(decision) for decision in found} == {"P1": PAID, "P2": GIVEN_BACK}


def test_a_return_of_what_pays_no_order_gives_nothing_back() -> None:
    """Neither alone nor in the batch of a payment that found no order: the order named has not got this money."""
    reverses_nothing = "unmatched returned reverses-unpaid"
    assert [told(each) for each in decided([order("1834")], [RETURN], related=EARLIER)] == [reverses_nothing]
    nobodys = replace(PAYMENT, posting=replace(PAYMENT.posting, remittance_lines=("Danke",), counterparty_name="Kasse"))
    past = {"P2": Related((PastPosting("P1", nobodys.posting),))}
    found = decided([order("1834", 777)], [nobodys, RETURN], related=past)
    assert [told(each) for each in found] == ["unmatched", reverses_nothing]


def _on(day: int, text: str, amount: int = 4990, **more: Any) -> PostingFacts:
    return posting(text, amount, booking_date=BOOKED + timedelta(day), **more)


def test_a_verdict_is_made_anew_once_a_clearer_posting_has_taken_its_order() -> None:
    """P1 could be for either order; by its turn both are paid, because P2 and P3 name them."""
    given = [_on(0, "", id="P1"), _on(0, "1835", id="P2"), _on(0, "1834", id="P3")]
    first, second, third = map(told, decided([order("1834"), order("1835")], given))
    assert first == (
        "suggested unnamed-paid | 0.406 1834 4990 | 0.406 1835 4990 | amount-total 6.50, name-equal 11.00,"
        " state-settled -4.00, date-age -0.20, paid-unnamed -3.00"
    )
    by_number = "amount-exact 7.50, number-order-full 7.50, name-equal 11.00, date-age -0.20"
    assert (second, third) == (f"matched | 1.000 1835 4990 | {by_number}", f"matched | 1.000 1834 4990 | {by_number}")


def test_what_is_left_over_by_a_clearer_posting_is_the_others() -> None:
    given = [_on(0, "", id="P1"), _on(0, "1835", id="P2")]
    first, _ = map(told, decided([order("1834"), order("1835")], given))
    assert first == "matched runner-up-against | 0.993 1834 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20"


def test_an_earlier_day_is_decided_first_however_unclear() -> None:
    given = [_on(1, "1834", id="P2"), _on(0, "", id="P1")]
    second, first = map(told, decided([order("1834")], given))
    assert first == "matched | 1.000 1834 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20"
    assert second == (
        "matched duplicate | 1.000 1834 4990 | amount-total 6.50, number-order-full 7.50, name-equal 11.00,"
        " state-settled -4.00, date-age -0.32"
    )


def test_a_number_near_the_orders_is_marked_in_the_text() -> None:
    (decision,) = decided([order("00104853", 7777), order("SW104835")], [posting("00104853")])
    (near,) = [each for each in decision.suggestions[0].reasons if each.kind.code == "near-number"]
    assert near.highlight == ((0, 8),)
