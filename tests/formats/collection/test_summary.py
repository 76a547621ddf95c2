"""The case on paper in every language: labels from the catalogue, amounts and dates as the language writes them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pikepdf
import pytest

from paymatch.formats.collection.cover import Cover, cover_of, subject_of
from paymatch.formats.collection.dossier import AgencyMessage, write_message
from paymatch.formats.collection.summary import summary_of
from paymatch.formats.languages.texts import LANGUAGES, words

FACTS: dict[str, Any] = {
    "orderNumber": "A-1001", "currency": "EUR", "case": "co_1", "shop": "Tee GmbH", "agency": "Inkasso Nord",
    "reference": "RF18 1234", "open": "1234.50", "fees": "5.00", "interest": "8.41", "lumpSum": "40.00",
    "total": "1287.91", "orderDate": "2026-03-02", "dueDate": "2026-03-09", "warnedOn": "2026-04-20",
    "handedOver": "2026-05-04", "interestUntil": "2026-04-30",
    "customer": {
        "name": "Erika Mustermann", "company": "", "address": "Weg 1, 10115 Berlin, DE", "email": "e@example.org",
        "phone": "+49 30 1", "number": "K-17",
    },
}  # fmt: skip
TABLES = {
    "reminders": [{"date": "2026-03-16", "level": "1", "fee": "2.50"}],
    "postings": [{"date": "2026-03-20", "amount": "-1002.50", "name": "Eva Muster", "text": "Danke"}],
    "interest": [{"from": "2026-03-10", "to": "2026-04-30", "percent": "6.27"}],
}


def test_german_is_written_as_the_letters_are() -> None:
    found = summary_of(FACTS, TABLES, words("de", "DE"))
    assert {name: found[name] for name in ("language", "title", "intro", "foot")} == {
        "language": "de", "title": "Inkassoauftrag zu Bestellung A-1001",
        "intro": "Tee GmbH übergibt diese Forderung an Inkasso Nord.", "foot": "Fall co_1 · Seite {page} von {pages}",
    }  # fmt: skip
    assert found["customer"] == {
        "title": "Kunde",
        "rows": [
            ("Name", "Erika Mustermann"), ("Anschrift", "Weg 1, 10115 Berlin, DE"), ("E-Mail", "e@example.org"),
            ("Telefon", "+49 30 1"), ("Kundennummer", "K-17"),
        ],
    }  # fmt: skip
    assert found["claim"] == {
        "title": "Forderung",
        "rows": [
            ("Bestellung", "A-1001 vom 02.03.2026"), ("Fällig am", "09.03.2026"),
            ("Letzte Zahlungserinnerung", "20.04.2026"), ("Verwendungszweck", "RF18 1234"),
        ],
        "sums": [
            ("Offener Betrag", "1.234,50\u00a0€"), ("Mahngebühren", "5,00\u00a0€"),
            ("Verzugszinsen bis 30.04.2026", "8,41\u00a0€"), ("Verzugspauschale", "40,00\u00a0€"),
        ],
        "total": ("Summe", "1.287,91\u00a0€"),
    }  # fmt: skip
    assert [(part["title"], [each["label"] for each in part["columns"]], part["rows"]) for part in found["tables"]] == [
        ("Zahlungserinnerungen", ["Datum", "Mahnstufe", "Gebühr"], [["16.03.2026", "1", "2,50\u00a0€"]]),
        (
            "Zahlungen",
            ["Datum", "Betrag", "Name", "Verwendungszweck"],
            [["20.03.2026", "\u22121.002,50\u00a0€", "Eva Muster", "Danke"]],
        ),
        ("Verzugszinsen", ["Von", "Bis", "Prozent pro Jahr"], [["10.03.2026", "30.04.2026", "6,27"]]),
    ]


def test_english_is_written_as_in_europe() -> None:
    found = summary_of(FACTS | {"interestUntil": ""}, TABLES, words("en", "DE"))
    assert (found["title"], found["foot"]) == ("Collection of order A-1001", "Case co_1 · Page {page} of {pages}")
    assert found["claim"]["sums"] == [
        ("Open amount", "€1,234.50"), ("Reminder fees", "€5.00"), ("Interest until 04/05/2026", "€8.41"),
        ("Lump sum for late payment", "€40.00"),
    ]  # fmt: skip
    assert found["tables"][1]["rows"] == [["20/03/2026", "\u2212€1,002.50", "Eva Muster", "Danke"]]


def test_amounts_are_those_of_the_shops_country() -> None:
    found = summary_of(FACTS | {"currency": "CHF"}, {}, words("de", "CH"))
    assert found["claim"]["total"] == ("Summe", "CHF\u00a01’287.91")


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
            yield from texts_in(each)


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_nothing_is_left_in_english(language: str) -> None:
    english, found = (set(texts_in(summary_of(FACTS, TABLES, words(each)))) for each in ("en", language))
    told = set(texts_in([FACTS, TABLES]))
    same_word = {"Date", "E-mail", "Name", "Total"}
    assert {each for each in found & english - told - same_word if not each[:2].isdigit()} == set()


def test_what_programs_read_is_the_same_in_all_languages() -> None:
    found = {}
    for language in LANGUAGES:
        content = write_message(AgencyMessage(FACTS, TABLES, language=language, country="DE"))
        with zipfile.ZipFile(io.BytesIO(content)) as bundle:
            found[language] = {name: bundle.read(name) for name in bundle.namelist()}
    titles = set()
    for files in found.values():
        with pikepdf.open(io.BytesIO(files.pop("summary.pdf"))) as pdf:
            titles.add(str(pdf.docinfo["/Title"]))
    assert len(titles) == len(LANGUAGES) and "Inkassoauftrag zu Bestellung A-1001" in titles
    assert all(files == found["en"] for files in found.values())
    assert json.loads(found["de"]["message.json"]) == {"version": 1, **FACTS}
    assert found["de"]["postings.csv"].decode("utf-8-sig") == (
        "date;amount;name;text\r\n2026-03-20;-1002.50;Eva Muster;Danke\r\n"
    )


@pytest.mark.parametrize(
    ("kind", "subject"),
    [
        ("handover", "Tee GmbH: Übergabe der Forderung zu Bestellung A-1001"),
        ("payment", "Tee GmbH: Zahlung zu Bestellung A-1001"),
        ("withdrawal", "Tee GmbH: Rücknahme des Inkassoauftrags zu Bestellung A-1001"),
    ],
)
def test_a_mail_says_what_it_brings(kind: str, subject: str) -> None:
    text = f"{subject}\n\nAlle Angaben stehen in der beigefügten Datei.\n"
    assert cover_of(words("de"), kind, "Tee\nGmbH", "A-1001") == Cover(subject, text)
    assert subject_of(words("en"), kind, "Tee GmbH", "A-1001") == f"Tee GmbH: {kind} of order A-1001"
    assert len(subject_of(words("en"), kind, "T" * 300, "A-1001")) == 200
