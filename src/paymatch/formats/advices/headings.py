"""Headings of advices: the meaning of columns, in the terms of carriers, marketplaces and business customers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Final

from paymatch.domain.advices.advice import DeductionKind
from paymatch.domain.matching.text.normalise import flat


class AdviceColumn(StrEnum):
    """The meaning of an advice's column."""

    REFERENCE = "reference"
    DOCUMENT = "document"  # a number that names an order less surely: of an invoice, a delivery
    GROSS = "gross"
    DEDUCTION = "deduction"
    NET = "net"
    AMOUNT = "amount"  # gross where another column has the fee or what is paid, else what is paid
    CURRENCY = "currency"
    DATE = "date"


_EXACT: Final = {
    AdviceColumn.REFERENCE: """
        AUFTRAG AUFTRAGSNR AUFTRAGSNUMMER BESTELLUNG BESTELLNR BESTELLNUMMER BESTELLREFERENZ IHREREFERENZ IHRZEICHEN
        REFERENZ KUNDENREFERENZ REFERENZNR REFERENZNUMMER VERWENDUNGSZWECK ORDER ORDERNO ORDERNR ORDERNUMBER ORDERID
        ORDERREFERENCE REFERENCE REF YOURREFERENCE CUSTOMERREFERENCE MERCHANTREFERENCE PONUMBER PURCHASEORDER COMMANDE
        NUMEROCOMMANDE BESTELLINGNUMMER ORDERNUMMER BESTELNUMMER MARKETPLACEORDERID
    """,
    AdviceColumn.DOCUMENT: """
        RECHNUNG RECHNUNGSNR RECHNUNGSNUMMER BELEG BELEGNR BELEGNUMMER IHREBELEGNR IHREBELEGNUMMER EXTERNEBELEGNR
        SENDUNGSNUMMER SENDUNGSNR PAKETNUMMER PAKETNR PAKETSCHEINNUMMER TRACKINGNUMBER TRACKINGNO SHIPMENT
        SHIPMENTNUMBER PARCELNUMBER INVOICE INVOICENO INVOICENR INVOICENUMBER INVOICEID DOCUMENT DOCUMENTNO
        DOCUMENTNUMBER FACTURE NUMEROFACTURE FACTUUR FACTUURNUMMER
    """,
    AdviceColumn.GROSS: """
        BRUTTO BRUTTOBETRAG RECHNUNGSBETRAG NACHNAHMEBETRAG NNBETRAG EINGEZOGEN EINGEZOGENERBETRAG KASSIERT
        KASSIERTERBETRAG BESTELLWERT UMSATZ GROSS GROSSAMOUNT INVOICEAMOUNT ORDERAMOUNT CODAMOUNT COLLECTEDAMOUNT
        AMOUNTCOLLECTED DOCUMENTAMOUNT MONTANTBRUT BRUTOBEDRAG
    """,
    AdviceColumn.DEDUCTION: """
        ABZUG ABZUEGE ABZUGE SKONTO SKONTOBETRAG RABATT GEBUHR GEBUHREN GEBUEHR GEBUEHREN ENTGELT NACHNAHMEGEBUHR
        NACHNAHMEENTGELT PROVISION SERVICEGEBUHR DISCOUNT CASHDISCOUNT DEDUCTION DEDUCTIONS FEE FEES CHARGE CHARGES
        COMMISSION CODFEE ESCOMPTE FRAIS COMMISSIONS KORTING KOSTEN
    """,
    AdviceColumn.NET: """
        NETTO NETTOBETRAG ZAHLBETRAG ZAHLUNGSBETRAG ZAHLUNG GEZAHLT GEZAHLTERBETRAG AUSZAHLUNG AUSZAHLUNGSBETRAG
        AUSZUZAHLEN UBERWEISUNGSBETRAG UEBERWEISUNGSBETRAG NET NETAMOUNT PAID PAIDAMOUNT AMOUNTPAID PAYMENT
        PAYMENTAMOUNT PAYOUT PAYOUTAMOUNT REMITTED REMITTEDAMOUNT MONTANTNET NETTOBEDRAG
    """,
    AdviceColumn.AMOUNT: "BETRAG SUMME AMOUNT MONTANT BEDRAG",
    AdviceColumn.CURRENCY: "WAHRUNG WAEHRUNG WHRG WRG CURRENCY CUR DEVISE VALUTA",
    AdviceColumn.DATE: "DATUM DATE BELEGDATUM RECHNUNGSDATUM INVOICEDATE ZUSTELLDATUM DELIVERYDATE",
}
_COLUMN_OF: Final = {word: column for column, words in _EXACT.items() for word in words.split()}
_TOTAL: Final = re.compile(
    r"\s*(?:GESAMT|SUMME|TOTAL|ZAHLBETRAG|ZAHLUNGSBETRAG|AUSZAHLUNG|U(?:E)?BERWEISUNG|AMOUNT PAID|PAYMENT AMOUNT|"
    r"PAYOUT|NET AMOUNT|REMITTED|MONTANT TOTAL|TOTAAL)"
)
_DISCOUNT: Final = re.compile("SKONTO|RABATT|DISCOUNT|ESCOMPTE|KORTING")
_FEE: Final = re.compile("GEBU|ENTGELT|PROVISION|FEE|CHARGE|COMMISSION|FRAIS|KOSTEN")
_LETTERS: Final = re.compile(r"[^A-Z]")


def column_of(heading: str) -> AdviceColumn | None:
    """The meaning of a column with this heading; None if unknown."""
    bare = re.sub(r"\((?:[A-Z]{3}|€)\)|€", "", heading.strip())
    return _COLUMN_OF.get(_LETTERS.sub("", flat(bare)) or "-") or _COLUMN_OF.get(
        _LETTERS.sub("", flat(re.sub(r"\b[A-Z]{3}$", "", bare))) or "-"
    )


def is_total(text: str) -> bool:
    """True if a line is the sum of those above it."""
    return _TOTAL.match(flat(text)) is not None


def deduction_kind_in(text: str) -> DeductionKind:
    """The kind of a deduction, by its words."""
    said = flat(text)
    if _DISCOUNT.search(said):
        return DeductionKind.DISCOUNT
    return DeductionKind.FEE if _FEE.search(said) else DeductionKind.OTHER


def is_heading(cells: Sequence[str]) -> bool:
    """True if the cells are headings of an advice: a number of orders and an amount at least."""
    found = {column_of(each) for each in cells if each.strip()}
    names = found & {AdviceColumn.REFERENCE, AdviceColumn.DOCUMENT}
    return bool(names) and bool(found & {AdviceColumn.GROSS, AdviceColumn.NET, AdviceColumn.AMOUNT})


def amount_column(found: Collection[AdviceColumn | None]) -> AdviceColumn:
    """What a column that is only called an amount holds, beside these others."""
    if AdviceColumn.GROSS in found:
        return AdviceColumn.NET
    return AdviceColumn.GROSS if AdviceColumn.NET in found or AdviceColumn.DEDUCTION in found else AdviceColumn.NET
