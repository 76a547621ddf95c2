"""A posting without a candidate as the page shows it: what was looked for, nearest orders, what clerks do with such."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import amount
from paymatch.area.page import Visit
from paymatch.area.queue.showing import order_url
from paymatch.domain.postings import Posting
from paymatch.usecases.matching.nearest import Nearest

WAITS: Final = (
    gettext_lazy("Waits for the customer's answer"),
    gettext_lazy("Waits for the order"),
    gettext_lazy("Waits for the bank"),
)
"""Why a posting is usually set aside."""
IGNORED_IN: Final = (gettext_lazy("Transfer between our own accounts"), gettext_lazy("Income of another kind"))
IGNORED_OUT: Final = (gettext_lazy("Transfer between our own accounts"), gettext_lazy("Bill or fee that we pay"))
"""Why money that came in, or went out, is usually no order payment."""


def nearest_values(visit: Visit, posting: Posting, found: Nearest) -> dict[str, Any]:
    """What was looked for, the orders with their keys, and the usual reasons for setting such a posting aside."""
    return {
        "amount": amount(abs(posting.amount_minor), posting.currency),
        "waits": WAITS,
        "ignored": IGNORED_IN if posting.amount_minor > 0 else IGNORED_OUT,
        "numbers": found.numbers,
        "names": found.names,
        "orders": [
            {
                "key": key,
                "order": each.order,
                "url": order_url(visit, each.order.number),
                "state": order_badge(each.order.status),
                "order_minor": each.order_minor,
                "difference_minor": each.difference_minor,
                "same_name": each.same_name,
            }
            for key, each in enumerate(found.orders, 1)
        ],
    }
