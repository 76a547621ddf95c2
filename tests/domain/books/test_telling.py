"""What a line tells of its payment: whatever is one payment on two days, or in two formats, shares some of it."""

from __future__ import annotations

from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.domain.books.forgotten import ForgottenText, fingerprints
from paymatch.domain.books.identity import BARE, IdentityKey, closeness, search_keys
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, CSV, SWIFT_MT
from tests.length import times

DAY = date(2026, 3, 10)
BASE = IdentityKey(DAY, 1990, "", 0, "", "", "", "", "", "", PostingSource.FINAL, CAMT)
_NUMBERS = ("end_to_end_id", "mandate_id", "iban")
FULL = BASE._replace(
    reference="2603100000012345678", end_to_end_id="order10480x", mandate_id="m1", iban="DE75512108001245126199",
    name="evamustervonundzumuster", text="rechnung4711vom20260302vielendankeva", names=("batch17",),
)  # fmt: skip


def test_all_pieces_that_a_format_may_leave() -> None:
    assert search_keys(FULL) == {
        *("26031000", "2603100000012345", "batch17"),
        *("order10480x", "order104", "r10480x", "m1", "DE75512108001245126199", "DE755121", "5126199"),
        *("evamus", "evamusterv", "evamustervonundz", "evamustervonundzumuster", "muster"),
        *("rechnu", "rechnung4711", "rechnung4711vom20260", "rechnung4711vom20260302vielend", "ielendankeva"),
        *("rechnung4711vom20260302vielendankeva", "4711", "20260302"),
    }


def test_what_says_nothing_may_be_any_payment_or_a_batch() -> None:
    assert search_keys(BASE) == {BARE, "may be a batch"}
    assert search_keys(BASE._replace(name="eva")) == {"eva", "may be a batch"}
    assert search_keys(BASE._replace(iban="1245126199")) == {"1245126199", "12451261", "5126199"}
    assert search_keys(BASE._replace(parts=(BASE._replace(name="eva", iban="1234567"),))) == {
        *("eva", "1234567", "may be a batch"),
    }


def test_fingerprints_are_told_token_by_token() -> None:
    assert search_keys(BASE._replace(iban="1234567", prints=ForgottenText("~a.b", "", "", "~c", ""))) == {
        "1234567",
        "a",
        "b",
        "c",
    }


def _print(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _said_of(key: IdentityKey) -> ForgottenText:
    return ForgottenText(key.end_to_end_id, key.mandate_id, key.iban, key.name, key.text)


@st.composite
def lines(draw: st.DrawFn) -> IdentityKey:
    """A line of one of few payments, as a format shows it: cut, or with more around it."""
    own = draw(st.sampled_from("12"))
    numbers = ["", f"0000123456{own}", f"123456{own}", f"99123456{own}", f"ORDER5000{own}XYZW", f"ORDER5000{own}"]
    references = ["", "", f"2603100000{own}", f"2603100000{own}99", "R1"]
    told: dict[str, Any] = {
        "reference": draw(st.sampled_from(references)),
        "names": draw(st.sampled_from([(), (), ("2603100000177",), ("B1",)])),
        "name": draw(st.sampled_from(["", "eva", "evamustervonundzu", "evamustervon"])),
        "text": draw(st.sampled_from(["", f"rechnung471{own}", f"danke rechnung471{own} bis bald", "rechnung"])),
        "source": draw(st.sampled_from(PostingSource)),
        "format": draw(st.sampled_from([CAMT, SWIFT_MT, CSV])),
    }
    told |= {name: draw(st.sampled_from(numbers)) for name in _NUMBERS}
    return BASE._replace(**told)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[IdentityKey, IdentityKey]:
    """Two lines that say the same in some of their fields, on two days; of some, the person is forgotten."""
    one, other = draw(lines()), draw(lines())
    same = draw(st.sets(st.sampled_from(("reference", "names", "name", "text", *_NUMBERS)), min_size=3))
    other = other._replace(**{name: getattr(one, name) for name in same})
    other = other._replace(booking_date=one.booking_date + timedelta(draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))))
    return _printed(one, is_forgotten=draw(st.booleans())), _printed(other, is_forgotten=draw(st.booleans()))


def _printed(key: IdentityKey, *, is_forgotten: bool) -> IdentityKey:
    prints = fingerprints(_said_of(key), _print)
    return (key._replace(**prints._asdict()) if is_forgotten else key)._replace(prints=prints)


def _batch(key: IdentityKey, parts: list[IdentityKey]) -> IdentityKey:
    own = {"booking_date": key.booking_date, "source": key.source, "format": key.format}
    nothing = {"end_to_end_id": "", "mandate_id": "", "iban": "", "name": "", "text": "", "prints": None}
    return key._replace(parts=tuple(part._replace(**own) for part in parts), **nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize("batches", [0, 1, 2])
@settings(max_examples=times(30, 100), deadline=None)
@given(pairs(), st.lists(pairs(), min_size=2, max_size=3))
def test_one_payment_on_two_days_shares_something(
    batches: int, said: tuple[IdentityKey, IdentityKey], parts: list[tuple[IdentityKey, IdentityKey]]
) -> None:
    """So days whose lines share nothing are folded without each other."""
    one, other = said
    one = _batch(one, [part for part, _ in parts]) if batches else one
    other = _batch(other, [part for _, part in parts]) if batches == 2 else other
    mine, yours = search_keys(one), search_keys(other)
    assert BARE in mine or BARE in yours or mine & yours or not closeness(one, other)
