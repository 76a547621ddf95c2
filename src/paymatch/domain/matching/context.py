"""What the word before a number says about it, and what the words of a text say about the payment."""

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
    BESTELNUMMER BESTNR CDE CMD COMMANDE COMMANDES ORD ORDER ORDERNR ORDERS ORDINE PEDIDO PI PO PREPAYMENT
    PROFORMA VORAUSKASSE VORKASSE ZAM ZAMOWIENIA ZAMOWIENIE
    """
)
_INVOICE_WORDS: Final = _words(
    """
    BELEG BELEGNR FACT FACTURE FACTURES FACTUUR FACTUURNR FAKT FAKTUR FAKTURA FAKTURY FV INV INVOICE INVOICES R
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
    AKTENZEICHEN AZ BIC BLZ BTW FAX FESTNETZ FON HANDY HRA HRB IBAN KARTE KARTENABRECHNUNG KASSENZEICHEN
    KONTO KONTONR KTO LIZENZ MANDAT MANDATSREF MITGLIED MITGLIEDSNR MOBIL MOBILE NIP PAYOUT PHONE PLZ POLICE
    STEUER STEUERNR STEUERNUMMER STNR STR TAN TEL TELEFON TVA UST USTID USTIDNR VAT VERSICHERUNG VERTR VERTRAG
    VERTRAGSNR ZAEHLER ZAEHLERNR ZAHLER ZAHLERNR
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
_CONTEXTS: Final = {word: context for context, words in _EXACT.items() for word in words}
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
    """What `word` (flat capitals) announces about the number after it."""
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


_NO_PURCHASE: Final = _words(
    """
    AUSSCHUETTUNG BAREINZAHLUNG COMMISSION DARLEHEN DIVIDEND DIVIDENDE EIGENUEBERTRAG EINLAGE GEHALT
    GELDGESCHENK GESCHENK HABENZINSEN INTEREST INTERETS KAUTION KREDIT LOHN LOYER MIETE MIETEINNAHME NEBENKOSTEN
    PROVISION REISEKOSTEN RENT SALAIRE SALARY SPENDE SUBVENTION TILGUNG TRINKGELD UBERTRAG UEBERTRAG UMBUCHUNG
    VORSCHUSS WERBEKOSTENZUSCHUSS WKZ ZINSEN ZUSCHUSS
    """
)
_AGAINST: Final = _NO_PURCHASE | _words(
    """
    ABRECHNUNG AKTENZEICHEN AUSZAHLUNG BARGELD BEITRAGSRUECKGEWAEHR BONIFIKATION BONUS DISBURSEMENT EINZAHLUNG
    ENERGIE ERSTATTUNG ERTRAG FINANZAMT FINANZKASSE FOERDERUNG FORDERUNG GAS GUTHABEN GUTSCHRIFT KONTOFUEHRUNG
    LIEFERANT MITGLIED PAYOUT POLICE POLICY PRAEMIE PRAMIE REKLAMATION RETOURE RUCKFRAGEN RUCKZAHLUNG
    RUECKFRAGEN RUECKVERGUETUNG RUECKZAHLUNG SETTLEMENT STEUER STNR STORNO STROM VERSICHERUNG VERTRAG VORSTEUER
    ZAEHLER ZAHLER
    """
)
_BANK_HEADS: Final = frozenset(
    ("AUFTRAGGEBER", "MITTEILUNGEN")
)  # `GUTSCHRIFT AUFTRAGGEBER: ...` is the bank's own heading
_AGAINST_BESIDE_HEADS: Final = _AGAINST - {"GUTSCHRIFT"}
_PAYOUT: Final = _words(
    """
    AUSZAHLUNG COD CONTREREMBOURSEMENT NACHNAHME NACHNAHMEBETRAEGE NACHNAHMEBETRAGE NACHNAHMEN NN PAYOUT REMISE
    SETTLEMENT
    """
)
_REFUND: Final = _words(
    """
    CREDIT ERSTATTUNG GUTSCHRIFT REFUND REFUNDS REMBOURSEMENT RETOUR RETOURE RETURN RUCKERSTATTUNG RUCKZAHLUNG
    RUECKERSTATTUNG RUECKZAHLUNG STORNO TERUGBETALING ZWROT
    """
)
_SKONTO: Final = _words(
    """
    ABZGL ABZUEGLICH ABZUGL DISCOUNT ESCOMPTE KORTING KORTINGEN RABATT SKONTI SKONTO SKTO
    """
)
_FEE: Final = _words(
    """
    BEN CHARGES ENTGELT ENTGELTE FEE FEES FRAIS GEBUEHR GEBUEHREN GEBUHR GEBUHREN INCL KOSTEN OUR SHA SPESEN
    """
)
_INSTALMENT: Final = _words(
    """
    ABSCHLAG ACOMPTE ANZAHLUNG DEEL INSTALLMENT INSTALMENT RATA RATE RATEN REST RESTBETRAG RESTZAHLUNG TEILBETRAG
    TEILZAHLUNG TERMIJN
    """
)
_COLLECTIVE: Final = _words(
    """
    ADYEN AFTERPAY ALLEGRO AMAZON BILLPAY BOL CDISCOUNT CHRONOPOST COLISSIMO CONCARDIS DATATRANS DHL DPD EBAY
    ETSY EXPRESS FEDEX FNAC GALAXUS GIROPAY GLS HERMES INPOST IZETTLE KAUFLAND KLARNA KURIER LOGISTICS LOGISTIK
    MARKETPLACE MARKTPLATZ MOLLIE NACHNAHME NEXI OTTO PAKET PAYONE PAYPAL PAYU POST POSTFINANCE POSTNL PRZELEWY
    RAKUTEN RATEPAY RICARDO SECUPAY SHOPIFY SIX SOFORT STRIPE SUMUP TNT TWINT UNZER UPS WISE WORLDLINE ZALANDO
    ZETTLE
    """
)
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
"""Words of a text that are no part of a name."""


_TELLING: Final = _AGAINST | _PAYOUT | _REFUND | _SKONTO | _FEE | _INSTALMENT


@lru_cache(maxsize=16384)
def may_be_name(word: str) -> bool:
    """True if `word` (flat capitals) of a text may be a part of a name."""
    return len(word) > 2 and word not in STOP_WORDS and context_of(word) is Context.NONE


class Words:
    """What the words of a posting's text say, each True if a word of its kind is there."""

    __slots__ = ("against", "fee", "instalment", "no_purchase", "payout", "refund", "skonto")

    def __init__(self, words: frozenset[str]) -> None:
        if words.isdisjoint(_TELLING):
            self.no_purchase = self.against = self.payout = self.refund = False
            self.skonto = self.fee = self.instalment = False
            return
        self.no_purchase = not words.isdisjoint(_NO_PURCHASE)
        self.against = not words.isdisjoint(_AGAINST if words.isdisjoint(_BANK_HEADS) else _AGAINST_BESIDE_HEADS)
        self.payout = not words.isdisjoint(_PAYOUT)
        self.refund = not words.isdisjoint(_REFUND)
        self.skonto = not words.isdisjoint(_SKONTO)
        self.fee = not words.isdisjoint(_FEE)
        self.instalment = not words.isdisjoint(_INSTALMENT)


def is_collective_name(words: frozenset[str]) -> bool:
    """True if a name is that of a carrier, a marketplace or a payment provider, who pays for many customers at once."""
    return not words.isdisjoint(_COLLECTIVE)
