"""Bank code and account number out of an IBAN, in SQL: the document has them for non-SEPA accounts (D-41)."""

from __future__ import annotations

from typing import Final

PARTS: Final = {
    "AD": (0, 4, 8, 20), "AE": (0, 3, 3, 19), "AL": (0, 3, 8, 24), "AZ": (0, 4, 4, 24), "BA": (0, 3, 6, 14),
    "BF": (0, 5, 10, 22), "BH": (0, 4, 4, 18), "BI": (0, 5, 10, 21), "BJ": (0, 5, 10, 22), "BR": (0, 8, 13, 23),
    "BY": (0, 4, 4, 24), "CF": (0, 5, 10, 21), "CG": (0, 5, 10, 21), "CH": (0, 5, 5, 17), "CI": (0, 5, 10, 22),
    "CM": (0, 5, 10, 21), "CR": (0, 4, 4, 18), "CV": (0, 4, 8, 19), "DJ": (0, 5, 10, 21), "DO": (0, 4, 4, 24),
    "DZ": (0, 5, 10, 20), "EG": (0, 4, 8, 25), "FK": (0, 2, 2, 14), "FO": (0, 4, 4, 13), "GA": (0, 5, 10, 21),
    "GB": (4, 10, 10, 18), "GE": (0, 2, 2, 18), "GG": (4, 10, 10, 18), "GI": (0, 4, 4, 19), "GL": (0, 4, 4, 13),
    "GQ": (0, 5, 10, 21), "GT": (0, 4, 8, 24), "HN": (0, 4, 4, 24), "IL": (0, 3, 6, 19), "IM": (4, 10, 10, 18),
    "IQ": (0, 4, 7, 19), "JE": (4, 10, 10, 18), "JO": (0, 4, 8, 26), "KW": (0, 4, 4, 26), "KZ": (0, 3, 3, 16),
    "LB": (0, 4, 4, 24), "LC": (0, 4, 4, 28), "LY": (0, 3, 6, 21), "MA": (0, 5, 10, 22), "MC": (0, 5, 10, 21),
    "MD": (0, 2, 2, 20), "ME": (0, 3, 3, 16), "MK": (0, 3, 3, 13), "ML": (0, 5, 10, 22), "MN": (0, 4, 4, 16),
    "MR": (0, 5, 10, 21), "MU": (0, 6, 8, 20), "NC": (0, 5, 10, 21), "NE": (0, 5, 10, 22), "NI": (0, 4, 4, 24),
    "OM": (0, 3, 3, 19), "PF": (0, 5, 10, 21), "PK": (0, 4, 4, 20), "PS": (0, 4, 4, 25), "QA": (0, 4, 4, 25),
    "RS": (0, 3, 3, 16), "RU": (0, 9, 14, 29), "SA": (0, 2, 2, 20), "SC": (0, 6, 8, 24), "SD": (0, 2, 2, 14),
    "SM": (1, 6, 11, 23), "SN": (0, 5, 10, 22), "SO": (0, 4, 7, 19), "ST": (0, 4, 8, 21), "SV": (0, 4, 4, 24),
    "TD": (0, 5, 10, 21), "TF": (0, 5, 10, 21), "TG": (0, 5, 10, 22), "TL": (0, 3, 3, 17), "TN": (0, 2, 5, 18),
    "TR": (0, 5, 6, 22), "UA": (0, 6, 6, 25), "VA": (0, 3, 3, 18), "VG": (0, 4, 4, 20), "WF": (0, 5, 10, 21),
    "XK": (0, 2, 4, 16), "YE": (0, 4, 8, 26),
}  # fmt: skip
"""Country -> where in the BBAN the bank code and the account number begin and end (SWIFT's IBAN registry).

Countries outside of the European Economic Area and its territories whose structure names both; a British bank code is
the sort code.
"""


def _part(place: int) -> str:
    alike: dict[tuple[int, int], list[str]] = {}
    for country, ends in PARTS.items():
        alike.setdefault((ends[place], ends[place + 1]), []).append(f"'{country}'")
    branches = " ".join(
        f"WHEN left(account, 2) IN ({', '.join(countries)}) THEN substr(account, {begin + 5}, {end - begin})"
        for (begin, end), countries in alike.items()
    )
    return f"CASE WHEN account ~ '^[A-Z]{{2}}[0-9]{{2}}' THEN CASE {branches} END END"


BANK_CODE: Final = _part(0)
"""SQL: the bank code of the IBAN in the column `account`, or NULL."""

ACCOUNT_NUMBER: Final = f"coalesce({_part(2)}, CASE WHEN account !~ '^[A-Z]{{2}}[0-9]{{2}}' THEN account END)"
"""SQL: the account number of the IBAN in the column `account`; an account that is not an IBAN is one itself."""
