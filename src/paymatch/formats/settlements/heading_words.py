"""Usual headings of settlement files by what the column holds, in the languages of the services' exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.formats.settlements.layouts import SettlementColumn

_C = SettlementColumn
WORDS: Final[Mapping[SettlementColumn, tuple[str, ...]]] = {
    _C.GROSS: (
        "gross", "gross amount", "brutto", "bruttobetrag", "umsatz", "total", "betrag brutto",
        "gross transaction amount", "transaktionsbetrag inkl kosten", "montant brut", "brut", "importo lordo", "lordo",
        "importe bruto", "bruto", "brutobedrag", "kwota brutto", "bruttobelopp",
    ),
    _C.FEE: (
        "fee", "fees", "fee amount", "gebuhr", "gebuhren", "entgelt", "provision", "commission", "charge", "frais",
        "commissione", "commissioni", "comision", "comisiones", "tarifa", "kosten", "tarief", "prowizja", "avgift",
    ),
    _C.NET: (
        "net", "net amount", "netto", "nettobetrag", "auszahlungsbetrag", "payout amount", "betrag netto",
        "montant net", "importo netto", "importe neto", "neto", "nettobedrag", "nettobelopp", "kwota netto",
    ),
    _C.ZONE: ("timezone", "time zone", "zeitzone", "fuseau horaire", "fuso orario", "zona horaria", "tijdzone"),
    _C.CURRENCY: (
        "currency", "wahrung", "payout currency", "net currency", "gross currency", "devise", "valuta", "divisa",
        "moneda", "waluta", "valutakod",
    ),
    _C.ORDER: (
        "order", "order number", "order id", "order reference", "merchant reference", "merchant transaction reference",
        "bestellnummer", "bestellung", "auftragsnummer", "numero de commande", "commande", "numero ordine",
        "numero d ordine", "ordine", "numero de pedido", "pedido", "bestelnummer", "ordernummer", "numer zamowienia",
    ),
    _C.ID: (
        "transaction id", "id", "transaction", "transaktion", "transaktionsnummer", "transaktions id", "payment id",
        "modification reference", "transaktionscode", "unique id", "kurz id", "numero de transaction",
        "id transazione", "id de transaccion", "transactie id", "transactienummer",
    ),
    _C.PAYMENT: ("psp reference", "original transaction id"),
    _C.PAYOUT_ID: (
        "payout id", "payout", "settlement id", "auszahlung", "auszahlungs id", "auszahlungsnummer", "batch number",
        "numero de versement", "id accredito", "numero accredito", "id de pago", "uitbetalingsnummer", "numer wyplaty",
        "numer wypłaty",
    ),
    _C.PAYOUT_DATE: (
        "payout date", "settlement date", "auszahlungsdatum", "date de versement", "data accredito", "fecha de pago",
        "uitbetalingsdatum", "data wyplaty", "data wypłaty",
    ),
    _C.KIND: (
        "type", "kind", "transaction type", "typ", "art", "transaktionsart", "category", "vorgang", "tipo", "soort",
        "rodzaj", "nature", "buchungstyp", "transaktionstyp", "umsatzart",
    ),
    _C.TIME: (
        "date", "transaction date", "transaction creation date", "creation date", "created", "created at", "time",
        "datum", "zeitpunkt", "buchungsdatum", "timestamp", "data", "fecha", "date de transaction",
    ),
    _C.TEXT: (
        "description", "text", "details", "beschreibung", "verwendungszweck", "descrizione", "descripcion",
        "omschrijving", "opis", "libelle",
    ),
}  # fmt: skip
PAIRS: Final = (
    (_C.GROSS, ("gross credit", "gross credit gc", "credit", "haben", "gutschrift"), _C.GROSS_DEBIT,
     ("gross debit", "gross debit gc", "debit", "soll", "belastung")),
    (_C.NET, ("net credit", "net credit nc", "haben netto"), _C.NET_DEBIT,
     ("net debit", "net debit nc", "soll netto")),
)  # fmt: skip
"""Columns of what came in and what went out: proposed together, and only where no column has both."""
PARTS: Final[tuple[tuple[SettlementColumn, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        _C.PAYOUT_DATE,
        ("payout dat", "settlement dat", "settled on", "paid out on", "auszahlungsdat", "valuta", "value dat",
         "abrechnungsdat", "deposit dat", "versement", "accredito", "uitbetaling"),
        (),
    ),
    (
        _C.PAYOUT_ID,
        ("payout", "settlement", "auszahlung", "abrechnung", "batch", "remittance id", "disbursement", "versement",
         "accredito", "uitbetaling", "liquidacion"),
        ("dat", "amount", "betrag", "currency", "wahrung", "status", "method", "type", "art"),
    ),
    (
        _C.FEE,
        (
            "fee", "gebuhr", "provision", "commission", "disagio", "entgelt", "kosten", "charge", "cost", "interchange",
            "markup", "abzug", "deduction", "kept", "withheld", "einbehalten", "frais", "tariff", "comision",
        ),
        ("currency", "wahrung", "rate", "satz", "percent", "type", "art", "net", "tax"),
    ),
    (_C.NET, ("net", "netto"), ("currency", "wahrung", "netw", "fee")),
    (_C.GROSS, ("gross", "brutto", "umsatz"), ("currency", "wahrung", "fee", "art")),
    (_C.CURRENCY, ("currency", "wahrung", "devise"), ()),
    (
        _C.KIND,
        ("type", "kind", "typ", "art", "vorgang", "category", "kategorie", "event", "tipo", "soort"),
        ("card", "karte", "zahlung", "payment"),
    ),
    (
        _C.ORDER,
        ("order", "bestell", "auftrag", "merchant ref", "handlerref", "shop ref", "commande", "ordine", "pedido",
         "reference", "referenz", " ref", "invoice", "rechnung"),
        ("dat", "amount", "betrag", "status", "total"),
    ),
    (
        _C.ID,
        ("transaction", "transaktion", "payment", "zahlung", "beleg"),
        ("dat", "type", "typ", "art", "amount", "betrag", "time", "status", "method", "weise", "mittel", "currency"),
    ),
    (
        _C.TIME,
        (
            "transaction dat", "transaktionsdat", "buchungsdat", "created", "dat", "time", "zeit", "tag", " day",
            "valuta", "fecha",
        ),
        ("zone", "betrag"),
    ),
    (_C.TEXT, ("description", "beschreibung", "details", "text", "zweck"), ()),
)  # fmt: skip
"""Parts of headings that no list of words has, with those that exclude them: the surer ones first."""
WHOLE: Final = (
    "amount",
    "betrag",
    "transaction amount",
    "transaktionsbetrag",
    "montant",
    "importo",
    "importe",
    "bedrag",
)
"""Headings that are the gross amount where fee and net amount are beside them."""
LEFT: Final = ("paid", "paid out", "ausgezahlt", "auszahlung", "amount paid", "payout")
"""Headings that are the net amount where gross amount and fee are beside them."""
TOTALS: Final = frozenset(
    (
        "summe", "gesamt", "gesamtsumme", "gesamtbetrag", "zwischensumme", "total", "totals", "grand total", "subtotal",
        "sum", "somme", "total general", "totale", "totale generale", "totaal", "suma", "summa", "razem", "celkem",
    )
)  # fmt: skip
"""The words of a row that only adds up the rows above."""
