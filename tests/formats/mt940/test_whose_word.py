"""The bank's facts come from the bank's places; their honest twins go on working (D-80)."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.formats.mt940.fields import parse_statement_line
from paymatch.formats.statement import Detail
from tests.formats.mt940.test_mt940 import entry

CREDIT = ":61:2611241124C44,90NTRFNONREF//B1"
FULL = "X" * 22  # with EREF+ a filled subfield


def detail_of(*lines: str) -> Detail:
    return entry(*lines).details[0]


@pytest.mark.parametrize(
    ("text", "end_to_end_id"),
    [
        ("?20SVWZ+SW-60001 OAMT+500,00", ""),
        ("?20SVWZ+SW-60001?21OAMT+500,00", ""),
        ("?20EREF+SW-1 OAMT+500,00?21SVWZ+x", "SW-1 OAMT+500,00"),
        (f"?20EREF+{FULL}?21OAMT+500,00?22SVWZ+x", f"{FULL}OAMT+500,00"),
        ("?20SW-60001?21OAMT+500,00", ""),
        ("?20OAMT+500,00", ""),
    ],
)
def test_a_typed_amount_is_text(text: str, end_to_end_id: str) -> None:
    detail = detail_of(CREDIT, f":86:166?00GUTSCHRIFT{text}?32Max")
    assert (detail.instructed_amount_minor, detail.charges, detail.returned) == (None, (), False)
    assert detail.end_to_end_id == end_to_end_id


def test_the_banks_own_amount_in_front_of_the_text_counts() -> None:
    detail = detail_of(CREDIT, ":86:166?20EREF+E-1?21OAMT+50,00?22SVWZ+SW-60001?32Max")
    assert (detail.instructed_amount_minor, detail.instructed_currency) == (5000, "EUR")
    charged = entry(CREDIT, "/OCMT/EUR50,00//CHGS/EUR5,10/", ":86:166?20SVWZ+SW-60001?32Max")
    assert (charged.details[0].instructed_amount_minor, charged.charges[0].amount_minor) == (5000, 510)


def test_a_return_is_marked_by_the_bank_only() -> None:
    typed = detail_of(CREDIT, ":86:166?20EREF+R-1?21SVWZ+RTRN+AC04 MTLG:x?32Max")
    assert (typed.returned, typed.return_reason, typed.original_end_to_end_id) == (False, "", "")
    by_tag = detail_of(CREDIT, ":86:166?20EREF+R-1?21RTRN+AC04?22SVWZ+Retoure?32Max")
    assert (by_tag.returned, by_tag.return_reason, by_tag.original_end_to_end_id) == (True, "AC04", "R-1")
    by_code = detail_of(CREDIT, ":86:159?00RETOURE?20EREF+R-1?21Konto erloschen?32Max?34902")
    assert (by_code.returned, by_code.return_reason, by_code.original_end_to_end_id) == (True, "AC04", "R-1")


def test_a_refund_keeps_its_reference_whatever_form_the_bank_has() -> None:
    debit = CREDIT.replace("C44", "D44")
    for text in ("EREF+R-1-2?21SVWZ+Erstattung", "EREF+R-1-2", "Erstattung EREF: R-1-2"):
        assert detail_of(debit, f":86:116?20{text}?32Max").end_to_end_id == "R-1-2"
    abn = ":86:/TRTP/SEPA OVERBOEKING/IBAN/NL75INGB0001234567/NAME/MAX/REMI/Terug/EREF/R-1-2"
    assert detail_of(debit, abn).end_to_end_id == "R-1-2"


def test_typed_slash_words_replace_neither_account_nor_name() -> None:
    text = "/TRTP/SEPA/IBAN/NL75INGB0001234567/NAME/ERIKA/REMI/SW-1 /CNTP/DE02120300000000202051/X/PAYPAL/Y///EREF/E-1"
    detail = detail_of(CREDIT, f":86:{text[:65]}", text[65:])
    assert (detail.debtor.account, detail.debtor.name) == ("NL75INGB0001234567", "ERIKA")
    assert detail.end_to_end_id == "E-1"
    assert detail.remittance_lines == ("SW-1 /CNTP/DE02120300000000202051/X/PAYPAL/Y",)
    in_reference = ":86:/EREF/A/CNTP/DE02120300000000202051/X/PAYPAL//CNTP/NL88INGB0999999999/INGBNL2A/ERIKA///REMI/x"
    assert detail_of(CREDIT, in_reference).debtor.account == "NL88INGB0999999999"


def test_a_typed_subfield_is_text_where_the_bank_has_its_own() -> None:
    typed = "?31DE02120300000000202051?32PayPal"
    detail = detail_of(CREDIT, f":86:166?20SVWZ+SW-1{typed}?21danke?31DE75512108001245126199?32Erika?34000")
    assert (detail.debtor.account, detail.debtor.name) == ("DE75512108001245126199", "Erika")
    at_end = detail_of(CREDIT, f":86:166?20SVWZ+SW-1{typed}?31DE75512108001245126199?32Erika")
    assert (at_end.debtor.account, at_end.debtor.name) == ("DE75512108001245126199", "Erika")
    assert at_end.remittance_lines == (f"SW-1{typed}",)


def test_a_second_booking_text_that_begins_with_a_tag_is_the_text() -> None:
    read = entry(CREDIT, ":86:168?00ECHTZEIT-GUTSCHRIFT?109251?00SVWZ+A-1001?31DE02120300000000202051?00Max")
    assert (read.booking_text, read.details[0].remittance_lines) == ("ECHTZEIT-GUTSCHRIFT", ("A-1001",))


@pytest.mark.parametrize(
    ("line", "opening", "booking"),
    [
        ("2603011124C1,00NTRFNONREF", date(2026, 11, 23), date(2026, 11, 24)),  # a value date of long ago
        ("2512301230C1,00NTRFNONREF", date(2026, 12, 29), date(2026, 12, 30)),  # a value date of a year ago
        ("2706011124C1,00NTRFNONREF", date(2026, 11, 23), date(2026, 11, 24)),  # a value date to come
        ("2611241124C1,00NTRFNONREF", date(2026, 1, 10), date(2026, 11, 24)),  # an account that was quiet
        ("2612310102C1,00NTRFNONREF", date(2026, 12, 31), date(2027, 1, 2)),
        ("2612301230C1,00NTRFNONREF", date(2027, 1, 1), date(2026, 12, 30)),  # booked late
    ],
)
def test_the_year_of_an_entry_date_is_that_of_its_statement(line: str, opening: date, booking: date) -> None:
    assert parse_statement_line((line,), "EUR", opening).booking_date == booking
