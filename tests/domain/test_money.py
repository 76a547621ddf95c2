"""Money: exact to the minor unit, in the digits of its currency, never guessed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import (
    CURRENCIES,
    EUR,
    MAX_MINOR,
    AmountUnreadable,
    Currency,
    Money,
    currency_of,
    decimal_to_minor,
    digits_of,
    minor_to_decimal,
    minor_to_text,
    plain_text,
    text_to_minor,
    total,
)
from paymatch.domain.plurals import count_of

JPY, KWD, CLF, CHF = Currency("JPY"), Currency("KWD"), Currency("CLF"), Currency("CHF")


@pytest.mark.parametrize(("currency", "digits"), [(EUR, 2), (CHF, 2), (JPY, 0), (KWD, 3), (CLF, 4)])
def test_digits_of_the_minor_unit(currency: Currency, digits: int) -> None:
    assert digits_of(currency) == digits


def test_every_currency_is_an_iso_code_of_three_letters() -> None:
    assert all(len(code) == 3 and code.isascii() and code.isalpha() and code.isupper() for code in CURRENCIES)
    assert len(CURRENCIES) > 150
    assert set(CURRENCIES.values()) == {0, 2, 3, 4}


@pytest.mark.parametrize("code", ["eur", "EURO", "", "XXX", "XAU", "DEM", "E R"])
def test_unknown_currency(code: str) -> None:
    with pytest.raises(ValueError, match="unknown currency"):
        currency_of(code)


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("12.30", EUR, 1230), ("12.3", EUR, 1230), ("12", EUR, 1200), ("0.01", EUR, 1), ("-0.01", EUR, -1),
        ("+5", EUR, 500), ("0", EUR, 0), (".5", EUR, 50), ("5.", EUR, 500), ("1.000", EUR, 100), ("100", JPY, 100),
        ("1.5", KWD, 1500), ("9999999999999.99", EUR, MAX_MINOR), ("-9999999999999.99", EUR, -MAX_MINOR),
    ],
)  # fmt: skip
def test_amount_is_read(text: str, currency: Currency, minor: int) -> None:
    assert text_to_minor(text, currency) == minor


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("", EUR), (" 1", EUR), ("1 ", EUR), ("1,50", EUR), ("1.234,50", EUR), ("1e3", EUR), ("NaN", EUR),
        ("Infinity", EUR), ("--1", EUR), ("1.2.3", EUR), ("0.001", EUR), ("1.5", JPY), ("0.0001", KWD), ("١٢", EUR),
        ("1_000", EUR), ("10000000000000.00", EUR), ("9" * 400, EUR), ("-", EUR), (".", EUR), ("+", EUR),
    ],
)  # fmt: skip
def test_what_is_no_amount_is_refused_and_never_rounded(text: str, currency: Currency) -> None:
    with pytest.raises(AmountUnreadable):
        text_to_minor(text, currency)


@pytest.mark.parametrize(
    "amount", [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+400"), Decimal("1E-400")]
)
def test_decimals_out_of_bounds_are_refused(amount: Decimal) -> None:
    with pytest.raises(AmountUnreadable):
        decimal_to_minor(amount, EUR)


@pytest.mark.parametrize(
    ("amount", "why"),
    [
        ("1E+20", "out of range"),
        ("-1E+19", "out of range"),
        ("1E-19", "more decimals than EUR has"),
        ("1E-20", "out of range"),
        ("1E-2000000", "out of range"),  # never a silent 0
        ("NaN", "not a number"),
    ],
)
def test_the_refusal_of_a_decimal_says_why(amount: str, why: str) -> None:
    with pytest.raises(AmountUnreadable, match=why):
        decimal_to_minor(Decimal(amount), EUR)


@pytest.mark.parametrize("amount", ["0", "0E+30", "0E-30", "-0"])
def test_nothing_is_nothing_however_it_is_written(amount: str) -> None:
    assert decimal_to_minor(Decimal(amount), EUR) == 0


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [(1230, EUR, "12.30"), (0, EUR, "0.00"), (-1, EUR, "-0.01"), (100, JPY, "100.00"), (1500, KWD, "1.500"),
     (1, CLF, "0.0001"), (MAX_MINOR, EUR, "9999999999999.99")],
)  # fmt: skip
def test_amount_is_written_with_at_least_two_decimals(minor: int, currency: Currency, text: str) -> None:
    assert minor_to_text(minor, currency) == text


@given(st.integers(-MAX_MINOR, MAX_MINOR), st.sampled_from(sorted(CURRENCIES)))
def test_what_is_written_is_read_again(minor: int, code: str) -> None:
    currency = currency_of(code)
    assert text_to_minor(minor_to_text(minor, currency), currency) == minor
    assert decimal_to_minor(minor_to_decimal(minor, currency), currency) == minor


@given(st.text(max_size=30))
def test_any_text_is_an_amount_or_refused(text: str) -> None:
    try:
        minor = text_to_minor(text, EUR)
    except AmountUnreadable:
        return
    assert minor_to_decimal(minor, EUR) == Decimal(text)


AMOUNTS = st.integers(-MAX_MINOR, MAX_MINOR).map(lambda minor: Money(minor, EUR))


@given(AMOUNTS, AMOUNTS)
def test_sums_are_exact(one: Money, other: Money) -> None:
    assert (one + other) - other == one
    assert one + -one == Money(0, EUR)
    assert (one + other).minor == total([one.minor, other.minor])


def test_currencies_never_mix() -> None:
    with pytest.raises(AssertionError, match="EUR and CHF never mix"):
        Money(1, EUR) + Money(1, CHF)
    with pytest.raises(AssertionError, match="never mix"):
        Money(1, EUR) - Money(1, CHF)
    assert Money(1, EUR) != Money(1, CHF)


def test_money_speaks_for_itself() -> None:
    assert str(Money(-123456, EUR)) == "-1234.56 EUR"
    assert str(Money(100, JPY)) == "100.00 JPY"


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (1230, EUR, "12.30"), (5, EUR, "0.05"), (0, EUR, "0.00"), (-5, EUR, "-0.05"), (-1230, EUR, "-12.30"),
        (100, EUR, "1.00"), (-100, EUR, "-1.00"), (100, JPY, "100"), (-100, JPY, "-100"), (1500, KWD, "1.500"),
        (15000, CLF, "1.5000"), (1230, Currency("DEM"), "12.30"), (100, Currency("ITL"), "100"),
    ],
)  # fmt: skip
def test_in_long_tables_an_amount_has_its_currencys_own_decimals(minor: int, currency: Currency, text: str) -> None:
    assert plain_text(minor, currency) == text


def test_a_thing_is_counted_in_words() -> None:
    assert [count_of(number, "shop") for number in (0, 1, 2)] == ["0 shops", "1 shop", "2 shops"]
    assert [count_of(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
