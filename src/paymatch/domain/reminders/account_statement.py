"""Statement of account: one customer's debts at the end of a day, order by order, in each currency (D-132)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.domain.money import Currency, Money
from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.letters import PostalAddress
from paymatch.domain.words.message import Message

MOST_ORDERS: Final = 1000
"""Limit of one statement; a customer with more open orders gets tables (`paymatch report SHOP open`)."""


class AccountStatementRefused(Refused):
    """There is no statement for this customer, or it cannot be mailed; the message says why."""


@dataclass(frozen=True, slots=True)
class OpenOrder:
    """An order that is still to be paid, as the report `open` has it. `fees`: those of sent reminders."""

    number: str
    ordered: date
    due: date
    amount: Money
    paid: Money
    open: Money
    fees: Money
    reference: str
    is_overdue: bool = False
    is_at_agency: bool = False


@dataclass(frozen=True, slots=True)
class CurrencyStatement:
    """The open orders of one currency, by due date, and how they are paid; `iban` is "" if no account is known.

    `credit`: overpayments that the customer left for the next order; shown, not deducted.
    """

    currency: Currency
    orders: Sequence[OpenOrder]
    credit: Money
    payee: str = ""
    iban: str = ""
    bic: str = ""

    @property
    def open(self) -> Money:
        """The figures of the report `customers`."""
        return self._sum(each.open for each in self.orders)

    @property
    def overdue(self) -> Money:
        """What of it is overdue."""
        return self._sum(each.open for each in self.orders if each.is_overdue)

    @property
    def at_agency(self) -> Money:
        """The part with the collection agency, which is not payable to the shop."""
        return self._sum(each.open for each in self.orders if each.is_at_agency)

    @property
    def fees(self) -> Money:
        """The reminder fees of the orders that are payable to the shop."""
        return self._sum(each.fees for each in self.orders if not each.is_at_agency)

    @property
    def total(self) -> Money:
        """The amount payable to the shop."""
        return self._sum(each.open + each.fees for each in self.orders if not each.is_at_agency)

    def _sum(self, amounts: Iterable[Money]) -> Money:
        return Money(sum(each.minor for each in amounts), self.currency)


@dataclass(frozen=True, slots=True)
class AccountStatement:
    """A customer's debts at the end of a day. `email` is its mail address, "" if no order names one.

    `postal` is empty if the orders name several addresses: none of them is printed.
    """

    day: date
    customer: str
    customer_number: str
    name: str
    email: str
    language: str
    country: str
    postal: PostalAddress
    parts: Sequence[CurrencyStatement]

    @property
    def numbers(self) -> list[str]:
        """The orders that it lists."""
        return [order.number for part in self.parts for order in part.orders]


def address_of(emails: Iterable[str], wanted: str) -> str:
    """The one e-mail address that the orders of a statement name; "" for none, AccountStatementRefused for several.

    If several people share a customer number, such as that of all guests, none of them may see the others' orders. Of
    several addresses a person names the `wanted` one.
    """
    known = sorted({each.strip().lower() for each in emails} - {""})
    if wanted and wanted.strip().lower() not in known:
        raise AccountStatementRefused(
            Message("statement-no-such-address", address=wanted), parameter="to", allowed=known
        )
    if wanted:
        return wanted.strip().lower()
    if len(known) > 1:
        raise AccountStatementRefused(
            Message("statement-several-addresses", addresses=", ".join(known)), parameter="to", allowed=known
        )
    return known[0] if known else ""
