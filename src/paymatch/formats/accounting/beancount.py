"""Plain-text accounting: bookings as a ledger of beancount (https://beancount.github.io/docs/)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final

from paymatch.domain.money import currency_of, minor_to_text
from paymatch.domain.reports.ledger import AccountRole, LedgerAccount, LedgerBooking

_NAMES: Final = {
    AccountRole.BANK: "Assets:Bank",
    AccountRole.DEBTORS: "Assets:Receivable",
    AccountRole.REVENUE: "Income:Sales",
    AccountRole.FEES: "Expenses:Fees",
    AccountRole.CLEARING: "Assets:Clearing",
    AccountRole.CREDITS: "Liabilities:Credits",
    AccountRole.INCOME: "Income:Other",
    AccountRole.LOSSES: "Expenses:Losses",
    AccountRole.SET_PAID: "Assets:SetPaid",
    AccountRole.CURRENCY: "Expenses:Currency",
    AccountRole.TRANSIT: "Assets:Transit",
    AccountRole.REMINDER_FEES: "Income:ReminderFees",
}


def write_beancount(title: str, bookings: Iterable[LedgerBooking]) -> Iterator[bytes]:
    """The ledger, entry by entry; an account is opened where it is booked on first."""
    yield f'option "title" {_text(title)}\n\n'.encode()
    known: set[str] = set()
    for booking in bookings:
        yield "".join(_entry(booking, known)).encode()


def _entry(booking: LedgerBooking, known: set[str]) -> Iterator[str]:
    for account in (booking.debit, booking.credit):
        name = account_name(account)
        if name not in known:
            known.add(name)
            yield f"{_opening_date(booking.date)} open {name}\n"
    amount = f"{minor_to_text(booking.minor, currency_of(booking.currency))} {booking.currency}"
    yield f"{booking.date} * {_text(booking.text)} {_text(booking.document)}\n"
    if booking.posting:
        yield f"  posting: {_text(booking.posting)}\n"
    yield f"  {account_name(booking.debit)}  {amount}\n  {account_name(booking.credit)}  -{amount}\n\n"


def account_name(account: LedgerAccount) -> str:
    """The account as beancount names it."""
    return f"{_NAMES[account.role]}:{account.number}"


def _opening_date(day: date) -> date:
    """Accounts are opened on the first day of the year, because later entries may be of earlier days."""
    return day.replace(month=1, day=1)


def _text(text: str) -> str:
    plain = text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
