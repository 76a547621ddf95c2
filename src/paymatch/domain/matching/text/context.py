"""Context of a number: the meaning of the word before it, and which words may be a name."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final


class Context(Enum):
    """The kind of number that the word before it announces."""

    NONE = "no word"
    ORDER = "order word"
    INVOICE = "invoice word"
    CUSTOMER = "customer word"
    ITEM = "item word"
    PARCEL = "parcel word"
    DATE = "date"
    OTHER = "word for another kind of number"  # telephone, tax, contract, meter, account


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ORDER_WORDS: Final = _words(
    """
    AB ANGEBOT AUFTR AUFTRAG AUFTRAGSNR AUFTRNR BEST BESTELLING BESTELLINGEN BESTELLNR BESTELNR BESTELNRS
    BESTELNUMMER BESTNR CDE CMD COMMANDE COMMANDES ENCOMENDA OBJEDNAVKA ORD ORDER ORDERNR ORDERS ORDINE ORDRE ORDRENR
    PEDIDO PI PO PREPAYMENT PROFORMA VORAUSKASSE VORKASSE ZAM ZAMOWIENIA ZAMOWIENIE
    """
)
_INVOICE_WORDS: Final = _words(
    """
    BELEG BELEGNR FACT FACTURE FACTURES FACTUUR FACTUURNR FAKT FAKTUR FAKTURA FAKTURY FATT FATTURA FATTURE FATURA FRA
    FV INV INVOICE INVOICES LASKU R
    RE RECH RECHNR RECHNUNG RECHNUNGEN RENR RG RGNR RNR
    """
)
_CUSTOMER_WORDS: Final = _words(
    """
    CLIENT CUST CUSTOMER DEB DEBITOR KD KDNR KLANT KLANTNR KLIENT KN KNR KUNDE KUNDEN KUNDENNR KUNDENNUMMER
    """
)
_ITEM_WORDS: Final = _words(
    """
    ART ARTIKEL ARTIKELNR ARTNR ITEM SKU
    """
)
_PARCEL_WORDS: Final = _words(
    """
    COLIS PAKET PAKETNR PARCEL SDG SENDUNG SENDUNGSNR SNR TRACK TRACKING ZENDING
    """
)
_DATE_WORDS: Final = _words(
    """
    AM DATE DATED DATUM DD DEL DU V VAN VOM
    """
)
_OTHER_WORDS: Final = _words(
    """
    AKTENZEICHEN ANRUF ANRUFEN AVIS AZ BIC BLZ BTW CHEQUE ERREICHBAR FAX FESTNETZ FILIALE FON HANDY HRA HRB IBAN
    KARTE KARTENABRECHNUNG KASSENZEICHEN KONTO KONTONR KTO KURS KURSNR LIZENZ MANDAT MANDATSREF MITGLIED MITGLIEDSNR
    MOBIL MOBILE NACH NIP OBJEKT PASVOLGNR PAYOUT PERSNR PERSONALNR PHONE PLZ POLICE RUCKRUF RUECKRUF SCHADEN SCHECK
    SCHECKNR STARTNR STEUER STEUERNR STEUERNUMMER STNR STR TAN TEL TELEFON TERM TERMINAL TRANSACTIE TVA UST USTID
    USTIDNR VAT VERSICHERUNG VERTR VERTRAG VERTRAGSNR WHATSAPP WHG WOHNUNG ZAEHLER ZAEHLERNR ZAHLER ZAHLERNR
    """
)
_EXACT: Final = {
    Context.ORDER: _ORDER_WORDS,
    Context.INVOICE: _INVOICE_WORDS,
    Context.CUSTOMER: _CUSTOMER_WORDS,
    Context.ITEM: _ITEM_WORDS,
    Context.PARCEL: _PARCEL_WORDS,
    Context.DATE: _DATE_WORDS,
    Context.OTHER: _OTHER_WORDS,
}
_CONTEXTS: Final = {word: context for context, words in _EXACT.items() for word in words} | {
    "AUFTRAGGEBER": Context.NONE  # the payer, whose account number may follow
}
_STARTS: Final = (
    ("BESTELL", Context.ORDER),
    ("AUFTRAG", Context.ORDER),
    ("BESTEL", Context.ORDER),
    ("ZAMOW", Context.ORDER),
    ("COMMAND", Context.ORDER),
    ("RECHN", Context.INVOICE),
    ("FACTU", Context.INVOICE),
    ("FAKTU", Context.INVOICE),
    ("INVOIC", Context.INVOICE),
    ("KUNDEN", Context.CUSTOMER),
    ("KLANT", Context.CUSTOMER),
    ("KLIENT", Context.CUSTOMER),
    ("CUSTOM", Context.CUSTOMER),
    ("ARTIKEL", Context.ITEM),
    ("SENDUNG", Context.PARCEL),
    ("TELEFON", Context.OTHER),
    ("STEUER", Context.OTHER),
    ("VERTRAG", Context.OTHER),
    ("ZAHLER", Context.OTHER),
    ("ZAEHLER", Context.OTHER),
)
_ENDS: Final = (
    ("BESTELLUNG", Context.ORDER),
    ("BESTELLNR", Context.ORDER),
    ("RECHNUNG", Context.INVOICE),
    ("RECHNUNGSNR", Context.INVOICE),
    ("STR", Context.OTHER),  # a street is followed by a house number and a postcode
    ("STRASE", Context.OTHER),
    ("STRASSE", Context.OTHER),
    ("STRAAT", Context.OTHER),
    ("GASSE", Context.OTHER),
    ("ALLEE", Context.OTHER),
)
FILLERS: Final = _words(
    """
    N NO NR NRS NS NUM NUMBER NUMERO NUMMER NUMMERN
    """
)
"""Words between the announcing word and the number."""
JOINERS: Final = _words(
    """
    AND E EN ET I ODER PLUS SOWIE U UND
    """
)
"""Words between the numbers of a list."""


@lru_cache(maxsize=16384)
def context_of(word: str) -> Context:
    """The kind that `word` (flat capitals) announces for the number after it."""
    known = _CONTEXTS.get(word)
    if known is not None:
        return known
    if len(word) >= 5:
        for start, context in _STARTS:
            if word.startswith(start):
                return context
        for end, context in _ENDS:
            if word.endswith(end):
                return context
    return Context.NONE


STOP_WORDS: Final = _words(
    """
    ABWA ABWE AG ARTIKEL AUFTRAG AUFTRAGGEBER AVIS BEDANKT BESTELLING BESTELLNR BESTELLNUMMER BESTELLUNG BESTELNR
    BETALING BETRAG BEZAHLT BEZAHLUNG BIC BITTE COMMANDE DANK DANKE DAS DER DIE EINKAUF EREF FACTUUR FACTURE FAKTURA
    FUER FUR GMBH GUTSCHRIFT IBAN IHR IHRE INST KAUF KD KENMERK KG KREF KUNDENNUMMER LAUT LT MEINE MERCI MITTEILUNGEN
    MOTIF MREF NAAM NAME NONREF NOTPROVIDED NR OMSCHRIJVING ONLINE ONLINEKAUF ORDER OVERBOEKING PER POUR RATE
    RECHNUNG RECU REF REMI SEPA SHOP SVWZ THANK THANKS TRTP UBERWEISUNG UEBERWEISUNG UND VERWENDUNGSZWECK VIELEN VIR
    VIREMENT VOM VOOR WARE YOU ZAHLUNG ZAHLUNGSREFERENZ ZU ZUR
    """
)
"""Words of a text that are not part of a name."""


@lru_cache(maxsize=16384)
def may_be_name(word: str) -> bool:
    """True if `word` (flat capitals) of a text may be a part of a name."""
    return len(word) > 2 and word not in STOP_WORDS and context_of(word) is Context.NONE
