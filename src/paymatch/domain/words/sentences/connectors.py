"""Messages about connectors to shop systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    # settings
    "connector-name": "a name of up to 40 lower-case letters, digits and hyphens is expected",
    "connector-no-system": "there is no connector for {name}",
    "connector-url-query": "the address of the shop is expected, without a question mark and what follows it",
    "connector-methods": "{part} is not of the form method=PREPAYMENT, method=INVOICE or method=COD",
    "connector-some-methods": "1 to {most} payment methods are expected, such as bacs=PREPAYMENT, cod=COD",
    "connector-status-name": "the short name of an order status is expected, such as processing",
    "connector-prefix": "up to 20 letters, digits, hyphens, dots, slashes and underscores are expected",
    "connector-day": "a day such as 2026-03-01 is expected",
    "connector-secret": "a key and a secret of up to 255 printable ASCII characters are expected",
    "connector-exists": "there is a connector {name} already",
    "connector-exists-help": "another name is expected: there is a connector of this name already",
    "connector-is-paused": "connector {name} is paused: start it first",
    # calls
    "connector-wrong-key": "the shop refused the key or the secret ({status}): {what}",
    "connector-not-allowed": "the key may not do this in the shop ({status}): {what}",
    "connector-not-found": "the shop does not know this address ({status}): {what}. Is the address of the shop right?",
    "connector-redirect": (
        "the shop redirects to another address ({status}): enter the address at which the shop really is"
    ),
    "connector-later": "the shop asks for a pause ({status})",
    "connector-failed": "the shop answered with an error ({status}): {what}",
    "connector-not-json": "the answer is not JSON: {what}. Is the address of the shop right?",
    "connector-too-long": "the answer is longer than {most} MB",
    "connector-strange": "the answer does not have the expected form: {what}",
    "connector-unreachable": "the shop cannot be reached: {error}",
    "connector-no-way": "this installation has no way out to shop systems",
    # orders
    "connector-order-unreadable": "{what} cannot be read",
    "connector-number-taken": "number {number} belongs to an order of the connector {other}; set number-prefix",
    "connector-state-changed": (
        "the payment status is {status}, but the order has the state {state} in the shop, which paymatch does not"
        " change"
    ),
    "connector-move-refused": "the shop does not allow {move} in the state {state}: {why}",
    "connector-order-gone": "the shop does not have this order any more",
    # alerts
    "alert-connector-failing": (
        "Connector {name}: {count} attempt has failed since {day} {time} UTC: {error}",
        "Connector {name}: {count} attempts have failed since {day} {time} UTC: {error}",
    ),
    "alert-connector-orders": (
        "Connector {name}: {count} order needs attention, the latest is {order}: {problem}",
        "Connector {name}: {count} orders need attention, the latest is {order}: {problem}",
    ),
}
