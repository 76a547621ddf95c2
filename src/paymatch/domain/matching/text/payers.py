"""Payers who are no customers: those who pay for many at once, and those whose money is rarely for a purchase."""

from __future__ import annotations

from typing import Final

from paymatch.domain.matching.model import Payer
from paymatch.domain.matching.text.names import Name, parse_name
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.postings import Posting


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CARRIERS: Final = _words(
    """
    CHRONOPOST COLISSIMO DHL DPD EXPRESS FEDEX GLS HERMES INPOST KURIER LOGISTICS LOGISTIK NACHNAHME PAKET POST POSTNL
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
"""Names of such payers that people have as well."""
_AMBIGUOUS: Final = SERVICE_PEOPLE | _words(
    "ALLEGRO EXPRESS KURIER LOGISTICS LOGISTIK MARKETPLACE MARKTPLATZ NACHNAHME PAKET RICARDO SOFORT"
)
"""Those of them that are surnames, first names or everyday words as well."""
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
"""Words in the names of such payers that identify no customer."""


def is_collective_name(name: Name) -> bool:
    """True if a name is that of a carrier, a marketplace or a payment provider, who pays for many customers at once.

    Some of them are called like people: `Otto Seiler` is none of them, `Otto` and `Otto GmbH` are.
    """
    if name.bag.isdisjoint(_COLLECTIVE):
        return False
    found = name.bag & _COLLECTIVE
    return name.company or len(name.bag) == 1 or not found <= SERVICE_PEOPLE or not name.bag.isdisjoint(_BUSINESS)


def fee_kind_of(name: Name) -> FeeKind | None:
    """What the payer of this name keeps of the money that it passes on; None if it is not known to pass on any."""
    if not is_collective_name(name):
        return None
    if not name.bag.isdisjoint(_MARKETPLACES):
        return FeeKind.COMMISSION
    return FeeKind.DELIVERY_FEE if not name.bag.isdisjoint(_CARRIERS) else FeeKind.PAYMENT_FEE


def payer_of(posting: Posting) -> Payer:
    """By what a payer is known again: its account, or where the bank tells none, its name; and the currency."""
    known = posting.counterparty_iban or " ".join(parse_name(posting.counterparty_name).words)
    return known, posting.currency


def is_public_name(name: Name) -> bool:
    """True if a name is that of an office, an insurer or a utility, whose money is rarely for a purchase."""
    return not name.bag.isdisjoint(_PUBLIC)
