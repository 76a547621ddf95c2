"""Double-entry bookings of the reports' contents: a posting's accounts and counter-accounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final
from uuid import UUID, uuid5

from paymatch.domain.customers.credits import AdjustmentKind
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.settlement import SetPaidAccount
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.postings import OWN_TRANSFER

_Day = date


class AccountRole(StrEnum):
    """What an account is for."""

    BANK = "bank"
    DEBTORS = "debtors"
    REVENUE = "revenue"
    FEES = "fees"
    REMINDER_FEES = "reminder_fees"  # income: fees of reminders that customers paid
    SET_PAID = "set_paid"  # orders paid without a posting: cash, vouchers
    CURRENCY = "currency"  # exchange account of orders in another currency: the difference stays on it
    TRANSIT = "transit"  # money between two accounts of the shop
    CLEARING = "clearing"  # set aside or not explained yet
    CREDITS = "credits"  # kept for customers' next orders (D-87)
    INCOME = "income"  # overpayments that no one claims back
    LOSSES = "losses"  # paid out twice and not claimed back


@dataclass(frozen=True, slots=True)
class LedgerAccount:
    """An account of the shop's books."""

    role: AccountRole
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
CHARTS: Final[Mapping[str, tuple[Mapping[AccountRole, str], Mapping[FeeKind, str]]]] = {
    "SKR03": (
        {
            AccountRole.BANK: "1200",
            AccountRole.DEBTORS: "10000",
            AccountRole.REVENUE: "8400",
            AccountRole.CLEARING: "1590",
            AccountRole.CREDITS: "1700",
            AccountRole.INCOME: "2700",
            AccountRole.LOSSES: "2400",
            AccountRole.TRANSIT: "1360",
            AccountRole.CURRENCY: "2150",
            AccountRole.REMINDER_FEES: "8603",
        },
        _FEES_SKR03,
    ),
    "SKR04": (
        {
            AccountRole.BANK: "1800",
            AccountRole.DEBTORS: "10000",
            AccountRole.REVENUE: "4400",
            AccountRole.CLEARING: "1370",
            AccountRole.CREDITS: "3500",
            AccountRole.INCOME: "4830",
            AccountRole.LOSSES: "6930",
            AccountRole.TRANSIT: "1460",
            AccountRole.CURRENCY: "6880",
            AccountRole.REMINDER_FEES: "4830",
        },
        _FEES_SKR04,
    ),
}
"""The usual accounts of DATEV's standard charts: bank, debtors together, revenue at 19 %, transitory items; and those
of fees: sales commission, outgoing freight, cost of payments, cash discount granted; other operating income. Credit of
customers is among other liabilities."""

CASH: Final[Mapping[str, str]] = {"SKR03": "1000", "SKR04": "1600"}
"""The till, for orders that were set paid in cash."""

AT_PROVIDERS: Final[Mapping[str, str]] = {"SKR03": "1370", "SKR04": "1485"}
"""The clearing account of money at payment services and marketplaces, where the shop has named no other (D-83)."""

PROVIDER_FEE: Final = ": fee"
"""The end of the reason with which a provider's own fee is set aside."""


@dataclass(frozen=True, slots=True)
class LedgerAccounts:
    """The accounts of a shop's bookings; `banks` are those of bank accounts by IBAN and of
    accounts at providers by code, `fees` those of kinds of fees."""

    chart: str
    numbers: Mapping[AccountRole, str]
    banks: Mapping[str, str]
    fees: Mapping[str, str] = field(default_factory=dict)
    set_paid: Mapping[str, str] = field(default_factory=dict)

    def of(self, role: AccountRole) -> LedgerAccount:
        """The account of a role."""
        return LedgerAccount(role, self.numbers.get(role) or CHARTS[self.chart][0][role])

    def bank(self, account: str) -> LedgerAccount:
        """The account of a bank account; of an account at a payment service or marketplace, a clearing account."""
        if is_at_provider(account):
            number = self.banks.get(account.partition(":")[0]) or AT_PROVIDERS[self.chart]
            return LedgerAccount(AccountRole.CLEARING, number)
        return LedgerAccount(AccountRole.BANK, self.banks.get(account) or self.of(AccountRole.BANK).number)

    def fee(self, kind: str) -> LedgerAccount:
        """The account of a kind of fee: its own, or one for all of them, where the shop has named one."""
        if kind == FeeKind.REMINDER_FEE:
            return self.of(AccountRole.REMINDER_FEES)
        named = self.fees.get(kind) or self.numbers.get(AccountRole.FEES)
        return LedgerAccount(AccountRole.FEES, named or CHARTS[self.chart][1][FeeKind(kind)])

    def paid_without_posting(self, kind: str) -> LedgerAccount:
        """The account of orders that were set paid: its own, the common one, the till for cash, else clearing."""
        usual = CASH[self.chart] if kind == SetPaidAccount.CASH else self.of(AccountRole.CLEARING).number
        return LedgerAccount(
            AccountRole.SET_PAID, self.set_paid.get(kind) or self.numbers.get(AccountRole.SET_PAID) or usual
        )

    def debtor(self, customer_number: str) -> LedgerAccount:
        """The customer's own account if the customer's number is one (five to nine digits), else the common one."""
        collective = self.of(AccountRole.DEBTORS)
        is_own = customer_number.isascii() and customer_number.isdigit() and customer_number[:1] in "123456"
        if is_own and len(customer_number) == len(collective.number):
            return LedgerAccount(AccountRole.DEBTORS, customer_number)
        return collective


@dataclass(frozen=True, slots=True)
class LedgerBooking:
    """An amount from one account to another, in minor units above 0."""

    date: date
    debit: LedgerAccount
    credit: LedgerAccount
    minor: int
    currency: str
    document: str  # order number, else the posting's id
    text: str
    posting: str = ""
    invoice: str = ""  # the id of the order's invoice, as `invoice_id` makes it; "" if none was uploaded
    is_sale: bool = False
    rate: Decimal | None = None  # the order's own: units of `currency` for one of the shop's
    rate_date: _Day | None = None  # without one: the day whose rate counts, if not that of the booking
    source: str = field(default="", compare=False)  # what it is made of: the posting, or order and day of a sale


@dataclass(frozen=True, slots=True)
class SaleRow:
    """The change of an order's amount on a day, from 0 when it was placed; in minor units."""

    number: str
    day: date
    minor: int
    currency: str
    customer: str

    @property
    def source(self) -> str:
        """The sale's identity in the books: the order and the day."""
        return f"sale {self.day} {self.number}"


@dataclass(frozen=True, slots=True)
class LedgerOrderFacts:
    """The facts of an order that bookings need, besides its number."""

    customer_number: str = ""
    invoice: str = ""
    currency: str = ""
    order_date: date | None = None
    rate: Decimal | None = None


NO_FACTS: Final = LedgerOrderFacts()


def invoice_id(shop: UUID, order_number: str, invoice_number: str) -> str:
    """The id under which documents of the books know an invoice: always the same for the same invoice."""
    return str(uuid5(shop, f"{order_number}\n{invoice_number}")).upper()


def book(
    day: date,
    debit: LedgerAccount,
    credit: LedgerAccount,
    minor: int,
    currency: str,
    document: str,
    text: str,
    posting: str = "",
    invoice: str = "",
) -> LedgerBooking:
    """The booking of a signed amount: a negative one moves the other way."""
    if minor < 0:
        debit, credit, minor = credit, debit, -minor
    return LedgerBooking(day, debit, credit, minor, currency, document, text, posting, invoice, source=posting)


def _reason_or_payer(posting: Mapping[str, Any]) -> str:
    return str(posting["reason"] or posting["originator"])


NOTHING_EXCHANGED: Final[Mapping[tuple[str, str], int]] = {}


def bookings_of(
    posting: Mapping[str, Any],
    accounts: LedgerAccounts,
    orders: Mapping[str, LedgerOrderFacts],
    exchanged: Mapping[tuple[str, str], int] = NOTHING_EXCHANGED,
    text_of_rest: Callable[[Mapping[str, Any]], str] = _reason_or_payer,
) -> Iterator[LedgerBooking]:
    """The bookings of a posting that the report `postings` explains: bank against debtors, fees, clearing.

    They move the posting's amount on its bank account, and each debtor by what the order is credited. `exchanged` is
    the credit of (posting, order) in the order's currency, if that differs. `text_of_rest` names amounts that wait or
    were set aside.
    """
    bank, day, currency = accounts.bank(posting["account"]), posting["bookingDate"], posting["currency"]
    parts: Sequence[tuple[str, int, int, str | None]] = posting["orders"]
    payer, posting_id = posting["originator"], posting["id"]
    for number, minor, withheld, kind in parts:
        order = orders.get(number, NO_FACTS)
        debtor = accounts.debtor(order.customer_number)
        made = []
        if minor:
            made.append(book(day, bank, debtor, minor, currency, number, payer, posting_id, order.invoice))
        if withheld and kind:
            fee = accounts.fee(kind)
            made.append(book(day, fee, debtor, withheld, currency, number, payer, posting_id, order.invoice))
        if (posting_id, number) in exchanged:
            made += _exchange(made, accounts, debtor, order, exchanged[posting_id, number])
        yield from (_at_order_rate(each, order) for each in made)
    rest = posting["aside"] + posting["open"]
    if rest:
        counter = accounts.of(AccountRole.TRANSIT if posting["reason"] == OWN_TRANSFER else AccountRole.CLEARING)
        if is_at_provider(posting["account"]) and str(posting["reason"]).endswith(PROVIDER_FEE):
            counter = accounts.fee(FeeKind.PAYMENT_FEE)
        yield book(day, bank, counter, rest, currency, posting_id, text_of_rest(posting), posting_id)


_OF_ADJUSTMENT: Final = {AdjustmentKind.INCOME: AccountRole.INCOME, AdjustmentKind.LOSS: AccountRole.LOSSES}


def adjustment_of(
    kind: AdjustmentKind, number: str, day: date, minor: int, currency: str, accounts: LedgerAccounts,
    order: LedgerOrderFacts,
) -> LedgerBooking:  # fmt: skip
    """Credits of an order besides its payments: the customers' credit, income or losses against its debtor (D-87)."""
    counter = accounts.of(_OF_ADJUSTMENT.get(kind, AccountRole.CREDITS))
    debtor = accounts.debtor(order.customer_number)
    return book(day, counter, debtor, minor, currency, number, str(kind), invoice=order.invoice)


def _exchange(
    made: Sequence[LedgerBooking], accounts: LedgerAccounts, debtor: LedgerAccount, order: LedgerOrderFacts, minor: int
) -> Iterator[LedgerBooking]:
    """The credit in the posting's currency leaves the debtor again, and returns in the order's currency."""
    over = accounts.of(AccountRole.CURRENCY)
    credited = sum(each.minor if each.credit == debtor else -each.minor for each in made)
    for like in made[:1]:
        for sum_minor, currency in ((-credited, like.currency), (minor, order.currency)):
            if sum_minor:
                yield book(
                    like.date, over, debtor, sum_minor, currency, like.document, like.text, like.posting, order.invoice
                )


def _at_order_rate(booking: LedgerBooking, order: LedgerOrderFacts) -> LedgerBooking:
    """A booking in the order's currency is worth what the order is: at its own rate, else that of its date."""
    if booking.currency != order.currency:
        return booking
    return replace(booking, rate=order.rate, rate_date=order.order_date)


def sale_of(row: SaleRow, accounts: LedgerAccounts, order: LedgerOrderFacts) -> LedgerBooking:
    """A debtor against revenue: an order's amount when it was placed, or its later increase or decrease.

    A decrease, or a cancellation, is a credit note: revenue against the debtor.
    """
    debtor, revenue = accounts.debtor(order.customer_number), accounts.of(AccountRole.REVENUE)
    booking = book(
        row.day, debtor, revenue, row.minor, row.currency, row.number, row.customer, invoice=order.invoice
    )  # fmt: skip
    return replace(_at_order_rate(booking, order), is_sale=True, source=row.source)


def set_paid_booking(
    day: date, number: str, minor: int, currency: str, debit: LedgerAccount, debtor: LedgerAccount, text: str
) -> LedgerBooking:
    """An order that was set paid without money: the account against the debtor; back if it is less."""
    return replace(book(day, debit, debtor, minor, currency, number, text), source=f"set paid {day} {number}")
