"""Pairing: what is the same payment, what is its twin, what is another."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.books.identity import IdentityKey, Known, squash
from paymatch.domain.books.pairing import pair
from paymatch.domain.books.statement_lines import ResolvedPosting, StatementLine
from paymatch.domain.postings import PostingSource
from tests.usecases.conftest import paid

DAY = date(2026, 3, 10)
FINAL, NEWS, EARLY = PostingSource.FINAL, PostingSource.NOTIFICATION, PostingSource.INTRADAY
BASE = IdentityKey(DAY, 1990, "", 0, "", "", "", "DE75512108001245126199", "evamuster", "rechnung4711", FINAL, "camt")


def same(one: IdentityKey, other: IdentityKey) -> bool:
    return pair([Known("k", one)], [other]) == ["k"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"amount_minor": 1991}, False),
        ({"booking_date": DAY + timedelta(days=1)}, False),
        ({"text": "rechnung4712"}, False),
        ({"iban": "DE02120300000000202051"}, False),
        ({"end_to_end_id": "e1"}, True),
        ({"reference": "R1"}, True),
        ({"format": "MT940", "name": "evamus", "text": "rechnung4711vielendank"}, True),
        ({"format": "CSV", "iban": "", "text": "rechnung4711"}, True),
        ({"format": "CSV", "text": "rechnung9999"}, False),
        ({"format": "CSV", "text": "", "iban": "", "name": ""}, True),
        ({"format": "MT940", "iban": "1245126199"}, True),
        ({"source": NEWS, "booking_date": DAY - timedelta(days=3)}, True),
        ({"source": NEWS, "booking_date": DAY - timedelta(days=4)}, False),
        ({"source": NEWS, "booking_date": DAY - timedelta(days=3), "text": "", "iban": ""}, False),
    ],
)
def test_the_same_payment(change: dict[str, object], expected: bool) -> None:
    assert same(BASE, replace(BASE, **change)) is expected  # type: ignore[arg-type]
    assert same(replace(BASE, **change), BASE) is expected  # type: ignore[arg-type]


def test_a_mere_sum_is_no_part_of_a_batch() -> None:
    part = replace(BASE, is_part=True, reference="R1")
    bare = replace(BASE, format="CSV", iban="", name="", text="")
    assert not same(part, bare) and not same(bare, part)
    assert same(part, replace(bare, reference="R1"))
    assert same(part, replace(bare, name=BASE.name))


def test_a_day_that_a_table_lent_gives_way_to_a_reference() -> None:
    later = replace(BASE, reference="R1", booking_date=DAY + timedelta(days=1))
    assert not same(replace(BASE, reference="R1"), later)
    assert same(replace(BASE, reference="R1", lent_day=True), later)
    assert not same(replace(BASE, lent_day=True), later)


def test_references_of_one_format_decide() -> None:
    one, other = replace(BASE, reference="R1"), replace(BASE, reference="R2")
    assert not same(one, other)
    assert same(one, replace(other, format="MT940"))
    assert pair([Known("a", one), Known("b", other)], [other, one]) == ["b", "a"]


def test_each_booked_posting_is_given_once() -> None:
    assert sorted(filter(None, pair([Known("a", BASE), Known("b", BASE)], [BASE] * 3))) == ["a", "b"]


@given(st.integers(0, 6), st.integers(0, 6), st.randoms(use_true_random=False))
def test_the_number_of_pairs_does_not_depend_on_the_order(known: int, incoming: int, chance: Random) -> None:
    booked = [Known(f"k{n}", replace(BASE, source=chance.choice([FINAL, EARLY]))) for n in range(known)]
    shuffled = chance.sample(booked, known)
    assert len([x for x in pair(shuffled, [BASE] * incoming) if x]) == min(known, incoming)


def test_very_many_of_one_amount() -> None:
    known = [Known(f"k{n}", replace(BASE, text=f"rechnung{n}", name="")) for n in range(600)]
    incoming = [replace(each.identity, format="MT940", iban="") for each in known]
    assert pair(known, incoming) == [each.id for each in known]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Jürgen Groß", "JUERGEN GROSS"), ("Müller", "Muller"), ("Søren Łukasz", "Soren Lukasz"), ("a-b c", "A/BC")],
)
def test_one_spelling(one: str, other: str) -> None:
    assert squash(one) == squash(other)


@given(st.permutations(range(5)))
def test_books_do_not_depend_on_the_order_of_sightings(order: list[int]) -> None:
    rich, poor = paid(1990, "Rechnung 4711", end_to_end_id="E1"), paid(1990, "Rechnung")
    late = DAY + timedelta(days=1)
    seen = [
        StatementLine(rich, NEWS, "camt"),
        StatementLine(replace(poor, booking_date=late), FINAL, "MT940"),
        StatementLine(poor, EARLY, "camt"),
        StatementLine(replace(poor, booking_date=late, value_date=None), FINAL, "CSV"),
        StatementLine(replace(rich, purpose="SALA"), NEWS, "camt"),
    ]
    resolved: ResolvedPosting = seen[order[0]].resolved()
    for place in order[1:]:
        resolved = resolved.with_line(seen[place])
    assert resolved.posting == replace(rich, purpose="SALA", booking_date=late)
    assert (resolved.source, resolved.format) == (FINAL, "camt")
