"""Payers who are no customers: those who pay for many at once, and those whose money is rarely for a purchase."""

from __future__ import annotations

from typing import Final

from paymatch.domain.matching.text.names import Name


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COLLECTIVE: Final = _words(
    """
    ADYEN AFTERPAY ALLEGRO AMAZON BILLPAY BOL CDISCOUNT CHRONOPOST COLISSIMO CONCARDIS DATATRANS DHL DPD EBAY
    ETSY EXPRESS FEDEX FNAC GALAXUS GIROPAY GLS HERMES INPOST IZETTLE KAUFLAND KLARNA KURIER LOGISTICS LOGISTIK
    MARKETPLACE MARKTPLATZ MOLLIE NACHNAHME NEXI OTTO PAKET PAYONE PAYPAL PAYU POST POSTFINANCE POSTNL PRZELEWY
    RAKUTEN RATEPAY RICARDO SECUPAY SHOPIFY SIX SOFORT STRIPE SUMUP TNT TWINT UNZER UPS WISE WORLDLINE ZALANDO
    ZETTLE
    """
)
_PEOPLE: Final = _words("BOL HERMES OTTO POST SIX WISE")
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


def is_collective_name(name: Name) -> bool:
    """True if a name is that of a carrier, a marketplace or a payment provider, who pays for many customers at once.

    Some of them are called like people: `Otto Seiler` is none of them, `Otto` and `Otto GmbH` are.
    """
    if name.bag.isdisjoint(_COLLECTIVE):
        return False
    found = name.bag & _COLLECTIVE
    return name.company or len(name.bag) == 1 or not found <= _PEOPLE or not name.bag.isdisjoint(_BUSINESS)


def is_public_name(name: Name) -> bool:
    """True if a name is that of an office, an insurer or a utility, whose money is rarely for a purchase."""
    return not name.bag.isdisjoint(_PUBLIC)
