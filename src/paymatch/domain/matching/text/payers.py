"""Payers who are not customers, and words of payments that identify no one when part of a name (D-80)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from paymatch.domain.matching.model import Payer
from paymatch.domain.matching.text.names import Likeness, Name, all_words, best_likeness, parse_name
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.postings import Posting


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CARRIERS: Final = _words(
    """
    CHRONOPOST COLISSIMO DHL DPD FEDEX GLS HERMES INPOST KURIER LOGISTICS LOGISTIK NACHNAHME PAKET POST POSTNL
    TNT UPS
    """
)
_MARKETPLACES: Final = _words(
    """
    ALLEGRO AMAZON BOL CDISCOUNT EBAY ETSY FNAC GALAXUS KAUFLAND MARKETPLACE MARKTPLATZ OTTO RAKUTEN RICARDO ZALANDO
    """
)
_PAYMENT_SERVICES: Final = _words(
    """
    ADYEN AFTERPAY BILLPAY CONCARDIS DATATRANS GIROPAY IZETTLE KLARNA MOLLIE NEXI PAYONE PAYPAL PAYU POSTFINANCE
    PRZELEWY RATEPAY SECUPAY SHOPIFY SIX SOFORT STRIPE SUMUP TWINT UNZER WISE WORLDLINE ZETTLE
    """
)
_COLLECTIVE: Final = _CARRIERS | _MARKETPLACES | _PAYMENT_SERVICES
SERVICE_PEOPLE: Final = _words("BOL HERMES OTTO POST SIX WISE")
"""Names of such payers that people also have."""
_AMBIGUOUS: Final = SERVICE_PEOPLE | _words(
    "ALLEGRO KURIER LOGISTICS LOGISTIK MARKETPLACE MARKTPLATZ NACHNAHME PAKET RICARDO SOFORT"
)
"""Those of them that are also surnames, first names or everyday words."""
_BUSINESS: Final = _words(
    """
    AUSTRIA CH COM DEUTSCHE DEUTSCHLAND EUROPE GERMANY LUXEMBOURG NL OSTEREICH OSTEREICHISCHE PAYMENT PAYMENTS
    SCHWEIZ SCHWEIZERISCHE SERVICE SERVICES VERSAND
    """
)
_PUBLIC: Final = _words(
    """
    ASURANCE ASURANCES BAUSPARKASE BELASTINGDIENST BERUFSGENOSENSCHAFT BUNDESAGENTUR BUNDESKASE CAF CPAM DGFIP
    FINANZAMT FINANZKASE GERICHTSKASE GESUNDHEITSKASE HAUPTZOLLAMT INSURANCE JUSTIZKASE KRANKENKASE KRANKENVERSICHERUNG
    LANDESKASE LEBENSVERSICHERUNG RENTENVERSICHERUNG SKARBOWY STADTKASE STADTWERKE UBEZPIECZENIA URSAF
    VERSICHERUNG VERSICHERUNGEN VERSICHERUNGS VERZEKERING VERZEKERINGEN
    """
)
"""In canonical spelling, as words of names are."""


BRANDS: Final = _COLLECTIVE - _AMBIGUOUS
"""Words that are the name of a carrier, a marketplace or a payment service and of nothing else."""
SERVICE_WORDS: Final = (_COLLECTIVE | _BUSINESS) - SERVICE_PEOPLE - {"RICARDO", "ALLEGRO"}
"""Words in the names of such payers that do not identify a customer."""


def is_collective_name(name: Name) -> bool:
    """True if a name is that of a carrier, a marketplace or a payment provider, who pays for many customers at once.

    Some share their names with people: `Otto Seiler` is a person, `Otto` and `Otto GmbH` are not.
    """
    if name.bag.isdisjoint(_COLLECTIVE):
        return False
    found = name.bag & _COLLECTIVE
    return name.company or len(name.bag) == 1 or not found <= SERVICE_PEOPLE or not name.bag.isdisjoint(_BUSINESS)


def fee_kind_of(name: Name) -> FeeKind | None:
    """The kind of fee that the payer of this name deducts; None if it is not known to pass on money."""
    if not is_collective_name(name):
        return None
    if not name.bag.isdisjoint(_MARKETPLACES):
        return FeeKind.COMMISSION
    return FeeKind.DELIVERY_FEE if not name.bag.isdisjoint(_CARRIERS) else FeeKind.PAYMENT_FEE


def is_named_like_its_orders(payers: Iterable[Name], orders: Iterable[Iterable[Name]]) -> bool:
    """True if a payer whose name is not known to be a carrier's or service's is called like every order that it pays.

    A word such as `Logistik` or `Paket` in a name does not tell: `Nordlicht Logistik GmbH` may be the customer. Its
    payouts would (D-5).
    """
    found, called = list(payers), [list(names) for names in orders]
    if not found or not called or any(not name.bag.isdisjoint(BRANDS) for name in found):
        return False
    return all(best_likeness(found, names) >= Likeness.VARIANT for names in called)


def payer_of(posting: Posting) -> Payer:
    """The identity of a payer: its account or, if the bank gives none, its name; and the currency."""
    known = posting.counterparty_iban or " ".join(parse_name(posting.counterparty_name).words)
    return known, posting.currency


def is_public_name(name: Name) -> bool:
    """True if a name is that of an office, an insurer or a utility, whose money is rarely for a purchase."""
    return not name.bag.isdisjoint(_PUBLIC)


_CASH: Final = """
    AUTOMAT BANCOMAT BARAUSZAHLUNG BAREINZAHLUNG BARZAHLEN BARZAHLUNG CASH CONTANTI CONTANT EFECTIVO EINZAHLUNG ESPECES
    GELDAUTOMAT GOTOWKA KASSE KASSENEINZAHLUNG MUENZEINZAHLUNG SCHALTER SCHALTEREINZAHLUNG SELBSTBEDIENUNG WPLATOMAT
"""
_TRUSTEES: Final = """
    ANDERKONTO CPD ESCROW INKASSO INSOLVENZVERWALTER NOTARANDERKONTO SAMMELKONTO TREUHAND TREUHANDKONTO
    VERRECHNUNGSKONTO ZWISCHENKONTO
"""
_TRANSFERRERS: Final = """
    AIRWALLEX AZIMO BANCONTACT BIZUM BUCKAROO COMPUTOP CURRENCYCLOUD DLOCAL DOTPAY EBANX GOCARDLESS HIPAY MONEYGRAM
    MULTISAFEPAY NETELLER NOVALNET PAYCONIQ PAYDIREKT PAYONEER PAYSAFE PAYSAFECARD PPRO PRZELEWY24 REMITLY REVOLUT
    RIVERTY SATISPAY SCALAPAY SKRILL TPAY TRANSFERMATE TRANSFERWISE TRUSTLY VIAFINTECH WERO WORLDREMIT
"""
_BANKS: Final = "BANCA BANCAIRE BANCO BANK BANKA BANKIA BANQUE CAIXA CAJA RAIFFEISENKASSE SPARBANK SPARKASSE"
_OF_HOLDERS: Final = frozenset(
    canonical(word) for words in (_CASH, _TRUSTEES, _TRANSFERRERS, _BANKS) for word in words.split()
)
_ENDS_OF_BANKS: Final = ("BANK", "SPARKASE")
_PAIRS_OF_HOLDERS: Final = tuple(
    frozenset(canonical(word) for word in pair.split())
    for pair in ("WESTERN UNION", "VR PAYMENT", "VR PAY", "DIRECT DEBIT", "CASH DEPOSIT", "CARD PROCESSING")
)


def is_holder_for_others(payers: Iterable[Name], names: Iterable[Name]) -> bool:
    """True if the payer is called like a bank, a cash desk, a trustee or a service that transfers people's money.

    Its account is not the customer's (D-5). A bank that buys something itself is called like its order.
    """
    found = [name for name in payers if _is_holder(name)]
    return bool(found) and best_likeness(found, list(names)) < Likeness.VARIANT


def is_chosen_name(name: Name) -> bool:
    """True if a name is that of an office, an insurer, a bank or a desk, whose money a customer of that name could get.

    Any customer can call itself so. Surnames that end in `bank` are people's.
    """
    if is_public_name(name):
        return True
    person = not name.company and len(name.words) > 1 and name.bag.isdisjoint(_BUSINESS)
    return _is_holder(name) and not (person and name.words[-1].endswith(_ENDS_OF_BANKS[0]))


def _is_holder(name: Name) -> bool:
    if not name.bag.isdisjoint(_OF_HOLDERS) or any(pair <= name.bag for pair in _PAIRS_OF_HOLDERS):
        return True
    return any(len(word) > len(end) and word.endswith(end) for word in name.bag for end in _ENDS_OF_BANKS)


_WORD: Final = re.compile("[A-Z]{3,}")
COMPANY_FORMS: Final = frozenset(
    ("GMBH", "AG", "KG", "OHG", "UG", "EK", "EV", "SARL", "SAS", "BV", "NV", "SA", "SP", "OG", "VOF")
)
"""Legal forms in names of companies."""
SHORT: Final = 2
"""Words this short are in any text."""

BY_LANGUAGE: Final[Mapping[str, str]] = {
    "de": """
        ABSCHLAG ANZAHLUNG ARTIKEL AUFTRAG AUFTRAGSNUMMER AUSZAHLUNG BANK BEITRAG BELEG BESTE BESTEN
        BESTELLNUMMER BESTELLUNG BESTELLUNGEN BETRAG BETREFF BEZAHLT BEZAHLUNG BITTE DANK DANKE DANKESCHOEN DAS
        DATUM DEIN DEINE DEM DIE EIN EINE EINKAUF ENTGELT ERHALTEN EURO FREUNDLICHE FREUNDLICHEN FUER GEBUEHR
        GELD GESAMT GRUESSE GRUESSEN GRUSS GUTSCHRIFT HALLO HERZLICH HERZLICHE HERZLICHEN ICH IHR IHRE INKL
        INTERNET JANUAR FEBRUAR MAERZ APRIL MAI JUNI JULI AUGUST SEPTEMBER OKTOBER NOVEMBER DEZEMBER KARTE KAUF
        KONTO KUNDE KUNDEN KUNDENNUMMER KUNDIN LASTSCHRIFT LIEBE LIEBEN LIEFERUNG LIEFERSCHEIN MAHNUNG MEIN
        MEINE MIT MONAT NACHNAHME NAME NUMMER ONLINE ONLINESHOP PAKET PER RATE RECHNUNG RECHNUNGEN
        RECHNUNGSBETRAG RECHNUNGSNUMMER REFERENZ RESTBETRAG RESTZAHLUNG SCHOEN SCHOENE SCHOENEN SENDUNG SHOP
        SKONTO SUMME TEILZAHLUNG TELEFON TERMIN UEBERWEISUNG UND VERSAND VERWENDUNGSZWECK VIELE VIELEN VOM VON
        VORAB VORAUSKASSE VORAUSZAHLUNG VORKASSE WARE WAREN WIE ZAHLUNG ZAHLUNGEN ZAHLUNGSEINGANG ZAHLUNGSZWECK
        ZUM ZUR ZWECK
    """,
    "en": """
        ACCOUNT AMOUNT AND BALANCE BANK BEST BILL BUY CARD CASH CUSTOMER DATE DEAR DELIVERY DEPOSIT FEE FOR FROM GOODS
        HELLO INSTALMENT INVOICE ITEM ITEMS JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER
        DECEMBER KIND MANY MONEY MONTH MUCH NAME NUMBER ONLINE ORDER ORDERED ORDERS PAID PARCEL PART PAY PAYING PAYMENT
        PAYMENTS PAYOUT PLEASE PREPAYMENT PURCHASE RECEIPT REF REFERENCE REFUND REGARDS SALE SHIPMENT SHIPPING SHOP
        SHOPPING STORE SUM THANK THANKS THE TOTAL TRANSFER VERY WEB WITH YOU YOUR
    """,
    "fr": """
        ACHAT ACHATS ACOMPTE AVEC BANQUE BEAUCOUP BIEN BONJOUR BOUTIQUE CARTE CLIENT CLIENTE COLIS COMMANDE COMMANDES
        COMPTE CORDIALEMENT COURRIER DATE EUROS EXPEDITION FACTURE FACTURES FRAIS JANVIER FEVRIER MARS AVRIL MAI JUIN
        JUILLET AOUT SEPTEMBRE OCTOBRE NOVEMBRE DECEMBRE LIVRAISON MAGASIN MERCI MOIS MON MONTANT NOM NOS NOTRE NUMERO
        PAIEMENT PAIEMENTS POUR REFERENCE REGLEMENT REMBOURSEMENT SALUTATIONS SOLDE SUR TOTAL VERSEMENT VIREMENT VOS
        VOTRE
    """,
    "nl": """
        AANBETALING BANK BEDANKT BEDRAG BESTELLING BESTELLINGEN BESTELNUMMER BETAALD BETALING BETALINGEN DANK DANKJEWEL
        DANKUWEL DATUM DEEL DEZE EEN EUR FACTUUR FACTUURNUMMER FACTUREN GROET GROETEN HARTELIJK HET JANUARI FEBRUARI
        MAART APRIL MEI JUNI JULI AUGUSTUS OKTOBER KENMERK KLANT KLANTNUMMER KOSTEN LEVERING MAAND MET MIJN NAAM NUMMER
        OMSCHRIJVING ONZE OPDRACHT OVERBOEKING OVERSCHRIJVING PAKKET REKENING TERMIJN UW VAN VERZENDING VOOR
        VRIENDELIJKE WINKEL
    """,
    "it": """
        ACCONTO ACQUISTO ACQUISTI BANCA BONIFICO BUONGIORNO CARTA CLIENTE CODICE COGNOME CON CONTO CORDIALI CORDIALMENTE
        DATA FATTURA FATTURE GENNAIO FEBBRAIO MARZO APRILE MAGGIO GIUGNO LUGLIO AGOSTO SETTEMBRE OTTOBRE NOVEMBRE
        DICEMBRE GRAZIE IMPORTO MESE MILLE MOLTE NEGOZIO NOME NUMERO ORDINE ORDINI PACCO PAGAMENTO PAGAMENTI PER RATA
        RIFERIMENTO SALDO SALUTI SPEDIZIONE SPESE TOTALE VERSAMENTO VOSTRA VOSTRO
    """,
    "pl": """
        BANK CENA DANE DATA DOSTAWA DZIEKI DZIEKUJE DZIEKUJEMY FAKTURA FAKTURY FAKTURE IMIE STYCZEN LUTY MARZEC KWIECIEN
        MAJ CZERWIEC LIPIEC SIERPIEN WRZESIEN PAZDZIERNIK LISTOPAD GRUDZIEN KLIENT KLIENTA KONTO KURIER KWOTA NAZWA
        NAZWISKO NUMER OPLATA OPLACONE PACZKA PLATNOSC PLATNOSCI POZDRAWIAM POZDROWIENIA PRZELEW PRZESYLKA RACHUNEK RATA
        RAZEM SKLEP SUMA TOWAR TYTULEM WPLATA WYSYLKA ZALICZKA ZAKUP ZAKUPY ZAMOWIENIA ZAMOWIENIE ZAPLATA ZLECENIE
    """,
    "es": """
        ABONO BANCO BUENAS BUENOS CANTIDAD CARGO CLIENTE COMPRA COMPRAS CON CONCEPTO CORDIAL CUENTA CUOTA ENERO FEBRERO
        MARZO ABRIL MAYO JUNIO JULIO AGOSTO SEPTIEMBRE OCTUBRE NOVIEMBRE DICIEMBRE ENTREGA ENVIO FACTURA FACTURAS FECHA
        GASTOS GRACIAS HOLA IMPORTE INGRESO MES MUCHAS NOMBRE NUESTRO NUMERO PAGO PAGOS PAQUETE PARA PEDIDO PEDIDOS
        PLAZO POR RECIBO REFERENCIA SALDO SALUDO SALUDOS SENAL TARJETA TIENDA TOTAL TRANSFERENCIA
    """,
    "banks": """
        ABWA BIC CRED CRD EREF GIRO IBAN INFO KREF MREF NOTPROVIDED REF RCVD SCT SEPA SVWZ TAN TRX TXT URI XXX ZV
    """,
}
"""Thanks, greetings, months, words for payments, orders, invoices, numbers and goods; what banks write themselves."""


def _canonical(text: str) -> frozenset[str]:
    return frozenset(canonical(word) for word in flat(text).split())


COMMON: Final = frozenset().union(*map(_canonical, BY_LANGUAGE.values())) | SERVICE_WORDS
"""Words without weight as a name, in canonical spelling, including those of carriers, marketplaces and services."""


OFTEN: Final = 5
"""How many payers must write a word before it identifies none of the shop's customers."""


def often_written(payments: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The words, in canonical spelling, that this many payers write in their payments, given as (text, payer's name).

    A payer's own name never counts, no matter who else writes it.
    """
    payers: dict[str, set[str]] = {}
    for text, name in payments:
        payer = flat(name)
        own = {canonical(word) for word in _WORD.findall(payer)}
        for word in {canonical(word) for word in _WORD.findall(flat(text))} - own:
            payers.setdefault(word, set()).add(payer)
    return frozenset(word for word, writers in payers.items() if len(writers) >= OFTEN)


HEADED: Final = 10
"""With how many payments at least the words that begin half of them are a bank's."""


def bank_headings(payments: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The words, in flat capitals, with which half of these payments' texts or more begin: no payer writes them.

    Some banks put their own word before the payer's text: `Gutschrift Mia Kurz Bestellung 10480`.
    """
    begins = [found.group() for text, _ in payments if (found := _WORD.match(flat(text))) is not None]
    return frozenset(word for word, count in Counter(begins).items() if count >= HEADED and 2 * count >= len(payments))


def rare_words(name: Name, own: frozenset[str]) -> frozenset[str]:
    """The identifying words of the name: no everyday words, none of the shop's `own` or often-read ones.

    None of a name that contains a carrier's, marketplace's or payment service's name: any customer can choose it.
    """
    words = all_words(name)
    if not words.isdisjoint(BRANDS):
        return frozenset()
    rare = frozenset(word for word in words if len(word) > SHORT and word not in COMMON and word not in own)
    return frozenset() if rare <= SERVICE_PEOPLE and is_collective_name(name) else rare
