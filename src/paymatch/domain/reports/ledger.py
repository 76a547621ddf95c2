"""Double-entry bookings of what the reports explain: which accounts a posting moves, and with what counter-account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final

from paymatch.domain.orders.fees import FeeKind


class Role(StrEnum):
    """What an account is for."""

    BANK = "bank"
    DEBTORS = "debtors"
    REVENUE = "revenue"
    FEES = "fees"
    CLEARING = "clearing"  # what is set aside or not explained yet


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the shop's books."""

    role: Role
    number: str


_FEES_SKR03: Final = {
    FeeKind.COMMISSION: "4760",
    FeeKind.DELIVERY_FEE: "4730",
    FeeKind.PAYMENT_FEE: "4970",
    FeeKind.BANK_CHARGE: "4970",
    FeeKind.CASH_DISCOUNT: "8730",
}
_FEES_SKR04: Final = {
    FeeKind.COMMISSION: "6770",
    FeeKind.DELIVERY_FEE: "6740",
    FeeKind.PAYMENT_FEE: "6855",
    FeeKind.BANK_CHARGE: "6855",
    FeeKind.CASH_DISCOUNT: "4730",
}
CHARTS: Final[Mapping[str, tuple[Mapping[Role, str], Mapping[FeeKind, str]]]] = {
    "SKR03": (
        {Role.BANK: "1200", Role.DEBTORS: "10000", Role.REVENUE: "8400", Role.CLEARING: "1590"},
        _FEES_SKR03,
    ),
    "SKR04": (
        {Role.BANK: "1800", Role.DEBTORS: "10000", Role.REVENUE: "4400", Role.CLEARING: "1370"},
        _FEES_SKR04,
    ),
}
"""The usual accounts of DATEV's standard charts: bank, debtors together, revenue at 19 %, transitory items; and those
of fees: sales commission, outgoing freight, cost of payments, cash discount granted."""


@dataclass(frozen=True, slots=True)
class LedgerAccounts:
    """The accounts that a shop books on; `banks` are those of single bank accounts, by IBAN."""

    chart: str
    numbers: Mapping[Role, str]
    banks: Mapping[str, str]

    def of(self, role: Role) -> Account:
        """The account of a role."""
        return Account(role, self.numbers.get(role) or CHARTS[self.chart][0][role])

    def bank(self, account: str) -> Account:
        """The account of a bank account."""
        return Account(Role.BANK, self.banks.get(account) or self.of(Role.BANK).number)

    def fee(self, kind: str) -> Account:
        """The account of a kind of fee: one for all of them where the shop has named one."""
        return Account(Role.FEES, self.numbers.get(Role.FEES) or CHARTS[self.chart][1][FeeKind(kind)])

    def debtor(self, customer_number: str) -> Account:
        """The customer's own account if the customer's number is one (five to nine digits), else that of all."""
        collective = self.of(Role.DEBTORS)
        is_own = customer_number.isascii() and customer_number.isdigit() and customer_number[:1] in "123456"
        if is_own and len(customer_number) == len(collective.number):
            return Account(Role.DEBTORS, customer_number)
        return collective


@dataclass(frozen=True, slots=True)
class Booking:
    """An amount from one account to another, in minor units above 0."""

    date: date
    debit: Account
    credit: Account
    minor: int
    currency: str
    document: str  # order number, else the posting's id
    text: str
    posting: str = ""


def booked(
    day: date, debit: Account, credit: Account, minor: int, currency: str, document: str, text: str, posting: str = ""
) -> Booking:
    """The booking of a signed amount: a negative one moves the other way."""
    if minor < 0:
        debit, credit, minor = credit, debit, -minor
    return Booking(day, debit, credit, minor, currency, document, text, posting)


def bookings_of(
    posting: Mapping[str, Any], accounts: LedgerAccounts, customers: Mapping[str, str]
) -> Iterator[Booking]:
    """The bookings of a posting that the report `postings` explains: bank against debtors, fees, clearing.

    They move the posting's amount on its bank account, and each debtor by what the order is credited.
    """
    bank, day, currency = accounts.bank(posting["account"]), posting["bookingDate"], posting["currency"]
    parts: Sequence[tuple[str, int, int, str | None]] = posting["orders"]
    payer, posting_id = posting["originator"], posting["id"]
    for number, minor, withheld, kind in parts:
        debtor = accounts.debtor(customers.get(number, ""))
        if minor:
            yield booked(day, bank, debtor, minor, currency, number, payer, posting_id)
        if withheld and kind:
            yield booked(day, accounts.fee(kind), debtor, withheld, currency, number, payer, posting_id)
    rest = posting["aside"] + posting["open"]
    if rest:
        text = posting["reason"] or payer
        yield booked(day, bank, accounts.of(Role.CLEARING), rest, currency, posting_id, text, posting_id)


def sale(order: Mapping[str, Any], accounts: LedgerAccounts) -> Booking:
    """The booking of an order on the day on which it was ordered: its debtor against revenue."""
    debtor, revenue = accounts.debtor(order["customerNumber"]), accounts.of(Role.REVENUE)
    return booked(
        order["date"], debtor, revenue, order["amount"], order["currency"], order["number"], order["customer"]
    )  # fmt: skip
