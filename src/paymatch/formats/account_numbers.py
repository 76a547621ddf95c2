"""Account numbers as statements write them: with a currency behind, or a BIC before."""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.formats.bank_amounts import known_currency

_PREFIXED: Final = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?/([A-Z]{2}[0-9]{2}.+)")


def account_of(text: str) -> tuple[str, str]:
    """Account without spaces and the currency that some banks append (`NL47INGB0001212121EUR`), else "".

    Polish banks begin it with a slash, others with their BIC and a slash before an IBAN.
    """
    plain = re.sub(r"\s", "", text).removeprefix("/")
    if prefixed := _PREFIXED.fullmatch(plain):
        plain = prefixed[1]
    code = plain[-3:]
    if len(plain) > 6 and known_currency(code) and (plain[-4].isdigit() or plain[-4] == "/") and not is_iban(plain):
        return plain[:-3].removesuffix("/"), code
    return plain, ""
