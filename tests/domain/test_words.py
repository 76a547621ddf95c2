"""Sentences as codes with values: English byte for byte, kept as JSON and recalled, each code used."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest

import paymatch
from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.message import (
    Message,
    Percentage,
    Rate,
    Sum,
    Value,
    fill,
    from_json,
    in_english,
    said_today,
    to_json,
)
from paymatch.domain.words.sentences import files
from paymatch.domain.words.sentences.alerts import SENTENCES as ALERTS

CASES = [
    (Message("name-equal"), "the name matches"),
    (Message("date-age", count=1), "the order is 1 day old"),
    (Message("date-age", count=31), "the order is 31 days old"),
    (Message("returned", day=date(2026, 3, 2)), "it reverses the payment of 2026-03-02"),
    (
        Message("payout-left", why=Message("unknown-orders", count=2), left=Sum(123450, "EUR")),
        "2 numbers are not orders of this shop: 1234.50 EUR stays open",
    ),
    (Message("kept-confirm", share=Percentage(174)), "17.4 % kept: confirm this payer's fee"),
]


@pytest.mark.parametrize(("said", "english"), CASES)
def test_a_sentence_is_english_and_keeps_what_it_is_made_from(said: Message, english: str) -> None:
    assert said == english
    stored = json.loads(json.dumps(to_json(said)))
    again = from_json(english, stored["code"], stored["values"])
    assert isinstance(again, Message)
    assert (again, again.code, again.values) == (english, said.code, said.values)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Percentage(174), "17.4"),
        (Percentage(5), "0.5"),
        (Percentage(1000), "100.0"),
        (Rate(127), "1.27"),
        (Rate(605), "6.05"),
        (Rate(80), "0.80"),
        (Sum(-1050, "EUR"), "-10.50 EUR"),
        (Sum(1050, "JPY"), "1050.00 JPY"),
        (date(2026, 3, 2), "2026-03-02"),
        (7, "7"),
        ("WT-1", "WT-1"),
    ],
)
def test_values_are_written_as_in_english(value: Value, written: str) -> None:
    assert in_english(value) == written


@pytest.mark.parametrize(("count", "words"), [(0, "0 days"), (1, "1 day"), (2, "2 days"), (11, "11 days")])
def test_one_of_two_forms_is_for_exactly_one(count: int, words: str) -> None:
    assert Message("date-age", count=count) == f"the order is {words} old"
    assert fill(("{count} day", "{count} days"), {"count": count}, str) == words


@pytest.mark.parametrize(
    ("code", "values"),
    [("", {}), ("name-equal", {}), ("date-age", {}), ("date-age", {"count": []}), ("returned", {"day": {"day": "x"}})],
)
def test_words_that_were_kept_without_their_code_stay(code: str, values: dict[str, object]) -> None:
    found = from_json("the name was the same", code, values)
    assert (found, type(found)) == ("the name was the same", str)


def test_what_is_still_to_do_is_said_in_the_words_of_today() -> None:
    said = Message("alert-callbacks-paused")
    stored = json.loads(json.dumps(to_json(said)))
    again = said_today("Callbacks wait. Type a command", stored["code"], stored["values"])
    assert isinstance(again, Message) and (again, again.code) == (said, "alert-callbacks-paused")


@pytest.mark.parametrize(
    ("code", "values"), [("", {}), ("of-a-later-version", {}), ("date-age", {}), ("returned", {"day": {"day": "x"}})]
)
def test_words_whose_code_or_values_do_not_fit_stay(code: str, values: dict[str, object]) -> None:
    found = said_today("somebody must look", code, values)
    assert (found, type(found)) == ("somebody must look", str)


def test_alerts_tell_everybody_what_to_do_and_name_no_command() -> None:
    said = {code: " ".join([template] if isinstance(template, str) else template) for code, template in ALERTS.items()}
    assert [code for code, words in said.items() if re.search(r"\bpaymatch [a-z]", words)] == []
    of_the_operator = {code for code, words in said.items() if "PAYMATCH_" in words or "TAN" in words}
    assert of_the_operator == {"alert-mail-kept", "alert-consent-ends", "alert-consent-ended"}
    assert all("the operator" in said[code] for code in of_the_operator)


def test_every_sentence_is_said_somewhere() -> None:
    """Codes that are put together are found by their beginning; sentences about files have theirs from their words."""
    root = Path(paymatch.__file__).parent
    source = "\n".join(path.read_text("utf-8") for path in root.rglob("*.py") if "words" not in path.parts)
    put_together = tuple(re.findall(r'Message\(f"([a-z-]+)\{', source))
    named = set(re.findall(r"""["']([a-z][a-z0-9-]+)["']""", source))
    assert [
        code
        for code in SENTENCES.keys() - files.SENTENCES.keys()
        if code not in named and not code.startswith(put_together)
    ] == []
    assert set(re.findall(r'Message\("([a-z0-9-]+)"', source)) - set(SENTENCES) == set()
