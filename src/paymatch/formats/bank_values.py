"""Values as banks write them: amounts to minor units, never a guess; account numbers with their surroundings."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from paymatch.domain.bank_accounts import has_creditor_reference_form, has_qrr_form, is_iban
from paymatch.domain.money import CURRENCIES, MAX_MINOR, WITHDRAWN, AmountUnreadable
from paymatch.domain.words.message import Message

_PLAIN: Final = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+")
_GROUPED_COMMA: Final = re.compile(r"\d{1,3}(?:[.' ]\d{3})+,\d*")
_GROUPED_POINT: Final = re.compile(r"\d{1,3}(?:[,' ]\d{3})+\.\d*")
_MAX_TEXT: Final = 40  # no bank writes longer amounts; 12 (MT940: 15d) to 18 digits are what the standards allow

_SIGNS: Final = {
    "€": "EUR",
    "£": "GBP",
    "$": "",
    "¤": "",
    "CHF": "CHF",
    "Fr.": "CHF",
    "zł": "PLN",
    "Kč": "CZK",
    "kr": "",
}
_SHARED_SIGNS: Final = {
    "$": frozenset({"AUD", "BRL", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD", "USD"}),
    "kr": frozenset({"DKK", "ISK", "NOK", "SEK"}),
}
"""Signs of several currencies: which one is meant is for the statement to say, which others cannot be."""
_SPACES: Final = re.compile(r"[\s\u00a0\u202f\u2009]+")
_CODE: Final = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
_SIGN: Final = re.compile(r"[-−–‒(]")
_MINUS: Final = str.maketrans("−–‒", "---")
_BLANK_APART: Final = re.compile(r"(?<!\d) | (?!\d)")  # one that is not between two digits
_BODY: Final = {
    ",": re.compile(r"\d{1,3}(?:[.'’ ]\d{3})+(?:,\d*)?|\d+(?:,\d*)?|,\d+"),
    ".": re.compile(r"\d{1,3}(?:[,'’ ]\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+"),
}
_SIGNED: Final = re.compile(
    r"(?P<open>\()?(?P<sign>[+-])?(?P<body>[\d.,'’ ]+)(?P<after>[+-])?(?P<close>\))?(?P<word>[A-Za-z]{1,2})?"
)
_NO_CENTS: Final = re.compile(r"[.,]-")  # `12,-` and `12.-` say that there are none
_DEBIT_WORDS: Final = frozenset({"s", "dr", "d"})
_CREDIT_WORDS: Final = frozenset({"h", "cr", "c"})
_MAX_PRINTED: Final = 60


def known_currency(code: str) -> bool:
    """Whether `code` is a currency of today or of yesterday (DEM) that a statement can be kept in."""
    return code in CURRENCIES or code in WITHDRAWN


def digits_of_code(code: str) -> int:
    """Digits of the minor unit; AmountUnreadable for an unknown currency."""
    digits = CURRENCIES.get(code, WITHDRAWN.get(code))
    if digits is None:
        raise AmountUnreadable(Message("amount-currency", currency=repr(code)))
    return digits


def scale(amount: Decimal, code: str) -> int:
    """`amount` in minor units of `code`, exact; AmountUnreadable if decimals would be lost or it is out of range."""
    digits = digits_of_code(code)
    if not amount.is_finite() or (amount and not -20 < amount.adjusted() < 20):
        raise AmountUnreadable(Message("amount-range", amount=str(amount)))
    scaled = amount.scaleb(digits)
    minor = int(scaled)
    if minor != scaled:
        raise AmountUnreadable(Message("amount-decimals", amount=str(amount), currency=code))
    if abs(minor) > MAX_MINOR:
        raise AmountUnreadable(Message("amount-range", amount=str(amount)))
    return minor


def swift_amount(text: str, code: str) -> int:
    """Minor units of an unsigned amount as in MT940: `1234,`, `,50`, `1234,5`, `1234.50`, `1.234,50`.

    SWIFT asks for a decimal comma and no grouping; banks also write a point, leading zeros, or groups of three
    together with the other mark. A single mark is always the decimal mark. AmountUnreadable for everything else.
    """
    if len(text) > _MAX_TEXT or not text.isascii():
        raise AmountUnreadable(Message("amount-none", text=repr(text[:_MAX_TEXT])))
    if _PLAIN.fullmatch(text):
        plain = text.replace(",", ".")
    elif _GROUPED_COMMA.fullmatch(text):
        plain = re.sub(r"[.' ]", "", text).replace(",", ".")
    elif _GROUPED_POINT.fullmatch(text):
        plain = re.sub(r"[,' ]", "", text)
    else:
        raise AmountUnreadable(Message("amount-none", text=repr(text)))
    return scale(Decimal(plain), code)


def printed_amount(text: str, decimal_mark: str, currency: str) -> int:
    """Signed minor units of an amount as exports print it; AmountUnreadable if it is not surely one.

    Read are currency signs and codes, groups of three (point, comma, blank, Swiss apostrophe), signs before or after,
    parentheses for minus, S/H and DR/CR after the amount. `12,-` is none: its dash may be a minus.
    """
    if any(sign in text and currency not in codes for sign, codes in _SHARED_SIGNS.items()):
        raise AmountUnreadable(Message("row-currency", amount=repr(text[:_MAX_PRINTED]), currency=currency))
    plain = without_currency(text.translate(_MINUS))
    found = _SIGNED.fullmatch(plain) if len(plain) <= _MAX_PRINTED else None
    if (
        found is None
        or not found["body"].replace("’", "'").isascii()
        or not _BODY[decimal_mark].fullmatch(found["body"])
        or _NO_CENTS.search(plain)
    ):
        raise AmountUnreadable(Message("amount-none", text=repr(text[:_MAX_PRINTED])))
    word = (found["word"] or "").casefold()
    if word and word not in _DEBIT_WORDS | _CREDIT_WORDS:
        raise AmountUnreadable(Message("amount-none", text=repr(text[:_MAX_PRINTED])))
    if bool(found["open"]) != bool(found["close"]) or (found["sign"] and found["after"]):
        raise AmountUnreadable(Message("amount-none", text=repr(text[:_MAX_PRINTED])))
    digits = "".join(sign for sign in found["body"] if sign.isdecimal() or sign == decimal_mark).replace(",", ".")
    minor = scale(Decimal(digits), currency)
    negative = "-" in {found["sign"], found["after"]} or bool(found["open"])
    if negative and word in _DEBIT_WORDS:
        raise AmountUnreadable(Message("amount-out-twice", text=repr(text[:_MAX_PRINTED])))
    return -minor if negative or word in _DEBIT_WORDS else minor


def has_minus(text: str) -> bool:
    """Whether an amount as exports print it has a minus before or after it, or is in parentheses."""
    if not _SIGN.search(text):
        return False
    found = _SIGNED.fullmatch(without_currency(text.translate(_MINUS)))
    return found is not None and ("-" in {found["sign"], found["after"]} or bool(found["open"]))


def side_in(text: str) -> str:
    """`debit` or `credit` if a word after an amount says so (`12,00 S`), else ""."""
    if not text[-1:].isalpha():
        return ""
    found = _SIGNED.fullmatch(without_currency(text.translate(_MINUS)))
    word = (found["word"] or "").casefold() if found else ""
    return "debit" if word in _DEBIT_WORDS else "credit" if word in _CREDIT_WORDS else ""


def without_currency(text: str) -> str:
    """The amount without its currency and the blanks around it; blanks between two digits may group them."""
    for sign in _SIGNS:
        text = text.replace(sign, "")
    text = _SPACES.sub(" ", text).strip()
    for code in _CODE.findall(text):
        if code in CURRENCIES:
            text = text.replace(code, "", 1)
    return _BLANK_APART.sub("", text)


def currency_in(text: str) -> str:
    """The currency that a cell or header names (`Betrag (EUR)`, `£12`), or ""."""
    for sign, code in _SIGNS.items():
        if code and sign in text:
            return code
    return next((word for word in re.findall(r"[A-Z]{3}", text) if word in CURRENCIES), "")


def looks_like_amount(text: str) -> bool:
    """Whether a cell could be an amount with either decimal mark: digits and at most the marks of an amount."""
    plain = without_currency(text.translate(_MINUS))
    return len(plain) <= 24 and bool(_SIGNED.fullmatch(plain)) and any(character.isdigit() for character in plain)


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


def reference_kind(said: str, reference: str) -> str:
    """QRR, SCOR, ISR, OCR or what the bank `said`; guessed from the form only where the bank said nothing.

    `RF18 5390 ...` is an ISO 11649 reference (SCOR), 27 digits are a Swiss QR reference (QRR), as the older ISR has
    the same form.
    """
    word = said.upper()
    if word.startswith("ISR"):
        return "ISR"
    if word in {"QRR", "OCR"}:
        return word
    compact = reference.replace(" ", "").upper()
    if word in {"", "SCOR", "RF"} and has_creditor_reference_form(compact):
        return "SCOR"
    if word in {"", "SCOR"} and has_qrr_form(compact):
        return "QRR"
    return said
