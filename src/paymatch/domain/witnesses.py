"""Who vouches for a fact: what a payer types or a customer chooses never counts as a bank's word (D-80)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Witness(StrEnum):
    """The source that states a fact of a posting, an order or a rule."""

    BANK = "bank"  # places of a bank format that a payer cannot write to: amount, sign, dates, accounts, return marks
    PROVIDER = "provider"  # columns of a settlement file that arrived by a trusted channel
    PERSON = "person"  # a user who is signed in to the merchant area or the command line
    MERCHANT = "merchant"  # data that arrived with the shop's API key
    PAYER = "payer"  # remittance text, EndToEndId, purpose, and a name where the format lets the payer choose it
    CUSTOMER = "customer"  # order data that the shop's customer chooses: names, company, addresses, e-mail, user name


STATES_MONEY: Final = frozenset({Witness.BANK, Witness.PROVIDER, Witness.PERSON})
"""Witnesses that may state what moves money: signs, charges, withheld amounts, returns."""


def may_state_money(witness: Witness) -> bool:
    """Whether a fact with this witness may change what is paid, withheld or returned without a person (D-80)."""
    return witness in STATES_MONEY
