"""Amounts, dates and texts as each language writes them; whose language is meant; catalogues that are complete."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from tools.catalogues import compiled
from tools.translations import DOMAINS, Domain, brought_up_to_date, found_in_jinja

from paymatch.domain.money import EUR, Currency, Money
from paymatch.formats.languages.texts import LANGUAGES, accepted_language, group_digits, language_among, words

CUSTOMERS = DOMAINS[1]


@pytest.mark.parametrize(("language", "country", "amount", "day", "short_day"), [
    ("de", "", "1.234,50 €", "9. März 2026", "09.03.2026"),
    ("de", "CH", "EUR 1’234.50", "9. März 2026", "09.03.2026"),
    ("de", "AT", "€ 1.234,50", "9. März 2026", "09.03.2026"),
    ("en", "", "€1,234.50", "9 March 2026", "09/03/2026"),
    ("en", "DE", "€1,234.50", "9 March 2026", "09/03/2026"),
    ("fr", "FR", "1 234,50 €", "9 mars 2026", "09/03/2026"),
    ("it", "XX", "1.234,50 €", "9 marzo 2026", "09/03/2026"),
    ("nl", "NL", "€ 1.234,50", "9 maart 2026", "09-03-2026"),
    ("pl", "PL", "1 234,50 €", "9 marca 2026", "09.03.2026"),
    ("es", "ES", "1.234,50 €", "9 de marzo de 2026", "09/03/2026"),
])  # fmt: skip
def test_amounts_and_dates(language: str, country: str, amount: str, day: str, short_day: str) -> None:
    spoken = words(language, country)
    assert spoken.amount(Money(123450, EUR)) == amount.replace(" ", "\u00a0")
    assert spoken.day(date(2026, 3, 9)) == day.replace(" ", "\u00a0", 1)
    assert spoken.short_day(date(2026, 3, 9)) == short_day


@pytest.mark.parametrize(("minor", "currency", "text"), [
    (1234, "JPY", "JP¥1,234"), (-500, "CHF", "\u2212CHF 5.00"), (1500, "KWD", "KWD 1.500"),
    (1234500, "HUF", "HUF 12,345.00"),
])  # fmt: skip
def test_amounts_have_the_digits_of_their_currency(minor: int, currency: str, text: str) -> None:
    assert words("en").amount(Money(minor, Currency(currency))) == text.replace(" ", "\u00a0")


def test_moment_is_told_in_the_shops_time_zone() -> None:
    at = datetime(2026, 3, 29, 23, 5, tzinfo=UTC)
    assert words("nl").moment(at, "Europe/Amsterdam") == "30\u00a0maart 2026, 01:05"


def test_the_first_of_a_month_is_the_first_in_french_only() -> None:
    first = date(2026, 3, 1)
    assert words("fr").day(first) == "1er\u00a0mars 2026"
    assert words("fr").day(date(2026, 3, 11)) == "11\u00a0mars 2026"
    assert words("it").day(first) == "1\u00a0marzo 2026"


def test_accounts_are_grouped() -> None:
    assert group_digits("DE89370400440532013000") == "DE89 3704 0044 0532 0130 00"


@pytest.mark.parametrize(("wanted", "code"), [
    (("de-AT", "fr"), "de"), (("", "PL_pl"), "pl"), (("sv", "", "it"), "it"), (("sv",), "en"), ((), "en"),
])  # fmt: skip
def test_first_language_that_is_written_here(wanted: tuple[str, ...], code: str) -> None:
    assert language_among(*wanted) == code


@pytest.mark.parametrize(("header", "code"), [
    ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"),
    ("en;q=0.5,pl", "pl"), ("sv,nl;q=0.3", "nl"), ("de;q=0", ""), ("", ""), ("*", ""), ("de;q=9, es", "es"),
    ("x" * 100_000, ""),
])  # fmt: skip
def test_language_that_a_browser_prefers(header: str, code: str) -> None:
    assert accepted_language(header) == code


@pytest.mark.parametrize("locale", CUSTOMERS.locales)
def test_every_text_is_translated_and_compiled(locale: str) -> None:
    written, problems = brought_up_to_date(CUSTOMERS, locale, CUSTOMERS.collected())
    assert problems == []
    assert CUSTOMERS.file(locale, ".po").read_bytes() == written
    assert CUSTOMERS.file(locale, ".mo").read_bytes() == compiled(written, locale)


def test_all_languages_but_the_codes_own_have_a_catalogue() -> None:
    assert {*CUSTOMERS.locales, "en"} == set(LANGUAGES)


@pytest.mark.parametrize(("text", "translated", "problem"), [
    ("Pay %(amount)s", "", "no translation of 'Pay %(amount)s'"),
    ("Pay %(amount)s", "Zahlen", "'Zahlen' has not the placeholders of 'Pay %(amount)s'"),
    ("Pay", "%(iban)s zahlen", "'%(iban)s zahlen' has not the placeholders of 'Pay'"),
    ("Pay %(amount)s", "%(amount)s zahlen", None),
    (("1 day", "%(number)s days"), ("1 dzień", "%(number)s dni"), "no translation of '1 day'"),
    (("1 day", "%(number)s days"), ("1 dzień", "%(number)s dni", "dni"),
     "'dni' has not the placeholders of '1 day'"),
    (("1 day", "%(number)s days"), ("1 dzień", "%(number)s dni", "%(number)s dnia"), None),
])  # fmt: skip
def test_translations_keep_their_placeholders(
    tmp_path_factory: pytest.TempPathFactory, text: str | tuple[str, str], translated: str | tuple[str, ...],
    problem: str | None,
) -> None:  # fmt: skip
    folder, texts = tmp_path_factory.mktemp("texts"), Catalog(locale="pl")
    texts.add(text)
    domain = Domain("some", folder, ("pl",), "Texts", (), "*.html", found_in_jinja)
    known, written = Catalog(locale="pl"), io.BytesIO()
    known.add(text, translated)
    write_po(written, known)
    domain.file("pl", ".po").parent.mkdir(parents=True)
    domain.file("pl", ".po").write_bytes(written.getvalue())
    assert brought_up_to_date(domain, "pl", texts)[1] == ([] if problem is None else [problem])


def test_templates_of_customers_are_collected() -> None:
    source = (
        '{% trans %}\n  Pay\n  now{% endtrans %}{{ pgettext("money", "Open") }}'
        '{{ ngettext("1 day", "%(num)s days", 2) }}'
    )
    assert list(found_in_jinja(source)) == [
        ("gettext", ["Pay now"]), ("pgettext", ["money", "Open"]), ("ngettext", ["1 day", "%(num)s days"]),
    ]  # fmt: skip
