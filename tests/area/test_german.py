"""The merchant area in German: every text has its translation, and the pages show no English."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import date
from gettext import GNUTranslations
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest
from babel.messages.pofile import read_po
from tools import translations
from tools.catalogues import compiled

from paymatch.domain.words.message import Message
from tests.area.conftest import Person

ENGLISH: Final = frozenset(
    [
        "account",
        "amount",
        "and",
        "are",
        "by",
        "choose",
        "developers",
        "for",
        "from",
        "here",
        "is",
        "no",
        "not",
        "nothing",
        "of",
        "order",
        "orders",
        "overview",
        "payment",
        "postings",
        "refunds",
        "reminders",
        "save",
        "search",
        "send",
        "settings",
        "show",
        "state",
        "that",
        "the",
        "this",
        "what",
        "which",
        "with",
        "yet",
        "you",
        "your",
    ]
)
DATA: Final = ("pre", "code", "script", "style", "svg", "textarea")
READ_ALOUD: Final = ("aria-label", "placeholder", "title", "data-label", "alt")


class Text(HTMLParser):
    """Collects what a person reads or hears of a page; DATA and class `mono` show what machines and customers get."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        machine = tag in DATA or "mono" in (own.get("class") or "").split()
        self.parts += [own[name] or "" for name in READ_ALOUD if name in own]
        if tag not in ("input", "img", "meta", "link", "br", "hr", "col", "wbr"):
            self._open.append((tag, machine))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(machine for _, machine in self._open):
            self.parts.append(data)


ISLE_OF_MAN = "Isle of Man"
"""A country that has the same name in German."""


def english(page: str) -> list[str]:
    """The texts of a page that hold an English word of the list."""
    return [part.strip() for part in Text(page).parts if ENGLISH & set(re.findall(r"\w+", part.lower()))]


def in_german(person: Person, path: str) -> Any:
    """The answer to a browser that prefers German."""
    return person.get(path, headers={"accept-language": "de-DE,de;q=0.9,en;q=0.5"})


def test_the_pages_are_german(service: object, sign_in: Callable[..., Person]) -> None:
    from paymatch.area import urls
    from paymatch.area.page import PAGES

    assert urls.urlpatterns
    person = sign_in()
    walked = [page.route for page in PAGES if "<" not in page.route]
    assert {"overview", "orders", "callbacks", "developers"} <= set(walked)
    for route in walked:
        answer = in_german(person, route)
        if answer["Content-Type"].startswith("text/html"):
            assert '<html lang="de"' in answer.content.decode(), route
            found = [text for text in english(answer.content.decode()) if text != ISLE_OF_MAN]
            assert found == [], route


@pytest.mark.parametrize(
    ("path", "heading"), [("/login", "Anmelden"), ("/shops/0/overview", "Diese Seite gibt es nicht")]
)
def test_the_pages_outside_a_shop_are_german(path: str, heading: str, sign_in: Callable[..., Person]) -> None:
    from django.test import Client

    person = sign_in()
    page = in_german(Person(Client(), "", person.shop) if path == "/login" else person, path).content.decode()
    assert heading in page
    assert english(page) == []


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Two-Factor Authentication", "Two-factor authentication"),
        ("Add Security Key", "Add security key"),
        ("Set up TOTP", "Set up TOTP"),
        ("<b>Recovery</b> Codes", "<b>Recovery</b> codes"),
    ],
)
def test_headings_of_the_sign_in_are_in_sentence_case(service: object, written: str, shown: str) -> None:
    from django.utils.translation import override

    from paymatch.area.templatetags.headings import sentence_case

    with override("en"):
        assert sentence_case(written) == shown
    with override("de"):
        assert sentence_case("Zwei Faktoren") == "Zwei Faktoren"


def test_an_english_word_is_found() -> None:
    page = (
        '<p title="Bank">Kein <b>order</b></p><pre>the order</pre><span class="mono">of</span><input placeholder="For">'
    )
    assert english(page) == ["order", "For"]


def test_a_day_has_its_full_stop(service: object) -> None:
    from django.utils import translation

    from paymatch.area.language.figures import amount, day

    with translation.override("de"):
        assert (day(date(2020, 11, 7)), amount(-123450)) == ("7. Nov. 2020", "\u22121.234,50")


def test_numbers_choose_the_form_of_a_word(service: object) -> None:
    from django.utils import translation

    with translation.override("de"):
        one, many = (
            translation.ngettext(
                "%(count)d callback is sent again now.", "%(count)d callbacks are sent again now.", count
            )
            for count in (1, 2)
        )
    assert one % {"count": 1} == "1 Callback wird jetzt erneut gesendet."
    assert many % {"count": 2} == "2 Callbacks werden jetzt erneut gesendet."


def test_every_text_is_translated_and_compiled(service: object) -> None:
    area = translations.DOMAINS[0]
    written, problems = translations.brought_up_to_date(area, "de", area.collected())
    assert problems == []
    assert area.file("de", ".po").read_bytes() == written
    assert area.file("de", ".mo").read_bytes() == compiled(written, "de")


def test_amounts_in_german_texts_have_a_comma(service: object) -> None:
    catalog = read_po(io.BytesIO(translations.DOMAINS[0].file("de", ".po").read_bytes()))
    texts = {
        text for each in catalog for text in ([each.string] if isinstance(each.string, str) else each.string or ())
    }
    found = {text for text in texts if re.search(r"(?<![:\d.])\d+\.\d\d(?![\d.])", text)}
    assert found == set()


@pytest.mark.usefixtures("service")  # Django is set up
def test_sign_in_says_sie_where_its_library_says_du() -> None:
    import allauth
    from django.utils.translation import override

    from paymatch.area.people.allauth_texts import TEXTS

    folder = Path(allauth.__file__).parent / "locale/de/LC_MESSAGES"
    with (folder / "django.mo").open("rb") as file:
        theirs = GNUTranslations(file)
    with override("en"):
        texts = [str(text) for text in TEXTS]
    assert [text for text in texts if theirs.gettext(text) == text] == [], "allauth has these words no more"
    with override("de"):
        ours = [str(text) for text in TEXTS]
    assert [text for text in ours if re.search(r"\b(du|dir|dich|dein\w*)\b", text, re.IGNORECASE)] == []


def test_a_sentence_begins_with_a_capital_unless_it_begins_with_the_name_of_a_file(service: object) -> None:
    from django.utils import translation

    from paymatch.area.language.sentences import as_sentence

    bomb = Message("file-named", name="bomb.xml", what=Message("zip-member-large", megabytes=50))
    with translation.override("en"):
        assert as_sentence(Message("file-is", what=Message("kind-picture"))) == "The file is a picture"
        assert as_sentence(bomb) == "bomb.xml: unpacks to more than 50 MB"
        assert as_sentence("") == ""
    with translation.override("de"):
        assert as_sentence(Message("file-is", what=Message("kind-picture"))) == "Die Datei ist ein Bild"


def test_sentences_within_sentences_are_german_too(service: object) -> None:
    """What stopped, why a customer is not asked, and why a line is unreadable."""
    from django.utils import translation

    from paymatch.area.language.sentences import in_words

    why = Message("asked-four-times")
    reason = Message("file-line", line="5", what=Message("mt940-line"))
    with translation.override("de"):
        assert in_words(
            Message("alert-item-failed", item=Message("item-mail", order="A-1"), error="ValueError: x")
        ) == ("Ein interner Fehler hat die E-Mail zur Bestellung A-1 angehalten; bitte prüfen: ValueError: x")
        details = in_words(Message("alert-bank-details", refund="RET-1", order="A-1", why=why))
        assert details.endswith(": Der Kunde wurde viermal gefragt und hat keine angegeben")
        torn = in_words(Message("alert-unreadable", file="franken.sta", count=1, reason=reason))
        assert "Zeile 5" in torn and "statement line" not in torn
