"""Settlements of services that the package does not know: mapped once, their orders and payouts are right."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.usecases.payouts.layout_mapping import map_layout, propose_layout
from paymatch.usecases.payouts.payout_lists import all_payouts
from tests.usecases.conftest import Books, camt, paid

MARKET = (
    "Transaction creation date,Type,Order number,Item title,Gross transaction amount,Fees,Net amount,"
    "Payout currency,Transaction ID,Payout ID\n"
    '"Nov 18, 2026",Order,11-12345-67890,Lamp,58.77,-7.12,51.65,EUR,T-1,6012345678\n'
    '"Nov 19, 2026",Refund,11-12345-67891,Lamp,-20.00,--,-20.00,EUR,T-2,6012345678\n'
)
ACQUIRER = (
    "Company Account;Psp Reference;Merchant Reference;Creation Date;TimeZone;Type;Modification Reference;"
    "Gross Currency;Gross Debit (GC);Gross Credit (GC);Net Currency;Net Debit (NC);Net Credit (NC);Batch Number\n"
    "Shop;P1;SO-1;18 Nov 2026;CET;Settled;M1;EUR;;58.77;EUR;;58.42;71\n"
    "Shop;P2;SO-2;19 Nov 2026;CET;Settled;M2;EUR;;40.00;EUR;;39.70;71\n"
    "Shop;P2;SO-2;20 Nov 2026;CET;Refunded;M3;EUR;15.00;;EUR;15.10;;71\n"
    "Shop;P2;SO-2;20 Nov 2026;CET;Refunded;M4;EUR;5.00;;EUR;5.10;;71\n"
    "Shop;;;21 Nov 2026;CET;Fee;M5;EUR;;;EUR;3.00;;71\n"
    "Shop;;;22 Nov 2026;CET;MerchantPayout;M6;EUR;;;EUR;74.92;;71\n"
)


@pytest.fixture(autouse=True)
def _november(books: Books) -> None:
    books.now = datetime(2026, 11, 25, 9, tzinfo=UTC)


def mapped(books: Books, text: str, provider: str, **more: object) -> dict[str, object]:
    stream = io.BytesIO(text.encode())
    return map_layout(books.database, books.shop, stream, provider, books.now, **more)  # type: ignore[arg-type]


def _arrives(books: Books, minor: int, text: str, name: str) -> str:
    """What the bank's posting says after it arrived."""
    day = date(2026, 11, 24)
    posting = paid(minor, text, booking_date=day, counterparty_name=name)
    books.bring(camt(CamtMessage.STATEMENT, posting, days=(day, day)))
    ((said,),) = books.rows("SELECT aside_reason FROM postings WHERE shop_id = $1 AND account LIKE 'DE%'")
    return str(said)


@pytest.mark.parametrize("is_ordered_first", [True, False])
def test_the_number_of_a_marketplace_in_the_orders_column_finds_its_order(books: Books, is_ordered_first: bool) -> None:
    mapped(books, MARKET, "Marktbude", save=True)
    if is_ordered_first:
        books.order("SO-1", "58.77", marketplaceNumber="11-12345-67890")
    report = books.bring(MARKET.encode())
    assert report.version == "Marktbude, settlement, 1 payout"
    if not is_ordered_first:
        books.order("SO-1", "58.77", marketplaceNumber="11-12345-67890")
        books.bring(MARKET.replace("Lamp", "Lamps").encode())
    assert books.status("SO-1") == "PAID"
    assert _arrives(books, 3165, "Marktbude 6012345678", "Marktbude SARL") == (
        "payout 6012345678: 1 order, 7.12 kept, rest 0.00"
    )
    books.sound()


def test_debits_and_credits_in_columns_of_their_own(books: Books) -> None:
    books.order("SO-1", "58.77")
    books.order("SO-2", "40.00")
    shown = mapped(books, ACQUIRER, "Kassenwerk", save=True)
    assert shown["columns"] == {
        "gross": "Gross Credit (GC)", "gross_debit": "Gross Debit (GC)", "net": "Net Credit (NC)",
        "net_debit": "Net Debit (NC)", "currency": "Net Currency", "order": "Merchant Reference",
        "id": "Modification Reference", "payment": "Psp Reference", "payout_id": "Batch Number", "kind": "Type",
        "time": "Creation Date", "zone": "TimeZone",
    }  # fmt: skip
    assert shown["kinds"] == {"Settled": "sale", "Refunded": "refund", "Fee": "fee", "MerchantPayout": "payout"}
    books.bring(ACQUIRER.encode())
    assert (books.status("SO-1"), books.status("SO-2")) == ("PAID", "REFUNDED_PARTIAL")
    assert _arrives(books, 7492, "TX12XT batch 71 Shop", "Kassenwerk N.V.") == (
        "payout 71: 2 orders, 3.85 kept, rest 0.00"
    )
    books.sound()


def test_a_column_of_debits_does_not_serve_alone(books: Books) -> None:
    with pytest.raises(FileRefused, match="A column gross_debit needs the column gross of what came in"):
        mapped(books, ACQUIRER, "Kassenwerk", changes={"gross": ""})
    fees = ACQUIRER.replace("Batch Number\n", "Batch Number;Commission;Markup\n").replace(";71\n", ";71;0.30;\n")
    with pytest.raises(FileRefused, match="row 2: the net amount is not the gross amount less the fee"):
        mapped(books, fees, "Kassenwerk", changes={"fee": "Commission|Markup"})
    first = "".join(fees.splitlines(keepends=True)[:2]).replace(";0.30;", ";0.30;0.05")
    assert mapped(books, first, "Kassenwerk", changes={"fee": "Commission|Markup"})["rows"] == 1


TERMINAL = (
    "Transaktionsdatum;Händlerreferenz;Kartenart;Bruttoumsatz;Disagio;Nettobetrag;Valuta;Abrechnungsnummer\n"
    "18.11.2026;SO-1;VISA;58,77;0,82;57,95;23.11.2026;4711-0815\n"
    "19.11.2026;SO-2;MC;100,00;2,00;98,00;23.11.2026;4711-0815\n"
    "19.11.2026;SO-2;MC;-20,00;0,00;-20,00;23.11.2026;4711-0815\n"
)
BAZAAR = (
    "Buchungsdatum;Bestellnummer;Buchungsart;Brutto (EUR);Provision (EUR);Netto (EUR);Auszahlungsnummer\n"
    "18.11.2026;SO-1;Verkauf;58,77;-0,82;57,95;4711-0815\n"
    "19.11.2026;SO-2;Verkauf;100,00;-2,00;98,00;4711-0815\n"
    "19.11.2026;SO-2;Retoure;-20,00;0,00;-20,00;4711-0815\n"
)
GATEWAY = (
    "transaction_date|merchant_ref|txn_type|gross_amount|fee_amount|net_amount|currency|payout_reference|settled_on\n"
    "18/11/2026|SO-1|CAPTURE|58.77|0.82|57.95|EUR|4711-0815|23/11/2026\n"
    "19/11/2026|SO-2|CAPTURE|100.00|2.00|98.00|EUR|4711-0815|23/11/2026\n"
    "19/11/2026|SO-2|REFUND|20.00|0.00|20.00|EUR|4711-0815|23/11/2026\n"
)
WALLET = (
    "Created,Reference,Kind,Amount,Processing Fee,Net,Payout\n"
    "2026-11-18,SO-1,payment,58.77,-0.82,57.95,4711-0815\n"
    "2026-11-19,SO-2,payment,100.00,-2.00,98.00,4711-0815\n"
    "2026-11-19,SO-2,refund,-20.00,0.00,-20.00,4711-0815\n"
)


@pytest.mark.parametrize("text", [TERMINAL, BAZAAR, GATEWAY, WALLET], ids=["terminal", "bazaar", "gateway", "wallet"])
def test_headings_that_no_list_has_are_proposed_by_their_parts(books: Books, text: str) -> None:
    books.order("SO-1", "58.77")
    books.order("SO-2", "100.00")
    with pytest.raises(FileRefused, match="say once how it is read"):
        books.bring(text.encode())
    mapped(books, text, "Kassenwerk", save=True)
    assert books.bring(text.encode()).version == "Kassenwerk, settlement, 1 payout"
    assert (books.status("SO-1"), books.status("SO-2")) == ("PAID", "REFUNDED_PARTIAL")
    assert _arrives(books, 13595, "Kassenwerk 4711-0815", "Kassenwerk AG") == (
        "payout 4711-0815: 2 orders, 2.82 kept, rest 0.00"
    )
    books.sound()


NEW = (
    "Buchungstag;Bestellung;Vorgang;Brutto in EUR;Abzug;Netto in EUR;Abrechnung\n"
    "18.11.2026;SO-1;Einzug;1.058,77;-0,82;1.057,95;A-2026-1118\n"
    "19.11.2026;SO-2;Retoure;-20,00;0,00;-20,00;A-2026-1118\n"
)
SHORT = "Day,Ref,Total,Cost,Paid\n2026-11-18,SO-1,58.77,0.82,57.95\n2026-11-19,SO-2,-20.00,0.00,-20.00\n"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (NEW, {"time": "Buchungstag", "fee": "Abzug", "net": "Netto in EUR", "payout_id": "Abrechnung"}),
        (SHORT, {"time": "Day", "order": "Ref", "gross": "Total", "fee": "Cost", "net": "Paid"}),
    ],
    ids=["new", "short"],
)
def test_plain_headings_are_proposed(books: Books, text: str, columns: dict[str, str]) -> None:
    proposed = propose_layout(io.BytesIO(text.encode()))["columns"]
    assert {what: proposed.get(what) for what in columns} == columns


def test_an_unknown_kind_without_a_sign_is_asked_about(books: Books) -> None:
    text = GATEWAY + "20/11/2026|SO-2|LOSS|10.00|0.00|10.00|EUR|4711-0815|23/11/2026\n"
    with pytest.raises(FileRefused, match="row 5: the kind 'LOSS' is unknown, and no sign says"):
        mapped(books, text, "Kassenwerk", save=True)
    mapped(books, text, "Kassenwerk", save=True, changes={"kind:LOSS": "chargeback"})
    books.order("SO-1", "58.77")
    books.bring(text.encode())
    assert books.rows("SELECT amount_minor FROM payouts WHERE shop_id = $1") == [(12595,)]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        (payout,) = all_payouts(tx)
    assert (payout.provider, payout.state) == ("Kassenwerk", "on its way")


@pytest.mark.parametrize(
    ("word", "status"),
    [
        *((word, "PAID") for word in ("Chargeback fee", "Rückbuchungsgebühr", "RefundFee", "Erstattungsentgelt")),
        *((word, "PAID") for word in ("Payout fee", "Frais de remboursement", "Fee refund")),
        ("Rückbuchung", "PAID_PARTIAL"),
        ("Erstattung", "REFUNDED_PARTIAL"),
    ],
)
def test_the_fee_for_a_chargeback_or_refund_takes_nothing_of_the_order(books: Books, word: str, status: str) -> None:
    text = (
        "Datum;Bestellnummer;Vorgang;Brutto;Gebühr;Netto;Auszahlungsnummer\n"
        "18.11.2026;SO-1;Verkauf;100,00;1,00;99,00;A-4711001\n"
        f"19.11.2026;SO-1;{word};-15,00;0,00;-15,00;A-4711001\n"
    )
    books.order("SO-1", "100.00")
    mapped(books, text, "Kassenwerk", save=True, changes={"signs": "yes"})
    books.bring(text.encode())
    assert books.status("SO-1") == status
    assert books.rows("SELECT amount_minor FROM payouts WHERE shop_id = $1") == [(8400,)]
    books.sound()
