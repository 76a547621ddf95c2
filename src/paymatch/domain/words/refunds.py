"""Why a refund is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "refund-account-changed": (
        "The account of refund {refund} has changed since you looked at it: compare it again, then release it"
    ),
}
