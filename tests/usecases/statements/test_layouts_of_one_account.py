"""Exports of one account in several formats and spellings: each payment is booked once, on the account meant."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

import pytest

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.money import Currency
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.statement import TableQuestion
from paymatch.usecases.statements import accounts
from tests.formats.layouts.layout import DE, NL, PAYER, Facts, Layout
from tests.formats.layouts.test_layouts import LAYOUTS
from tests.length import some
from tests.usecases.conftest import ACCOUNT, Books

_LATER: Final = datetime(2026, 8, 20, 9, tzinfo=UTC)
_NUMBERS: Final = {"417164300": NL}
_AT_PROVIDERS: Final = ("Wise", "Revolut")  # whose accounts are not registered as a bank's
_SINGLE: Final = [
    each
    for each in LAYOUTS
    if len(each.statements) == 1 and any(each.statements.values()) and not each.name.startswith(_AT_PROVIDERS)
]


def _posting(account: str, currency: str, facts: Facts) -> Posting:
    minor, day, _, name, iban, text = facts
    booked = date.fromisoformat(day)
    return Posting(
        account, Currency(currency), minor, counterparty_name=name, counterparty_iban=iban, booking_date=booked,
        value_date=booked, remittance_lines=(text,) if text else (),
    )  # fmt: skip


def _camt(account: str, currency: str, booked: list[Facts]) -> bytes:
    """The bank's camt.053 of these entries."""
    postings = [_posting(account, currency, each) for each in booked]
    days = sorted(each.booking_date for each in postings)
    entries = tuple(WrittenEntry((each,)) for each in postings)
    statement = CamtStatement(account, Currency(currency), 0, days[0], days[-1], f"{len(entries)}", 1, entries)
    return write_camt([statement], _LATER, CamtMessage.STATEMENT)


@pytest.mark.parametrize("layout", some(_SINGLE, 16), ids=lambda layout: layout.name)
def test_a_table_saved_twice_and_the_camt_of_the_same_days_book_each_payment_once(books: Books, layout: Layout) -> None:
    (currency,) = (currency for _, currency in layout.statements)
    own = _NUMBERS.get(layout.owner, layout.owner)
    booked = [facts for of_one in layout.statements.values() for facts in of_one if facts[2] == "BOOK"]
    books.now = _LATER
    accounts.add(books.database, books.shop, own, currency, books.now)
    if layout.asked:
        with pytest.raises(TableQuestion):
            books.bring(layout.data, account=own)
        books.confirm_layout(layout.data, own)
    named = "" if layout.asked else own
    again = layout.text.replace("\r\n", "\n").replace("\n", "\r\n") + "\r\n"
    assert books.bring(layout.data, account=named).new == len(booked)
    assert books.bring(again.encode(layout.encoding), account=named).new == 0
    if is_iban(own):
        more = (777, "2026-08-18", "BOOK", "", "", "SW-10899")
        assert books.bring(_camt(own, currency, booked)).new == 0
        assert books.bring(_camt(own, currency, [*booked, more])).new == 1
        booked.append(more)
    found = books.rows(
        "SELECT account, currency, amount_minor, booking_date::text FROM postings WHERE shop_id = $1 ORDER BY 3, 4"
    )
    wanted = sorted((facts[0], facts[1]) for facts in booked)
    assert [tuple(row) for row in found] == [(own, currency, minor, day) for minor, day in wanted]


_ABN: Final = (
    f"{{}}\tEUR\t20260805\t1000,00\t2044,90\t20260805\t1044,90\t/TRTP/SEPA OVERBOEKING/IBAN/{PAYER}/BIC/COBADEFF/"
    "NAME/J Muller/REMI/SW-10843/EREF/E1\n"
)


@pytest.mark.parametrize("said", ["417164300", "0417164300", NL])
def test_the_number_of_an_account_means_its_registered_iban(books: Books, said: str) -> None:
    """The table has the number, camt has the IBAN: before, each payment was booked twice."""
    books.now = _LATER
    accounts.add(books.database, books.shop, NL, "EUR", books.now)
    report = books.bring(_ABN.format(said).encode())
    assert (report.accounts, report.new, report.new_accounts) == ([NL], 1, [])
    assert books.bring(_camt(NL, "EUR", [(104490, "2026-08-05", "BOOK", "J Muller", PAYER, "SW-10843")])).new == 0


def test_the_number_of_two_registered_accounts_or_of_none_is_an_account_to_confirm(books: Books) -> None:
    """Its twin: what does not say which account is meant is a new one that a person confirms."""
    books.now = _LATER
    assert books.bring(_ABN.format("417164300").encode()).new_accounts == ["417164300"]
    for iban in (NL, "NL36RABO0417164300"):
        accounts.add(books.database, books.shop, iban, "EUR", books.now)
    assert books.bring(_ABN.format("0417164300").encode()).new_accounts == ["0417164300"]


def test_a_layout_confirmed_with_a_single_payer_goes_on_with_others(books: Books) -> None:
    """Before, the payer's account was taken for the shop's, and each later payer's became an account to confirm."""
    books.now = _LATER
    head = "Buchung;Sender / Empfänger;Verwendungszweck;IBAN;Betrag\n"
    first = head + f"05.08.2026;Anna;SW-1;{PAYER};12,00\n06.08.2026;Anna;SW-2;{PAYER};13,00\n"
    books.confirm_layout(first.encode())
    assert books.bring(first.encode()).new == 2
    report = books.bring((head + f"07.08.2026;Ben;SW-3;{DE};14,00\n08.08.2026;Anna;SW-4;{PAYER};15,00\n").encode())
    assert (report.new, report.new_accounts) == (2, [])
    assert books.rows("SELECT DISTINCT account FROM postings WHERE shop_id = $1") == [(ACCOUNT,)]
