"""Terms of an electronic invoice: due date, early-payment discounts, and differences from the order.

The invoice is the merchant's own word about his own claim, so it may ask for less (D-96). Terms
are taken only from an invoice that agrees with its order in number, currency and amount.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, NamedTuple

from paymatch.domain.calendar import latest_due_date, next_bank_day

MAX_KEY: Final = 128
"""Characters of a remittance text that is looked up as a number (D-15)."""


@dataclass(frozen=True, slots=True)
class DiscountOffer:
    """A cash discount that an invoice states: a share of `base_minor`, for payments up to `last_day`."""

    last_day: date
    basis_points: int
    base_minor: int

    @property
    def amount_minor(self) -> int:
        """The discount, rounded half up."""
        return (self.base_minor * self.basis_points + 5_000) // 10_000

    def equals(self, missing_minor: int) -> bool:
        """True if exactly the discount is missing; at half a cent either rounding is right."""
        return missing_minor > 0 and abs(missing_minor * 10_000 - self.base_minor * self.basis_points) <= 5_000

    def holds_on(self, day: date) -> bool:
        """True if a payment booked on `day` is in time: a term that ends on no bank day ends on the next (BGB 193)."""
        return day <= next_bank_day(self.last_day)


@dataclass(frozen=True, slots=True)
class InvoiceTerms:
    """The payment data of an electronic invoice; amounts in minor units of its currency (EN 16931: BT numbers)."""

    syntax: str  # UBL, CII, ZUGFeRD 1.0
    number: str  # BT-1
    issue_date: date  # BT-2
    currency: str  # BT-5
    amount_due_minor: int  # BT-115
    total_minor: int | None = None  # BT-112, with taxes; None if it is not stated
    due_date: date | None = None  # BT-9
    payment_terms: str = ""  # BT-20
    remittance: str = ""  # BT-83
    is_credit_note: bool = False
    discounts: tuple[DiscountOffer, ...] = ()
    unread: tuple[str, ...] = ()  # parts of the payment terms that look like a discount and cannot be read


class InvoicedOrder(NamedTuple):
    """The order data that an invoice is compared with; `invoice_numbers` are those of the order and of the upload."""

    order_date: date
    due_date: date | None  # as submitted
    currency: str
    amount_minor: int
    invoice_numbers: Collection[str] = ()


class InvoiceField(StrEnum):
    """The fields in which an invoice may differ from its order."""

    NUMBER = "number"
    CURRENCY = "currency"
    AMOUNT = "amount"
    DUE_DATE = "due-date"


class Difference(NamedTuple):
    """A field in which the invoice differs from the order; amounts in minor units of their currency."""

    field: InvoiceField
    invoice: str | int | date
    order: str | int | date


_CONTRADICTS: Final = frozenset({InvoiceField.NUMBER, InvoiceField.CURRENCY, InvoiceField.AMOUNT})


def differences(terms: InvoiceTerms, order: InvoicedOrder) -> list[Difference]:
    """The differences between the invoice and its order. A credit note is another document, and is not compared."""
    if terms.is_credit_note:
        return []
    found: list[Difference] = []
    if terms.number not in order.invoice_numbers:
        found.append(Difference(InvoiceField.NUMBER, terms.number, ", ".join(order.invoice_numbers)))
    if terms.currency != order.currency:
        found.append(Difference(InvoiceField.CURRENCY, terms.currency, order.currency))
    elif order.amount_minor not in (terms.amount_due_minor, terms.total_minor):
        asked = terms.amount_due_minor if terms.total_minor is None else terms.total_minor
        found.append(Difference(InvoiceField.AMOUNT, asked, order.amount_minor))
    if terms.due_date is not None and order.due_date is not None and terms.due_date != order.due_date:
        found.append(Difference(InvoiceField.DUE_DATE, terms.due_date, order.due_date))
    return found


def contradicts(found: Sequence[Difference]) -> bool:
    """True if the invoice may belong to another order: then none of its data is used."""
    return any(each.field in _CONTRADICTS for each in found)


@dataclass(frozen=True, slots=True)
class TakenTerms:
    """Invoice data that fills an order's empty fields, as long as the order asks for this amount."""

    currency: str
    amount_minor: int  # the order's, with which the invoice agreed
    due_date: date | None = None  # None if the order has one, or the invoice states none
    discounts: tuple[DiscountOffer, ...] = ()


def taken_terms(terms: InvoiceTerms, order: InvoicedOrder, today: date) -> TakenTerms | None:
    """The data that the order takes from the invoice; None if they contradict each other."""
    if terms.is_credit_note or contradicts(differences(terms, order)):
        return None
    due = terms.due_date if order.due_date is None and _is_plausible(terms.due_date, order, today) else None
    return TakenTerms(order.currency, order.amount_minor, due, terms.discounts)


def remittance_key(terms: InvoiceTerms) -> str:
    """The remittance text (BT-83) as a number that payments find the order with; empty if it is a sentence."""
    said = terms.remittance
    return said if len(said) <= MAX_KEY and len(said.split()) == 1 else ""


def _is_plausible(due: date | None, order: InvoicedOrder, today: date) -> bool:
    """As for an order's own due date: at most six months in the future (docs/api.md, Limits)."""
    return due is not None and order.order_date <= due <= latest_due_date(today)
