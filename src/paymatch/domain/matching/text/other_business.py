"""Payments whose own text shows that they are for no order: card settlements, money from tax offices and insurers."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.payers import is_public_name
from paymatch.domain.postings import Posting


class OtherBusiness(StrEnum):
    """The kind of a payment by its own words."""

    CARDS = "cards"  # the day's card payments of a terminal, in one sum
    OFFICE = "office"  # a tax office, a public fund or an insurer reimburses something


_CARDS: Final = re.compile(
    r"\b(KARTEN(ABRECHNUNG|UMSAE?TZE?|ZAHLUNGEN)|HAE?NDLERABRECHNUNG|GIROCARD|EC CASH"
    r"|CARD SETTLEMENT|CARD (SALES|TAKINGS)|POS (UMSATZ|ABRECHNUNG|SETTLEMENT)"
    r"|TERMINAL (ID )?\d{5,}|REMISE (CB|CARTES)|TELECOLLECTE)"
)
_REFUNDED: Final = re.compile(r"\b(STEUERERSTATTUNG|(UMSATZ|EINKOMMEN|GEWERBE)STEUER ERSTATTUNG|(TAX|VAT) REFUND)\b")


def other_business(posting: Posting) -> OtherBusiness | None:
    """The kind by the payer's name or the text; None if they show none.

    Only a proposal for a person: a customer may be called so, or write it.
    """
    said = " ".join(re.findall(r"[A-Z0-9]+", flat(f"{posting.counterparty_name} {posting.shown_text}")))
    if _CARDS.search(said):
        return OtherBusiness.CARDS
    is_office = is_public_name(parse_name(posting.counterparty_name)) or _REFUNDED.search(said)
    return OtherBusiness.OFFICE if is_office else None
