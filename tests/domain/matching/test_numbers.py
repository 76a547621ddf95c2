"""Numbers: their written forms, and how they are read from texts."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.numbers import Form, forms_of, is_calendar_date
from paymatch.domain.matching.text.reading import numbers_in
from tests.domain.matching.world import posting

DAY = date(2026, 3, 9)


@pytest.mark.parametrize(
    ("number", "forms"),
    [
        ("#1833", {"1833": Form.FULL}),
        ("0815", {"0815": Form.FULL, "815": Form.ZEROS}),
        ("SW-10840", {"SW10840": Form.FULL, "10840": Form.DIGITS}),
        (
            "R-2026/00293",
            {
                "R202600293": Form.FULL,
                "202600293": Form.DIGITS,
                "R2026293": Form.ZEROS,
                "2026293": Form.ZEROS,
                "00293": Form.TAIL,
                "293": Form.TAIL,
            },
        ),
        ("302-1234567-1234567", {"30212345671234567": Form.FULL, "1234567": Form.TAIL}),
        ("KONF26-N3NXF", {"KONF26N3NXF": Form.FULL, "N3NXF": Form.TAIL}),
        ("KONF26-3LDQH", {"KONF263LDQH": Form.FULL, "3LDQH": Form.TAIL}),
        ("8F3A91C2", {"8F3A91C2": Form.FULL}),
        ("KONF26-RAV33", {"KONF26RAV33": Form.FULL, "RAV33": Form.TAIL}),
        ("10480-BERLIN", {"10480BERLIN": Form.FULL, "10480": Form.DIGITS}),
        ("A7K3Q-10480", {"A7K3Q10480": Form.FULL, "10480": Form.TAIL}),
        ("RE10480DE", {"RE10480DE": Form.FULL, "10480": Form.DIGITS}),
    ],
)
def test_forms(number: str, forms: dict[str, Form]) -> None:
    assert forms_of(number) == forms


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("BESTELLUNG 1834", "1834"),
        ("BESTELLUNG#2058", "2058"),
        ("BESTELLUNGSW-11304", "11304"),
        ("BEST.-NR.:  19 18", "1918"),
        ("R2 02 60 04 78", "R202600478"),
        ("R-20 26/00692", "R202600692"),
        ("RF2 512 140 111 005 039", "RF2512140111005039"),
        ("RF.77.05.32.10.70.00.49.35", "RF7705321070004935"),
        ("RF50481359", "481359"),
        ("R F 9 8 4 5 7 7 5 4 7 0 0 0 5 1 3 0", "RF9845775470005130"),
        ("21 00000 00003 13947 14300 09017", "210000000003139471430009017"),
        ("ESR 7004430000200350000071228", "7122"),
        ("VIVI_MOSEMANN85", "VIVIMOSEMANN85"),
        ("GARTENSTAR978", "GARTENSTAR978"),
        ("SW-1O840", "SW10840"),
        ("BESTELLUNGKONF26-3LDQH", "3LDQH"),
        ("4002L053", "40021053"),
        ("302-1234567-1234567,303-7654321-7654321", "30376543217654321"),
        ("RF18 5390 0754 7034", "RF18539007547034"),
    ],
)
def test_number_is_read(text: str, number: str) -> None:
    assert number in {found.compact for found in numbers_in(text, DAY)}


@pytest.mark.parametrize(
    "text",
    [
        "VOM 03.08.2026",
        "2026-08-03",
        "24.09.",
        "DATUM 13.04.2026, 09.29 UHR",
        "IBAN DE89 3704 0044 0532 0130 00",
        "VIELEN DANK",
    ],
)
def test_dates_and_accounts_are_no_numbers(text: str) -> None:
    assert numbers_in(text, DAY) == []


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("BESTELLUNG 1834", Context.ORDER),
        ("BESTELLUNG VOM 03.08.2026 NR 1834", Context.ORDER),
        ("RE-NR. 1834", Context.INVOICE),
        ("KD.NR. 1834", Context.CUSTOMER),
        ("ART 1834", Context.ITEM),
        ("TEL. 1834", Context.OTHER),
        ("DANKE 1834", Context.NONE),
    ],
)
def test_word_before_a_number(text: str, context: Context) -> None:
    assert {found.context for found in numbers_in(text, DAY) if found.compact == "1834"} == {context}


def test_short_numbers_are_completed_from_the_long_one_before() -> None:
    found = {number.compact for number in numbers_in("BESTELLUNGEN 1833/34/35", DAY) if number.completed}
    assert found == {"1834", "1835"}


@pytest.mark.parametrize(("text", "read"), [("X 1" + "0" * 39, 1), ("X 1" + "0" * 40, 0)])
def test_a_number_has_forty_digits_at_most(text: str, read: int) -> None:
    assert len([number for number in numbers_in(text, DAY) if number.compact.isdigit()]) == read


def test_places_are_those_of_the_text() -> None:
    (found,) = [number for number in numbers_in("DANKE! 1834 !", DAY) if number.compact == "1834"]
    assert (found.start, found.end) == (7, 11)


def test_calendar_dates() -> None:
    assert is_calendar_date("20260308", DAY)
    assert is_calendar_date("08032026", DAY)
    assert not is_calendar_date("10048291", DAY)


@pytest.mark.parametrize(
    "lines",
    [
        ("Bestellung 1", "10480 und 12", "345 danke"),
        ("Zahlung 10", "480", "104853 ", "77"),
        ("SW-10", "840 vom 02.03.2026", "1834"),
    ],
)
def test_every_number_stands_where_it_was_read_however_lines_were_joined(lines: tuple[str, ...]) -> None:
    (view,) = prepare([posting("", remittance_lines=lines)]).views
    assert view.numbers
    for number in view.numbers:
        written = filter(str.isalnum, view.text[number.start : number.end])
        bare = number.compact.replace("0", "")  # zeros before a part may be left out
        assert number.completed or bare == "".join(written).replace("0", ""), number
