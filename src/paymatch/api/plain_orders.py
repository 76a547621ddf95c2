"""The quick way for orders in plain form: what nearly every shop sends, with nothing to refuse and little to change.

msgspec checks types and lengths while it decodes; a few looks at the result then show that no field needs the attention
of `schema.check_order` (blanks, empty values, control characters). An order that is not plain takes the long
way, which alone decides what is refused and with which words: `checked` answers None and changes nothing.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from paymatch.api import fields
from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import CURRENCIES, Currency
from paymatch.domain.orders.submission import OrderRefused, Submission, SubmittedOrder
from paymatch.domain.reminders.mail_addresses import mail_problem

_Key = Annotated[str, Meta(max_length=fields.MAX_KEY)]
_Text = Annotated[str, Meta(max_length=255)]
_ABSENT: Final = Raw(b"")
_LARGE: Final = 1 << 63

_AMOUNT: Final = re.compile(rb"(0|[1-9]\d{0,12})(?:\.(\d\d?))?")


class _Item(Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    number: _Key
    name: _Text | None = None


class _Address(Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """In the document's order; unknown fields take the long way, where what they hold is looked at."""

    gender: Literal["male", "female", "company", "unknown", ""] | None = None
    firstName: _Text | None = None  # noqa: N815  the contract's spelling, here and below
    lastName: _Text | None = None  # noqa: N815
    company: _Text | None = None
    street: _Text | None = None
    postCode: Annotated[str, Meta(max_length=32)] | None = None  # noqa: N815
    city: Annotated[str, Meta(max_length=128)] | None = None
    countryCode: str | None = None  # noqa: N815
    phone: Annotated[str, Meta(max_length=64)] | None = None

    def is_complete(self) -> bool:
        names = list(filter(None, (self.firstName, self.lastName, self.company, self.street, self.postCode, self.city)))
        if "" in map(str.strip, names) or not "".join(names).isprintable():
            return False  # blank is the same as absent, which the long way knows
        return bool(self.lastName or self.company) and self.countryCode in COUNTRIES


class PlainOrder(Struct, omit_defaults=True, gc=False):
    """The fields of `schema.OrderBody` in the same order, with the types that need no change."""

    number: Annotated[str, Meta(max_length=fields.MAX_NUMBER)] | int | None = None
    date: str | None = None
    dueDate: str | None = None  # noqa: N815
    type: Literal["INVOICE", "PREPAYMENT", "COD", "OTHER"] | None = None
    amount: Raw = _ABSENT
    currency: str | None = None
    exchangeRate: Raw = _ABSENT  # noqa: N815
    customerEmail: Annotated[str, Meta(max_length=255)] | None = None  # noqa: N815
    customerNumber: _Key | int | None = None  # noqa: N815
    marketplaceNumber: _Key | None = None  # noqa: N815
    paymentMethod: _Text | None = None  # noqa: N815
    paymentMethodDescription: _Text | None = None  # noqa: N815
    statusDescription: _Text | None = None  # noqa: N815
    language: Annotated[str, Meta(max_length=35)] | None = None
    itemNumbers: list[_Key] | None = None  # noqa: N815
    items: list[_Item] | None = None
    invoiceNumbers: list[_Key] | None = None  # noqa: N815
    shippingNumbers: list[_Key] | None = None  # noqa: N815
    proformaNumbers: list[_Key] | None = None  # noqa: N815
    billing: _Address | None = None
    shipping: _Address | None = None
    initialDunningLevel: int | None = None  # noqa: N815
    stopReminder: bool | None = None  # noqa: N815


PLAIN_ORDERS: Final = msgspec.json.Decoder(list[PlainOrder])
encode: Final = msgspec.json.Encoder().encode


def checked(order: PlainOrder) -> SubmittedOrder | None:
    """The checked order as `schema.check_order` would answer it, or None if that is the one to ask."""
    number = order.number = _as_text(order.number)
    order.customerNumber = _as_text(order.customerNumber)
    day, kind, currency = order.date, order.type, order.currency
    if not isinstance(number, str) or not number or isinstance(order.customerNumber, int):
        return None
    if day is None or kind is None or currency is None or order.initialDunningLevel is not None:
        return None
    amount = _AMOUNT.fullmatch(order.amount)
    if amount is None or CURRENCIES.get(Currency(currency)) != 2:
        return None
    billing, shipping = order.billing, order.shipping
    if billing is None or not billing.is_complete() or (shipping is not None and not shipping.is_complete()):
        return None
    whole, cents = amount[1], (amount[2] or b"").ljust(2, b"0")
    try:
        order_date, due_date = fields.day("date", day), fields.day("dueDate", order.dueDate)
        rate = fields.rate("exchangeRate", bytes(order.exchangeRate))
        fields.language("language", order.language)
        order.customerEmail = fields.email("customerEmail", order.customerEmail)
    except OrderRefused:
        return None
    if order_date is None:
        return None
    order.amount = Raw(whole + b"." + cents)
    order.exchangeRate = Raw(rate) if rate else _ABSENT
    doc = encode(order)
    if b'""' in doc:
        _drop_empty_texts(order)
        doc = encode(order)
    if b"\\" in doc or b'""' in doc or not _are_plain(_identifiers(order)):
        return None  # escaped characters, control characters among them; empty texts
    submission = Submission(number, order_date, due_date, int(whole + cents), Currency(currency), 0)
    return SubmittedOrder(
        submission=submission,
        doc=doc,
        type=kind,
        digits=2,
        exchange_rate=Decimal(rate.decode()) if rate else None,
        stop_reminder=order.stopReminder or False,
        mail_problem=mail_problem(order.customerEmail),
    )


def _as_text(number: str | int | None) -> str | int | None:
    """A number as its text (D-14), unless it is larger than the long way would take it for an integer."""
    return str(number) if type(number) is int and -_LARGE < number < _LARGE else number


def _drop_empty_texts(order: PlainOrder) -> None:
    """An empty text is the same as none, but for those of lists and items, which are left for the long way."""
    for part in (order, order.billing, order.shipping):
        for name in part.__struct_fields__ if part is not None else ():
            if getattr(part, name) == "":
                setattr(part, name, None)


def _identifiers(order: PlainOrder) -> list[str]:
    """All identifiers of the order; an empty list among its lists appears as an empty identifier."""
    found = [str(order.number)]
    if order.customerNumber is not None:
        found.append(str(order.customerNumber))
    if order.marketplaceNumber is not None:
        found.append(order.marketplaceNumber)
    if order.items is not None:
        found += [item.number for item in order.items] or [""]
    for group in (order.itemNumbers, order.invoiceNumbers, order.shippingNumbers, order.proformaNumbers):
        if group is not None:
            found += group or [""]
    return found


def _are_plain(identifiers: list[str]) -> bool:
    """None of them is blank, none holds anything but what can be printed."""
    return all(map(str.strip, identifiers)) and "".join(identifiers).isprintable()
