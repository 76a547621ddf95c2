"""Messages about refused rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "rule-without-payer": "Name the payer: an account, or a name",
    "rule-one-word": "One word is not enough to identify a payer: add another, or a word of the payment text",
    "rule-without-reason": "Give a reason, so that everyone knows what such postings wait for",
    "rule-without-customer": "Name the customer that the payer pays for",
    "rule-too-long": "A part of the rule is too long (200 characters, 10 words)",
    "rule-known": "This rule exists already",
    "rule-too-many": ("A shop has at most {count} rule", "A shop has at most {count} rules"),
    "no-rule": "There is no rule {rule}",
    "no-posting": "There is no posting {posting}",
    "no-payout": "There is no payout {payout}",
}
