"""Account numbers and references that carry check digits: IBAN, ISO 11649, Swiss, Belgian, German, Polish.

The arithmetic and the lists of countries and banks are those of python-stdnum and schwifty: published tables, kept up
to date there, without clock, disk or network at the call. This is the one module of the domain that imports them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from stdnum.be import ogm_vcs
from stdnum.ch import esr
from stdnum.iso7064 import mod_97_10

from paymatch.domain.words.message import Message

QRR_LENGTH: Final = 27
"""Digits of a Swiss QR reference, and of the older ISR with its long form."""

_MASK_MIN: Final = 12  # of a shorter one too little would stay hidden
_ISR_LENGTH: Final = 16
_QR_IID: Final = (30_000, 31_999)
_IBAN: Final = re.compile(r"(?!RF)[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")  # RF18...: a creditor reference (ISO 11649)
_REFERENCE: Final = re.compile(r"RF[0-9]{2}[A-Z0-9]{1,21}")
_BIC: Final = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
_NATIONAL: Final = re.compile(r"[0-9][A-Z0-9/.-]{3,33}")
_GERMAN: Final = re.compile(r"([0-9]{8})/0*([0-9]{1,10})")
_POLISH: Final = re.compile(r"[0-9]{26}")
_DUTCH: Final = re.compile(r"NL[0-9]{2}[A-Z]{4}[0-9]{10}|P[0-9]{9}")


class IbanRefused(ValueError):
    """The text is not an IBAN of its country; the text of the error says what is wrong."""

    @property
    def why(self) -> str:
        """What is wrong; a Message for what people get wrong."""
        return _WHY.get(str(self), str(self))


_WHY: Final = {
    "Invalid checksum digits": Message("iban-check-digits"),
    "Invalid IBAN length": Message("iban-length"),
}
"""What the library says of the mistakes that people make -> the sentence."""


@dataclass(frozen=True, slots=True)
class RegisteredIban:
    """An IBAN that its country's registry allows; a part is "" if the registry does not have it."""

    iban: str
    bic: str
    bank_name: str


def registered_iban(text: str) -> RegisteredIban:
    """The IBAN in `text` with the bank that issued it; IbanRefused if country, length or check digits are wrong."""
    # The lists of banks take a third of a second to load; few commands need them.
    from schwifty import IBAN  # noqa: PLC0415
    from schwifty.exceptions import SchwiftyException  # noqa: PLC0415

    try:
        iban = IBAN(text)
    except SchwiftyException as error:
        raise IbanRefused(str(error)) from None
    return RegisteredIban(str(iban.compact), str(iban.bic) if iban.bic else "", iban.bank_name or "")


def has_iban_form(text: str) -> bool:
    """Whether `text` looks like an IBAN: enough where a label or a fixed place says that it is an account."""
    return _IBAN.fullmatch(text) is not None


def masked_account(account: str) -> str:
    """The account, masked for readers who only need to recognise it: its country, check digits and end."""
    if len(account) < _MASK_MIN:
        return "…" if account else ""
    return f"{account[:4]}…{account[-4:]}"


def is_iban(text: str) -> bool:
    """Whether `text` (capitals, no spaces) has the form and the check digits of an IBAN (ISO 13616)."""
    return has_iban_form(text) and mod_97_10.is_valid(text[4:] + text[:4])


def is_qr_iban(text: str) -> bool:
    """Whether `text` is a Swiss QR-IBAN (IID 30000 to 31999): it takes payments with a QRR reference only."""
    compact = "".join(text.split()).upper()
    return compact[:2] in {"CH", "LI"} and compact[4:9].isdecimal() and _QR_IID[0] <= int(compact[4:9]) <= _QR_IID[1]


def is_national_account(text: str) -> bool:
    """Whether `text` can be an account number that is not an IBAN: `01-162-8`, `37040044/532013000`.

    What begins with two letters and two digits is an IBAN, right or wrong.
    """
    return _NATIONAL.fullmatch("".join(text.split()).upper()) is not None


def is_bic(text: str) -> bool:
    """Whether `text` has the form of a BIC (ISO 9362)."""
    return _BIC.fullmatch(text) is not None


def is_account_number(text: str) -> bool:
    """Whether `text` alone is certainly an account: an IBAN, a Dutch IBAN by its form, an old giro number (P...)."""
    return is_iban(text) or _DUTCH.fullmatch(text) is not None


def creditor_reference(payload: str) -> str:
    """`RF` + two check digits + payload (ISO 11649); the payload is 1 to 21 of A-Z and 0-9."""
    return f"RF{mod_97_10.calc_check_digits(f'{payload}RF')}{payload}"


def has_creditor_reference_form(text: str) -> bool:
    """Whether `text` (capitals, no spaces) looks like an ISO 11649 reference, with right or wrong check digits."""
    return _REFERENCE.fullmatch(text) is not None


def is_creditor_reference(text: str) -> bool:
    """Whether `text` is a valid ISO 11649 reference; spaces and small letters do not matter."""
    compact = text.replace(" ", "").upper()
    return has_creditor_reference_form(compact) and mod_97_10.is_valid(compact[4:] + compact[:4])


def has_qrr_form(text: str) -> bool:
    """Whether `text` (no spaces) has the 27 digits of a Swiss QR reference, with a right or wrong check digit."""
    return len(text) == QRR_LENGTH and text.isascii() and text.isdigit()


def is_swiss_reference(digits: str) -> bool:
    """Whether 27 or 16 digits carry a right check digit, modulo 10 recursive (Swiss QR and ISR references)."""
    if len(digits) not in (_ISR_LENGTH, QRR_LENGTH) or not (digits.isascii() and digits.isdigit()):
        return False
    return digits.strip("0") != "" and esr.is_valid(digits)


def is_belgian_communication(digits: str) -> bool:
    """Whether twelve digits are a Belgian structured communication: ten, and two that check them."""
    return len(digits) == 12 and ogm_vcs.is_valid(digits)


def polish_iban(text: str) -> str:
    """The IBAN of a Polish account, often given as the 26 digits after the country code; "" if it is not one."""
    iban = f"PL{text.removeprefix('PL')}"
    return iban if _POLISH.fullmatch(iban[2:]) and is_iban(iban) else ""


def german_iban(account: str) -> str:
    """The standard IBAN of a German `BLZ/account`; "" if the text is not such an account.

    Some banks have rules of their own (Bundesbank, IBAN rules), so this is only for comparing and is never stored.
    """
    found = _GERMAN.fullmatch(account)
    if found is None:
        return ""
    bban = found[1] + found[2].zfill(10)
    return f"DE{mod_97_10.calc_check_digits(f'{bban}DE')}{bban}"


def same_account(one: str, other: str) -> bool:
    """Whether two account texts of statements or settings mean one account: spaces, case, BLZ/account or IBAN."""
    left, right = (re.sub(r"[\s.-]", "", text).upper() for text in (one, other))
    return left != "" and (german_iban(left) or left) == (german_iban(right) or right)


_LEAST_NUMBER: Final = 6
"""Digits of a national account number that tell it from the numbers of other accounts."""


def is_number_of(text: str, iban: str) -> bool:
    """Whether `text` is the national number of the account that has this IBAN: `417164300` of NL91ABNA0417164300.

    Read are the number alone with or without its zeros in front, and the number with the bank's code before or behind
    it. Only what the IBAN registry calls the account counts as such: its last digits alone are another account's.
    """
    parts = [re.sub(r"[^A-Z0-9]", "", part).lstrip("0") for part in text.upper().split("/")]
    number = max(parts, key=len)
    if len(number) < _LEAST_NUMBER or number not in iban or not is_iban(iban):
        return False
    from schwifty import IBAN  # noqa: PLC0415

    found = IBAN(iban)
    bban = iban[4:]
    inside = bban.removeprefix(found.bank_code)
    wholes = {iban[2:], bban, inside, inside.removeprefix(found.branch_code)}
    if "".join(parts) in {whole.lstrip("0") for whole in wholes}:
        return True
    codes = {found.bank_code.lstrip("0"), (found.bank_code + found.branch_code).lstrip("0")}
    return set(parts) - {number} <= codes and number in {whole.lstrip("0") for whole in wholes}
