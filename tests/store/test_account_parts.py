"""Bank code and account number stand in an IBAN where its country's registered structure says."""

from __future__ import annotations

from itertools import product
from string import ascii_uppercase

from schwifty import registry
from schwifty.domain import Component
from schwifty.exceptions import SchwiftyException

from paymatch.store.orders.account_parts import PARTS

EUROPEAN = {
    "AT", "AX", "BE", "BG", "BL", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GF", "GP", "GR", "HR", "HU", "IE",
    "IS", "IT", "LI", "LT", "LU", "LV", "MF", "MQ", "MT", "NL", "NO", "PL", "PM", "PT", "RE", "RO", "SE", "SI", "SK",
    "YT",
}  # fmt: skip
BRITISH = ("GB", "GG", "IM", "JE")


def structure(country: str) -> tuple[int, int, int, int] | None:
    """Where bank code and account number begin and end; None if the country's structure does not name both."""
    try:
        places = registry.get_iban_spec(country).positions
    except SchwiftyException:
        return None
    bank = places.get(Component.BRANCH_CODE if country in BRITISH else Component.BANK_CODE)
    account = places.get(Component.ACCOUNT_CODE)
    if bank is None or account is None or bank.start == bank.end or account.start == account.end:
        return None
    return bank.start, bank.end, account.start, account.end


def test_every_country_outside_of_europe_that_names_both() -> None:
    countries = {a + b for a, b in product(ascii_uppercase, repeat=2)} - EUROPEAN
    assert {country: found for country in sorted(countries) if (found := structure(country))} == PARTS
