"""A further language of the merchant area is one `.po` file: pages, menus, amounts and days follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from tools.catalogues import build

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.words.message import Message
from tests.area.conftest import Person
from tests.usecases.refunds.refund_world import RefundWorld

DUTCH = r"""
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "Sign in"
msgstr "Inloggen"

msgid "Orders"
msgstr "Bestellingen"

msgid "the file is {what}"
msgstr "het bestand is {what}"

msgid "empty"
msgstr "leeg"
"""


@pytest.fixture
def dutch(service: Service, tmp_path: Path) -> Iterator[None]:
    from django.conf import settings
    from django.test import override_settings

    from paymatch.area.language.reader_language import languages_in

    source = tmp_path / "locale" / "nl" / "LC_MESSAGES" / "django.po"
    source.parent.mkdir(parents=True)
    source.write_text(DUTCH, "utf-8")
    assert build(tmp_path) == [source.with_suffix(".mo")]
    assert build(tmp_path) == [], "it is not stale"
    folders = [*settings.LOCALE_PATHS, tmp_path / "locale"]
    with override_settings(LOCALE_PATHS=folders, LANGUAGES=languages_in(folders)):
        yield


@pytest.mark.usefixtures("dutch")
def test_a_person_chooses_the_language_and_reads_a_page(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    world.client.submit("A-1", amount=1234.5)
    person = sign_in(TeamRole.CLERK, world.client.shop)
    menu = person.get("orders").content.decode()
    assert '<button name="language" value="nl" lang="nl">' in menu and "Nederlands" in menu
    person.client.post("/preferences", {"language": "nl", "next": "/"})
    page = person.get("orders").content.decode()
    assert '<html lang="nl"' in page
    assert "<h1>Bestellingen</h1>" in page
    assert "1.234,50" in page


@pytest.mark.usefixtures("dutch")
def test_a_stranger_reads_the_sign_in(service: Service) -> None:
    from django.test import Client

    client = Client(HTTP_ACCEPT_LANGUAGE="nl")
    assert "<h1>Inloggen</h1>" in client.get("/login").content.decode()


@pytest.mark.usefixtures("dutch")
def test_messages_amounts_and_days_are_dutch() -> None:
    from django.utils.translation import override

    from paymatch.area.language.figures import amount, day, signed_number
    from paymatch.area.language.reader_language import in_figures
    from paymatch.area.language.sentences import in_words

    with override("nl"):
        assert in_words(Message("file-is", what=Message("kind-empty"))) == "het bestand is leeg"
        assert (amount(123_450), signed_number(-1.5), in_figures("17.4")) == ("1.234,50", "\u22121,5", "17,4")
        assert day(date(2020, 11, 17)) == "17 Nov 2020"


def test_english_and_german_are_what_the_repository_has(service: Service) -> None:
    from django.conf import settings
    from django.utils.translation import override

    from paymatch.area.language.figures import amount, day

    assert settings.LANGUAGES == (("en", "English"), ("de", "Deutsch"))
    written = {}
    for language, _ in settings.LANGUAGES:
        with override(language):
            written[language] = (amount(123_450), day(date(2020, 11, 17)), day(date(2020, 3, 1)))
    assert written == {
        "en": ("1,234.50", "17 Nov 2020", "1 Mar 2020"),
        "de": ("1.234,50", "17. Nov. 2020", "1. März 2020"),
    }
