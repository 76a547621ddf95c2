"""What a careful clerk decides, case by case."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from paymatch.domain.matching.model import (
    AllocationProposal,
    Caution,
    OrderFacts,
    OrderState,
    PastPosting,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.several.hypothesis import in_words
from tests.domain.matching.world import RATE_PLN, decided, order, outcome, paid, posting

CLAIRE = order("R-2026/00293", 4990, invoice_numbers=("RG26-10493",), customer_number="20009/clai_gotthard72")
OTHER = order("R-2026/00294", 8900, "Budig Söhne GmbH", customer_number="20010")


@pytest.mark.parametrize(
    "text",
    [
        "R-2026/00293",
        "Bestellung R-2026/00293 vom 02.03.2026",
        "R 2026 00293",
        "R202600293",
        "2026/00293",
        "R-2026/293",
        "BestellungR-2026/00293",
        "R2 02 60 02 93",
        "hlt fuer Best.-Nr.: R-20 26/00293",
        "RG26-10493",
        "Rechnung RG26 10493",
        "Commande 0293 du 02.03.2026",
        "R-2026/O0293",
        "R-2026/00923",
        "R-2026/0293 Danke",
        "Kd-Nr 20009",
        "clai_gotthard72",
        "",
        "Vielen Dank",
    ],
)
def test_number_in_every_form_with_name_and_amount_matches(text: str) -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting(text)])
    assert outcome(decision) == ("matched", (("R-2026/00293", 4990),))


PERSON = [
    "CLAIRE GOTTHARD",
    "Gotthard Claire",
    "Gotthard, Claire",
    "Claire Gotth",
    "Claire M. Gotthard",
    "GotthardClaire",
    "C. Gotthard",
    "Claire u. Peter Gotthard",
    "Frau Dr. Claire Gotthard",
]


@pytest.mark.parametrize("name", PERSON)
def test_name_written_otherwise_with_exact_amount_matches(name: str) -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting("Vielen Dank", name=name)])
    assert outcome(decision) == ("matched", (("R-2026/00293", 4990),))


@pytest.mark.parametrize(
    "name", ["BUDIG SOEHNE GMBH", "Budig Sohne", "Fa. Budig Söhne", "Budig S.hne GmbH", "Budig Söhne G.m.b.H."]
)
def test_company_written_otherwise_matches(name: str) -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting("", 8900, name)])
    assert outcome(decision) == ("matched", (("R-2026/00294", 8900),))


AMOUNTS = [
    ("Bestellung R-2026/00293", 4990, "matched", ()),
    ("Bestellung R-2026/00293", 5000, "matched", ()),
    ("Bestellung R-2026/00293", 4973, "matched", ()),
    ("Bestellung R-2026/00293 abzgl. 2% Skonto", 4890, "matched", ("cash-discount",)),
    ("Bestellung R-2026/00293 incl. OUR/SHA", 3790, "matched", ("fee",)),
    ("Bestellung R-2026/00293 Rate 1", 1663, "matched", ("partial",)),
    ("Bestellung R-2026/00293", 2495, "matched", ("partial",)),
    ("Bestellung R-2026/00293", 9980, "matched", ("overpayment",)),
    ("Bestellung R-2026/00293", 9490, "matched", ("amount-swapped",)),
    ("Bestellung R-2026/00293", 99900, "suggested", ()),
]


@pytest.mark.parametrize(("text", "amount", "expected", "flags"), AMOUNTS)
def test_amounts_beside_a_number(text: str, amount: int, expected: str, flags: tuple[str, ...]) -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting(text, amount)])
    assert outcome(decision) == (expected, (("R-2026/00293", amount),))
    assert decision.flags == flags


SUGGESTED: list[tuple[str, list[OrderFacts], dict[str, Any], str]] = [
    ("twins", [order("A1001"), order("A1002", order_date=date(2026, 3, 6))], {"text": "Danke"}, "A1002"),
    ("spouse", [order("A1001")], {"text": "Danke", "name": "Mahmoud Gotthard"}, "A1001"),
    ("amount only", [order("A1001")], {"text": "Danke", "name": "Hans Pruschke"}, "A1001"),
    (
        "item only",
        [order("A1001", item_numbers=("P-21951",))],
        {"text": "Artikel P-21951", "name": "Hans Pruschke"},
        "A1001",
    ),
    (
        "number of another's order of the same amount",
        [order("A1001"), order("A1002", name="Hans Pruschke")],
        {"text": "Bestellung A1002"},
        "A1001",
    ),
    (
        "number of another's order of another amount",
        [order("A1001"), order("A1002", 8000, "Hans Pruschke")],
        {"text": "Bestellung A1002"},
        "A1001",
    ),
    (
        "number of an order that is paid, another of the customer fits",
        [order("A1001", **paid(order("A1001", 7000))), order("A1002")],
        {"text": "A1001"},
        "A1002",
    ),
    (
        "number of a paid order of the same amount",
        [order("A1001", **paid(order("A1001"))), order("A1002")],
        {"text": "A1001"},
        "A1002",
    ),
    ("company called like a person", [order("A1001", name="F. Wagner")], {"text": "", "name": "Wagner OHG"}, "A1001"),
    ("person called like a company", [order("A1001", name="Wagner OHG")], {"text": "", "name": "F. Wagner"}, "A1001"),
    ("part without a number", [order("A1001", 10000)], {"text": "Rate 1", "amount": 3333}, "A1001"),
]


@pytest.mark.parametrize(
    ("orders", "given", "first"), [row[1:] for row in SUGGESTED], ids=[row[0] for row in SUGGESTED]
)
def test_doubtful_cases_are_suggested_with_the_right_order_first(
    orders: list[OrderFacts], given: dict[str, Any], first: str
) -> None:
    (decision,) = decided(orders, [posting(**given)])
    assert decision.outcome.value == "suggested"
    assert decision.suggestions[0].allocations[0].order_number == first
    assert decision.review_reason


def test_order_of_the_exact_amount_is_shown_beside_one_that_neither_payer_nor_amount_fit() -> None:
    orders = [order("WEB-103295", 5123, "Eva Kern"), order("WEB-103299", 2200, "Otto Lang")]
    (decision,) = decided(orders, [posting("Bestellung 103299", 5123, "Ute Fremd")])
    assert decision.outcome.value == "suggested"
    assert [proposal.allocations[0].order_number for proposal in decision.suggestions] == ["WEB-103299", "WEB-103295"]


UNRELATED = [
    posting("Gutschrift zu RE 1992 Lieferant", 6369, "Wesack Segebahn AG & Co. KGaA"),
    posting("Rueckfragen Tel. 02026/1992", 664004, "Koch Stiftung"),
    posting("Umbuchung von DE20500320260067701992", 418526, "Ullrich"),
    posting("PAYOUT 199226110 20260303", 199152, "Klarna Bank AB"),
    posting("Rechnung 1992 Kunde 18208", -44117, "Wiek GmbH"),
    posting("Lohn/Gehalt 03/2026", -210000, "Claire Gotthard"),
    posting("Zinsen Habenzinsen", 317, "Claire Gotthard"),
    posting("USt 02/2026 StNr 143/71/1992", -345678, "Finanzamt Musterstadt"),
]


@pytest.mark.parametrize("given", UNRELATED, ids=lambda facts: facts.posting.text)
def test_unrelated_postings_stay_unmatched(given: Any) -> None:
    (decision,) = decided([order("1992", 4990)], [given])
    assert decision.match is None


def test_third_party_with_number_and_exact_amount_matches() -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting("Bestellung R-2026/00293", name="Hans Pruschke")])
    assert outcome(decision) == ("matched", (("R-2026/00293", 4990),))


def test_third_party_with_another_amount_is_left_to_a_person() -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting("Bestellung R-2026/00293", 1200, name="Hans Pruschke")])
    assert decision.outcome.value == "suggested"


def test_on_behalf_counts_like_the_payer() -> None:
    given = posting("Onlinekauf", name="Sorgatz AG", ultimate_name="Claire Gotthard")
    assert outcome(decided([CLAIRE], [given])[0]) == ("matched", (("R-2026/00293", 4990),))


def test_order_of_the_future_is_not_there_yet() -> None:
    later = order("R-2026/00300", order_date=date(2026, 3, 20))
    assert outcome(decided([later], [posting("Danke")])[0]) == ("unmatched", ())
    assert outcome(decided([later], [posting("R-2026/00300")])[0]) == ("unmatched", ())


def test_order_of_the_future_does_not_claim_a_number_with_an_error() -> None:
    orders = [order("1917"), order("1957", name="Larissa Budig", order_date=date(2026, 3, 20))]
    assert outcome(decided(orders, [posting("Auftragsnr 1957")])[0]) == ("matched", (("1917", 4990),))


def test_duplicate_and_payment_of_a_cancelled_order_are_matched_and_flagged() -> None:
    done = replace(CLAIRE, **paid(CLAIRE))
    (again,) = decided([done, OTHER], [posting("R-2026/00293")])
    assert (outcome(again), again.flags) == (("matched", (("R-2026/00293", 4990),)), ("duplicate",))
    gone = replace(CLAIRE, state=OrderState.CLOSED)
    (paid_anyway,) = decided([gone, OTHER], [posting("R-2026/00293")])
    assert paid_anyway.flags == ("cancelled-order",)


def test_postings_of_a_batch_compete_the_clearer_one_first() -> None:
    vague = posting("Danke", id="A")
    clear = posting("R-2026/00293", id="B")
    first, second = decided([CLAIRE], [vague, clear])
    assert outcome(second) == ("matched", (("R-2026/00293", 4990),))
    assert first.match is None


def test_instalments_of_one_batch_add_up() -> None:
    rates = [
        posting(f"R-2026/00293 Rate {i}", amount, id=f"P{i}", booking_date=date(2026, 3, 5 + i))
        for i, amount in ((1, 1663), (2, 1663), (3, 1664))
    ]
    assert [outcome(d)[0] for d in decided([CLAIRE], rates)] == ["matched"] * 3
    over = decided([CLAIRE], [*rates, posting("R-2026/00293", 4990, id="P9", booking_date=date(2026, 3, 12))])
    assert over[3].flags == ("duplicate",)


def test_foreign_order_needs_a_rate() -> None:
    zloty = order("A2074", 6700, currency="PLN", exchange_rate=RATE_PLN)
    (decision,) = decided([zloty], [posting("Vorkasse A2074", 1553)])
    assert decision.match is not None
    assert decision.match.allocations == (AllocationProposal("A2074", 1553, 6700),)
    assert outcome(decided([replace(zloty, exchange_rate=None)], [posting("Vorkasse A2074", 6700)])[0]) == (
        "suggested",
        (("A2074", 6700),),
    )


def test_caution_moves_the_threshold_only() -> None:
    shop = ShopFacts(caution=Caution.CAUTIOUS, open_orders=10**6)
    (decision,) = decided([order("1834", name="Bo Ix")], [posting("Vorkasse 1834", name="Hans Pruschke")], shop)
    assert decision.outcome.value == "suggested"
    assert decision.review_reason == "it is not certain enough for an automatic match"


def test_reasons_carry_places_in_the_text_and_words() -> None:
    (decision,) = decided([CLAIRE, OTHER], [posting("Danke! R-2026/00293")])
    assert decision.match is not None
    number = next(reason for reason in decision.match.reasons if reason.code == "number-order-full")
    assert number.highlight == ((7, 19),)
    lines = in_words(decision)
    assert lines[0] == "matched R-2026/00293 (100.0%)"
    assert "  +7.5 the amount is exactly what is open" in lines


REFUNDED = replace(CLAIRE, **paid(CLAIRE), refund_references=("PMRF17",))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (posting("Erstattung Bestellung R-2026/00293", -4990), ("matched", (("R-2026/00293", -4990),))),
        (posting("Rueckzahlung R-2026/00293", -2000), ("matched", (("R-2026/00293", -2000),))),
        (posting("", -2000, end_to_end_id="PMRF17"), ("matched", (("R-2026/00293", -2000),))),
        (posting("Rechnung R-2026/00293", -2000, "Wiek GmbH"), ("unmatched", ())),
        (posting("Refund R-2026/00293", -9000), ("suggested", (("R-2026/00293", -9000),))),
        (
            posting("Ruecklastschrift R-2026/00293", -5375, is_return=True, return_reason="AC04"),
            ("matched", (("R-2026/00293", -4990),)),
        ),
        (
            posting("Retoure R-2026/00293", -2385, is_return=True, original_amount_minor=2000),
            ("matched", (("R-2026/00293", -2000),)),
        ),
        (
            posting("Retoure R-2026/00293", -5375, is_return=True, original_amount_minor=5375),
            ("suggested", (("R-2026/00293", -5375),)),
        ),
    ],
    ids=[
        "whole",
        "part",
        "own reference",
        "supplier",
        "too much",
        "return with fee",
        "return with fee of a part",
        "return of a payment that is not in the books",
    ],
)
def test_refunds_and_returns_name_their_order(given: Any, expected: Any) -> None:
    assert outcome(decided([REFUNDED], [given])[0]) == expected


def test_return_undoes_what_the_earlier_posting_was_allocated_to() -> None:
    first = posting("zwei Bestellungen", 9000, id="P0", counterparty_iban="DE1", booking_date=date(2026, 3, 5)).posting
    parts = (AllocationProposal("R-2026/00293", 4990, 4990), AllocationProposal("X1", 4010, 4010))
    past = PastPosting("P0", first, parts)
    back = posting("RETOURE", -9000, is_return=True, return_reason="AC01", counterparty_iban="DE1")
    orders = [replace(CLAIRE, **paid(CLAIRE)), order("X1", 4010, **paid(order("X1", 4010)))]
    (decision,) = decided(orders, [back], related={"P1": Related((past,))})
    assert outcome(decision) == ("matched", (("R-2026/00293", -4990), ("X1", -4010)))
    assert decision.flags == ("returned",)


def test_contested_order_with_a_twin_is_left_to_a_person() -> None:
    orders = [order("A1001", contested=True), order("A1002")]
    (decision,) = decided(orders, [posting("A1001")])
    assert decision.outcome.value == "suggested"
    assert outcome(decided([order("A1001"), order("A1002")], [posting("A1001")])[0]) == ("matched", (("A1001", 4990),))


def test_initials_alone_are_no_name() -> None:
    (decision,) = decided(
        [order("40018393", 7990, "Jürgen Müller")], [posting("Artikel 56847", 7990, "Mw M.J M  Vererwinkel")]
    )
    assert outcome(decision) == ("suggested", (("40018393", 7990),))
    assert decision.review_reason == "the payment text names no order, and the name is not the customer's"


def test_a_number_of_an_order_that_the_shop_has_yet_to_submit() -> None:
    mine = order("AB0020801", 3900, "Theresia Mayr")
    (decision,) = decided([mine], [posting("Bestellung AB0020820", 3900, "Theresia Mayr")])
    assert outcome(decision) == ("suggested", (("AB0020801", 3900),))
    assert decision.review_reason == "AB0020820 may be a later order that has not been submitted yet"
    (decision,) = decided([mine], [posting("Kundennummer 0020820", 3900, "Theresia Mayr")])
    assert outcome(decision) == ("matched", (("AB0020801", 3900),))


@pytest.mark.parametrize(
    ("own", "named", "held_back"),
    [
        ("40018841", "40019115", True),
        ("40099990", "40100003", True),  # the running part has overflown
        ("40018841", "40018112", False),  # an older one
        ("40018841", "40109115", False),  # far beyond what the shop counts to
        ("AB0020801", "AB0021207", True),
        ("T2561", "T2589", True),  # short, and all that the payer wrote
        ("2561", "2589", True),
        ("2561", "2026", False),  # a year
        ("256", "258", False),  # too short to be told from any other number
        ("KONF26-8NQKR", "KONF26-A3GVN", True),  # a code of the same series
        ("KONF26-8NQKR", "KONF26-8NQKP", False),  # one error
        ("KONF26-8NQKR", "MESSE7-A3GVN", False),  # of another series
    ],
)
def test_a_number_that_counts_on_from_the_orders_is_a_later_order(own: str, named: str, held_back: bool) -> None:
    mine = order(own, 5900, "Theresia Mayr")
    (decision,) = decided([mine], [posting(named, 5900, "Theresia Mayr")])
    compact = named.replace("-", "")
    assert (decision.review_reason == f"{compact} may be a later order that has not been submitted yet") is held_back
    assert (decision.match is None) is held_back


def test_a_number_of_nobody_stops_a_match_by_amount_and_a_weak_name() -> None:
    mine = order("40018841", 5900, "Theresia Mayr")
    (decision,) = decided([mine], [posting("Bestelnummer 31007755", 5900, "T. Mayr")])
    assert outcome(decision) == ("suggested", (("40018841", 5900),))
    assert decision.review_reason == (
        "the name is not clearly the customer's, and 31007755 is not an order or invoice number of this shop"
    )
    (decision,) = decided([mine], [posting("Bestelnummer 31007755", 5900, "Theresia Mayr")])
    assert outcome(decision) == ("matched", (("40018841", 5900),))


def test_an_amount_with_swapped_digits_may_be_the_sum_of_two_orders() -> None:
    orders = [order("T2561", 4800), order("T5380", 3600)]
    (decision,) = decided(orders, [posting("Bestellung T2561", 8400)])
    assert decision.outcome.value == "suggested"
    assert decision.review_reason == "the excess may be for order T5380"
    assert outcome(decided(orders[:1], [posting("Bestellung T2561", 8400)])[0]) == ("matched", (("T2561", 8400),))


def test_a_first_name_in_common_is_weaker_than_the_payers_own_order() -> None:
    orders = [order("40018739", 9900, "Walter Neuermayr"), order("40018769", 9900, "Jonas Walter")]
    (decision,) = decided(orders, [posting("Bestell Nr 40018739", 9900, "JONAS WALTER")])
    assert decision.outcome.value == "suggested"
    assert decision.review_reason == "the payer's name and the amount point to order 40018769"


def test_an_order_out_of_very_many_of_one_amount_is_only_proposed() -> None:
    """The customer may have another one of them that was not looked at."""
    orders = [order(f"AB00{place}500", 2490, f"Kundin Nummer{place}") for place in range(10, 24)]
    text = "Liebe Leute anbei endlich unser Geld wegen Magdalena Mayer"
    (decision,) = decided(
        [order("AB0010510", 2490, "Magdalena Mayer"), *orders],
        [posting(text, 2490, "Anna Maier")],
    )
    assert decision.outcome.value == "suggested"
    assert (
        decision.review_reason
        == "the payment text names no order, and too many have this amount to look at all of them"
    )


def test_the_customers_name_behind_the_tags_of_the_bank_finds_the_order() -> None:
    """The payer's own Ursula is no surer than the one named."""
    orders = [order("40019866", 2490, "Ursula Wagner"), order("40020133", 2490, "Ursula Grünerfeld")]
    given = posting("EREF+NOTPROVIDED SVWZ+pour Ursula Grünerfeld", 2490, "CHRISTIAN WAGNER")
    assert outcome(decided(orders[1:], [given])[0]) == ("matched", (("40020133", 2490),))
    (decision,) = decided(orders, [given])
    assert outcome(decision) == ("suggested", (("40020133", 2490),))
    assert decision.review_reason == "order 40019866 fits as well"


@pytest.mark.parametrize("ordered", [date(1970, 1, 1), date(1, 1, 1)], ids=str)
@pytest.mark.parametrize("due", [False, True], ids=["no due date", "due then"])
def test_orders_of_a_date_that_is_none_are_decided_on(ordered: date, due: bool) -> None:
    dates: dict[str, Any] = {"order_date": ordered, "due_date": ordered if due else None}
    twins = [order("ZQ-47110", **dates), order("ZQ-47111", **dates), order("ZQ-47112", **dates)]
    (named,) = decided(twins, [posting("Bestellung ZQ-47111")])
    assert outcome(named)[1] == (("ZQ-47111", 4990),)
    (unnamed,) = decided(twins, [posting("danke")])
    assert unnamed.outcome.value == "suggested"
