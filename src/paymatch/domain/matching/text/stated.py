"""The fee that a payout states in its text: `abzgl. Entgelt 12,40`, `fee 1,234.56`, `12 % Provision`."""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.orders.fees import StatedFee

_WORD: Final = "(?:ENTGELT|GEBUEHR|GEBUHR|FEE|KOSTEN|PROVISION|COMMISSION|FRAIS)"
_SIGN: Final = " ?(?:%|PROZENT|PERCENT)"
_RATE: Final = f"([0-9]{{1,2}})(?:[,.]([0-9]{{1,2}}))?{_SIGN}"
_AMOUNT: Final = rf"([0-9]{{1,3}}(?:[.,' ][0-9]{{3}}){{1,3}}|[0-9]{{1,6}})[,.]([0-9]{{2}})(?![0-9]|[,.][0-9]|{_SIGN})"
_STATED: Final = re.compile(rf"{_WORD}[^0-9]{{0,6}}(?:[0-9]{{1,2}}(?:[,.][0-9]{{1,2}})?{_SIGN}[^0-9]{{0,6}})?{_AMOUNT}")
_RATE_BEHIND: Final = re.compile(rf"{_WORD}[^0-9]{{0,6}}{_RATE}")
_RATE_BEFORE: Final = re.compile(rf"(?<![0-9,.]){_RATE} ?{_WORD}")


def stated_fee(text: str) -> StatedFee:
    """The amount behind the first word for a fee, else the percentage beside one. `text` is in flat capitals."""
    found = _STATED.search(text)
    if found is not None:
        return StatedFee(amount=int(re.sub("[^0-9]", "", found[1]) + found[2]))
    rate = _RATE_BEHIND.search(text) or _RATE_BEFORE.search(text)
    if rate is None:
        return StatedFee()
    return StatedFee(basis_points=int(rate[1]) * 100 + int((rate[2] or "").ljust(2, "0")))
