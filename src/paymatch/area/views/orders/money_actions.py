"""Actions with an order's money from its own page: credit used and returned, a payment moved elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.language.typed import typed_minor
from paymatch.area.page import Visit
from paymatch.area.queue import decisions
from paymatch.domain.money import AmountUnreadable
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.refusal import Refused
from paymatch.store.orders.order_history import Happened
from paymatch.store.transactions import ShopTx
from paymatch.usecases.desk.order_view import OrderDetails
from paymatch.usecases.matching import assigning, moving
from paymatch.usecases.settlement import credits

MOVE: Final = "move"
_CREDIT: Final[Mapping[str, tuple[Callable[[ShopTx, str], object], Promise]]] = {
    "use-credit": (credits.use, gettext_lazy("The credit pays this order; you can undo it.")),
    "take-back-credit": (credits.take_back_use, gettext_lazy("The customer has the credit again.")),
    "pay-out-credit": (credits.pay_out, gettext_lazy("The credit is overpaid here again: it can be refunded.")),
}
NAMES: Final = frozenset({MOVE, *_CREDIT})
"""The actions of this module."""


def act(request: HttpRequest, visit: Visit, number: str) -> None:
    """Does the action that is asked for, and says so or why not. Http404 for an unknown order."""
    action = request.POST.get("action", "")
    try:
        if action == MOVE:
            said: str | Promise = _move(request, visit, number)
        else:
            do, said = _CREDIT[action]
            with visit.transaction() as tx:
                do(tx, number)
    except OrderUnknown:
        if action != MOVE:
            raise Http404 from None
        messages.error(request, _("There is no order of this number"))
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    except AmountUnreadable:
        messages.error(request, _("Enter an amount such as 12.50"))
    else:
        messages.success(request, said)


def _move(request: HttpRequest, visit: Visit, number: str) -> str:
    """The payment, or a part of it, is another order's; undone in the queue as every decision is."""
    posting_id, target = request.POST.get("posting", ""), request.POST.get("to", "").strip()
    typed = request.POST.get("amount", "").strip()
    currency = assigning.currency_of(visit.database, visit.shop, posting_id)
    minor = typed_minor(typed, currency) if typed else None
    numbers = moving.move(visit.database, visit.shop, posting_id, number, target, minor, visit.service.clock())
    decisions.remember(request, visit, posting_id, "matched", numbers)
    return _("The payment is moved to order {number}.").format(number=target)


def movable(found: OrderDetails) -> list[dict[str, Any]]:
    """The order's payments, each with the amount that is offered to be moved: what is overpaid, else all of it."""
    rows = [row for row in found.history if row.kind is Happened.POSTING and row.facts["kind"] == "payment"]
    overpaid, currency = found.order.overpaid_minor, found.order.currency
    return [
        {
            "posting": row.facts["posting"], "name": row.facts["name"], "day": row.day, "minor": row.amount_minor or 0,
            "amount": amount(min(overpaid or row.amount_minor or 0, row.amount_minor or 0), currency)
            if row.facts["currency"] == currency and not row.facts["withheld_minor"] else "",
        }
        for row in rows
    ]  # fmt: skip
