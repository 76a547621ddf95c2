"""Bank code and account number out of an IBAN, in SQL: the document has them for non-SEPA accounts (D-41)."""

from __future__ import annotations

from typing import Final

_PARTS: Final = {
    "AE": (0, 3, 3, 19),
    "CH": (0, 5, 5, 17),
    "EG": (0, 4, 8, 25),
    "GB": (4, 10, 10, 18),
    "GE": (0, 2, 2, 18),
    "GG": (4, 10, 10, 18),
    "GI": (0, 4, 4, 19),
    "IL": (0, 3, 6, 19),
    "IM": (4, 10, 10, 18),
    "JE": (4, 10, 10, 18),
    "JO": (0, 4, 8, 26),
    "KW": (0, 4, 4, 26),
    "KZ": (0, 3, 3, 16),
    "LB": (0, 4, 4, 24),
    "MD": (0, 2, 2, 20),
    "PK": (0, 4, 4, 20),
    "QA": (0, 4, 4, 25),
    "SA": (0, 2, 2, 20),
}
"""Country -> where in the BBAN the bank code and the account number begin and end (SWIFT's IBAN registry).

Countries outside of the European Economic Area whose structure names both; a British bank code is the sort code.
"""


def _part(place: int) -> str:
    branches = " ".join(
        f"WHEN '{country}' THEN substr(account, {ends[place] + 5}, {ends[place + 1] - ends[place]})"
        for country, ends in _PARTS.items()
    )
    return f"CASE WHEN account ~ '^[A-Z]{{2}}[0-9]{{2}}' THEN CASE left(account, 2) {branches} END END"


BANK_CODE: Final = _part(0)
"""SQL: the bank code of the IBAN in the column `account`, or NULL."""

ACCOUNT_NUMBER: Final = f"coalesce({_part(2)}, CASE WHEN account !~ '^[A-Z]{{2}}[0-9]{{2}}' THEN account END)"
"""SQL: the account number of the IBAN in the column `account`; an account that is no IBAN is one itself."""
