"""Account numbers of statements: IBAN, `BLZ/account`, national numbers; which of them mean the same account."""

from __future__ import annotations

import re
from typing import Final

from paymatch.formats.bank_amounts import known_currency

_IBAN: Final = re.compile(r"(?!RF)[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")  # RF18...: a creditor reference (ISO 11649)
_GERMAN: Final = re.compile(r"([0-9]{8})/0*([0-9]{1,10})")
_DUTCH: Final = re.compile(r"NL[0-9]{2}[A-Z]{4}[0-9]{10}|P[0-9]{9}")
_PREFIXED: Final = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?/([A-Z]{2}[0-9]{2}.+)")
_POLISH: Final = re.compile(r"[0-9]{26}")
_BIC: Final = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")


def is_iban(text: str) -> bool:
    """Whether `text` (no spaces) has the form and the check digits of an IBAN (ISO 13616, mod 97)."""
    if not _IBAN.fullmatch(text):
        return False
    return int("".join(str(int(character, 36)) for character in text[4:] + text[:4])) % 97 == 1


def has_iban_form(text: str) -> bool:
    """Whether `text` looks like an IBAN: enough where a label or a fixed place says that it is an account."""
    return bool(_IBAN.fullmatch(text))


def is_account_number(text: str) -> bool:
    """Whether `text` by itself is surely an account: an IBAN, a Dutch IBAN by its form, an old giro number (P...)."""
    return is_iban(text) or bool(_DUTCH.fullmatch(text))


def is_bic(text: str) -> bool:
    """Whether `text` has the form of a BIC (ISO 9362)."""
    return bool(_BIC.fullmatch(text))


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


def polish_iban(text: str) -> str:
    """The IBAN of a Polish account, often given as the 26 digits behind the country code; "" if it is none."""
    iban = f"PL{text.removeprefix('PL')}"
    return iban if _POLISH.fullmatch(iban[2:]) and is_iban(iban) else ""


def german_iban(account: str) -> str:
    """The standard IBAN of a German `BLZ/account`; "" if the text is no such account.

    Some banks have rules of their own (Bundesbank, IBAN rules), so this serves to compare and is never stored.
    """
    found = _GERMAN.fullmatch(account)
    if found is None:
        return ""
    bban = found[1] + found[2].zfill(10)
    return f"DE{98 - int(bban + '131400') % 97:02d}{bban}"


def same_account(one: str, other: str) -> bool:
    """Whether two account texts of statements or settings mean one account: spaces, case, BLZ/account or IBAN."""
    left, right = (re.sub(r"[\s.-]", "", text).upper() for text in (one, other))
    if not left or not right:
        return False
    return (german_iban(left) or left) == (german_iban(right) or right)
