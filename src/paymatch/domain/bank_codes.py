"""What the bank's transaction code says of a posting: collected by its payee, or paid in cash (D-5, D-80).

A collector writes the text, name and references of a debit, so these words are not the shop's.
"""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.postings import Posting

_ISO: Final = re.compile(r"PMNT/(?:RDDT|CCRD|DRFT)(?:/.*)?")
"""ISO external code list, families of a debit that its payee starts: received direct debits, cards, drafts."""

COLLECTED_GVC: Final = frozenset({"004", "005", "104", "105", "106", "107"})
"""GVC of direct debits (104, 105, formerly 004 and 005), card payments (106) and direct debits at a till (107)."""

_TEXTS: Final = re.compile(
    r"LASTSCHRIFT|DIRECT ?DEBIT|\bINCASSO|PRELEVEMENT|PRÉLÈVEMENT|ADDEBITO|POLECENIE ZAP|DOMICILI|KARTENZAHLUNG|"
    r"\bCARD PAYMENT|\bPOS\b",
    re.IGNORECASE,
)
_OF_RETURNS: Final = re.compile(r"R(?:UE|Ü|U)CK|RETO?UR|REJECT|STORNO", re.IGNORECASE)

_CASH: Final = re.compile(r"PMNT/CNTR(?:/.*)?|082")
"""ISO family of transactions at a counter; GVC of a deposit."""


def is_cash(posting: Posting) -> bool:
    """True for money paid in at a counter, by the bank's transaction code: an account in it is not the payer's."""
    return posting.amount_minor > 0 and _CASH.fullmatch(posting.bank_code) is not None


def is_collected(posting: Posting) -> bool:
    """True for money out that the payee collected, by the bank's transaction code, else by its booking text.

    Returns are none: the bank itself marks them. Without either word of the bank the debit counts as the shop's own.
    """
    if posting.amount_minor >= 0 or posting.is_return:
        return False
    code = posting.bank_code
    if code and "/NTAV" not in code:
        return code in COLLECTED_GVC or _ISO.fullmatch(code) is not None
    text = posting.booking_text
    return _TEXTS.search(text) is not None and _OF_RETURNS.search(text) is None
