"""One posting for several orders: named, completed, ranged, discounted, net of a fee, or only by their sum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paymatch.domain.matching.model import OrderState, ShopFacts
from paymatch.domain.orders.fees import KeptPayout, tariffs_of
from tests.domain.matching.world import decided, order, outcome, paid, posting

NAME = "Nikolas Drewes"
THREE = [order("1855", 6594, NAME), order("1867", 5989, NAME), order("1871", 2000, NAME)]
TWO = (("1855", 6594), ("1867", 5989))
ALL = (*TWO, ("1871", 2000))

MATCHED: list[tuple[str, str, int, tuple[tuple[str, int], ...]]] = [
    ("both named", "Bestellungen .1855 u. .1867", 12583, TWO),
    ("list with commas", "RG 1855, 1867, 1871", 14583, ALL),
    ("list with slashes", "1855/1867/1871", 14583, ALL),
    ("short suffixes", "Bestellungen 1855/67/71", 14583, ALL),
    ("range", "Bestellungen 1855 bis 1871", 14583, (("1855", 6594), ("1871", 2000), ("1867", 5989))),
    ("one rate of discount", "1855 und 1867 abzgl. 2% Skonto", 12331, (("1855", 6462), ("1867", 5869))),
    ("damaged second number", "1855 und 1876", 12583, TWO),
    ("cents off", "1855 u. 1867", 12580, (("1855", 6594), ("1867", 5986))),
]


@pytest.mark.parametrize(("text", "amount", "expected"), [row[1:] for row in MATCHED], ids=[row[0] for row in MATCHED])
def test_named_orders_whose_sum_fits(text: str, amount: int, expected: tuple[tuple[str, int], ...]) -> None:
    (decision,) = decided(THREE, [posting(text, amount, NAME)])
    assert outcome(decision) == ("matched", expected)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1855 und 1867", 9000), ("lt. Avis", 12583), ("1855", 12583)],
    ids=["odd sum", "unnamed", "one named"],
)
def test_sums_without_every_number_are_suggested(text: str, amount: int) -> None:
    (decision,) = decided(THREE, [posting(text, amount, NAME)])
    assert decision.outcome.value == "suggested"
    assert {a.order_number for a in decision.suggestions[0].allocations} == {"1855", "1867"}


@pytest.mark.parametrize(
    ("text", "stranger"),
    [("T51633 49.80", "T51649"), ("Bestellung 51633 49,80 EUR", "T51680"), ("T51633 2 x 24,90", "T51624")],
    ids=["whole units", "cents", "price"],
)
def test_amount_in_the_text_is_no_further_order(text: str, stranger: str) -> None:
    orders = [order("T51633", 2490, NAME), order(stranger, 2490)]
    (decision,) = decided(orders, [posting(text, 4980, NAME)])
    proposals = (decision.match,) if decision.match is not None else decision.suggestions
    assert [a.order_number for proposal in proposals[:1] for a in proposal.allocations] == ["T51633"]


def test_suffixes_behind_a_comma_are_read_still() -> None:
    (decision,) = decided(THREE, [posting("RG 1855,67,71", 14583, NAME)])
    assert outcome(decision) == ("matched", ALL)


INVOICED = [
    order("A77218", 314054, "Agrarhandel KG", invoice_numbers=("RE-2026-5204",)),
    order("A77344", 330870, "Agrarhandel KG", invoice_numbers=("RE-2026-5246",)),
    order("A77360", 12000, "Agrarhandel KG", invoice_numbers=("RE-2026-5251",)),
]


@pytest.mark.parametrize(
    ("text", "payer", "expected"),
    [
        ("RE 5204, 5246", "AGRARHANDEL KG", "matched"),
        ("Rechnungen 5246 und 5204 vom 10.03.2026", "Agrarhandel", "matched"),
        ("RE 5204, 5246, 5251", "Agrarhandel KG", "suggested"),
        ("RE 5204/5246", "Agrarhandel KG", "matched"),
        ("RE 5204", "Agrarhandel KG", "suggested"),
        ("RE 5204, 9246", "Agrarhandel KG", "suggested"),
        ("RE 204, 46", "Agrarhandel KG", "suggested"),
        ("Kd 5204, 5246", "Agrarhandel KG", "suggested"),
    ],
    ids=[
        "both",
        "the other way round",
        "one more",
        "with a stroke",
        "one less",
        "one of nobody",
        "too short",
        "of another kind",
    ],
)
def test_last_digits_name_the_invoices_of_a_sum(text: str, payer: str, expected: str) -> None:
    (decision,) = decided(INVOICED, [posting(text, 314054 + 330870, payer)])
    outcome_of, allocations = outcome(decision)
    assert (outcome_of, sorted(allocations)) == (expected, [("A77218", 314054), ("A77344", 330870)])


def test_last_digits_name_the_invoices_of_several_contacts_of_one_company() -> None:
    contacts = [replace(facts, customer_number=f"C{at}") for at, facts in enumerate(INVOICED)]
    (decision,) = decided(contacts, [posting("Re.5204 Re.5246", 314054 + 330870, "Agrarhandel KG")])
    assert outcome(decision) == ("matched", (("A77218", 314054), ("A77344", 330870)))
    (decision,) = decided(contacts, [posting("Re.5204 Re.5246", 314054 + 330870, "Otto Seiler")])
    assert decision.match is None


def test_last_digits_name_the_invoices_of_a_sum_less_cash_discount() -> None:
    less = round((314054 + 330870) * 0.98)
    (decision,) = decided(INVOICED, [posting("RE 5204/5246 abzgl. 2% Skonto", less, "Agrarhandel KG")])
    assert outcome(decision)[0] == "matched"
    assert {a.order_number for a in decision.match.allocations} == {"A77218", "A77344"} if decision.match else False
    (decision,) = decided(INVOICED, [posting("RE 5204/5246 abzgl. 2% Skonto", less - 100, "Agrarhandel KG")])
    assert decision.match is None


@pytest.mark.parametrize(
    ("text", "amount", "expected"),
    [
        ("RE 2026-5204, 5246", 644924, "matched"),
        ("Rechnungen 2026/5204 und 5246", 644924, "matched"),
        ("RE 2026-5204, 5246, 5251", 656924, "matched"),
        ("RE 2026-5204, 46", 644924, "matched"),
        ("RE 2026-5204, 9246", 644924, "suggested"),
    ],
    ids=["two", "with a word", "three", "last digits", "one of nobody"],
)
def test_last_parts_name_the_invoices_of_a_sum(text: str, amount: int, expected: str) -> None:
    (decision,) = decided(INVOICED, [posting(text, amount, "Agrarhandel KG")])
    assert decision.outcome.value == expected
    proposal = decision.match or decision.suggestions[0]
    assert sum(a.amount_minor for a in proposal.allocations) == amount


GRANTING = ShopFacts(open_orders=200, discount_basis_points=300)
ON_FIRST = 314054 - 6281 + 330870
ON_LAST = 314054 + 330870 + 12000 - 240


@pytest.mark.parametrize(
    ("text", "amount", "shop", "expected"),
    [
        ("RE-2026-5204 RE-2026-5246", ON_FIRST, GRANTING, "matched"),
        ("RE-2026-5204 RE-2026-5246 RE-2026-5251 abzgl. Skonto", ON_LAST, GRANTING, "matched"),
        ("RE-2026-5204 RE-2026-5246", ON_FIRST, ShopFacts(open_orders=200), "suggested"),
        ("RE-2026-5204 RE-2026-5246 abzgl. Skonto", ON_FIRST - 1, GRANTING, "suggested"),
    ],
    ids=["on one of two", "on one of three", "not granted", "a cent less"],
)
def test_discount_on_some_of_the_orders(text: str, amount: int, shop: ShopFacts, expected: str) -> None:
    (decision,) = decided(INVOICED, [posting(text, amount, "Agrarhandel KG")], shop)
    assert decision.outcome.value == expected
    if decision.match is not None:
        credited = {a.order_number: a.credited_minor for a in decision.match.allocations}
        assert credited == {facts.number: facts.amount_minor for facts in INVOICED[: len(credited)]}


def test_a_customer_number_beside_the_orders_of_a_sum_counts_once() -> None:
    """It says as much for the sum as for each of its orders alone, which would then be paid too much."""
    orders = [
        order(number, amount, NAME, customer_number="480525") for number, amount in (("480993", 2790), ("481133", 3580))
    ]
    (decision,) = decided(orders, [posting("Best. 480993 + 481133 Kd 480525", 6370, NAME)])
    assert outcome(decision) == ("matched", (("480993", 2790), ("481133", 3580)))


CHILDREN = [
    order("R26-5295", 7900, "Kerstin Rüther"),
    order("R26-5296", 8900, "Dörte Rüther"),
    order("R26-5297", 6500, "Jörg Rüther"),
    order("R26-5392", 6700, "Jörg Rüther"),
]


@pytest.mark.parametrize(
    ("text", "amount", "payer", "expected"),
    [
        ("Unterricht Kerstin und Dörte", 16800, "Lutz Ruether", ("R26-5295", "R26-5296")),
        ("Unterricht Kerstin, Doerte, Joerg", 23300, "RÜTHER, LUTZ", ("R26-5295", "R26-5296", "R26-5297")),
        ("Unterricht Kerstin und Dörte", 16800, "Kerstin Rüther", ("R26-5295", "R26-5296")),
        ("April und Mai Jörg", 13200, "Lutz Rüther", ("R26-5297", "R26-5392")),
        ("Unterricht Kerstin und Dörte", 16801, "Lutz Rüther", ()),
        ("Unterricht Kerstin und Dörte", 16800, "Lutz Petersen", ()),
    ],
    ids=[
        "two children",
        "three, the surname first",
        "the payer's own among them",
        "two months of one child",
        "another sum",
        "a stranger",
    ],
)
def test_relatives_who_are_named_by_their_first_names(
    text: str, amount: int, payer: str, expected: tuple[str, ...]
) -> None:
    """A person is asked, but those who are named there are not reminded of what was paid."""
    (decision,) = decided(CHILDREN, [posting(text, amount, payer)])
    sums = [s for s in decision.suggestions if len(s.allocations) > 1]
    assert decision.match is None
    assert tuple(a.order_number for s in sums[:1] for a in s.allocations) == expected


def test_last_digits_of_a_sum_are_told_as_evidence() -> None:
    (decision,) = decided(INVOICED, [posting("RE 5204, 5246", 314054 + 330870, "Agrarhandel KG")])
    assert decision.match is not None
    assert [(each.code, str(each.words)) for each in decision.match.reasons][:3] == [
        ("sum-exact", "the orders that the payment text names add up exactly"),
        ("number-invoice-tail", "invoice number found as 5204"),
        ("number-invoice-tail", "invoice number found as 5246"),
    ]


def test_paid_order_in_a_list_is_left_out() -> None:
    orders = [order("1849", 3000, NAME, **paid(order("1849", 3000))), *THREE]
    (decision,) = decided(orders, [posting("1849, 1855, 1867", 12583, NAME)])
    assert outcome(decision) == ("matched", TWO)


@pytest.mark.parametrize(
    ("text", "amount", "expected"),
    [("1849 und 1855", 6594, TWO[:1]), ("1849, 1855 und 1867", 12583, TWO)],
    ids=["beside one", "beside two"],
)
def test_order_of_0_in_a_list_gets_no_part(text: str, amount: int, expected: tuple[tuple[str, int], ...]) -> None:
    free = order("1849", 0, NAME, state=OrderState.SETTLED)
    (decision,) = decided([free, *THREE[:2]], [posting(text, amount, NAME)])
    assert outcome(decision) == ("matched", expected)


PARCELS = [
    order(
        f"61{i:03}",
        3000 + 700 * i,
        f"Kunde {chr(65 + i)}berg",
        type="COD",
        shipping_numbers=(f"0034043416083755{i:04}",),
    )
    for i in range(6)
]


def payout(numbers: int, amount: int, **more: Any) -> Any:
    text = "NN-Auszahlung " + ",".join(parcel.shipping_numbers[0] for parcel in PARCELS[:numbers])
    return posting(text, amount, "DHL Paket GmbH", **more)


def _knowing(*kept: KeptPayout) -> ShopFacts:
    """A shop that has confirmed these payouts of the carrier."""
    tariffs = tariffs_of(kept)
    assert tariffs is not None
    return ShopFacts(open_orders=200, tariffs={("DHL PAKET", "EUR"): tariffs})


def test_carrier_pays_out_many_parcels_less_a_fee() -> None:
    gross = sum(parcel.amount_minor for parcel in PARCELS)
    (decision,) = decided(PARCELS, [payout(6, gross - 500)], _knowing(KeptPayout(gross, 6, 500)))
    assert decision.match is not None
    assert sum(a.amount_minor for a in decision.match.allocations) == gross - 500
    assert [a.order_number for a in decision.match.allocations] == [parcel.number for parcel in PARCELS]
    assert decision.flags == ("payout", "collective")


def test_parcel_that_was_not_paid_is_left_open_for_a_claim() -> None:
    gross = sum(parcel.amount_minor for parcel in PARCELS)
    (decision,) = decided(PARCELS, [payout(6, gross - PARCELS[5].amount_minor)])
    assert decision.match is None
    assert [a.order_number for a in decision.suggestions[0].allocations] == [parcel.number for parcel in PARCELS[:5]]


def test_carrier_keeps_a_fee_of_one_parcel() -> None:
    (decision,) = decided(PARCELS, [payout(1, 2640)], _knowing(KeptPayout(3000, 1, 360)))
    assert outcome(decision) == ("matched", (("61000", 2640),))
    assert decision.flags == ("fee", "collective")


def test_return_of_a_payment_for_several_orders_undoes_them_all() -> None:
    orders = [order(facts.number, facts.amount_minor, NAME, **paid(facts)) for facts in THREE[:2]]
    given = posting("RETOURE 1855 u. 1867", -12583, NAME, is_return=True, return_reason="AC01")
    assert outcome(decided(orders, [given])[0]) == ("matched", (("1855", -6594), ("1867", -5989)))


@pytest.mark.parametrize(
    ("text", "amount", "status"),
    [
        ("104850 104851 104852", 17100, "matched"),  # a group's list, to the cent
        ("104850 104851 104852", 17099, "suggested"),
        ("104850 104851", 17100, "suggested"),  # the third is not written
        ("50 51 52", 17100, "suggested"),
        ("Gutschrift Retoure Erstattung 104850 104851 104852", 17100, "suggested"),
    ],
)
def test_a_strangers_list_pays_orders_of_several_customers_if_numbers_and_sum_prove_it(
    text: str, amount: int, status: str
) -> None:
    orders = [
        order("104850", 5000, "Mia Kern"),
        order("104851", 5700, "Ben Olsen"),
        order("104852", 6400, "Ida Roth"),
    ]
    (found,) = decided(orders, [posting(text, amount, "Holding Seiler GmbH")])
    assert found.outcome.value == status or (status, found.outcome.value) == ("suggested", "unmatched")


@pytest.mark.parametrize(("text", "status"), [("Sven + Claudia", "suggested"), ("Danke", "matched")])
def test_relatives_that_the_text_names_and_that_add_up_are_asked_about(text: str, status: str) -> None:
    orders = [
        order("544", 5400, "Renate Weber"),
        order("612", 1800, "Sven Weber"),
        order("614", 3600, "Claudia Weber"),
    ]
    (found,) = decided(orders, [posting(text, 5400, "Renate Weber")])
    assert found.outcome.value == status


LISTED = [
    order("2633262", 25448, "Karl-Heinz Koch"),
    order("2633268", 5381, "Hannelore Schwarz"),
    order("2633275", 6684, "Uwe Feld"),
]


@pytest.mark.parametrize(
    ("text", "amount", "orders"),
    [
        ("Karl-Heinz Koch, Hannelore Schwarz", 30829, ["2633262", "2633268"]),
        ("KARL-HEINZ KOCH UND HANNELORE SCHWARZ + UWE FELD", 37513, ["2633262", "2633268", "2633275"]),
        ("Schwarz Hannelore / Feld Uwe", 12065, ["2633268", "2633275"]),
    ],
)
def test_people_whose_names_an_agency_lists_are_suggested_together(text: str, amount: int, orders: list[str]) -> None:
    """Their reminders wait for the person who decides (D-134)."""
    (decision,) = decided(LISTED, [posting(text, amount, "Pflegedienst Sonne GmbH")])
    assert [each for each, _ in outcome(decision)[1]] == orders
    assert outcome(decision)[0] == "suggested"


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Karl-Heinz Koch, Hannelore Schwarz", 30828),  # a cent less
        ("Karl-Heinz Koch, Anna Schwarz", 30829),  # another person
        ("Koch, Schwarz", 30829),  # surnames alone
        ("Hannelore Schwarz", 30829),  # one name
    ],
)
def test_other_lists_of_names_suggest_no_orders_together(text: str, amount: int) -> None:
    (decision,) = decided(LISTED, [posting(text, amount, "Pflegedienst Sonne GmbH")])
    assert decision.match is None
    assert [each for each in decision.suggestions if len(each.allocations) > 1] == []


def test_one_of_the_listed_people_is_matched_by_a_number_as_before() -> None:
    (decision,) = decided(LISTED, [posting("2633268 Karl-Heinz Koch, Hannelore Schwarz", 5381, "Hannelore Schwarz")])
    assert outcome(decision) == ("matched", (("2633268", 5381),))
