from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from schwifty import IBAN

from paymatch.domain.shops.sandbox import (
    Reference,
    SandboxRefused,
    after_span,
    booking_day,
    day_ends_at,
    iban_of,
    moment_of,
    write_duration,
)

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        (Reference.EXACT, "Bestellung A-10417"),
        (Reference.SPACED, "Bestellung A 10 417"),
        (Reference.TYPO, "Bestellung A-10471"),
        (Reference.MISSING, ""),
        (Reference.WRONG, "Bestellung A-65962"),
        (Reference.NAME_ONLY, "Erika Mustermann"),
    ],
)
def test_how_a_customer_writes_a_number(reference: Reference, text: str) -> None:
    assert write_duration(reference, "A-10417", "Erika Mustermann") == text


@pytest.mark.parametrize(
    ("number", "mistyped"),
    [
        ("A-1-1", "A-1-1"),  # no two digits side by side
        ("1-2", "1-2"),
        ("A-33", "A-33"),  # two that are the same
        ("A-12X", "A-21X"),
        ("A-1234-5", "A-1243-5"),
        ("12-A", "21-A"),
    ],
)
def test_a_typo_swaps_the_last_two_different_digits_side_by_side(number: str, mistyped: str) -> None:
    assert write_duration(Reference.TYPO, number, "") == f"Bestellung {mistyped}"


def test_the_structured_reference_stands_alone() -> None:
    assert write_duration(Reference.STRUCTURED, "A-10417", "Erika Mustermann", "RF18A10417") == "RF18A10417"


@pytest.mark.parametrize("name", ["Erika Mustermann", "Ümläut GmbH", ""])
def test_everybody_has_one_valid_account(name: str) -> None:
    assert IBAN(iban_of(name)).is_valid
    assert iban_of(name) == iban_of(name.upper())


def test_an_account_stays_the_same_in_every_version() -> None:
    assert iban_of("Erika Mustermann") == "DE50701500002772802663"


@pytest.mark.parametrize(
    ("span", "reached"),
    [
        ("3d", datetime(2026, 3, 31, 7, 0, tzinfo=UTC)),  # across the change to summer time: still 9 o'clock
        ("72h", datetime(2026, 3, 31, 8, 0, tzinfo=UTC)),
        ("15m", datetime(2026, 3, 28, 8, 15, tzinfo=UTC)),
        ("1w1d2h", datetime(2026, 4, 5, 9, 0, tzinfo=UTC)),
    ],
)
def test_spans_of_time(span: str, reached: datetime) -> None:
    assert after_span(datetime(2026, 3, 28, 8, 0, tzinfo=UTC), span, BERLIN) == reached


@pytest.mark.parametrize("span", ["", " ", "3", "d", "3 days", "-3d", "1h1d", "9999999d", "3d!"])
def test_spans_that_are_none(span: str) -> None:
    with pytest.raises(SandboxRefused):
        after_span(datetime(2026, 3, 28, 8, 0, tzinfo=UTC), span, BERLIN)


def test_moments() -> None:
    assert moment_of("2026-12-01", BERLIN) == datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
    assert moment_of("2026-07-01 14:30", BERLIN) == datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
    assert moment_of("01-12-2026", BERLIN) == moment_of("2026-12-01", BERLIN)
    assert moment_of("01-07-2026 14:30:05", BERLIN) == datetime(2026, 7, 1, 12, 30, 5, tzinfo=UTC)
    assert moment_of("2026-07-01T14:30Z", BERLIN) == datetime(2026, 7, 1, 14, 30, tzinfo=UTC)
    with pytest.raises(SandboxRefused):
        moment_of("1.12.2026", BERLIN)


@pytest.mark.parametrize(
    ("now", "day"),
    [
        (datetime(2026, 3, 6, 16, 59, tzinfo=UTC), date(2026, 3, 6)),
        (datetime(2026, 3, 6, 17, 0, tzinfo=UTC), date(2026, 3, 9)),  # the bank has closed for the weekend
        (datetime(2026, 3, 5, 17, 0, tzinfo=UTC), date(2026, 3, 6)),
        (datetime(2026, 3, 5, 23, 30, tzinfo=UTC), date(2026, 3, 6)),  # Friday has begun in Berlin
    ],
)
def test_the_day_on_which_a_payment_is_booked(now: datetime, day: date) -> None:
    assert booking_day(now, BERLIN) == day
    assert day_ends_at(day, BERLIN) > now
