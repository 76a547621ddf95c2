"""Statement of account: what one customer owes at the end of a day, order by order, in each currency (D-132)."""

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
"""Of one statement; a customer with more open orders gets tables (`paymatch report SHOP open`)."""


class AccountStatementRefused(Refused):
    """There is no statement for this customer, or it cannot be mailed; the reason in words."""


@dataclass(frozen=True, slots=True)
class OpenOrder:
    """An order that is still to be paid, as the report `open` has it. `fees`: of the reminders that were sent."""

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

    `credit`: what the customer paid too much and left for the next order; it is shown and not deducted.
    """

    currency: Currency
    orders: Sequence[OpenOrder]
    credit: Money
    payee: str = ""
    iban: str = ""
    bic: str = ""

    @property
    def open(self) -> Money:
        """As the report `customers` has it."""
        return self._sum(each.open for each in self.orders)

    @property
    def overdue(self) -> Money:
        """What of it is overdue."""
        return self._sum(each.open for each in self.orders if each.is_overdue)

    @property
    def at_agency(self) -> Money:
        """What of it is with the collection agency, and not to be paid to the shop."""
        return self._sum(each.open for each in self.orders if each.is_at_agency)

    @property
    def fees(self) -> Money:
        """The fees of reminders of the orders that are to be paid to the shop."""
        return self._sum(each.fees for each in self.orders if not each.is_at_agency)

    @property
    def total(self) -> Money:
        """What is to be paid to the shop."""
        return self._sum(each.open + each.fees for each in self.orders if not each.is_at_agency)

    def _sum(self, amounts: Iterable[Money]) -> Money:
        return Money(sum(each.minor for each in amounts), self.currency)


@dataclass(frozen=True, slots=True)
class AccountStatement:
    """What a customer owes at the end of a day. `email` is where it is mailed, "" where no order names an address.

    `postal` is empty where the orders name several addresses: none of them is printed.
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

    A customer number that several people share, such as that of all guests, must not show one of them what others
    ordered. Of several addresses a person names the one that is `wanted`.
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
