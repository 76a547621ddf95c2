"""Countries that the API knows, and those that SEPA transfers reach (ISO 3166-1, EPC409-09)."""

from __future__ import annotations

import pytest

from paymatch.domain.countries import COUNTRIES, EEA, SEPA


@pytest.mark.parametrize(
    ("country", "eea", "sepa"),
    [("DE", True, True), ("IS", True, True), ("CH", False, True), ("GB", False, True), ("XK", False, False),
     ("US", False, False)],
)  # fmt: skip
def test_whom_transfers_reach(country: str, eea: bool, sepa: bool) -> None:
    assert (country in COUNTRIES, country in EEA, country in SEPA) == (True, eea, sepa)


def test_all_of_the_economic_area_is_in_sepa() -> None:
    assert EEA < SEPA < COUNTRIES
    assert (len(EEA), len(SEPA), len(COUNTRIES)) == (30, 45, 251)
