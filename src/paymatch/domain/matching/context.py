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


_EXACT: Final[dict[str, Context]] = {}
for _context, _words in (
    (
        Context.ORDER,
        "BEST BESTNR BESTELLNR BESTELNR BESTELNUMMER BESTELLING BESTELLINGEN BESTELNRS AUFTRAG AUFTRAGSNR AUFTR AUFTRNR AB ORDER ORDERS ORDERNR ORD "
        "COMMANDE COMMANDES CDE CMD ZAM ZAMOWIENIE ZAMOWIENIA ORDINE PEDIDO VORKASSE VORAUSKASSE PREPAYMENT PO PI PROFORMA ANGEBOT",
    ),
    (
        Context.INVOICE,
        "RE RG R RNR RENR RGNR RECH RECHNR RECHNUNG RECHNUNGEN FAKTURA FAKT FAKTURY FACTURE FACTURES FACT FACTUUR FACTUURNR FV INV INVOICE INVOICES BELEG "
        "BELEGNR FAKTUR",
    ),
    (
        Context.CUSTOMER,
        "KD KDNR KNR KN KUNDE KUNDENNR KUNDENNUMMER CUSTOMER CLIENT KLANT KLANTNR KLIENT KUNDEN CUST DEBITOR DEB",
    ),
    (Context.ITEM, "ART ARTNR ARTIKEL ARTIKELNR ITEM SKU"),
    (Context.PARCEL, "SENDUNG SENDUNGSNR PAKET PAKETNR TRACKING COLIS PARCEL TRACK SNR SDG ZENDING"),
    (Context.DATE, "VOM V AM DU DD DATUM DATE VAN DEL DATED"),
    (
        Context.OTHER,
        "TEL TELEFON FON MOBIL MOBILE PHONE FAX HANDY STEUER STNR STEUERNR STEUERNUMMER STR UST USTID USTIDNR VAT TVA BTW NIP IBAN KONTO KTO "
        "KONTONR BLZ BIC VERTRAG VERTRAGSNR VERTR ZAEHLER ZAHLER ZAEHLERNR ZAHLERNR MANDAT MANDATSREF PLZ PAYOUT FESTNETZ KARTE "
        "KARTENABRECHNUNG TAN VERSICHERUNG POLICE AKTENZEICHEN AZ KASSENZEICHEN MITGLIED MITGLIEDSNR LIZENZ HRB HRA DE",
    ),
):
    for _word in _words.split():
        _EXACT[_word] = _context

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
FILLERS: Final = frozenset(["NR", "NO", "NUM", "NUMMER", "NUMMERN", "NUMBER", "NRS", "N", "NUMERO", "NS"])
JOINERS: Final = frozenset(["U", "UND", "AND", "ET", "EN", "ODER", "SOWIE", "I", "E", "PLUS"])


@lru_cache(maxsize=16384)
def context_of(word: str) -> Context:
    """What `word` (flat capitals) announces about the number after it."""
    known = _EXACT.get(word)
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


_AGAINST: Final = frozenset(
    ["LIEFERANT", "PROVISION", "UMBUCHUNG", "ZINSEN", "HABENZINSEN", "PAYOUT", "ABRECHNUNG", "VORSTEUER", "FINANZKASSE", "FINANZAMT", "GEHALT", "LOHN", "MIETE", "DARLEHEN", "EINLAGE", "ZAEHLER", "ZAHLER", "KAUTION", "DIVIDENDE", "BONUS", "KONTOFUEHRUNG", "UEBERTRAG", "UBERTRAG", "RUECKFRAGEN", "RUCKFRAGEN", "STEUER", "BEITRAG", "STNR", "ZUSCHUSS", "PRAEMIE", "PRAMIE", "AUSSCHUETTUNG", "SPENDE", "EIGENUEBERTRAG", "FOERDERUNG", "FORDERUNG", "SUBVENTION", "KREDIT", "TILGUNG", "ERTRAG", "AUSZAHLUNG", "EINZAHLUNG", "BARGELD", "SETTLEMENT", "DISBURSEMENT", "COMMISSION", "INTEREST", "SALARY", "DIVIDEND", "RENT", "LOYER", "INTERETS", "SALAIRE", "RUECKVERGUETUNG", "BONIFIKATION", "WERBEKOSTENZUSCHUSS", "WKZ", "ENERGIE", "STROM", "GAS", "NEBENKOSTEN"]
)
_REFUND: Final = frozenset(
    ["REFUND", "REFUNDS", "RUECKZAHLUNG", "RUCKZAHLUNG", "ERSTATTUNG", "RUECKERSTATTUNG", "RUCKERSTATTUNG", "GUTSCHRIFT", "REMBOURSEMENT", "TERUGBETALING", "ZWROT", "RETOURE", "RETOUR", "RETURN", "CREDIT", "STORNO"]
)
_SKONTO: Final = frozenset(
    ["SKONTO", "SKTO", "ABZGL", "ABZUEGLICH", "ABZUGL", "RABATT", "DISCOUNT", "ESCOMPTE", "KORTING", "KORTINGEN", "SKONTI"]
)
_FEE: Final = frozenset(
    ["OUR", "SHA", "BEN", "GEBUEHR", "GEBUHR", "GEBUEHREN", "GEBUHREN", "SPESEN", "FEE", "FEES", "CHARGES", "FRAIS", "KOSTEN", "ENTGELT", "ENTGELTE", "INCL"]
)
_RATE: Final = frozenset(
    ["RATE", "RATEN", "TEILZAHLUNG", "TEILBETRAG", "ANZAHLUNG", "ABSCHLAG", "INSTALMENT", "INSTALLMENT", "RESTZAHLUNG", "REST", "RESTBETRAG", "ACOMPTE", "TERMIJN", "RATA"]
)
_COLLECTIVE: Final = frozenset(
    ["DHL", "UPS", "GLS", "DPD", "HERMES", "FEDEX", "TNT", "POST", "POSTNL", "CHRONOPOST", "COLISSIMO", "INPOST", "PAYPAL", "KLARNA", "AMAZON", "STRIPE", "MOLLIE", "ADYEN", "SUMUP", "EBAY", "OTTO", "KAUFLAND", "ZALANDO", "ALLEGRO", "ETSY", "CDISCOUNT", "BOL", "RICARDO", "GALAXUS", "WISE", "CONCARDIS", "PAYONE", "UNZER", "RATEPAY", "BILLPAY", "AFTERPAY", "IZETTLE", "ZETTLE", "NEXI", "WORLDLINE", "SIX", "DATATRANS", "POSTFINANCE", "TWINT", "SHOPIFY", "FNAC", "RAKUTEN", "MARKETPLACE", "MARKTPLATZ", "PAKET", "EXPRESS", "LOGISTICS", "LOGISTIK", "KURIER", "NACHNAHME", "GIROPAY", "SOFORT", "SECUPAY", "PRZELEWY", "PAYU"]
)
_BUSINESS_OF_THE_HOUSE: Final = frozenset(["PAYPAL", "KLARNA", "STRIPE", "MOLLIE", "ADYEN", "SUMUP", "AMAZON", "EBAY"])
STOP_WORDS: Final = frozenset(
    ["DANKE", "VIELEN", "DANK", "BESTELLUNG", "RECHNUNG", "ONLINE", "SHOP", "ONLINEKAUF", "EINKAUF", "KAUF", "ZAHLUNG", "BEZAHLUNG", "UEBERWEISUNG", "UBERWEISUNG", "VOM", "FUR", "FUER", "ZU", "ZUR", "IHRE", "IHR", "MEINE", "BITTE", "LT", "LAUT", "AVIS", "NR", "DER", "DIE", "DAS", "UND", "WARE", "ARTIKEL", "PER", "BETRAG", "GUTSCHRIFT", "ORDER", "THANKS", "THANK", "YOU", "MERCI", "BEDANKT", "COMMANDE", "BESTELLING", "RATE", "BEZAHLT", "AUFTRAG", "KUNDENNUMMER", "KD", "GMBH", "AG", "KG"]
)


class Words:
    """What the words of a posting's text say, each True if a word of its kind is there."""

    __slots__ = ("against", "fee", "instalment", "refund", "skonto")

    def __init__(self, words: frozenset[str]) -> None:
        self.against = not words.isdisjoint(_AGAINST)
        self.refund = not words.isdisjoint(_REFUND)
        self.skonto = not words.isdisjoint(_SKONTO)
        self.fee = not words.isdisjoint(_FEE)
        self.instalment = not words.isdisjoint(_RATE)


@lru_cache(maxsize=65536)
def is_collective_name(words: frozenset[str]) -> bool:
    """True if a name is that of a carrier, a marketplace or a payment provider, who pays for many customers at once."""
    return not words.isdisjoint(_COLLECTIVE)
