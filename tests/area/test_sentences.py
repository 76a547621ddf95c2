"""Sentences on pages: moments in the shop's time zone, and no id that only a machine reads."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Final

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.message import Message, Sum

ID: Final = "rf_1m8g4js2bkzdv9c8bdm"
OF_ROWS: Final = {"posting", "refund", "sync", "callback", "letter", "advice"}
"""The gaps that name a row, by its id if people have no name for it."""
MOMENTS: Final = ({"day", "time"}, {"moment"}, {"now"})
"""The gaps with which sentences name a moment in UTC."""


def said_in(zone: str, said: Message, language: str = "en") -> str:
    from django.utils import timezone, translation

    from paymatch.area.language.sentences import in_words

    with timezone.override(zone), translation.override(language):
        return in_words(said)


@pytest.fixture(autouse=True)
def _django(service: object) -> None:
    """Translations need Django's settings."""


@pytest.mark.parametrize(("zone", "expected"), [
    ("Europe/Berlin", "2 callbacks have been failing since 28 Nov 2025 00:30: receiver answered 500"),
    ("America/New_York", "2 callbacks have been failing since 27 Nov 2025 18:30: receiver answered 500"),
    ("UTC", "2 callbacks have been failing since 27 Nov 2025 23:30 UTC: receiver answered 500"),
])  # fmt: skip
def test_a_moment_is_shown_in_the_shops_time(zone: str, expected: str) -> None:
    said = Message(
        "alert-callbacks-failing", count=2, day=date(2025, 11, 27), time="23:30", error="receiver answered 500"
    )
    assert said_in(zone, said) == expected
    assert "23:30 UTC" in str(said)  # the API and commands


def test_a_moment_of_summer_is_shown_in_the_shops_summer_time() -> None:
    said = Message("file-known", moment="2025-07-01 12:00")
    assert said_in("Europe/Berlin", said) == "this file was imported before, on 1 Jul 2025, 14:00"
    assert said_in("Europe/Berlin", said, "de") == "diese Datei wurde schon importiert, am 1. Juli 2025, 14:00"


def test_every_sentence_with_a_moment_in_utc_can_be_shown_in_the_shops_time() -> None:
    found = 0
    for code, sentence in SENTENCES.items():
        for template in sentence if isinstance(sentence, tuple) else (sentence,):
            if "UTC" not in template:
                continue
            found += 1
            gaps = set(re.findall(r"{(\w+)}", template))
            assert any(each <= gaps for each in MOMENTS), code
            values: dict[str, Any] = dict.fromkeys(gaps, "x") | {"count": 1} | (
                {"day": date(2025, 11, 27), "time": "23:30"} if "day" in gaps else {}
            )  # fmt: skip
            values |= {name: "2025-11-27 23:30" for name in ("moment", "now") if name in gaps}
            for language in ("en", "de"):
                shown = said_in("Europe/Berlin", Message(code, **values), language)
                assert "UTC" not in shown, (code, shown)
                assert "00:30" in shown, (code, shown)
    assert found == 17


def test_an_id_of_a_row_is_left_out() -> None:
    amount = Sum(5830, "EUR")
    waits = Message("alert-refund-waits", refund=ID, amount=amount, order="WT-11667", reason="above the limit")
    assert said_in("UTC", waits) == "Refund of 58.30 EUR (order WT-11667) waits for a release: above the limit"
    named = Message("alert-refund-waits", refund="RET-6078", amount=amount, order="WT-1", reason="above the limit")
    assert said_in("UTC", named) == "Refund RET-6078 of 58.30 EUR (order WT-1) waits for a release: above the limit"
    assert said_in("UTC", waits, "de").startswith("Erstattung über 58,30")
    matched = Message("assign-matched", posting=f"'pst_{ID[3:]}'")
    assert said_in("UTC", matched) == "Posting is matched: undo the match first"
    assert ID[3:] in str(matched)  # the command line names it


def test_no_sentence_shows_the_id_of_a_row() -> None:
    """Pages link to the thing, and name it as people do."""
    for code, sentence in SENTENCES.items():
        gaps = set(re.findall(r"{(\w+)}", sentence[0] if isinstance(sentence, tuple) else sentence))
        for gap in gaps & OF_ROWS:
            values = dict.fromkeys(gaps, "x") | ({"count": 1} if "count" in gaps else {}) | {gap: ID}
            for language in ("en", "de"):
                assert ID not in said_in("UTC", Message(code, **values), language), (code, gap)


def test_every_reason_that_holds_a_refund_is_in_the_readers_language() -> None:
    """An alert names it: the reason of the API would be English in the midst of a German sentence."""
    for reason in HoldReason:
        english, german = (said_in("UTC", reason.message, language) for language in ("en", "de"))
        assert english != german, reason
        assert "refund-" not in english, reason
    said = Message("alert-refund-waits", refund="R-1", amount=Sum(5830, "EUR"), order="WT-1",
                   reason=HoldReason.ABOVE_LIMIT.message)  # fmt: skip
    assert said_in("UTC", said, "de") == (
        "Erstattung R-1 über 58,30 EUR (Bestellung WT-1) wartet auf eine Freigabe: über dem Limit für eine Erstattung"
    )
