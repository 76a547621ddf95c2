"""Messages about a person who is not found or not erased."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "person-not-named": "Name the person: e-mail address, name, IBAN or customer number",
    "person-short-name": "The name is too short to mean one person: give first and last name",
    "person-unknown": "No one was found with these details",
    "person-many": "{count} orders were found, more than one person has: give further details",
    "person-shared-account": (
        "The account has paid for several customers: name the one you mean, by e-mail address or name"
    ),
    "person-needed": "Something is still open: {why}",
    "open-order": "order {number} is {status}",
    "open-refund": "refund {number} is {status}",
    "open-case": "order {number} is in collection",
    "open-letter": "a letter waits in print run {number}",
    "open-postings": ("{count} payment is not decided yet", "{count} payments are not decided yet"),
    "years-or-forever": "a number of years from {least} on is expected, as tax law asks, or forever",
}
