"""The query parameters of each endpoint: what the reference shows is what a call may have (D-39)."""

from __future__ import annotations

from typing import Final

from paymatch.api.openapi import collection, sandbox
from paymatch.api.openapi.forms import Schema, day, flag, moment, text, whole
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds import RefundStatus
from paymatch.domain.reports.asked import Step
from paymatch.usecases.orders.images import ImageType

_FLAGS: Final[dict[str, str]] = {
    "includePostings": "Include `postings` and `hasBankDetailsForRefund` in each order.",
    "includeCollectionHistory": "Include `collectionHistory` in each order.",
    "includePaymentReminders": "Include `paymentReminders` in each order.",
    "includeRefunds": "Include `refunds` in each order.",
}
_INCLUDE: Final[dict[str, Schema]] = {name: flag(words) | {"default": False} for name, words in _FLAGS.items()}
_LIMIT: Final = {"limit": whole("Maximum number of items.", minimum=0, maximum=100_000)}
_PAGE: Final = {"limit": whole("Maximum number of items; 100 by default.", minimum=0, maximum=1000)}

QUERIES: Final[dict[str, dict[str, Schema]]] = {
    "POST order/{orderNumber}": _INCLUDE,
    "GET order/{orderNumber}": _INCLUDE,
    "POST order/remove/{orderNumber}": _INCLUDE,
    "POST orders": _INCLUDE,
    "GET orders": {
        "maxAge": whole(
            "Maximum age of an order in days, counted from its `date`. Older orders are left out, open ones too: give a"
            " larger number to list all open orders.",
            minimum=0,
            maximum=999_999_999,
            default=120,
        ),
        "paymentStatus": text(
            "Payment statuses, separated by commas.",
            examples=["UNPAID,PAID_PARTIAL"],
            pattern="^({0})(,({0}))*$".format("|".join(PaymentStatus)),
        ),
        "minPostingDate": day("Only orders whose last posting is of this day or later."),
        **_LIMIT,
        "after": text("Continue after the order with this number."),
        **_INCLUDE,
    },
    "POST ordersync": {
        "force": flag("Carry out what the setting `ordersync-guard=on` would refuse.") | {"default": False},
        "dryRun": flag("Check and count, but change nothing.") | {"default": False},
        "detail": flag("Answer an object instead of the number.") | {"default": False},
    },
    "GET postings": {
        "createdMin": day("First day of import; without a range the last 30 days."),
        "createdMax": day("First day of import that is left out."),
        "iban": text("Postings of this account of the shop."),
        "includeOrders": flag("Include the orders that each posting pays.") | {"default": True},
        **_LIMIT,
        "after": text("Continue after the posting with this id."),
        **_INCLUDE,
    },
    "GET image/{orderNumber}": {
        "type": text("What is wanted.", enum=[str(each) for each in ImageType], default=str(ImageType.QRCODE))
    },
    "POST statements": {"dryRun": flag("Read and match, but book nothing.") | {"default": False}},
    "GET events": {"after": whole("Continue after the event with this id.", minimum=0, maximum=999_999_999), **_PAGE},
    "GET callbacks": {
        "status": text("Statuses, separated by commas.", pattern="^({0})(,({0}))*$".format("|".join(CallbackStatus))),
        "before": text("Continue after the callback with this id."),
        **_PAGE,
    },
    "GET refunds": {
        "status": text("Statuses, separated by commas.", pattern="^({0})(,({0}))*$".format("|".join(RefundStatus))),
        "after": text("Continue after the refund with this id."),
        **_PAGE,
    },
    "GET reports/{report}": {
        "from": day("First day of the period; usually the first of the month before."),
        "to": day("Last day of the period; usually today."),
        "asOf": day("As things stood at the end of this day; usually today."),
        "by": text("What `cash-in` is summed up by.", enum=[str(each) for each in Step], default=str(Step.MONTH)),
        "limit": whole("Maximum number of rows of a long report.", minimum=0, maximum=10_000, default=1000),
        "after": text("Continue behind the row that `next` of the page before names."),
    },
    "POST callbacks/resend": {"since": moment("Callbacks queued at this moment or later.")},
    **collection.QUERIES,
    **sandbox.QUERIES,
}
REQUIRED: Final = frozenset({("POST callbacks/resend", "since")})
