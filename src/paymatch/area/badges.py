"""Badges: the colour and the word for each state that people see; the API's constant is the badge's title."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import RefundStatus

Badge = tuple[str, str, str | Promise]
"""Colour, title, word."""

_ORDERS: Final[Mapping[PaymentStatus, tuple[str, Promise]]] = {
    PaymentStatus.UNPAID: ("grey", _("Open")),
    PaymentStatus.PAID_PARTIAL: ("amber", _("Partly paid")),
    PaymentStatus.PAID: ("green", _("Paid")),
    PaymentStatus.REFUNDED_PARTIAL: ("accent", _("Partly refunded")),
    PaymentStatus.REFUNDED: ("accent", _("Refunded")),
    PaymentStatus.COLLECTION: ("red", _("Collection")),
    PaymentStatus.CANCELLED: ("grey", _("Cancelled")),
    PaymentStatus.DISAPPEARED: ("grey", _("Disappeared")),
    PaymentStatus.LEGACY: ("grey", _("Legacy")),
}
_REFUNDS: Final[Mapping[RefundStatus, tuple[str, Promise]]] = {
    RefundStatus.BANKDETAILS_MISSING: ("amber", _("IBAN missing")),
    RefundStatus.NEW: ("grey", _("Planned")),
    RefundStatus.IN_PROCESS: ("accent", _("In a file")),
    RefundStatus.PROCESSED: ("green", _("Booked")),
    RefundStatus.RETURNED: ("red", _("Came back")),
    RefundStatus.ERROR: ("red", _("Error")),
    RefundStatus.CANCELLED: ("grey", _("Cancelled")),
    RefundStatus.LEGACY: ("grey", _("Legacy")),
}

ORDER_STATES: Final = tuple((str(status), word) for status, (_colour, word) in _ORDERS.items())
"""Values and words of a filter by state, in the order of an order's life."""


def order_badge(status: str) -> Badge:
    """The badge of an order's paymentStatus."""
    colour, word = _ORDERS[PaymentStatus(status)]
    return colour, status, word


def refund_badge(status: str, *, waits_for_release: bool = False) -> Badge:
    """The badge of a refund; one that is new and waits for a person says so."""
    if waits_for_release:
        return "amber", status, _("To release")
    colour, word = _REFUNDS[RefundStatus(status)]
    return colour, status, word
