"""An order in the matching engine's view: its wire document and its columns, read into `OrderFacts`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec

from paymatch.domain.matching.model import FirstSuggestion, OrderFacts, OrderState, PaidCustomer
from paymatch.domain.orders.invoice_terms import DiscountOffer, TakenTerms
from paymatch.domain.orders.settlement import PaymentStatus

MAX_KEY: Final = 128
"""The longest number that finds orders (D-15), in characters; a longer one is kept with the order, but ignored."""

_SETTLED: Final = frozenset({PaymentStatus.PAID, PaymentStatus.REFUNDED, PaymentStatus.REFUNDED_PARTIAL})
_CLOSED: Final = frozenset({PaymentStatus.CANCELLED, PaymentStatus.DISAPPEARED, PaymentStatus.LEGACY})


class _Address(msgspec.Struct):
    firstName: str = ""  # noqa: N815  the contract's spelling, here and below
    lastName: str = ""  # noqa: N815
    company: str = ""
    postCode: str = ""  # noqa: N815
    city: str = ""
    phone: str = ""


class _Item(msgspec.Struct):
    number: str
    name: str = ""


class _Doc(msgspec.Struct):
    """The fields of the stored wire document that matching uses."""

    customerEmail: str = ""  # noqa: N815
    customerNumber: str = ""  # noqa: N815
    marketplaceNumber: str = ""  # noqa: N815
    itemNumbers: tuple[str, ...] = ()  # noqa: N815
    items: tuple[_Item, ...] = ()
    invoiceNumbers: tuple[str, ...] = ()  # noqa: N815
    shippingNumbers: tuple[str, ...] = ()  # noqa: N815
    proformaNumbers: tuple[str, ...] = ()  # noqa: N815
    billing: _Address = msgspec.field(default_factory=_Address)
    shipping: _Address | None = None


_DECODE: Final = msgspec.json.Decoder(_Doc).decode
_DECODE_TERMS: Final = msgspec.json.Decoder(TakenTerms).decode


@dataclass(frozen=True, slots=True)
class OrderColumns:
    """The columns beside the document that make an order's facts; amounts in minor units of its currency."""

    number: str
    type: str
    currency: str
    amount_minor: int
    order_date: date
    due_date: date | None
    exchange_rate: Decimal | None
    status: PaymentStatus
    reference: str
    asked_in: str = ""
    paid_minor: int = 0
    refunded_minor: int = 0
    last_posting_date: date | None = None
    refund_references: tuple[str, ...] = ()
    contested: bool = False
    lapsed: bool = False
    first_for: tuple[FirstSuggestion, ...] = ()
    uploaded_invoices: tuple[str, ...] = ()
    invoice_terms: str = ""
    announced_date: date | None = None


def order_facts(doc: str | bytes, columns: OrderColumns) -> OrderFacts:
    """The order in the matching engine's view."""
    wire = _DECODE(doc)
    return OrderFacts(
        number=columns.number,
        currency=columns.currency,
        amount_minor=columns.amount_minor,
        open_minor=columns.amount_minor - columns.paid_minor + columns.refunded_minor,
        state=_state(columns.status),
        in_collection=columns.status is PaymentStatus.COLLECTION,
        order_date=columns.order_date,
        type=columns.type,
        due_date=columns.due_date,
        exchange_rate=columns.exchange_rate,
        asked_in=columns.asked_in,
        creditor_reference=columns.reference,
        customer_number=wire.customerNumber if len(wire.customerNumber) <= MAX_KEY else "",
        marketplace_number=wire.marketplaceNumber if len(wire.marketplaceNumber) <= MAX_KEY else "",
        invoice_numbers=_keys(*wire.invoiceNumbers, *columns.uploaded_invoices),
        proforma_numbers=_keys(*wire.proformaNumbers),
        shipping_numbers=_keys(*wire.shippingNumbers),
        item_numbers=_keys(*(item.number for item in wire.items), *wire.itemNumbers),
        item_names=tuple(dict.fromkeys(item.name for item in wire.items if item.name)),
        names=_names(wire),
        recipient_names=_recipients(wire),
        contact_names=_contacts(wire),
        email=wire.customerEmail,
        post_code=wire.billing.postCode,
        city=wire.billing.city,
        phone=wire.billing.phone,
        paid_minor=columns.paid_minor,
        refund_references=columns.refund_references,
        contested=columns.contested,
        lapsed=columns.lapsed,
        first_for=columns.first_for,
        announced_date=columns.announced_date,
        discounts=_discounts(columns) if columns.invoice_terms else (),
    )


def _discounts(columns: OrderColumns) -> tuple[DiscountOffer, ...]:
    """The discounts of its invoice, as long as the order asks for the invoiced amount."""
    taken = _DECODE_TERMS(columns.invoice_terms)
    agrees = (taken.currency, taken.amount_minor) == (columns.currency, columns.amount_minor)
    return taken.discounts if agrees else ()


def who_ordered(doc: str | bytes) -> tuple[str, ...]:
    """The identity of the order's customer: the customer number, or else the first name; empty if neither."""
    wire = _DECODE(doc)
    return (wire.customerNumber,) if wire.customerNumber else _names(wire)[:1]


def paid_customer(doc: str | bytes) -> PaidCustomer:
    """The order's customer, as far as the order tells one customer from another."""
    wire = _DECODE(doc)
    return PaidCustomer(wire.customerNumber, wire.customerEmail, wire.billing.postCode, _names(wire))


def _keys(*numbers: str) -> tuple[str, ...]:
    """The numbers without repetitions, and without those that are too long for a key (D-39)."""
    return tuple(dict.fromkeys(number for number in numbers if len(number) <= MAX_KEY))


def _state(status: PaymentStatus) -> OrderState:
    if status in _CLOSED:
        return OrderState.CLOSED
    return OrderState.SETTLED if status in _SETTLED else OrderState.OPEN


def _names(wire: _Doc) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_names_of(wire.billing) + (_names_of(wire.shipping) if wire.shipping else [])))


def _recipients(wire: _Doc) -> tuple[str, ...]:
    """The names that only the shipping address has."""
    if wire.shipping is None:
        return ()
    own = _names_of(wire.billing)
    return tuple(dict.fromkeys(name for name in _names_of(wire.shipping) if name not in own))


def _contacts(wire: _Doc) -> tuple[str, ...]:
    """The person's name at a company that ordered; empty if a person ordered."""
    company = wire.billing.company
    return tuple(name for name in _names_of(wire.billing) if name != company) if company else ()


def _names_of(address: _Address) -> list[str]:
    return [name for name in (f"{address.firstName} {address.lastName}".strip(), address.company) if name]
