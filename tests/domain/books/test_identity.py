"""Pairing: what is the same payment, what is its twin, what is another."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.books.identity import IdentityKey, SourceFormat, closeness, identity_key_of, squash
from paymatch.domain.books.pairing import pair
from paymatch.domain.books.statement_lines import ShownBy, resolve_lines
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, CSV, SWIFT_MT
from tests.usecases.conftest import paid

DAY = date(2026, 3, 10)
FINAL, NEWS, EARLY = PostingSource.FINAL, PostingSource.NOTIFICATION, PostingSource.INTRADAY
BASE = IdentityKey(DAY, 1990, "", 0, "", "", "", "DE75512108001245126199", "evamuster", "rechnung4711", FINAL, CAMT)


def same(one: IdentityKey, other: IdentityKey) -> bool:
    return pair([one], [other]) == [0]


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
        ({"format": SWIFT_MT, "name": "evamus", "text": "rechnung4711vielendank"}, True),
        ({"format": CSV, "iban": "", "text": "rechnung4711"}, True),
        ({"format": CSV, "text": "rechnung9999"}, False),
        ({"format": CSV, "text": "", "iban": "", "name": ""}, True),
        ({"format": SWIFT_MT, "iban": "1245126199"}, True),
        ({"source": NEWS, "booking_date": DAY - timedelta(days=3)}, True),
        ({"source": NEWS, "booking_date": DAY - timedelta(days=4)}, False),
        ({"source": NEWS, "booking_date": DAY - timedelta(days=3), "text": "", "iban": ""}, False),
    ],
)
def test_the_same_payment(change: dict[str, object], expected: bool) -> None:
    assert same(BASE, BASE._replace(**change)) is expected  # type: ignore[arg-type]
    assert same(BASE._replace(**change), BASE) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("iban", "national"),
    [
        ("CZ6508000000192000145399", "19-2000145399/0800"),
        ("CZ6508000000192000145399", "19-2000145399"),
        ("SK3112000000198742637541", "19-8742637541/1200"),
        ("CZ1320100000000000123456", "123456/2010"),
        ("HU42117730161111101800000000", "11773016-11111018"),
        ("HU42117730161111101800000000", "11773016-11111018-00000000"),
        ("GB33BUKB20201555555555", "20-20-15 55555555"),
        ("NO9386011117947", "8601.11.17947"),
        ("DE75512108001245126199", "51210800/1245126199"),
    ],
)
def test_a_national_account_number_is_that_of_its_iban(iban: str, national: str) -> None:
    shown, table = BASE._replace(iban=iban), BASE._replace(iban=national, format=CSV)
    assert same(shown, table)
    assert same(table, shown)
    digits = [place for place, character in enumerate(national) if character.isdigit()]
    for place in digits[:6]:
        other = str((int(national[place]) + 1) % 10)
        assert not same(shown, table._replace(iban=national[:place] + other + national[place + 1 :]))


def batch_key(reference: str, *amounts: int, day: date = DAY, source: PostingSource = FINAL) -> IdentityKey:
    """A camt batch of payments of different people."""
    parts = [
        paid(minor, f"Rechnung {minor}", entry_reference=reference, bank_reference=reference, booking_date=day)
        for minor in amounts
    ]
    return identity_key_of(parts, source, CAMT)


def sum_key(reference: str, minor: int, *, day: date = DAY, file_format: SourceFormat = CAMT) -> IdentityKey:
    """A final sum that names no one."""
    line = paid(minor, "", bank_reference=reference, counterparty_iban="", counterparty_name="", booking_date=day)
    return identity_key_of([line], FINAL, file_format)


@pytest.mark.parametrize(
    ("whole", "divided", "expected"),
    [
        (sum_key("", 3000), batch_key("", 1000, 2000), True),
        (sum_key("", 3000), batch_key("B1", 1000, 2000), True),
        (sum_key("B2", 3000), batch_key("B1", 1000, 2000), False),
        (sum_key("B2", 3000, file_format=SWIFT_MT), batch_key("B1", 1000, 2000), True),  # formats name it differently
        (sum_key("260310000001X", 3000, file_format=SWIFT_MT), batch_key("260310000001XY", 1000, 2000), True),
        (sum_key("260310000001X", 3000), batch_key("260310000001XY", 1000, 2000), False),  # not cut: one format
        (BASE, batch_key("", 990, 1000), False),  # a payer is named
        (sum_key("B1", 3000, day=DAY + timedelta(1)), batch_key("B1", 1000, 2000), False),
        (sum_key("B1", 3000, day=DAY + timedelta(1)), batch_key("B1", 1000, 2000, source=NEWS), True),
        (sum_key("B1", 3000, day=DAY + timedelta(4)), batch_key("B1", 1000, 2000, source=NEWS), False),
        (sum_key("", 3000, day=DAY + timedelta(1)), batch_key("", 1000, 2000, source=NEWS), False),
        (sum_key("", 3000, day=DAY + timedelta(1), file_format=CSV), batch_key("", 1000, 2000, source=NEWS), True),
        (sum_key("", 3000, day=DAY - timedelta(1), file_format=CSV), batch_key("", 1000, 2000, source=NEWS), False),
        (batch_key("", 1000, 2000, source=NEWS), batch_key("B1", 1000, 2000), True),
        (batch_key("", 1500, 1500, source=NEWS), batch_key("B1", 1000, 2000), False),
        (batch_key("B2", 1000, 2000, source=NEWS), batch_key("B1", 1000, 2000), False),
        (batch_key("B1", 1000, 2000, source=NEWS, day=DAY - timedelta(3)), batch_key("B1", 1000, 2000), True),
    ],
)
def test_a_sum_and_its_payments(whole: IdentityKey, divided: IdentityKey, expected: bool) -> None:
    assert bool(closeness(whole, divided)) is bool(closeness(divided, whole)) is expected


def test_a_sum_that_names_nobody_is_likelier_the_sum_of_a_batch() -> None:
    parts = batch_key("", 1000, 2000)
    named = sum_key("", 3000)._replace(name="sammler")
    assert (closeness(sum_key("", 3000), parts), closeness(named, parts)) == (2, 1)
    assert closeness(sum_key("B1", 3000), batch_key("B1", 1000, 2000)) == 21


def test_a_reference_is_cut_by_another_format_only() -> None:
    whole, cut = BASE._replace(reference="260310000001XY"), BASE._replace(reference="260310000001X")
    assert closeness(whole, cut) == 0
    swift = cut._replace(format=SWIFT_MT)
    assert closeness(whole, swift) - closeness(BASE, swift._replace(reference="")) == 25
    short = swift._replace(reference="2603100")
    assert closeness(whole, short) == closeness(BASE, swift._replace(reference=""))


def test_references_of_one_format_decide() -> None:
    one, other = BASE._replace(reference="R1"), BASE._replace(reference="R2")
    assert not same(one, other)
    assert same(one, other._replace(format=SWIFT_MT))
    assert pair([one, other], [other, one]) == [1, 0]


def test_each_booked_posting_is_given_once() -> None:
    assert sorted(x for x in pair([BASE, BASE], [BASE] * 3) if x is not None) == [0, 1]


@given(st.integers(0, 6), st.integers(0, 6), st.randoms(use_true_random=False))
def test_the_number_of_pairs_does_not_depend_on_the_order(known: int, incoming: int, chance: Random) -> None:
    booked = [BASE._replace(source=chance.choice([FINAL, EARLY])) for _ in range(known)]
    shuffled = chance.sample(booked, known)
    assert len([x for x in pair(shuffled, [BASE] * incoming) if x is not None]) == min(known, incoming)


def test_very_many_of_one_amount() -> None:
    known = [BASE._replace(text=f"rechnung{n}", name="") for n in range(600)]
    incoming = [each._replace(format=SWIFT_MT, iban="") for each in known]
    assert pair(known, incoming) == list(range(600))


@pytest.mark.parametrize(
    ("one", "other"),
    [("Jürgen Groß", "JUERGEN GROSS"), ("Müller", "Muller"), ("Søren Łukasz", "Soren Lukasz"), ("a-b c", "A/BC")],
)
def test_one_spelling(one: str, other: str) -> None:
    assert squash(one) == squash(other)


@given(st.permutations(range(5)))
def test_what_the_books_say_does_not_depend_on_the_order_of_lines(order: list[int]) -> None:
    rich, poor = paid(1990, "Rechnung 4711", end_to_end_id="E1"), paid(1990, "Rechnung")
    late = DAY + timedelta(days=1)
    lines = [
        (ShownBy("1", NEWS, CAMT), rich),
        (ShownBy("2", FINAL, SWIFT_MT), replace(poor, booking_date=late)),
        (ShownBy("3", EARLY, CAMT), poor),
        (ShownBy("4", FINAL, CSV), replace(poor, booking_date=late, value_date=None)),
        (ShownBy("5", NEWS, CAMT), replace(rich, purpose="SALA")),
    ]
    found = resolve_lines([lines[place] for place in order])
    assert found.posting == replace(rich, purpose="SALA", booking_date=late)
    assert (found.source, found.format) == (FINAL, "camt")
    assert resolve_lines([lines[0]], [lines[1]]).posting == replace(rich, booking_date=late)


def test_batches_agree_payment_by_payment() -> None:
    one, announced = batch_key("B1", 1000, 2000), batch_key("", 1000, 2000, source=NEWS)
    assert closeness(one, batch_key("B1", 1000, 2000, source=NEWS)) == 21
    assert closeness(one, announced) == 3
    others = [part._replace(text=f"miete{place}") for place, part in enumerate(announced.parts)]
    assert closeness(one, announced._replace(parts=tuple(others))) == 0


SWIFT = BASE._replace(format=SWIFT_MT)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # one number of several stands in the other text
        (BASE._replace(text="rechnung4711kunde8888"), SWIFT._replace(text="beleg994711"), True),
        (BASE._replace(text="rechnung4711kunde8888"), SWIFT._replace(text="beleg994712"), False),
        # other digits contradict, however the name is written
        (BASE, SWIFT._replace(name="familiemuster", text="rechnung9999"), False),
        (BASE, SWIFT._replace(name="familiemuster", text="rechnung"), True),
        # a national account number is number enough for texts that share nothing
        (BASE._replace(name="", text="danke"), SWIFT._replace(name="", text="rechnung", iban="1245126199"), True),
        (BASE._replace(name="", text="danke", iban=""), SWIFT._replace(name="", text="rechnung", iban=""), False),
        # a table shows a sum with a reference that the announcement does not know
        (
            BASE._replace(source=NEWS, booking_date=DAY - timedelta(days=1)),
            BASE._replace(format=CSV, iban="", name="", text="", reference="R1"),
            True,
        ),
        (
            BASE._replace(source=NEWS, booking_date=DAY - timedelta(days=1), reference="260310000001"),
            BASE._replace(format=CSV, iban="", name="", text="", reference="R1"),
            False,
        ),
    ],
)
def test_what_formats_write_differently(one: IdentityKey, other: IdentityKey, expected: bool) -> None:
    assert bool(closeness(one, other)) is bool(closeness(other, one)) is expected


def test_batches_of_one_sum_are_others_if_their_payments_are() -> None:
    known = [batch_key("", 1000, 2000), batch_key("", 900, 2100)]
    assert pair(known, [batch_key("", 1500, 1500), batch_key("", 1400, 1600)]) == [None, None]
    assert pair(known, [batch_key("", 900, 2100), batch_key("", 1000, 2000)]) == [1, 0]
