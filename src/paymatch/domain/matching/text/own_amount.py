"""The payment's own amount in its text (`EUR 50.00`, `150 €`): it is the amount, not an order's number."""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.matching.text.reading import Number

_CURRENCY: Final = "(?:EUROS?|EUR|€|CHF|SFR|USD|GBP|PLN)"
_AMOUNT: Final = re.compile(
    rf"(?:(?<![A-Z])(?P<before>{_CURRENCY})[ :.]?|(?<![^ (:=]))"
    r"(?P<whole>[0-9]{1,3}(?:[.'][0-9]{3})+|[0-9]{1,7})(?:[.,](?P<cents>[0-9]{2})|(?P<none>,-{1,2}))?"
    rf"(?![0-9]|[-.,/'][0-9])(?: ?(?P<after>{_CURRENCY})(?![A-Z]| ?[0-9]))?"
)
"""A number alone is an amount only with two decimals, `,-` or a currency beside it."""


def without_own_amount(numbers: list[Number], text: str, amount_minor: int) -> list[Number]:
    """The numbers that are not the amount of the payment, in hundredths, as `text` (flat capitals) states it."""
    spans = [match.span() for match in _AMOUNT.finditer(text) if _minor_of(match) == amount_minor]
    if not spans:
        return numbers
    return [each for each in numbers if not any(start <= each.start and each.end <= end for start, end in spans)]


def _minor_of(match: re.Match[str]) -> int:
    """The amount in hundredths; -1 if nothing shows that it is an amount."""
    if not (match["cents"] or match["none"] or match["before"] or match["after"]):
        return -1
    whole = int("".join(filter(str.isdigit, match["whole"])))
    return 100 * whole + int(match["cents"] or 0)
