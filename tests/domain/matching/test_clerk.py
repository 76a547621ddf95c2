"""What a careful clerk does with postings as banks of several countries write them, case by case.

Every row says what he would do before the engine was asked: book it, ask with the right order first, or leave it alone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from paymatch.domain.matching.model import MatchOutcome, OrderFacts, OrderState, PostingFacts
from paymatch.domain.matching.several.hypothesis import in_words
from tests.domain.matching.world import decided, order, paid, posting

BRANDT = "Thomas Brandt"
STRANGER = "Erna Wolff"
RIECK = "Möbel Rieck KG"


def of(name: str, number: str = "SW-10840", amount: int = 4990, **more: Any) -> OrderFacts:
    """An open order of this customer."""
    return order(number, amount, name, **more)


def got(facts: OrderFacts, paid_minor: int) -> OrderFacts:
    """The order after a part of it was paid."""
    return replace(facts, paid_minor=paid_minor, open_minor=facts.amount_minor - paid_minor)


def settled(facts: OrderFacts) -> OrderFacts:
    """The order after it was paid in full."""
    return replace(facts, **paid(facts))


Row = tuple[str, list[OrderFacts], PostingFacts, str]
FIRST = of(BRANDT)
SECOND = of(BRANDT, "SW-10841", 8900)
MIA, BEN = of("Mia Schuster", "351", 4800), of("Ben Schuster", "352", 4800)
INVOICES = [
    of(RIECK, "RE26401", 119000, customer_number="40812"),
    of(RIECK, "RE26415", 23800, customer_number="40812"),
    of(RIECK, "RE26422", 71400, customer_number="40812"),
]
ALL_INVOICES = "RE26401 RE26415 RE26422"
TICKETS = [
    order(code, 2500, name) for code, name in (("XKTRQP", "Lisa Wendt"), ("QWZPLE", BRANDT), ("BUNTEX", "O Bär"))
]
MARKET = of("Laura Engel", "W6001", 5900, marketplace_number="302-7654321-1098765")
DUTCH = [of("Pieter de Vries", "221045", 7500), of("Anna Bakker", "221046", 7500)]
ZLOTY = of("Krzysztof Wójcik", "ZAM/845/2026", 31000, currency="PLN")
UUID = "c56a4180-65aa-42ec-a945-5fd21dec0538"

BOOKED: list[Row] = [
    (
        "number and amount of a stranger's order, with cancelled ones of one's own",
        [
            of("Petra Lang", "100006", 2400),
            *(replace(of(BRANDT, number, 2400), state=OrderState.CLOSED) for number in ("99101", "99102")),
        ],
        posting("Bestellung 100006", 2400, BRANDT),
        "100006",
    ),
    (
        "number and amount of a stranger's order, with other ones of one's own",
        [of("Petra Lang", "11590", 1690), of(BRANDT, "11440", 990), of(BRANDT, "11303", 3580)],
        posting("11590", 1690, BRANDT),
        "11590",
    ),
    (
        "customer number that is a namesake's order number",
        [of(BRANDT, customer_number="480570"), of("Petra Brandt", "480570", 7900)],
        posting("Kundennummer 480570", 4990, BRANDT),
        "SW-10840",
    ),
    (
        "Polish customer number that is a stranger's order number",
        [of(BRANDT, customer_number="10625"), of("Petra Lang", "ZAM-10625", 4990)],
        posting("nr klienta 10625", 4990, BRANDT),
        "SW-10840",
    ),
    (
        "short number that is the last part of one's own",
        [of(BRANDT, "10-949"), of("Petra Lang", "949", 4990)],
        posting("Nr 10 949", 4990, BRANDT),
        "10-949",
    ),
    ("code of a stranger's payment", [of("Jan Reuter", "VND7DJ")], posting("Buchung VND7DJ", name=STRANGER), "VND7DJ"),
    (
        "code of a part payment, beside other orders",
        [of(BRANDT, "VND7DJ", 40100), of(BRANDT, "GN4DFD", 38000)],
        posting("ANZAHLUNG BRANDT VND7DJ", 12030, BRANDT),
        "VND7DJ",
    ),
    (
        "invoice number nobody has, where the shop tells no invoice numbers",
        [of(BRANDT, customer_number="20417")],
        posting("RE 3986320 Kd 88123", 4990, BRANDT),
        "SW-10840",
    ),
    ("firm that is the customer's", [of(RIECK)], posting("Bestellung 788534 Rieck GmbH", 4990, RIECK), "SW-10840"),
    # numbers as shops and banks write them
    (
        "number of a stranger's payment in digits",
        [FIRST, SECOND],
        posting("Bestellung 10840", 4990, STRANGER),
        "SW-10840",
    ),
    (
        "number wrapped in its digits",
        [FIRST],
        posting("", 4990, STRANGER, remittance_lines=("Zahlung der Bestellung SW-10", "840 vom 02.03.2026")),
        "SW-10840",
    ),
    ("other shop's number beside it", [FIRST], posting("SW-10840 / 14-09876-54321", 4990, BRANDT), "SW-10840"),
    (
        "account number with a stranger's digits",
        [FIRST, of("Petra Lang", "SW-02120")],
        posting("SW-10840 IBAN DE02 1203 0000 0000 2020 51", 4990, STRANGER),
        "SW-10840",
    ),
    (
        "amount in the text is another's number",
        [FIRST, of("Petra Lang", "SW-4990")],
        posting("SW-10840 EUR 49,90", 4990, STRANGER),
        "SW-10840",
    ),
    ("number of three parts", [MARKET], posting("BESTELLUNG 302-7654321-1098765", 5900, STRANGER), "W6001"),
    (
        "letters and digits, wrapped",
        [of("Jan Reuter", "7f3a9c21")],
        posting("Order 7f3a9c21", name=STRANGER),
        "7f3a9c21",
    ),
    ("long number without its dashes", [of("Jan Reuter", UUID)], posting(UUID.replace("-", ""), name=STRANGER), UUID),
    ("number without digits", TICKETS, posting("Ticket XKTRQP", 2500, STRANGER), "XKTRQP"),
    (
        "user name with a low line",
        [of("Astrid Hölzl", customer_number="90210/astridh_77")],
        posting("astridh_77", name=STRANGER),
        "SW-10840",
    ),
    ("Dutch tags", DUTCH, posting("/TRTP/SEPA OVERBOEKING/NAME/P de Vries/REMI/221045/", 7500, "P de Vries"), "221045"),
    (
        "French heading",
        [of("Hélène Lefèvre", "CMD81945"), of("Julien Moreau", "CMD81946")],
        posting("VIR SEPA RECU /DE MME LEFEVRE HELENE /MOTIF COMMANDE 81945", 4990, "MME LEFEVRE HELENE"),
        "CMD81945",
    ),
    (
        "Polish number before its year",
        [ZLOTY],
        posting("zapłata za zamówienie 845/2026", 31000, "WÓJCIK KRZYSZTOF", currency="PLN"),
        "ZAM/845/2026",
    ),
    (
        "Belgian structured communication",
        [of("Luc Peeters", "BE-77", invoice_numbers=("090933755493",)), of("Marc Maes", "9337")],
        posting("+++090/9337/55493+++", 4990, STRANGER),
        "BE-77",
    ),
    (
        "order number in the structured communication",
        [of("Luc Peeters", "0909337554")],
        posting("***090/9337/55493***", 4990, STRANGER),
        "0909337554",
    ),
    (
        "postcode is a stranger's order number",
        [of("Reto Ammann", "310449"), of("Kurt Zwahlen", "8045")],
        posting("Reto Ammann Uetlistr. 12 8045 Zuerich", 4990, "Reto Ammann"),
        "310449",
    ),
    ("street before the number", [FIRST], posting("Bahnhofstr. 7 36037 Fulda SW-10840", 4990, STRANGER), "SW-10840"),
    (
        "the year is a stranger's order number",
        [FIRST, of("Tim Alt", "2026")],
        posting("Bestellung Maerz 2026", 4990, BRANDT),
        "SW-10840",
    ),
    (
        "a price beside the number is no second number",
        [of(BRANDT, "88444"), got(of("Kai Lamm", "88412", 5000), 4920)],
        posting("Auftrag 88444 12,96 EUR", 4990, BRANDT),
        "88444",
    ),
    (
        "number of a branch beside it",
        [of(BRANDT, "61376"), of("Kai Lamm", "61309")],
        posting("61376 Filiale 61309", 4990, BRANDT),
        "61376",
    ),
    ("a number that could be the year", [of("Tim Alt", "2026")], posting("Nr. 2026", 4990, STRANGER), "2026"),
    ("number with a date after a slash", [FIRST], posting("10840/02.03.2026", 4990, STRANGER), "SW-10840"),
    (
        "invoice number is another's order number",
        [of("Kai Lamm", "31415", 7100), of("Ursula Vogt", "32000", 7100, invoice_numbers=("31415",))],
        posting("Rechnung 31415", 7100, "Ursula Vogt"),
        "32000",
    ),
    (
        "customer number is another's order number",
        [of("Petra Lang", "SW-20417"), of(BRANDT, "SW-20900", customer_number="20417")],
        posting("Kundennr. 20417", 4990, BRANDT),
        "SW-20900",
    ),
    # people
    (
        "first name of the child, surname of the payer",
        [MIA, BEN],
        posting("Klassenfahrt Mia", 4800, "Andrea Schuster"),
        "351",
    ),
    ("umlaut lost", [of("Jörg Müller")], posting("", 4990, "JOERG MULLER"), "SW-10840"),
    (
        "brother by his first name",
        [FIRST, of("Tobias Brandt", "SW-10841")],
        posting("Danke", 4990, "Tobias Brandt"),
        "SW-10841",
    ),
    ("Otto is not a marketplace", [of("Otto Hermes")], posting("Bestellung", 4990, "Otto Hermes"), "SW-10840"),
    (
        "an office that is the customer",
        [of("Stadtwerke Fulda GmbH")],
        posting("Rechnung", 4990, "Stadtwerke Fulda"),
        "SW-10840",
    ),
    (
        "an insurer for his client by number and name",
        [of("Leon Maurer", "88901")],
        posting("Leistung Leon Maurer 88901", 4990, "Nordische Krankenversicherung"),
        "88901",
    ),
    (
        "customer who speaks of a credit note",
        [FIRST],
        posting("SW-10840 Gutschrift verrechnet", 4990, BRANDT),
        "SW-10840",
    ),
    # amounts
    (
        "named with a discount, another one is exact",
        [of(BRANDT, "SW-10840", 10000), of(BRANDT, "SW-10841", 9800)],
        posting("SW-10840 abzgl 2% Skonto", 9800, BRANDT),
        "SW-10840",
    ),
    (
        "named instalment, another one is exact",
        [of(BRANDT, "SW-10840", 10000), of(BRANDT, "SW-10841", 5000)],
        posting("Anzahlung SW-10840", 5000, BRANDT),
        "SW-10840",
    ),
    (
        "list with customer number",
        INVOICES,
        posting("KD 40812 RE 26401,26415,26422", 214200, "MOEBEL RIECK"),
        ALL_INVOICES,
    ),
    ("list less one discount", INVOICES, posting("26401 26415 26422 - 2%", 209916, "MOEBEL RIECK"), ALL_INVOICES),
    ("range", INVOICES, posting("RE26401-26422", 214200, "MOEBEL RIECK"), ALL_INVOICES),
    (
        "list less the bank's fee",
        INVOICES,
        posting("RE26401 RE26415 Ueberweisungsgebuehr", 142300, "MOEBEL RIECK"),
        "RE26401 RE26415",
    ),
    ("one of two named is paid", [settled(FIRST), SECOND], posting("SW-10840 und SW-10841", 8900, BRANDT), "SW-10841"),
]

ASKED: list[Row] = [
    (
        "number and amount of a stranger's order, with an equal one of one's own",
        [of("Petra Lang", "11590", 1690), of(BRANDT, "11440", 1690)],
        posting("11590", 1690, BRANDT),
        "11440",
    ),
    (
        "short number of a stranger's equal order, with an equal order of one's own",
        [of(BRANDT, "1038", 2200), of("Petra Lang", "949", 2200)],
        posting("2 Karten 12.06. Nr 949", 2200, BRANDT),
        "1038",
    ),
    (
        "invoice and customer number of another shop",
        [of(BRANDT, invoice_numbers=("RE26401",), customer_number="20417")],
        posting("RE-Nr 3986320 Kd 88123", 4990, BRANDT),
        "SW-10840",
    ),
    ("order number of another firm", [FIRST], posting("Bestellung 788534 Zooland GmbH", 4990, BRANDT), "SW-10840"),
    # the number may be none of ours
    (
        "postcode of a stranger",
        [of("Kurt Zwahlen", "8045")],
        posting("Beat Sutter Uetlistrasse 12 8045 Zuerich Danke", 4990, "Beat Sutter"),
        "8045",
    ),
    ("year of a stranger", [of("Tim Alt", "2026")], posting("Beitrag 2026", 4990, STRANGER), "2026"),
    ("part of a file number", [of("Tim Alt", "8871")], posting("12 C 8871/25", 4990, STRANGER), "8871"),
    ("part of another market's number", [of("Tim Alt", "8871")], posting("14-8871-55", 4990, STRANGER), "8871"),
    ("branch in the payer's name", [of("Tim Alt", "8501")], posting("Kauf 8501", 4990, "Markt am Tor 8501"), "8501"),
    (
        "inner part of a structured communication",
        [of("Marc Maes", "9337")],
        posting("+++090/9337/55493+++", 4990, "Net NV"),
        "9337",
    ),
    (
        "supplier with an invoice of his own and our number there",
        INVOICES,
        posting("RG 77123 KdNr 40812", 23800, "Reifen Schulz GmbH"),
        "RE26415",
    ),
    ("supplier's bonus", INVOICES, posting("Jahresbonus 2025 Kunde 40812", 23800, "Einkaufsring eG"), "RE26415"),
    (
        "payment of a carrier for damage",
        [FIRST],
        posting("Schadenfall SW-10840", 4990, "Hermes Germany GmbH"),
        "SW-10840",
    ),
    # which of two
    (
        "father and son",
        [FIRST, of(BRANDT, "SW-10839", customer_number="X")],
        posting("Rechnung", 4990, BRANDT),
        "SW-10839",
    ),
    (
        "initial of two brothers",
        [FIRST, of("Tobias Brandt", "SW-10839")],
        posting("Danke", 4990, "T. Brandt"),
        "SW-10839",
    ),
    (
        "number of another's equal order",
        [FIRST, of("Sabine Kühn", "SW-10480")],
        posting("SW-10480", 4990, BRANDT),
        "SW-10840",
    ),
    (
        "number of the wife's equal order",
        [FIRST, of("Gisela Brandt", "SW-10841")],
        posting("SW-10841", 4990, BRANDT),
        "SW-10841",
    ),
    (
        "number of a namesake's equal order, unlike that of the payer's own",
        [FIRST, of("Gisela Brandt", "SW-20955")],
        posting("SW-20955", 4990, "THOMAS BRANDT"),
        "SW-20955",
    ),
    (
        "number of a stranger's order, of two equal ones the one but for a digit",
        [FIRST, of(BRANDT, "SW-10700", order_date=date(2026, 3, 6)), of("Sabine Kühn", "SW-10842")],
        posting("SW-10842", 4990, BRANDT),
        "SW-10840",
    ),
    (
        "number of one child, name of the other",
        [MIA, BEN],
        posting("Bestellung 352 Mia", 4800, "Andrea Schuster"),
        "352",
    ),
    (
        "discount said, one is exact and the other less it",
        [of(BRANDT, "SW-10840", 10000), of(BRANDT, "SW-10841", 9800)],
        posting("abzgl. 2% Skonto", 9800, BRANDT),
        "SW-10841",
    ),
    (
        "instalment said, one is exact and the other twice it",
        [of(BRANDT, "SW-10840", 10000), of(BRANDT, "SW-10841", 5000)],
        posting("1. Rate", 5000, BRANDT),
        "SW-10841",
    ),
    (
        "rest of an order beside an equal one",
        [got(of(BRANDT, "SW-10840", 10000), 5000), of(BRANDT, "SW-10841", 5000, order_date=date(2026, 2, 10))],
        posting("Restbetrag", 5000, BRANDT),
        "SW-10840",
    ),
    (
        "last year's number, paid, and the same amount now",
        [settled(of(BRANDT, "SW-08840")), FIRST],
        posting("SW-08840", 4990, BRANDT),
        "SW-10840",
    ),
    (
        "number of a cancelled order, ordered again",
        [replace(FIRST, state=OrderState.CLOSED), of(BRANDT, "SW-10841")],
        posting("SW-10840", 4990, BRANDT),
        "SW-10841",
    ),
    # several
    (
        "credit note deducted",
        INVOICES,
        posting("RE26401 RE26415 ./. GS 900123", 132800, "MOEBEL RIECK"),
        "RE26401 RE26415",
    ),
    (
        "number of an advice that is a stranger's invoice",
        [*INVOICES, of("Fa. Lux OHG", "RE55120", 214200)],
        posting("lt. Avis 55120", 214200, "MOEBEL RIECK"),
        ALL_INVOICES,
    ),
    (
        "list with an error that is a stranger's number",
        [*INVOICES, of("Fa. Lux OHG", "RE26451", 9900)],
        posting("RE26401 RE26451", 142800, "MOEBEL RIECK"),
        "RE26401 RE26415",
    ),
    (
        "two customers, a third one pays less",
        [FIRST, of("Sabine Kühn", "SW-10841", 8900)],
        posting("SW-10840 SW-10841", 13612, STRANGER),
        "SW-10840 SW-10841",
    ),
    (
        "tenant who owes for a purchase as well",
        [of(BRANDT)],
        posting("Nebenkostenabrechnung 2025", 4990, BRANDT),
        "SW-10840",
    ),
    ("advance on wages", [of(BRANDT)], posting("Gehaltsvorschuss", 4990, BRANDT), "SW-10840"),
]

OFFICES = [
    ("VIR CAF DU RHONE 0010840", "CAF DU RHONE"),
    ("TERUGGAAF OB 2026-01 10840", "Belastingdienst"),
    ("zwrot podatku VAT-7 10840", "Urząd Skarbowy"),
    ("Kostenerstattung 10840", "Justizkasse Hessen"),
    ("Rente 03.26 10840", "Deutsche Rentenversicherung"),
    ("KG 123FK 10840 0326", "Bundesagentur fuer Arbeit"),
    ("Schaden 26-10840-7", "Nordische Versicherung AG"),
    ("Zinsgutschrift 10840", "Sparkasse Fulda"),
    ("AVOIR FACTURE 10840", "PAPETERIE DU CENTRE SARL"),
    ("Rueckueberweisung falscher Empfaenger 10840", "Holzgrosshandel AG"),
    ("REMISE CHEQUE 0010840", ""),
    ("Transactie: 850123 Term: 10840", "Bakkerij Lutz"),
    ("Refund booking 10840", "Luftfahrt AG"),
    ("Gewinnauszahlung Los 10840", "Lotterie Hessen"),
    ("Erstattung Auszahlung 10840", "Otto Seiler"),
    ("PAYOUT 10840 2026-03-08", "Stripe Technology Europe"),
]
CREDITS = [
    "GUTSCHRIFT KDNR 20417 RE 4711",
    "Warengutschrift KDNR 20417",
    "Rueckerstattung KdNr 20417",
    "Remboursement client 20417",
    "Terugbetaling klantnr 20417",
    "Refund customer 20417",
    "KdNr 20417 Ueberzahlung zurueck",
    "Kd 20417 Jahresboni",
]


def decide_one(orders: list[OrderFacts], given: PostingFacts) -> tuple[str, set[str], list[str]]:
    """(outcome, orders of the match or of the first suggestion, the explanation in words)."""
    (decision,) = decided(orders, [given])
    proposals = [decision.match] if decision.match else decision.suggestions
    first = {a.order_number for a in proposals[0].allocations} if proposals else set()
    return decision.outcome.value, first, in_words(decision)


@pytest.mark.parametrize(("orders", "given", "numbers"), [row[1:] for row in BOOKED], ids=[row[0] for row in BOOKED])
def test_what_is_certain_is_booked(orders: list[OrderFacts], given: PostingFacts, numbers: str) -> None:
    outcome, first, words = decide_one(orders, given)
    assert (outcome, first) == ("matched", set(numbers.split())), words


@pytest.mark.parametrize(("orders", "given", "numbers"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_what_is_doubtful_is_asked(orders: list[OrderFacts], given: PostingFacts, numbers: str) -> None:
    outcome, first, words = decide_one(orders, given)
    assert (outcome, first) == ("suggested", set(numbers.split())), words


@pytest.mark.parametrize("state", [FIRST, settled(FIRST)])
@pytest.mark.parametrize("text", ["SW-10840", "Rueckueberweisung SW-10840", ""])
@pytest.mark.parametrize("mark", [{"is_return": True}, {"return_reason": "AC04"}, {"original_end_to_end_id": "E-1"}])
def test_returned_money_whose_transfer_is_not_in_the_books_pays_no_order(
    state: OrderFacts, text: str, mark: dict[str, Any]
) -> None:
    (decision,) = decided([state], [posting(text, 4990, BRANDT, **mark)])
    assert (decision.outcome, decision.suggestions) == (MatchOutcome.UNMATCHED, ())
    assert decision.review_reason == "returned money whose transfer is not in the books"


@pytest.mark.parametrize("number", ["7", "AB", "A-B", "Lena", "ABCDEF"])
def test_a_named_order_is_not_passed_over_for_one_that_the_text_does_not_name(number: str) -> None:
    named, other = order(number), order("SW-10840")
    for facts in (replace(named, **paid(named)), replace(named, state=OrderState.CLOSED)):
        (decision,) = decided([facts, other], [posting(f"Bestellung {number}")])
        assert decision.match is None
        assert decision.review_reason == f"the payment text names order {number}"


@pytest.mark.parametrize(("text", "payer"), OFFICES, ids=[payer or text for text, payer in OFFICES])
def test_money_that_is_no_purchase_is_not_booked_on_the_number_in_it(text: str, payer: str) -> None:
    """Even though the order with this number is open for exactly the amount."""
    outcome, _, words = decide_one([FIRST, SECOND], posting(text, 4990, payer))
    assert outcome != "matched", words


@pytest.mark.parametrize("text", CREDITS)
def test_credit_of_a_supplier_is_not_booked_on_the_customer_of_that_number(text: str) -> None:
    outcome, _, words = decide_one([of(BRANDT, customer_number="20417")], posting(text, 4990, "Papier Fuchs GmbH"))
    assert outcome != "matched", words
