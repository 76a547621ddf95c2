"""The fee that a payout states in its text: `abzgl. Entgelt 12,40`, `Gebuehr 1.234,56`."""

from __future__ import annotations

import re
from typing import Final

_STATED: Final = re.compile(
    r"(?:ENTGELT|GEBUEHR|GEBUHR|FEE|KOSTEN|PROVISION|COMMISSION|FRAIS)[^0-9]{0,6}"
    r"([0-9]{1,3}(?:[.' ][0-9]{3}){1,3}|[0-9]{1,6})[,.]([0-9]{2})(?![0-9])"
)


def stated_fee(text: str) -> int | None:
    """The amount behind the first word for a fee, in hundredths; None if there is none. `text` is in flat capitals."""
    found = _STATED.search(text)
    return None if found is None else int(re.sub("[^0-9]", "", found[1]) + found[2])
