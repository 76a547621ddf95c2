"""What a customer can choose decides nothing alone: crafted orders against payments of strangers, and honest twins."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, Final

import pytest

from paymatch.domain.matching.model import MatchOutcome, OrderFacts, ShopFacts
from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.payers import COMMON, HEADED, OFTEN, bank_headings, often_written, rare_words
from tests.domain.matching.world import decided, order, outcome, posting

SHOP: Final = ShopFacts(open_orders=200, common_words=frozenset({"LAMPENWELT", "NORDLICHT", "BLAU", "LAMPE"}))
"""A shop called Lampenwelt Nordlicht, whose customers often write that they pay for a blue lamp."""

STRANGER: Final = "Bernd Hollerbach"

NAMES: Final = {
    "Vielen Dank": "Vielen Dank und beste Grüße",
    "Herzlichen Dank": "Herzlichen Dank für die schnelle Lieferung",
    "Rechnung Zahlung": "Zahlung Rechnung",
    "Bestellung Nummer": "Bestellung Nummer",
    "Rechnung Nummer": "Rechnung Nummer vom März",
    "Danke Schön": "Danke schön",
    "Beste Grüße": "Beste Grüße",
    "Mit Freundlichen Grüßen": "mit freundlichen Grüßen",
    "Thank You": "Thank you very much",
    "Invoice Payment": "Payment of invoice",
    "Order Number": "Order number",
    "Best Regards": "Best regards",
    "Merci Beaucoup": "Merci beaucoup",
    "Facture Numero": "Facture numero",
    "Paiement Commande": "Paiement commande",
    "Hartelijk Dank": "Hartelijk dank",
    "Betaling Factuur": "Betaling factuur",
    "Bestelling Nummer": "Bestelling nummer",
    "Pagamento Fattura": "Pagamento fattura",
    "Mille Grazie": "Mille grazie",
    "Ordine Numero": "Ordine numero",
    "Platnosc Faktura": "Płatność faktura",
    "Przelew Zamowienie": "Przelew zamówienie",
    "Pago Factura": "Pago factura",
    "Muchas Gracias": "Muchas gracias",
    "Pedido Numero": "Pedido numero",
    "Lampenwelt Nordlicht": "Lampenwelt Nordlicht",
    "Blaue Lampe": "Blaue Lampe",
    "Online Shop": "Einkauf Online Shop",
    "SEPA Überweisung": "SEPA Überweisung",
}
"""Name that a customer has chosen -> what strangers write anyway."""

SERVICES: Final = {
    "PayPal": "PayPal Europe S.a.r.l. et Cie",
    "PayPal Europe": "PayPal Europe S.a.r.l. et Cie",
    "Klarna Bank": "Klarna Bank AB",
    "DHL Paket GmbH": "DHL Paket GmbH",
    "DPD Deutschland GmbH": "DPD Deutschland GmbH",
    "Amazon Payments": "Amazon Payments Europe S.C.A.",
    "Otto Payments": "OTTO Payments GmbH",
    "Stripe Payments Europe": "Stripe Payments Europe Ltd",
    "eBay": "eBay S.a.r.l.",
}
"""Company that a customer has chosen -> payer whose money is for others."""

USER_NAMES: Final = {
    "4711/0171 2345678": "Rückruf bitte 0171 2345678",
    "+49 171 2345678": "Tel. +49 171 2345678",
    "4711/01712345678": "01712345678",
    "4711/10841": "10841",
    "4711/03.03.2026": "Kauf vom 03.03.2026",
    "4711/20260303": "20260303",
    "03.03.2026": "Kauf vom 03.03.2026",
    "4711/rechnung_12": "Rechnung_12",
    "bestellung_2026": "Bestellung_2026",
    "4711/SW-20002": "SW-20002",
    "SW-20002": "SW-20002",
    "4711/danke77": "danke77",
}
"""customerNumber with a user name that a customer has chosen -> what strangers write anyway."""


def attack(name: str = "Vera Quandt", **more: Any) -> OrderFacts:
    """The order of a customer who waits for another's payment of 49.90."""
    return order("SW-20001", 4990, name, **more)


def booked(orders: list[OrderFacts], text: str, payer: str, **more: Any) -> bool:
    (decision,) = decided(orders, [posting(text, 4990, payer, **more)], SHOP)
    return decision.outcome is MatchOutcome.MATCHED


@pytest.mark.parametrize(("name", "company"), list(product(NAMES, (False, True))))
def test_a_name_of_everyday_words_is_found_in_no_text(name: str, company: bool) -> None:
    crafted = attack(f"{name} GmbH" if company else name)
    assert not booked([crafted], NAMES[name], STRANGER)
    assert not booked([crafted], f"{NAMES[name]} GmbH", STRANGER)


@pytest.mark.parametrize("name", NAMES)
def test_a_payer_whose_name_is_lost_pays_no_order_of_everyday_words(name: str) -> None:
    assert not booked([attack(name)], "", name)


@pytest.mark.parametrize("name", NAMES)
def test_a_delivery_name_of_everyday_words_is_found_in_no_text(name: str) -> None:
    crafted = attack(names=("Vera Quandt", name), recipient_names=(name,))
    assert not booked([crafted], NAMES[name], STRANGER)


@pytest.mark.parametrize("place", ["recipient_names", "contact_names"])
def test_a_name_beside_the_customers_wins_no_payment_for_a_relative(place: str) -> None:
    chosen: dict[str, Any] = {place: ("Ina Lorenz",)}
    beside = attack(names=("Quandt GmbH", "Ina Lorenz"), **chosen)
    relatives = order("SW-30001", 4990, "Jan Lorenz")
    assert not booked([beside, relatives], "Vorkasse", "Ina Lorenz")
    assert booked([beside, order("SW-30001", 4990, "Jan Hollerbach")], "Vorkasse", "Ina Lorenz")
    assert booked([beside, order("SW-30001", 5990, "Jan Lorenz")], "Vorkasse", "Ina Lorenz")
    assert booked([beside, relatives], "SW-20001", "Ina Lorenz")
    assert not booked([beside, relatives], "Ina Lorenz", "")  # a bank that names no payer
    assert booked([beside, order("SW-30001", 4990, "Jan Hollerbach")], "Ina Lorenz", "")
    assert booked([beside, relatives], "Ina Lorenz Quandt GmbH", "")


def test_a_name_beside_the_customers_whose_account_a_person_has_confirmed_pays() -> None:
    beside = attack(names=("Quandt GmbH", "Ina Lorenz"), contact_names=("Ina Lorenz",), customer_number="C777")
    iban = "DE02120300000000202051"
    knowing = replace(SHOP, known_ibans={iban: ("C777",)})
    given = posting("Vorkasse", 4990, "Ina Lorenz", counterparty_iban=iban)
    (decision,) = decided([beside, order("SW-30001", 4990, "Jan Lorenz")], [given], knowing)
    assert outcome(decision) == ("matched", (("SW-20001", 4990),))


@pytest.mark.parametrize("name", NAMES)
def test_a_relative_of_the_payer_is_found_by_no_everyday_first_name(name: str) -> None:
    crafted = attack(f"{name.split(maxsplit=1)[0]} Hollerbach")
    assert not booked([crafted], NAMES[name], STRANGER)


@pytest.mark.parametrize("company", SERVICES)
def test_the_name_of_a_payment_service_or_carrier_is_no_customers(company: str) -> None:
    crafted = attack(company, names=("Vera Quandt", company))
    assert not booked([crafted], "Ihr Einkauf", SERVICES[company])
    assert not booked([crafted], company, STRANGER)


def test_the_shops_own_transfers_pay_no_order_of_its_name() -> None:
    assert not booked([attack("Lampenwelt Nordlicht")], "Umsatz", "Lampenwelt Nordlicht")


@pytest.mark.parametrize("customer_number", USER_NAMES)
def test_a_user_name_that_looks_like_another_number_is_none(customer_number: str) -> None:
    victims = [order("SW-20002", 7500, "Ina Lorenz"), order("10841", 7500, "Ina Lorenz")]
    crafted = attack(customer_number=customer_number)
    assert not booked([crafted, *victims], USER_NAMES[customer_number], STRANGER)
    assert not booked([crafted], USER_NAMES[customer_number], STRANGER)


@pytest.mark.parametrize("owner", ["Bernd Hollerbach", "Ute Hollerbach"])
def test_a_rare_name_in_the_text_never_beats_the_payers_own_name_or_surname(owner: str) -> None:
    own = order("SW-30001", 4990, owner)
    assert not booked([attack(), own], "Vera Quandt", STRANGER)


def test_a_rare_name_in_the_text_never_beats_a_known_account() -> None:
    own = order("SW-30001", 4990, "Ina Lorenz", customer_number="C777")
    iban = "DE02120300000000202051"
    knowing = replace(SHOP, known_ibans={iban: ("C777",)})
    given = posting("Vera Quandt", 4990, STRANGER, counterparty_iban=iban)
    (decision,) = decided([attack(), own], [given], knowing)
    assert decision.match is None or outcome(decision)[1] == (("SW-30001", 4990),)


@pytest.mark.parametrize("text", ["Vera Quandt SW-30010", "Vera Quandt 30010"])
def test_a_rare_name_in_the_text_never_beats_a_number_one_digit_away(text: str) -> None:
    meant = order("SW-30001", 4990, "Ina Lorenz")
    assert not booked([attack(), meant], text.replace("30010", "30011"), STRANGER)


def test_there_are_enough_attacks() -> None:
    assert 3 * 2 * len(NAMES) + 2 * len(NAMES) + 2 * len(SERVICES) + 2 * len(USER_NAMES) + 6 >= 66


@pytest.mark.parametrize(
    ("name", "text", "payer"),
    [
        ("Frank Danke", "", "Frank Danke"),
        ("Frank Danke", "SW-20001", "Frank Danke"),
        ("Frank Danke", "Vielen Dank", "Danke, Frank"),
        ("Anna Rechnung", "Bestellung SW-20001", "Anna Rechnung"),
        ("Anna Rechnung", "", "Anna Rechnung"),
        ("Otto Seiler", "Otto Seiler", STRANGER),
        ("Eva Post", "", "Eva Post"),
        ("Vera Quandt", "Vera Quandt", STRANGER),
        ("Vera Quandt", "Vielen Dank Vera Quandt", STRANGER),
        ("Vera Hollerbach", "Vera", "Bernd Hollerbach"),
        ("Grüneling Logistik GmbH", "", "Grüneling Logistik GmbH"),
        ("Anna Nordlicht", "", "Anna Nordlicht"),
        ("Vielen Dank", "SW-20001", STRANGER),  # the number and the amount agree
    ],
)
def test_honest_customers_are_matched_as_before(name: str, text: str, payer: str) -> None:
    assert booked([attack(name)], text, payer)


@pytest.mark.parametrize(
    ("customer_number", "text"),
    [("KD20417", "KD20417"), ("10234/lampenfan_77", "lampenfan_77"), ("20417", "Kundennummer 20417")],
)
def test_honest_customer_numbers_and_user_names_still_count(customer_number: str, text: str) -> None:
    assert booked([attack("Ina Lorenz", customer_number=customer_number)], text, "Lorenz")


def test_an_account_that_a_person_confirmed_keeps_its_weight() -> None:
    iban = "DE02120300000000202051"
    knowing = replace(SHOP, known_ibans={iban: ("C777",)})
    mine = attack("Vielen Dank", customer_number="C777")
    (decision,) = decided([mine], [posting("SW-20001", 4890, STRANGER, counterparty_iban=iban)], knowing)
    proposal = decision.match or decision.suggestions[0]
    assert "iban-known" in {reason.code for reason in proposal.reasons}


def test_words_of_many_payers_are_the_shops_and_ones_own_name_is_not() -> None:
    payments = [(f"Blaue Lampe, Mia Kurz {number}", f"Payer {chr(65 + number)}") for number in range(OFTEN)]
    assert often_written(payments) == {"BLAU", "LAMPE", "MIA", "KURZ"}
    assert often_written([(text, "Mia Kurz") for text, _ in payments]) == frozenset()
    assert often_written(payments[1:]) == frozenset()


def test_a_dictionary_of_each_language_is_read_in_canonical_spelling() -> None:
    assert {"GRUSEN", "DANK", "THANKS", "MERCI", "BEDANKT", "GRAZIE", "DZIEKUJE", "GRACIAS"} <= COMMON
    assert rare_words(parse_name("Frank Danke"), frozenset()) == {"FRANK"}
    assert rare_words(parse_name("PayPal Schmidt"), frozenset()) == frozenset()


def test_the_word_with_which_a_bank_begins_most_texts_says_nothing() -> None:
    texts = [(f"Gutschrift Mia Kurz {number}", "") for number in range(HEADED)]
    assert bank_headings(texts) == {"GUTSCHRIFT"}
    assert bank_headings([*texts, *[("Danke", "")] * HEADED]) == {"GUTSCHRIFT", "DANKE"}
    assert bank_headings([*texts, *[(f"Bestellung {at}", "") for at in range(HEADED + 1)]]) == {"BESTELLUNG"}
    assert bank_headings(texts[1:]) == frozenset()
    heading = replace(SHOP, bank_headings=bank_headings(texts))
    orders = [order("SW-30001", 4990, "Ina Lorenz")]
    for text, shop, matched in (
        ("Gutschrift Ina Lorenz", heading, True),
        ("Gutschrift Ina Lorenz", SHOP, False),
        ("Gutschrift Ina Lorenz Gutschrift SW-9", heading, False),
        ("Ina Lorenz Gutschrift", heading, False),
        ("Gutschrift Ina Lorenz Miete", heading, False),
    ):
        (decision,) = decided(orders, [posting(text, 4990, "")], shop)
        assert (decision.match is not None) is matched, (text, decision.review_reason)
