"""Texts in the language of whom they are for: from its catalogue, with amounts, dates and accounts as written there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from typing import Final
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.languages import get_official_languages
from babel.numbers import format_currency, format_decimal

from paymatch.domain.money import Money, digits_of

LANGUAGES: Final[Mapping[str, str]] = {
    "de": "Deutsch",
    "en": "English",
    "fr": "Français",
    "it": "Italiano",
    "nl": "Nederlands",
    "pl": "Polski",
    "es": "Español",
}
"""ISO 639-1 code -> the language's own name."""

SOURCE: Final = "en"
"""The language of the texts in the code, and the fallback for unsupported ones."""

MAX_HEADER: Final = 200  # characters; browsers send well below a hundred
_RANGE: Final = re.compile(r"([a-zA-Z]{1,8})(?:-[a-zA-Z0-9]{1,8}){0,4}(?:;q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?))?")


def language_among(*wanted: str) -> str:
    """The first of the wanted languages (`fr`, `de-AT`, `pl_PL`) that is written here, else English."""
    for each in wanted:
        code = each.strip().lower().replace("_", "-").partition("-")[0]
        if code in LANGUAGES:
            return code
    return SOURCE


def language_of(order: str, shop: str) -> str:
    """The language in which an order's customer is written to, by any channel: the order's, else the shop's, else
    English, if supported.
    """
    return language_among(order, shop)


def accepted_language(header: str) -> str:
    """The language that a browser prefers among those written here; "" if it names none (RFC 9110, 12.5.4)."""
    ranked = sorted(_accepted_languages(header), key=lambda each: -each[1])  # equal ones stay in their order
    return next((code for code, weight in ranked if weight and code in LANGUAGES), "")


def _accepted_languages(header: str) -> Iterator[tuple[str, Decimal]]:
    """(code, weight) of each language in the header; what is not well-formed is passed over."""
    for part in header[:MAX_HEADER].replace(" ", "").split(","):
        found = _RANGE.fullmatch(part)
        if found is not None:
            yield found[1].lower(), Decimal(found[2] or 1)


DOMAIN: Final = "customers"
"""The gettext domain of everything that customers read, and collection agencies on paper and in mail."""

_EUROPEAN: Final = "en_GB"
"""Plain English is written as in Europe, 9 March 2026 and not March 9: the service works with European banks."""


_PARTS: Final = re.compile("\u202f| |(?<=[A-Z]{3})(?=[-\\d])")
"""Where an amount may break off, or where a currency's letters touch its digits (`CHF12`); and a space that few
typefaces have."""


@dataclass(frozen=True, slots=True)
class LanguageTexts:
    """A language as it is written in a country; "" for its usual country."""

    language: str
    catalogue: NullTranslations
    _locale: Locale

    def gettext(self, text: str, **values: object) -> str:
        """The text in this language; `%(name)s` in it is replaced by the value of that name."""
        return _fill_placeholders(self.catalogue.gettext(text), values)

    def ngettext(self, one: str, many: str, number: int, **values: object) -> str:
        """The text in the form for the number, which it has as `%(number)s`."""
        return _fill_placeholders(self.catalogue.ngettext(one, many, number), {"number": self.number(number), **values})

    def pgettext(self, context: str, text: str, **values: object) -> str:
        """The text where the same English word has several meanings, which `context` parts."""
        return _fill_placeholders(self.catalogue.pgettext(context, text), values)

    @property
    def colon(self) -> str:
        """The colon after a label: French has a non-breaking space before it."""
        return "\u00a0:" if self.language == "fr" else ":"

    def number(self, number: int) -> str:
        """The number in digits: `1.000` in German."""
        return str(format_decimal(number, locale=self._locale))

    def decimal(self, value: Decimal) -> str:
        """The number with two decimals: `6,27` in German."""
        return str(format_decimal(value, "#,##0.00", locale=self._locale)).replace("-", "\u2212")

    def amount(self, amount: Money) -> str:
        """The amount with its currency, which never breaks off at a line's end: `1.234,50 €` in German."""
        return _amount(self._locale, amount)

    def apart(self, amount: Money) -> tuple[str, str, str]:
        """The amount in parts, for a page that writes the currency smaller: before the digits, digits, after them."""
        written = self.amount(amount)
        places = [place for place, char in enumerate(written) if char.isdigit() or char == "\u2212"]
        return written[: places[0]], written[places[0] : places[-1] + 1], written[places[-1] + 1 :]

    def plain_amount(self, amount: Money) -> str:
        """The amount as it is typed into a form of a bank: digits with the language's decimal mark, `1234,50`."""
        digits = digits_of(amount.currency)
        pattern = "0" + ("." + "0" * digits if digits else "")
        return str(format_decimal(Decimal(amount.minor).scaleb(-digits), format=pattern, locale=self._locale))

    def day(self, day: date) -> str:
        """The date in words, whose day and month never part at a line's end: `9. März 2026`; French has a `1er`."""
        written = str(format_date(day, "long", locale=self._locale)).replace(" ", "\u00a0", 1)
        return written.replace("1\u00a0", "1er\u00a0", 1) if self.language == "fr" and day.day == 1 else written

    def short_day(self, day: date) -> str:
        """The date in digits, for tables: `09.03.2026`."""
        return str(format_date(day, _DIGITS[self.language], locale=self._locale))

    def moment(self, at: datetime, timezone: str) -> str:
        """Date and time of day in a time zone: `9. März 2026, 14:05`."""
        local = at.astimezone(ZoneInfo(timezone))
        return f"{self.day(local.date())}, {format_time(local.timetz(), 'HH:mm', locale=self._locale)}"


_DIGITS: Final = {
    "de": "dd.MM.yyyy", "en": "dd/MM/yyyy", "fr": "dd/MM/yyyy", "it": "dd/MM/yyyy", "nl": "dd-MM-yyyy",
    "pl": "dd.MM.yyyy", "es": "dd/MM/yyyy",
}  # fmt: skip
"""Dates in digits with the year in full: CLDR's short forms cut it to two digits."""


@lru_cache(maxsize=64)
def words(language: str, country: str = "") -> LanguageTexts:
    """What is said in a language of LANGUAGES, in the manner of a country (ISO 3166) where it has one of its own."""
    assert language in LANGUAGES, language
    return LanguageTexts(language, _catalogue(language), _locale(language, country))


def group_digits(account: str) -> str:
    """An IBAN or a creditor reference in groups of four, as people read them (ISO 13616, ISO 11649)."""
    return " ".join(account[start : start + 4] for start in range(0, len(account), 4))


@lru_cache(maxsize=len(LANGUAGES))
def _catalogue(language: str) -> NullTranslations:
    if language == SOURCE:
        return NullTranslations()
    path = resources.files("paymatch.formats.languages").joinpath("locale", language, "LC_MESSAGES", f"{DOMAIN}.mo")
    with path.open("rb") as file:
        return GNUTranslations(file)


def _locale(language: str, country: str) -> Locale:
    """Babel's locale for the country if the language is official there, else for the language."""
    if language in get_official_languages(country.upper(), de_facto=True):
        with suppress(UnknownLocaleError):
            return Locale.parse(f"{language}_{country.upper()}")
    return Locale.parse(_EUROPEAN if language == SOURCE else language)


@lru_cache(maxsize=64)
def _pattern(locale: Locale, digits: int) -> str:
    """The locale's pattern of amounts with this many decimals."""
    pattern: str = locale.currency_formats["standard"].pattern
    return pattern.replace("0.00", "0" + ("." + "0" * digits if digits else ""))


@lru_cache(maxsize=256)
def _amount(locale: Locale, amount: Money) -> str:
    digits = digits_of(amount.currency)  # ISO 4217; CLDR leaves out digits that are not used in cash
    text = format_currency(
        Decimal(amount.minor).scaleb(-digits), amount.currency, format=_pattern(locale, digits), locale=locale,
        currency_digits=False,
    )  # fmt: skip
    return _PARTS.sub("\u00a0", str(text)).replace("-", "\u2212")


def _fill_placeholders(text: str, values: dict[str, object]) -> str:
    return text % values if values else text.replace("%%", "%")
