"""Limits of an advice: plain, bounded texts, and a plausible day.

Every stranger can send an advice by mail. The readers know their forms; valid texts and days are defined here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

from paymatch.domain.advices.advice import Advice, AdviceLine
from paymatch.formats.foreign_text import plain

MAX_TEXT: Final = 140
"""Characters of a name, a number or an account; the longest of ISO 20022."""
MAX_REFERENCES: Final = 20
"""Numbers of one line that may name its order."""
_BUSINESS_DAYS: Final = (date(2000, 1, 1), date(2199, 12, 31))


def admitted(advice: Advice) -> Advice:
    """The advice with texts and a day that may enter.

    Programs write 01.01.0001 where they know no day, so a day out of all business is none.
    """
    first, last = _BUSINESS_DAYS
    return replace(
        advice,
        lines=tuple(map(_line, advice.lines)),
        number=_text(advice.number),
        payer=_text(advice.payer),
        payer_account=_text(advice.payer_account),
        day=advice.day if advice.day is not None and first <= advice.day <= last else None,
    )


def _line(line: AdviceLine) -> AdviceLine:
    references = dict.fromkeys(_text(each) for each in line.references[:MAX_REFERENCES])
    return replace(line, references=tuple(each for each in references if each), text=_text(line.text))


def _text(text: str) -> str:
    return plain(text[:MAX_TEXT]).strip()
