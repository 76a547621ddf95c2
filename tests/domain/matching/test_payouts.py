"""Payouts less a fee: what is credited, whose fee is known, which order seems to be missing (D-36)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.domain.matching.lookup.keys import MAX_HITS
from paymatch.domain.matching.model import Decision, OrderFacts, OrderState, ShopFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.several.payouts import MANY_CUSTOMERS, unknown_numbers
from paymatch.domain.matching.text.stated import stated_fee
from paymatch.domain.orders.fees import FeeKind, KeptPayout, PayerTariffs, StatedFee, percent, tariffs_of
from tests.domain.matching.world import decided, order, outcome, paid, posting
from tests.length import times

MARKET = "Kaufland e-commerce Services"
IBAN = "DE02100100100006820101"
ORDERS = [
    order(f"88{i:03}", 3000 + 1100 * i, f"Kunde {chr(65 + i)}berg", marketplace_number=f"302-12345{i:02}-76543{i:02}")
    for i in range(12)
]
GROSS = sum(each.amount_minor for each in ORDERS)


def payout(amount: int, numbers: int = 12, name: str = MARKET, extra: str = "", **more: Any) -> Any:
    text = "Auszahlung " + " ".join(each.marketplace_number for each in ORDERS[:numbers]) + extra
    return posting(text, amount, name, counterparty_iban=IBAN, **more)


def knowing(*payouts: KeptPayout) -> ShopFacts:
    """A shop that has confirmed these payouts of the payer."""
    tariffs = tariffs_of(payouts)
    assert tariffs is not None
    return ShopFacts(open_orders=200, tariffs={(IBAN, "EUR"): tariffs})


SEVEN_PER_CENT = knowing(*(KeptPayout(gross, gross // 4000, gross * 7 // 100) for gross in (100_00, 310_00, 540_00)))


def credits(decision: Decision) -> dict[str, int]:
    proposal = decision.match or decision.suggestions[0]
    return {a.order_number: a.credited_minor for a in proposal.allocations}


@settings(deadline=None, max_examples=times(25, 60))
@given(st.integers(2, 12), st.integers(1, 2000))
def test_orders_are_credited_in_full_and_the_money_adds_up(numbers: int, basis_points: int) -> None:
    dues = [each.amount_minor for each in ORDERS[:numbers]]
    fee = max(1, sum(dues) * basis_points // 10_000)
    (decision,) = decided(ORDERS, [payout(sum(dues) - fee, numbers)])
    if decision.match is None:
        return  # the fee is one of the orders: it seems to be missing
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS[:numbers]}
    assert sum(a.amount_minor for a in decision.match.allocations) == sum(dues) - fee
    assert sum(a.withheld_minor for a in decision.match.allocations) == fee
    assert {a.fee_kind for a in decision.match.allocations} <= {FeeKind.COMMISSION, None}


@pytest.mark.parametrize(("share", "words"), [(5, "20.0 %"), (15, "6.7 %")])
def test_what_a_payer_keeps_is_confirmed_once_however_usual_it_is(share: int, words: str) -> None:
    few = MANY_CUSTOMERS - 1
    gross = sum(each.amount_minor for each in ORDERS[:few])
    first = payout(gross - gross // share, few)
    (decision,) = decided(ORDERS, [first])
    assert decision.match is None
    assert decision.review_reason == f"{words} kept: confirm this payer's fee"
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS[:few]}
    taught = knowing(KeptPayout(500_00, 9, 500_00 // share))
    assert decided(ORDERS, [first], taught)[0].match is not None


def test_more_than_the_usual_commission_is_confirmed_once() -> None:
    (decision,) = decided(ORDERS, [payout(GROSS - GROSS * 26 // 100)])
    assert decision.match is None
    assert decision.review_reason == "26.0 % kept: confirm this payer's fee"
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS}
    taught = knowing(KeptPayout(500_00, 9, 130_00))
    assert decided(ORDERS, [payout(GROSS - GROSS * 26 // 100)], taught)[0].match is not None


@pytest.mark.parametrize("first", [GROSS * 174 // 1000, GROSS * 5 // 100 + 10_00])
def test_a_marketplace_that_no_list_knows_is_asked_about_once(first: int) -> None:
    own = "Nordwerk Handel AG"
    (decision,) = decided(ORDERS, [payout(GROSS - first, name=own)])
    assert decision.match is None
    assert decision.review_reason == f"{percent(first, GROSS)} kept: confirm this payer's fee"
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS}
    assert len([each for each in decision.suggestions if len(each.allocations) == len(ORDERS)]) == 1
    taught = knowing(KeptPayout(GROSS, len(ORDERS), first))
    gross = sum(each.amount_minor for each in ORDERS[:5])
    assert decided(ORDERS, [payout(gross - gross * first // GROSS, 5, own)], taught)[0].match is not None


def test_a_commission_has_no_allowance_for_small_payouts() -> None:
    gross = sum(each.amount_minor for each in ORDERS[:2])
    (decision,) = decided(ORDERS, [payout(gross - gross * 21 // 100, 2)])
    assert (decision.match, decision.review_reason) == (None, "21.0 % kept: confirm this payer's fee")


def test_a_payer_with_another_fee_than_always_is_asked_about() -> None:
    assert decided(ORDERS, [payout(GROSS - GROSS * 7 // 100)], SEVEN_PER_CENT)[0].match is not None
    (decision,) = decided(ORDERS, [payout(GROSS - GROSS * 12 // 100)], SEVEN_PER_CENT)
    assert decision.match is None
    words = "12.0 % kept, not what this payer has kept so far: confirm this payer's fee"
    assert decision.review_reason == words


def test_the_order_that_the_tariff_misses_is_proposed_as_missing() -> None:
    without = GROSS - ORDERS[3].amount_minor
    (decision,) = decided(ORDERS, [payout(without - (without * 7 + 50) // 100)], SEVEN_PER_CENT)
    assert decision.match is None
    assert decision.review_reason == "a collective payout in which order 88003 seems to be missing"
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS if each.number != "88003"}


def test_what_the_tariff_explains_is_missing_rather_than_what_is_nearest() -> None:
    """Of six orders 75.00 are missing: 74.00 are one of them, but 63.00 with five fees of 2.40 are what it keeps."""
    flat = knowing(KeptPayout(200_00, 5, 12_00), KeptPayout(310_00, 3, 7_20))
    (decision,) = decided(ORDERS[:6], [payout(345_00 - 63_00 - 5 * 2_40, 6)], flat)
    assert (decision.match, str(decision.review_reason)) == (
        None, "a collective payout in which order 88003 seems to be missing"
    )  # fmt: skip
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS[:6] if each.number != "88003"}
    assert sum(a.withheld_minor for a in decision.suggestions[0].allocations) == 12_00


def test_a_stated_fee_counts_to_the_cent() -> None:
    fee = GROSS * 23 // 100
    stated = f" abzgl. Provision {fee // 100},{fee % 100:02d}"
    taught = knowing(KeptPayout(500_00, 9, 115_00, stated=True))
    assert decided(ORDERS, [payout(GROSS - fee, extra=stated)], taught)[0].match is not None
    (claimed,) = decided(ORDERS, [payout(GROSS - fee, extra=stated)])
    assert (claimed.match, claimed.review_reason) == (None, "23.0 % kept: confirm this payer's fee")
    (decision,) = decided(ORDERS, [payout(GROSS - fee - 1, extra=stated)], taught)
    assert decision.review_reason == "23.0 % kept, but another fee is stated"


def test_a_payer_that_no_list_knows_is_known_by_its_tariff() -> None:
    fee = GROSS * 9 // 100
    sent = payout(GROSS - fee, name="Nordwerk Handel AG")
    sent = replace(
        sent, posting=replace(sent.posting, remittance_lines=(sent.posting.text.removeprefix("Auszahlung "),))
    )
    assert decided(ORDERS, [sent])[0].match is None
    (decision,) = decided(ORDERS, [sent], knowing(KeptPayout(500_00, 9, 45_00)))
    assert decision.match is not None
    assert "collective" in decision.flags


def test_a_customer_with_a_carriers_word_in_its_name_keeps_nothing() -> None:
    own = order("R-2026/00435", 197630, "Grüneling Logistik GmbH")
    (decision,) = decided([own], [posting("R-2026/00435 abzgl. GS 4858", 177867, "Grüneling Logistik GmbH")])
    proposal = decision.match or decision.suggestions[0]
    assert [(a.amount_minor, a.withheld_minor) for a in proposal.allocations] == [(177867, 0)]


@pytest.mark.parametrize("amount", [9800, 9990])
def test_what_a_carrier_keeps_of_one_parcel_is_no_cash_discount(amount: int) -> None:
    parcel = order("61000", 10000, "Kunde Aberg", type="COD", shipping_numbers=("00340434160837550000",))
    given = posting("NN 00340434160837550000", amount, "DHL Paket GmbH", counterparty_iban=IBAN)
    (decision,) = decided([parcel], [given], knowing(KeptPayout(100_00, 1, 10), KeptPayout(100_00, 1, 2_00)))
    assert decision.match is not None
    (allocation,) = decision.match.allocations
    assert (allocation.amount_minor, allocation.withheld_minor) == (amount, 10000 - amount)
    assert allocation.fee_kind is FeeKind.DELIVERY_FEE
    assert decision.flags == ("fee", "collective")


@pytest.mark.parametrize(("granted", "withheld"), [(200, 84), (0, 0)])
def test_a_granted_cash_discount_of_less_than_a_unit_is_one(granted: int, withheld: int) -> None:
    shop = ShopFacts(open_orders=200, discount_basis_points=granted)
    (decision,) = decided([order("R-2026/00439", 4205)], [posting("R-2026/00439", 4121)], shop)
    assert decision.match is not None
    (allocation,) = decision.match.allocations
    assert (allocation.amount_minor, allocation.withheld_minor, allocation.pays_minor) == (
        4121,
        withheld,
        4121 + withheld,
    )


def test_a_number_that_is_an_orders_is_not_called_a_later_order() -> None:
    mine = order("AB0020801", 3900, "Theresia Mayr")
    theirs = order("AB0020820", 5500, "Ida Huber")
    (decision,) = decided([mine, theirs], [posting("Bestellung AB0020820", 3900, "Theresia Mayr")])
    assert decision.match is None
    assert "later" not in decision.review_reason
    assert "AB0020820" in decision.review_reason


def test_an_order_paid_in_part_does_not_take_what_is_meant_for_others_too() -> None:
    last = order("B3", 536714, "Hamann AG", invoice_numbers=("RG26-14075",), open_minor=125400, paid_minor=411314)
    text = "BESTELLUNGEN RG26-14651 U. RG26-13833 U. RG26-14074 U. RG26-14075"
    (decision,) = decided([last], [posting(text, 536714, "Hamann AG")])
    assert outcome(decision)[0] == "suggested"
    assert decision.review_reason == "RG2614651 may be an unknown order"


def test_two_named_open_orders_are_not_settled_by_an_amount_near_one_of_them() -> None:
    orders = [order("R-2026/00293", 10000), order("R-2026/00294", 5000)]
    (decision,) = decided(orders, [posting("R-2026/00293 und R-2026/00294", 9990)])
    assert decision.match is None
    assert decision.review_reason == "the payment text also names order R-2026/00294"
    paid = replace(orders[1], state=OrderState.SETTLED, open_minor=0, paid_minor=5000)
    assert decided([orders[0], paid], [posting("R-2026/00293 und R-2026/00294", 10000)])[0].match is not None


def test_tariffs_are_kept_for_payouts_of_one_order_apart() -> None:
    tariffs = tariffs_of([KeptPayout(100_00, 1, 5_60), KeptPayout(900_00, 20, 20_00)])
    assert tariffs is not None
    assert isinstance(tariffs, PayerTariffs)
    assert tariffs.single is not None and tariffs.several is not None
    assert tariffs.for_orders(1) is tariffs.single
    assert tariffs.for_orders(7) is tariffs.several


def test_a_fee_of_single_orders_says_nothing_against_another_one_of_several() -> None:
    dear = knowing(*(KeptPayout(gross, 1, 560) for gross in (40_00, 70_00, 55_00, 61_00)))
    few = MANY_CUSTOMERS - 1
    gross = sum(each.amount_minor for each in ORDERS[:few])
    (decision,) = decided(ORDERS, [payout(gross - gross * 7 // 100, few)], dear)
    assert (decision.match, decision.review_reason) == (None, "7.0 % kept: confirm this payer's fee")
    per_order = knowing(*(KeptPayout(gross, 1, 1500) for gross in (40_00, 70_00, 55_00, 61_00)))
    assert decided(ORDERS, [payout(GROSS - 12 * 1500)], per_order)[0].match is not None


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("AUSZAHLUNG 4711 ABZGL. ENTGELT 12,40", StatedFee(amount=1240)),
        ("GEBUEHR 1.234,56", StatedFee(amount=123456)),
        ("FEE EUR 1,234.56", StatedFee(amount=123456)),
        ("PROVISION 12,00 % 24,00", StatedFee(amount=2400)),
        ("12 % PROVISION 24.00 EUR", StatedFee(amount=2400)),
        ("PROVISION 12,5 %", StatedFee(basis_points=1250)),
        ("ABZGL. 12,00% PROVISION", StatedFee(basis_points=1200)),
        ("FEE: 7 PERCENT", StatedFee(basis_points=700)),
        ("ABZGL. 2 % SKONTO", StatedFee()),
        ("PROVISION MAERZ", StatedFee()),
        ("KOSTEN 123.456.789", StatedFee()),
    ],
)
def test_what_a_text_states_of_a_fee(text: str, stated: StatedFee) -> None:
    assert stated_fee(text) == stated


@pytest.mark.parametrize("words", [" Provision 23,00 %", " abzgl. 23% Provision", " Commission 23 %"])
@pytest.mark.parametrize("name", [MARKET, "Nordwerk Handel AG"])
def test_a_stated_percentage_is_the_fee(name: str, words: str) -> None:
    fee = (GROSS * 23 + 50) // 100
    taught = knowing(KeptPayout(500_00, 9, 115_00, stated=True))
    (decision,) = decided(ORDERS, [payout(GROSS - fee, name=name, extra=words)], taught)
    assert decision.match is not None
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS}
    assert decision.match.reasons[0].words.endswith("commission, as the text states")
    (other,) = decided(ORDERS, [payout(GROSS - fee - 100, name=name, extra=words)], taught)
    assert (other.match, other.review_reason) == (None, f"{percent(fee + 100, GROSS)} kept, but another fee is stated")


def test_an_unknown_number_counts_once_however_it_can_be_read() -> None:
    known = ORDERS[:2]
    (decision,) = decided(known, [payout(sum(each.amount_minor for each in known) + 1000, 3)])
    assert decision.match is None
    number = ORDERS[2].marketplace_number.replace("-", "")
    assert decision.review_reason == f"{number} is not an order of this shop: 10.00 EUR stays open"


TWENTY = ("12345678901234567890", "22345678901234567890")


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("123456789", ("123456789",)),  # where the text begins
        ("12345678", ()),  # eight digits may be anything
        ("123 456 789", ()),
        ("RG123456789", ("RG123456789",)),
        ("123456789 987654321", ("123456789", "987654321")),
        ("123456789, 123456789", ("123456789",)),
        ("123456789A987654321", ("123456789A987654321",)),
        (f"{TWENTY[0]}A{TWENTY[1]}", (TWENTY[0], f"A{TWENTY[1]}")),  # too long to be one
    ],
)
def test_long_numbers_that_are_no_orders_are_unknown(text: str, unknown: tuple[str, ...]) -> None:
    (view,) = prepare([posting(text)]).views
    assert unknown_numbers(view, ()) == unknown


@pytest.mark.parametrize("settled", [paid(ORDERS[0]), {"state": OrderState.CLOSED}])
def test_a_payout_that_lists_a_settled_order_is_proposed_for_the_others(settled: dict[str, Any]) -> None:
    listed = [replace(ORDERS[0], **settled), *ORDERS[1:4]]
    rest = sum(each.amount_minor for each in ORDERS[1:4])
    (decision,) = decided(listed, [payout(rest - rest * 12 // 100, 4)])
    assert decision.match is None
    assert decision.review_reason == "the payout also lists order 88000, which awaits no money"
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS[1:4]}
    assert sum(a.withheld_minor for a in decision.suggestions[0].allocations) == rest * 12 // 100
    (more,) = decided(listed, [payout(rest + 500, 4)])
    assert more.match is None
    assert more.review_reason == "the payout also lists order 88000, which awaits no money: 5.00 EUR stays open"
    assert credits(more) == {each.number: each.amount_minor for each in ORDERS[1:4]}


@pytest.mark.parametrize(
    ("payer", "customer", "withheld"),
    [
        ("Otto", "Hans Otto", 0), ("Otto", "Otto Schmidt", 300), ("Otto GmbH & Co KG", "Hans Otto", 300),
        ("Post", "Eva Post", 0), ("Deutsche Post AG", "Eva Post", 300), ("Hermes Germany", "Anna Weber", 300),
    ],
)  # fmt: skip
def test_a_customer_who_is_called_like_a_carrier_keeps_nothing(payer: str, customer: str, withheld: int) -> None:
    (decision,) = decided([order("S-10001", 10000, customer)], [posting("S-10001", 9700, payer)])
    proposal = decision.match or decision.suggestions[0]
    assert [(a.amount_minor, a.withheld_minor) for a in proposal.allocations] == [(9700, withheld)]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("RG26-14075", "BESTELLUNGEN RG26-14651 U. RG26-13833 U. RG26-14074 U. RG26-14075"),
        ("100234", "100231, 100232, 100233, 100234"),
    ],
)
def test_a_part_is_not_booked_onto_the_one_known_order_of_several_named(number: str, text: str) -> None:
    known = order(number, 125400, "Hamann AG")
    (decision,) = decided([known], [posting(text, 90000, "Hamann AG")])
    first = text.removeprefix("BESTELLUNGEN ").replace("-", "").replace(",", "").split()[0]
    assert (decision.match, decision.review_reason) == (None, f"{first} may be an unknown order")
    assert decided([known], [posting(text, 125400, "Hamann AG")])[0].match is not None
    for words in (f"{number} Rate 2 Kd 47110815", f"{number} 2. Rate"):
        assert decided([known], [posting(words, 90000, "Hamann AG")])[0].match is not None


def test_twice_the_amount_is_not_booked_onto_one_of_very_many_orders_of_a_customer() -> None:
    one = order("AB0020419", 4900, "Hamann AG")
    paying_twice = posting("Order AB0020419", 9800, "Hamann AG")
    assert decided([one], [paying_twice])[0].match is not None
    others = [order(f"AB00{30000 + i}", 1490 + i, "Hamann AG") for i in range(MAX_HITS)]
    (decision,) = decided([one, *others], [paying_twice])
    words = "the amount is too large, and what else the customer has open could not be looked up by this name"
    assert (decision.match, decision.review_reason) == (None, words)


def test_cents_that_are_missing_stay_open_on_one_of_the_orders() -> None:
    orders = [order("S-10001", 5000), order("S-10002", 7000)]
    (decision,) = decided(orders, [posting("S-10001 S-10002", 11900)])
    assert outcome(decision) == ("matched", (("S-10001", 5000), ("S-10002", 6900)))
    (small,) = decided([orders[0], order("S-10003", 80)], [posting("S-10001 S-10003", 4990)])
    assert outcome(small)[1] == (("S-10001", 4911), ("S-10003", 79))


def test_a_carrier_that_is_known_keeps_nothing_of_orders_that_it_does_not_collect_for() -> None:
    sent = order("61000", 10000, "Kunde Aberg", type="INVOICE", shipping_numbers=("00340434160837550000",))
    given = posting("NN 00340434160837550000", 9800, "DHL Paket GmbH", counterparty_iban=IBAN)
    knows = knowing(KeptPayout(100_00, 1, 2_00))
    (decision,) = decided([sent], [given], knows)
    words = "2.0 % kept, but the payer does not usually collect for orders of this kind"
    assert (decision.match, decision.review_reason) == (None, words)
    assert decided([replace(sent, type="COD")], [given], knows)[0].match is not None


@pytest.mark.parametrize(
    ("name", "text", "amount"),
    [("Kurier Blitz GmbH", "Auszahlung SW-20001 Entgelt 40,00", 6000), ("Kaufland Marktplatz", "SW-20001", 8000)],
)
@pytest.mark.parametrize("kind", ["INVOICE", "PREPAYMENT", "COD"])
def test_a_name_and_a_text_alone_keep_nothing(name: str, text: str, amount: int, kind: str) -> None:
    owed = order("SW-20001", 10000, "Vera Quandt", type=kind, marketplace_number="302-1234501-7654301")
    (decision,) = decided([owed], [posting(text, amount, name)])
    assert decision.match is None
    assert decision.review_reason == f"{percent(10000 - amount, 10000)} kept: confirm this payer's fee"
    assert len(decision.suggestions) == 1


@pytest.mark.parametrize(("share", "numbers"), [(20, MANY_CUSTOMERS), (20, 12), (5, 12)])
def test_a_list_of_many_customers_orders_is_the_collectors(share: int, numbers: int) -> None:
    """The honest twin: no customer knows the numbers of so many others (D-84)."""
    gross = sum(each.amount_minor for each in ORDERS[:numbers])
    (decision,) = decided(ORDERS, [payout(gross - gross // share, numbers)])
    assert decision.match is not None
    assert credits(decision) == {each.number: each.amount_minor for each in ORDERS[:numbers]}


def test_a_list_of_parcels_of_many_customers_is_the_carriers() -> None:
    parcels = [
        order(f"61{n}00", 4000, f"Kunde A{chr(97 + n)}berg", type="COD", shipping_numbers=(f"0034043416083755{n:04}",))
        for n in range(6)
    ]
    given = posting("NN " + " ".join(each.shipping_numbers[0] for each in parcels), 23400, "DHL Paket GmbH")
    assert decided(parcels, [given])[0].match is not None


LISTED = ORDERS[:MANY_CUSTOMERS]


@pytest.mark.parametrize(
    ("orders", "share", "name"),
    [
        (LISTED, 4, MARKET),  # a quarter is no usual commission
        (LISTED[1:], 20, MARKET),  # too few
        ([replace(each, names=("Kunde Aberg",)) for each in LISTED], 20, MARKET),  # of one customer
        ([replace(each, email="mia@example.com") for each in LISTED], 20, MARKET),
        ([replace(each, marketplace_number=each.marketplace_number[-8:]) for each in LISTED], 20, MARKET),  # short
        (
            [replace(each, marketplace_number="", invoice_numbers=(each.marketplace_number,)) for each in LISTED],
            20,
            MARKET,
        ),
        (
            [replace(each, marketplace_number="", shipping_numbers=(each.marketplace_number,)) for each in LISTED],
            20,
            MARKET,
        ),
        (LISTED, 20, "DHL Paket GmbH"),  # a carrier collects for COD
        (LISTED, 20, "Vera Quandt"),  # a name that passes on nothing
    ],
)
def test_attack_a_list_that_is_none_keeps_nothing(orders: list[OrderFacts], share: int, name: str) -> None:
    numbers = [each.marketplace_number or (each.invoice_numbers + each.shipping_numbers)[0] for each in orders]
    gross = sum(each.amount_minor for each in orders)
    given = posting("Auszahlung " + " ".join(numbers), gross - gross // share, name, counterparty_iban=IBAN)
    assert decided([*orders, *ORDERS[MANY_CUSTOMERS:]], [given])[0].match is None


PARCEL = order("61000", 5000, "Kunde Aberg", type="COD", shipping_numbers=("00340434160837550000",))
SINGLE = posting("NN 00340434160837550000", 4640, "DHL Paket GmbH", counterparty_iban=IBAN)


def test_the_first_single_parcel_of_an_account_that_is_proved_lacks_a_usual_fee() -> None:
    """The honest twin: the account that has passed on the money of many pays one parcel less 3.60."""
    proved = knowing(KeptPayout(900_00, 20, 20_00))
    assert credits(decided([PARCEL], [SINGLE], proved)[0]) == {"61000": 5000}
    assert decided([PARCEL], [SINGLE], proved)[0].match is not None


@pytest.mark.parametrize(
    ("amount", "kind", "account"),
    [
        (3790, "COD", IBAN),  # 12.10 of 50.00 is no usual fee of a parcel
        (4640, "INVOICE", IBAN),  # no carrier collects for it
        (4640, "COD", "DE75512108001245126199"),  # a payer who is called like the carrier
    ],
)
def test_attack_a_single_order_of_no_proved_account_keeps_nothing(amount: int, kind: str, account: str) -> None:
    proved = knowing(KeptPayout(900_00, 20, 20_00))
    given = posting("NN 00340434160837550000", amount, "DHL Paket GmbH", counterparty_iban=account)
    assert decided([replace(PARCEL, type=kind)], [given], proved)[0].match is None


def test_a_single_order_is_asked_about_once_there_is_a_tariff_for_it() -> None:
    known = knowing(KeptPayout(900_00, 20, 20_00), *(KeptPayout(gross, 1, 150) for gross in (40_00, 70_00, 55_00)))
    assert decided([PARCEL], [SINGLE], known)[0].match is None
