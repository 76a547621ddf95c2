"""Exports in the languages of the accounts are read alike, and a table of another service is not taken for one."""

# ruff: noqa: E501  # headings as the services write them
from __future__ import annotations

import csv
import io
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.domain.payouts.movements import Movement
from paymatch.formats.settlements.reader import open_settlement
from paymatch.formats.settlements.values import day_of

_MEANINGS: Final = [
    "day",
    "clock",
    "zone",
    "name",
    "kind",
    "status",
    "currency",
    "gross",
    "fee",
    "net",
    "from",
    "to",
    "id",
    "item",
    "payment",
    "order",
    "custom",
    "balance",
    "subject",
    "note",
    "effect",
]
PAYPAL: Final = {
    "en": "Date|Time|TimeZone|Name|Type|Status|Currency|Gross|Fee|Net|From Email Address|To Email Address|Transaction ID|Item Title|Reference Txn ID|Invoice Number|Custom Number|Balance|Subject|Note|Balance Impact",
    "de": "Datum|Uhrzeit|Zeitzone|Name|Typ|Status|Währung|Brutto|Entgelt|Netto|Absender E-Mail-Adresse|Empfänger E-Mail-Adresse|Transaktionscode|Artikelbezeichnung|Zugehöriger Transaktionscode|Rechnungsnummer|Zollnummer|Guthaben|Betreff|Hinweis|Auswirkung auf Guthaben",
    "fr": "Date|Heure|Fuseau horaire|Nom|Type|État|Devise|Avant commission|Commission|Net|De l'adresse email|À l'adresse email|Numéro de transaction|Titre de l'objet|Numéro de la transaction de référence|Numéro de facture|Numéro personnalisé|Solde|Objet|Remarque|Impact sur le solde",
    "it": "Data|Ora|Fuso orario|Nome|Tipo|Stato|Valuta|Lordo |Tariffa |Netto|Indirizzo email mittente|Indirizzo email destinatario|Codice transazione|Titolo oggetto|Codice transazione di riferimento|Numero fattura|Numero personalizzato|Saldo|Oggetto|Nota|Effetto sul saldo",
    "es": "Fecha|Hora|Zona horaria|Nombre|Tipo|Estado|Divisa|Bruto |Comisión |Neto|Correo electrónico del remitente|Correo electrónico del destinatario|Id. de transacción|Nombre del artículo|Id. de transacción de referencia|Número de factura|Número personalizado|Saldo|Asunto|Nota|Impacto en el saldo",
    "nl": "Datum|Tijd|Tijdzone|Naam|Type|Status|Valuta|Bruto|Kosten|Net|Van e-mailadres|Naar e-mailadres|Transactiereferentie|Objectnaam|Gerelateerde transactiereferentie|Factuurnummer|Aangepast nummer|Saldo|Onderwerp|Opmerking|Effect op saldo",
}
WORDS: Final = {
    "en": (
        "Express Checkout Payment",
        "Payment Refund",
        "Chargeback",
        "Chargeback Fee",
        "General Withdrawal - Bank Account",
        "Completed",
        "Memo",
    ),
    "de": (
        "PayPal Express-Zahlung",
        "Rückzahlung",
        "Rückbuchung",
        "Rückbuchungsentgelt",
        "Allgemeine Abbuchung - Bankkonto",
        "Abgeschlossen",
        "Memo",
    ),
    "fr": (
        "Paiement Express Checkout",
        "Remboursement de paiement",
        "Rétrofacturation",
        "Frais de rétrofacturation",
        "Virement standard - Compte bancaire",
        "Terminé",
        "Mémo",
    ),
    "it": (
        "Pagamento Express Checkout",
        "Rimborso di pagamento",
        "Chargeback",
        "Tariffa di chargeback",
        "Prelievo generico - Conto bancario",
        "Completata",
        "Memo",
    ),
    "es": (
        "Pago con Pago exprés",
        "Reembolso de pago",
        "Contracargo",
        "Tarifa de contracargo",
        "Retirada general - Cuenta bancaria",
        "Completado",
        "Memo",
    ),
    "nl": (
        "Express Checkout-betaling",
        "Terugbetaling",
        "Chargeback",
        "Chargebackkosten",
        "Algemene opname - bankrekening",
        "Voltooid",
        "Memo",
    ),
}
READ: Final = [
    ("sale", "SO-101", 5877, 181, "7A1"), ("sale", "SO-102", 110000, 10, "7A2"), ("refund", "", -5877, 0, "7A1"),
    ("chargeback", "", -110000, 0, "7A2"), ("fee", "", 0, 1400, "7A2"), ("payout", "", -50000, 0, "7A6"),
]  # fmt: skip


def _amount(minor: int, mark: str) -> str:
    text = f"{abs(minor) // 100:,}.{abs(minor) % 100:02d}"
    text = text.replace(",", "_").replace(".", mark).replace("_", "." if mark == "," else ",")
    return f"-{text}" if minor < 0 else text


def _paypal(language: str, mark: str, separator: str) -> str:
    sale, refund, chargeback, fee, withdrawal, done, memo = WORDS[language]
    out = io.StringIO()
    rows = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    rows.writerow(PAYPAL[language].split("|"))
    balance = 100_000
    for kind, gross, kept, own, payment, order in (
        (sale, 5877, 181, "7A1", "", "SO-101"), (sale, 110000, 10, "7A2", "", "SO-102"),
        (refund, -5877, 0, "7A3", "7A1", ""), (chargeback, -110000, 0, "7A4", "7A2", ""),
        (fee, -1400, 0, "7A5", "7A2", ""), (withdrawal, -50000, 0, "7A6", "", ""), ("", 4200, 0, "7A7", "", "SO-103"),
    ):  # fmt: skip
        balance += gross - kept if kind else 0
        cells = {
            "day": "18/11/2026", "clock": "10:12:44", "zone": "CET", "name": "Mila Kora", "kind": kind or sale,
            "status": done, "currency": "EUR", "gross": _amount(gross, mark), "fee": _amount(-kept, mark),
            "net": _amount(gross - kept, mark), "id": own, "payment": payment, "order": order,
            "balance": _amount(balance, mark), "effect": "" if kind else memo,
        }  # fmt: skip
        rows.writerow([cells.get(what, "") for what in _MEANINGS])
    return out.getvalue()


def _rows(content: bytes) -> list[tuple[str, str, int, int, str]]:
    reading = open_settlement(io.BytesIO(content))
    assert reading is not None
    events = [each for each in reading.events() if isinstance(each, Movement)]
    assert not reading.proving.notes()
    return [
        (str(each.kind), each.order_reference, each.gross_minor, each.fee_minor, each.payment_id) for each in events
    ]


@settings(max_examples=30)
@given(
    language=st.sampled_from(sorted(PAYPAL)), mark=st.sampled_from(",."), separator=st.sampled_from(",;\t"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)  # fmt: skip
def test_an_activity_download_is_read_in_the_language_of_its_account(
    language: str, mark: str, separator: str, encoding: str
) -> None:
    assert _rows(_paypal(language, mark, separator).encode(encoding)) == READ


@pytest.mark.parametrize("language", sorted(PAYPAL))
def test_an_activity_download_is_read_in_every_language(language: str) -> None:
    assert _rows(_paypal(language, ",", ";").encode()) == READ


def test_the_short_download_of_the_netherlands_is_read() -> None:
    text = (
        '"Datum","Tijd","Tijdzone","Omschrijving","Valuta","Bruto","Kosten","Net","Saldo","Transactiereferentie","Van e-mailadres","Naam","Naam bank","Bankrekening","Verzendkosten","Btw","Factuurreferentie","Reference Txn ID"\n'
        '"18-11-2026","10:12:44","CET","Express Checkout-betaling","EUR","58,77","-1,81","56,96","156,96","7A1","","","","","0,00","0,00","SO-101",""\n'
    )
    assert _rows(text.encode()) == READ[:1]


@pytest.mark.parametrize(
    "heading",
    [
        "Date,Type,Currency,Gross,Fee,Net,Transaction ID,Order number,Payout ID",
        "Datum,Typ,Währung,Brutto,Gebühr,Netto,Transaktionscode,Bestellnummer,Auszahlung",
    ],
)
def test_a_table_with_everyday_headings_is_no_file_of_paypal(heading: str) -> None:
    row = "2026-11-18,Payment,EUR,58.77,-0.82,57.95,T1,SO-101,P-4711001\n"
    assert open_settlement(io.BytesIO(f"{heading}\n{row}".encode())) is None


AMAZON: Final = {
    "fr": (
        "date/heure|numéro de versement|type|numéro de la commande|sku|description|quantité|Marketplace|traitement|ventes de produits|Taxes sur la vente des produits|crédits d'expédition|taxe sur les crédits d’expédition|crédits sur l'emballage cadeau|Taxes sur les crédits cadeaux|Rabais promotionnels|Taxes sur les remises promotionnelles|Taxes retenues sur le site de vente|frais de vente|Frais Expédié par Amazon|autres frais de transaction|autre|total",
        ("Commande", "Remboursement", "Frais de service", "Prix de la publicité", "Transfert"), "20 nov. 2026",
    ),
    "it": (
        "Data/Ora:|Numero pagamento|Tipo|Numero ordine|SKU|Descrizione|Quantità|Marketplace|Gestione|Vendite|imposta sulle vendite dei prodotti|Accrediti per le spedizioni|imposta accrediti per le spedizioni|Accrediti per confezioni regalo|imposta sui crediti confezione regalo|Sconti promozionali|imposta sugli sconti promozionali|trattenuta IVA del marketplace|Commissioni di vendita|Costi del servizio Logistica di Amazon|Altri costi relativi alle transazioni|Altro|totale",
        ("Ordine", "Rimborso", "Commissione di servizio", "Costo della pubblicità", "Trasferimento"), "20 nov 2026",
    ),
    "es": (
        "fecha y hora|identificador de pago|tipo|número de pedido|sku|descripción|cantidad|web de Amazon|gestión logística|ventas de productos|impuesto de ventas de productos|abonos de envío|impuestos por abonos de envío|abonos de envoltorio para regalo|giftwrap credits tax|devoluciones promocionales|promotional rebates tax|impuesto retenido en el sitio web|tarifas de venta|tarifas de Logística de Amazon|tarifas de otras transacciones|otro|total",
        ("Pedido", "Reembolso", "Tarifa de prestación de servicio", "Gastos de publicidad", "Transferir"), "20 nov 2026",
    ),
    "nl": (
        "datum/tijd|schikkings-ID|type|bestelnummer|sku|beschrijving|aantal|marketplace|fulfillment|verkoop van producten|geïnde omzetbelasting|Verzendtegoeden|shipping credits tax|kredietpunten cadeauverpakking|giftwrap credits tax|promotiekortingen|promotional rebates tax|Belasting voor marketplace-facilitator|verkoopkosten|fba-vergoedingen|overige transactiekosten|overige|totaal",
        ("Bestelling", "Terugbetaling", "Servicekosten", "Advertentiekosten", "Overdracht"), "20 nov. 2026",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(AMAZON))
def test_a_date_range_report_is_read_in_the_language_of_its_account(language: str) -> None:
    heading, (order, refund, service, advertising, transfer), day = AMAZON[language]
    names = heading.split("|")
    zero = [0] * 8
    rows = []
    for kind, number, text, amounts in (
        (order, "404-1", "Coffee", (105000, 21000, 499, 100, 0, 0, -600, 0, -21000, -15750, 0, 0, 0)),
        (refund, "404-1", "Coffee", (-5000, -1000, *[0] * 6, 1000, 700, 0, 0, 0)),
        (service, "", advertising, (*zero, 0, 0, 0, -3900, 0)),
        (transfer, "", "...123", (*zero, 0, 0, 0, 0, -81049)),
    ):
        minor = [*amounts, sum(amounts)]
        front = [f"{day} 10:00:00 UTC", "81021822750", kind, number, "", text, "1", "", ""]
        rows.append([*front, *(f"{each / 100:.2f}".replace(".", ",") for each in minor)])
        assert len(rows[-1]) == len(names)
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in (names, *rows)) + "\n"
    assert [row[:1] + row[2:4] for row in _rows(text.encode())] == [
        ("sale", 125999, 36750), ("refund", -6000, -1700), ("fee", 0, 3900), ("payout", -81049, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "month"),
    [("3 févr. 2026", 2), ("3 août 2026", 8), ("3 déc. 2026", 12), ("3 gen 2026", 1), ("3 dicembre 2026", 12),
     ("3 ene 2026", 1), ("3 septiembre 2026", 9), ("3 mrt. 2026", 3), ("3 mei 2026", 5), ("3 augustus 2026", 8)],
)  # fmt: skip
def test_names_of_months_are_read_in_the_same_languages(text: str, month: int) -> None:
    assert day_of(text, "dmy").month == month
