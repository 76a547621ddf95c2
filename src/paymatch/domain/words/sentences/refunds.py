"""Why a refund is refused, and what a release waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "refund-account-changed": (
        "The account of refund {refund} has changed since you looked at it: compare it again, then release it"
    ),
    "new-power-person": "{person} may release refunds from {day} {time} UTC on: {by} has given them the role",
    "new-power-second-factor": (
        "{person} may release refunds from {day} {time} UTC on: they have just set up a second factor"
    ),
    "new-power-limit": "{limit} was raised by {by}, and holds from {day} {time} UTC on",
    "limit-of-a-refund": "The limit of a refund",
    "limit-of-a-day": "The limit of a day",
    "limit-of-one-person": "The sum above which two persons release",
    "alert-new-power": "{what}. If it was none of you, undo it now, and tell whoever runs the service",
    "release-too-early": (
        "{what}. Until then somebody else releases, or whoever runs the service (paymatch refunds release)"
    ),
}
