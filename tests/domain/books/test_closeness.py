"""How alike two lines of one amount are, case by case: each number below is the sum of what they share."""

from __future__ import annotations

from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import pytest

from paymatch.domain.books.forgotten import (
    ForgottenText,
    begin_or_end_alike,
    fingerprints,
    numbers_contradict,
    share_words,
)
from paymatch.domain.books.identity import IdentityKey, announced_before, closeness
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, CSV, SWIFT_MT

DAY = date(2026, 3, 10)
FINAL, NEWS, EARLY = PostingSource.FINAL, PostingSource.NOTIFICATION, PostingSource.INTRADAY
BASE = IdentityKey(DAY, 1990, "", 0, "", "", "", "", "", "", FINAL, CAMT)
IBAN, NATIONAL, REFERENCE = "DE75512108001245126199", "1245126199", "260310000001X"
SAID: dict[str, Any] = {"iban": IBAN, "name": "evamuster", "text": "rechnung4711"}
FULL: dict[str, Any] = {"reference": REFERENCE, "end_to_end_id": "e2e1", "mandate_id": "m1", **SAID}
MT940, TABLE, ANNOUNCED = {"format": SWIFT_MT}, {"format": CSV}, {"source": NEWS}


def days(count: int) -> dict[str, date]:
    """So many days later."""
    return {"booking_date": DAY + timedelta(count)}


# name: (what the one says, what the other says, how alike they are; 0: they are two payments)
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "nothing said": ({}, {}, 4),
    "nothing said, another source": ({}, ANNOUNCED, 1),
    "one reference": ({"reference": REFERENCE}, {"reference": REFERENCE}, 29),
    "one reference, another place": ({"reference": REFERENCE}, {"reference": REFERENCE, "detail_index": 1}, 24),
    "two references": ({"reference": REFERENCE}, {"reference": "260310000002X"}, 0),
    "a reference that MT940 cut": ({"reference": REFERENCE}, {"reference": REFERENCE[:8]} | MT940, 29),
    "too little of a reference is left": ({"reference": REFERENCE}, {"reference": REFERENCE[:7]} | MT940, 4),
    "a cut reference in one format": ({"reference": REFERENCE}, {"reference": REFERENCE[:8]}, 0),
    "references that formats write differently": ({"reference": REFERENCE}, {"reference": "NONREF77"} | MT940, 4),
    "one end-to-end id": ({"end_to_end_id": "e2e1"}, {"end_to_end_id": "e2e1"}, 6),
    "two end-to-end ids": ({"end_to_end_id": "e2e1"}, {"end_to_end_id": "e2e2"}, 0),
    "an end-to-end id of one": ({"end_to_end_id": "e2e1"}, {}, 4),
    "an end-to-end id that was cut": ({"end_to_end_id": "order10480x"}, {"end_to_end_id": "order104"} | MT940, 5),
    "an end-to-end id cut too short": ({"end_to_end_id": "order10480x"}, {"end_to_end_id": "order10"} | MT940, 0),
    "a cut end-to-end id in one format": ({"end_to_end_id": "order10480x"}, {"end_to_end_id": "order104"}, 0),
    "one mandate": ({"mandate_id": "m1"}, {"mandate_id": "m1"}, 6),
    "two mandates": ({"mandate_id": "m1"}, {"mandate_id": "m2"}, 0),
    "one account": ({"iban": IBAN}, {"iban": IBAN}, 6),
    "two accounts": ({"iban": IBAN}, {"iban": "DE02120300000000202051"}, 0),
    "a national account number": ({"iban": IBAN}, {"iban": NATIONAL} | MT940, 5),
    "a national number with zeros before it": ({"iban": IBAN}, {"iban": "00" + NATIONAL} | MT940, 5),
    "the shortest account number": ({"iban": IBAN}, {"iban": NATIONAL[-7:]} | MT940, 5),
    "too short an account number": ({"iban": IBAN}, {"iban": NATIONAL[-6:]} | MT940, 0),
    "two transaction ids": ({"transaction_id": "t1"}, {"transaction_id": "t2"}, 0),
    "two transaction ids of one reference": (
        {"transaction_id": "t1", "reference": REFERENCE}, {"transaction_id": "t2", "reference": REFERENCE}, 29,
    ),
    "one text": ({"text": "rechnung4711"}, {"text": "rechnung4711"}, 6),
    "two texts": ({"text": "rechnung4711"}, {"text": "rechnung4712"}, 0),
    "two texts, one number, another format": ({"text": "rechnung4711"}, {"text": "kunde4711vielendank"} | TABLE, 0),
    "a text within another": ({"text": "rechnung4711"}, {"text": "rechnung4711vielendank"} | TABLE, 5),
    "too short a text within another": ({"text": "rechnung4711"}, {"text": "g4711"} | TABLE, 0),
    "one name": ({"name": "evamuster"}, {"name": "evamuster"}, 6),
    "a name that was cut": ({"name": "evamuster"}, {"name": "evamus"} | MT940, 5),
    "a name cut too short": ({"name": "evamuster"}, {"name": "evamu"} | MT940, 0),
    "another name, nothing else": ({"name": "evamuster"}, {"name": "mustereva"} | MT940, 0),
    "another name, one account": (
        {"name": "evamuster", "iban": IBAN}, {"name": "mustereva", "iban": IBAN} | MT940, 6,
    ),
    "other numbers, one account": (
        {"text": "rechnung4711", "iban": IBAN}, {"text": "rechnung4712", "iban": IBAN} | MT940, 0,
    ),
    "another day": ({"text": "rechnung4711"}, {"text": "rechnung4711"} | days(1), 0),
    "all said": (FULL, FULL, 39),
    "all said, in another format": (FULL, FULL | MT940, 39),
    "all said, announced": (FULL, FULL | ANNOUNCED, 36),
    "announced three days before": (SAID | days(3), SAID | ANNOUNCED, 7),
    "announced four days before": (SAID | days(4), SAID | ANNOUNCED, 0),
    "announced the day before, with the account alone": ({"iban": IBAN} | days(1), {"iban": IBAN} | ANNOUNCED, 0),
    "announced the day before, with account and text": (
        {"iban": IBAN, "text": "rechnung4711"} | days(1), {"iban": IBAN, "text": "rechnung4711"} | ANNOUNCED, 5,
    ),
    "announced the day before, with its reference alone": (
        {"reference": REFERENCE} | days(1), {"reference": REFERENCE} | ANNOUNCED, 26,
    ),
    "announced on two days, with account and text": (
        {"iban": IBAN, "text": "rechnung4711", "source": EARLY} | days(1),
        {"iban": IBAN, "text": "rechnung4711"} | ANNOUNCED, 0,
    ),
    "announced on two days, with account, name and text": (SAID | {"source": EARLY} | days(1), SAID | ANNOUNCED, 7),
    "a table's bare sum, announced the day before": (TABLE | days(1), SAID | ANNOUNCED, 1),
    "a table's bare sum, announced the day after": (TABLE, SAID | ANNOUNCED | days(1), 0),
    "a camt's bare sum, announced the day before": (days(1), SAID | ANNOUNCED, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_closeness(name: str) -> None:
    one, other, expected = CASES[name]
    mine, yours = BASE._replace(**one), BASE._replace(**other)
    assert (closeness(mine, yours), closeness(yours, mine)) == (expected, expected)


def printed(value: str, field: str = "iban") -> str:
    """The fingerprint of a value."""
    said = ForgottenText("", "", "", "", "")._replace(**{field: value})
    return str(getattr(fingerprints(said, lambda part: sha256(part.encode()).hexdigest()), field))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (IBAN, IBAN, True),
        (IBAN, NATIONAL, True),
        (IBAN, "00" + NATIONAL, True),
        (IBAN, IBAN[:12], True),
        (IBAN, "DE02120300000000202051", False),
        (IBAN, "2120300000", False),
        (NATIONAL, "12451", False),
    ],
)
def test_numbers_of_forgotten_people_begin_or_end_alike(one: str, other: str, expected: bool) -> None:
    assert begin_or_end_alike(printed(one), printed(other)) is expected
    assert begin_or_end_alike(printed(other), printed(one)) is expected


@pytest.mark.parametrize(
    ("one", "other", "share", "contradict"),
    [
        ("rechnung4711", "rechnung4711", True, False),
        ("rechnung4711", "rechnung4711vielendank", True, False),
        ("rechnung4711", "rechnung4712", False, True),
        ("rechnung4711", "danke4711", False, False),
        ("rechnung", "vielendank", False, False),
        ("rechnungvommai", "rechnungvommaerz", True, False),
    ],
)
def test_texts_of_forgotten_people(one: str, other: str, share: bool, contradict: bool) -> None:
    mine, yours = printed(one, "text"), printed(other, "text")
    assert (share_words(mine, yours), share_words(yours, mine)) == (share, share)
    assert (numbers_contradict(mine, yours), numbers_contradict(yours, mine)) == (contradict, contradict)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("rechnung4711", "danke", 6),  # only one holds numbers
        ("rechnung", "danke", 6),
        ("rechnung4711", "danke4711x", 6),
        ("rechnung4711", "danke4712", 0),
        ("rechnung471100", "danke4711", 6),  # a number within a longer one
        ("rechnung4711", "danke471100", 6),
        ("rechnung4711", "danke471", 6),  # three digits are no number
    ],
)
def test_texts_of_one_account_contradict_by_their_numbers_only(one: str, other: str, expected: int) -> None:
    mine, yours = BASE._replace(iban=IBAN, text=one), BASE._replace(**({"iban": IBAN, "text": other} | MT940))  # type: ignore[arg-type]
    assert (closeness(mine, yours), closeness(yours, mine)) == (expected, expected)


@pytest.mark.parametrize("plain", [True, False])
def test_a_plain_line_without_fingerprints_cannot_be_compared_with_a_forgotten_one(plain: bool) -> None:
    prints = ForgottenText("", "", printed(IBAN), "", "")
    gone = BASE._replace(iban=prints.iban, prints=prints)
    other = BASE._replace(
        iban="DE02120300000000202051", prints=None if plain else ForgottenText("", "", printed("DE02"), "", "")
    )
    assert (closeness(gone, other) > 0, closeness(other, gone) > 0) == (plain, plain)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("rechnung4711", "danke", 6),  # only one holds numbers
        ("rechnung4711", "danke4711", 6),
        ("rechnung4711", "danke4712", 0),
        ("rechnung4711", "rechnung4711vielendank", 7),  # they begin alike
        ("rechnung4711", "rechnung4711", 8),
    ],
)
def test_forgotten_texts_of_one_account_contradict_by_their_numbers_only(one: str, other: str, expected: int) -> None:
    mine, yours = (
        BASE._replace(
            iban=IBAN, text=printed(text, "text"), prints=ForgottenText("", "", IBAN, "", printed(text, "text"))
        )
        for text in (one, other)
    )
    yours = yours._replace(format=SWIFT_MT)
    assert (closeness(mine, yours), closeness(yours, mine)) == (expected, expected)


@pytest.mark.parametrize(
    ("final", "other", "expected"),
    [(0, 0, True), (1, 0, True), (0, 1, False)],
)
def test_banks_announce_and_then_book(final: int, other: int, expected: bool) -> None:
    booked, news = BASE._replace(**days(final)), BASE._replace(**(ANNOUNCED | days(other)))  # type: ignore[arg-type]
    assert (announced_before(booked, news), announced_before(news, booked)) == (expected, expected)
    assert announced_before(booked, booked) and announced_before(news, news)
