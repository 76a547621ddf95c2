"""Pairing under pressure: very many payments of one amount, in two formats, are neither lost nor booked twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.books import pairing
from paymatch.domain.books.identity import IdentityKey
from paymatch.domain.books.pairing import pair
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, CSV, SWIFT_MT

DAY = date(2026, 3, 10)
FINAL, NEWS = PostingSource.FINAL, PostingSource.NOTIFICATION
BASE = IdentityKey(DAY, 1990, "", 0, "", "", "", "", "", "", FINAL, CAMT)
_SAID = ("reference", "end_to_end_id", "iban", "name", "text")


@st.composite
def payments(draw: st.DrawFn) -> list[IdentityKey]:
    """Payments of one amount that share much."""
    said = st.fixed_dictionaries(
        {
            "reference": st.sampled_from(["", "260310000001X", "260310000002X", "260310000003X"]),
            "end_to_end_id": st.sampled_from(["", "e2e1", "e2e2"]),
            "iban": st.sampled_from(["DE02120300000000202051", "DE75512108001245126199"]),
            "name": st.sampled_from(["annamueller", "berndgross"]),
            "text": st.sampled_from(["rechnung4711", "rechnung4712", "danke", "abomonat"]),
        }
    )
    return [BASE._replace(**each) for each in draw(st.lists(said, max_size=9))]  # type: ignore[arg-type]


def _told(identity: IdentityKey, chance: Random, **changes: object) -> IdentityKey:
    """The payment as a format shows it that leaves some of it out."""
    said = {name: "" for name in _SAID if chance.random() < 0.35}
    return identity._replace(**said, **changes)  # type: ignore[arg-type]


@given(payments(), st.randoms(use_true_random=False))
def test_the_same_payments_in_two_formats_leave_nothing_over(one: list[IdentityKey], chance: Random) -> None:
    known = [_told(each, chance) for each in one]
    incoming = [_told(each, chance, format=SWIFT_MT) for each in one]
    found = pair(chance.sample(known, len(known)), chance.sample(incoming, len(incoming)))
    assert _places(found) == list(range(len(known)))


def _places(found: list[int | None]) -> list[int]:
    return sorted(place for place in found if place is not None)


def test_the_one_that_can_have_another_gives_way() -> None:
    rich = BASE._replace(end_to_end_id="e2", iban="DE02120300000000202051", name="bernd", text="rechnung4711")
    known = [BASE._replace(end_to_end_id="e1", text="rechnung4711"), rich]
    by_iban = BASE._replace(format=SWIFT_MT, iban=rich.iban, name="annamueller")
    by_id = BASE._replace(format=SWIFT_MT, end_to_end_id="e2")
    assert pair(known, [by_iban, by_id]) == [0, 1]


def _subscribers(count: int, *, telling: bool) -> list[IdentityKey]:
    """Customers of one price on one day; `telling` if each can be told from all others."""
    return [
        BASE._replace(
            reference=f"REF{number:013d}X" if telling else "",
            name=f"kunde{number:05d}vonundzuderlangenstrasse" if telling else "kunde",
            text=f"abopremiummonatmaerzkunde{10_000 + number}" if telling else "abopremium",
            iban=f"DE00120300{number:012d}" if telling or number % 2 else "",
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("source", [FINAL, NEWS])
def test_thousands_of_one_amount_find_themselves_again(source: PostingSource) -> None:
    customers = _subscribers(5_000, telling=True)
    known = [each._replace(source=source) for each in customers]
    incoming = [each._replace(format=SWIFT_MT, reference="", name=each.name[:21], iban="") for each in customers]
    assert pair(known, incoming) == list(range(5_000))


@pytest.mark.parametrize("said", [{"iban": ""}, {"text": "abopremiumsvwz"}, {"name": "", "text": "", "iban": ""}])
def test_thousands_that_nothing_tells_apart_are_counted(said: dict[str, str]) -> None:
    customers = _subscribers(5_000, telling=False)
    incoming = [each._replace(format=CSV, **said) for each in customers]  # type: ignore[arg-type]
    found = pair(customers[:4_000], incoming)
    assert _places(found) == list(range(4_000))
    assert pair(customers, incoming[:3_000]).count(None) == 0


def test_another_days_thousands_are_others() -> None:
    customers = _subscribers(2_000, telling=False)
    later = [each._replace(booking_date=DAY + timedelta(days=1), format=SWIFT_MT) for each in customers]
    assert pair(customers, later) == [None] * 2_000


@given(
    st.integers(0, 2**32),
    st.sampled_from(["mandate_id", "iban", "name", "text", "reference"]),
    st.sampled_from([(FINAL, 0), (NEWS, 0), (NEWS, 1), (NEWS, 3)]),
)
def test_shared_fields_find_what_comparing_all_finds(
    seed: int, missing: str, shown_by: tuple[PostingSource, int]
) -> None:
    """The short way of large crowds pairs what the exact one pairs wherever payments can be distinguished."""
    chance = Random(seed)
    source, days = shown_by
    customers = chance.sample(_subscribers(60, telling=True), 40)
    incoming = [
        each._replace(
            **{"format": SWIFT_MT, "name": each.name[: chance.randint(12, 30)], missing: ""},  # type: ignore[arg-type]
            source=source,
            booking_date=DAY - timedelta(days=days),
        )
        for each in customers[5:]
    ]
    exact = pair(customers, incoming)
    with _limits(_FEW=0, _MANY=0, _TRIES=0):
        assert pair(customers, incoming) == exact == list(range(5, 40))


@contextmanager
def _limits(**limits: object) -> Iterator[None]:
    """Other bounds of what is compared, so that few payments are very many."""
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(pairing, name, limit)
        yield


ANNA = BASE._replace(iban="DE75512108001245126199", name="annamueller")
AS_CSV = {"format": CSV, "name": ""}


def test_so_many_pairs_of_a_shared_field_are_compared_and_no_more() -> None:
    """Three payments of one account, and two announcements, are six pairs: each day's meet, or nobody is compared."""
    known = [ANNA._replace(booking_date=DAY + timedelta(days)) for days in range(3)]
    announced = [each._replace(source=NEWS, format=SWIFT_MT, text="danke") for each in (known[1], known[0])]
    for most, found in ((6, [1, 0]), (5, [None, None])):
        with _limits(_FEW=0, _MANY=0, _TRIES=0, _RARE=(most,)):
            assert pair(known, announced) == found
        with _limits(_FEW=0, _MANY=most, _TRIES=0, _RARE=()):
            assert pair(known, announced) == found


@pytest.mark.parametrize(("tries", "found"), [(0, [None]), (1, [None]), (2, [None]), (3, [2])])
def test_of_very_many_so_many_are_tried_in_turn(tries: int, found: list[int | None]) -> None:
    others = [ANNA._replace(iban=f"DE0212030000000020205{place}", name="a") for place in range(2)]
    with _limits(_FEW=0, _MANY=0, _TRIES=tries, _RARE=()):
        assert pair([*others, ANNA], [ANNA._replace(format=SWIFT_MT, text="danke")]) == found


@pytest.mark.parametrize("days", [-4, -3, -2, -1, 0, 1, 2, 3, 4])
def test_very_many_are_met_within_three_days(days: int) -> None:
    near = ANNA._replace(source=NEWS, booking_date=DAY + timedelta(days), format=SWIFT_MT)
    with _limits(_FEW=0, _MANY=0, _RARE=()):
        assert pair([ANNA, ANNA._replace(iban="DE1")], [near]) == [0 if abs(days) <= 3 else None]


@pytest.mark.parametrize(
    ("days", "nearest"), [((3, 1, 2), 1), ((3, 2), 1), ((2, -1), 1), ((1, -1), 1), ((-2, -3, 2), 0), ((0, 1, -1), 0)]
)
def test_the_nearest_day_is_met_and_of_two_the_earlier(days: tuple[int, ...], nearest: int) -> None:
    """However many there are of the sum."""
    known = [ANNA._replace(booking_date=DAY + timedelta(each)) for each in days]
    announced = ANNA._replace(source=NEWS, format=SWIFT_MT)
    assert pair(known, [announced]) == [nearest]
    with _limits(_FEW=0, _MANY=0, _RARE=()):
        assert pair(known, [announced]) == [nearest]


def test_what_is_free_is_given_away_once() -> None:
    """Two of a text have another to go to; the two others, which can only be what those had, get one of it."""
    known = [ANNA._replace(text="danke")] * 2 + [ANNA._replace(text="dankerechnung", name="")]
    told = [ANNA._replace(**AS_CSV, text="danke")] * 2  # type: ignore[arg-type]
    others = [BASE._replace(format=CSV, name="annamueller", iban="DE75512108001245126199")] * 2
    found = pair(known, [*told, *others])
    assert sorted(_places(found)) == [0, 1, 2]


def test_one_payment_finds_itself_among_very_many() -> None:
    with _limits(_FEW=0, _MANY=0, _TRIES=0):
        assert pair([ANNA, ANNA._replace(iban="DE1", name="a")], [ANNA._replace(format=SWIFT_MT, text="danke")]) == [0]


@pytest.mark.parametrize(("count", "found_again"), [(1, 2), (2, 2), (3, 1), (4, 0)])
def test_each_of_twins_gives_way_to_one_that_has_no_other(count: int, found_again: int) -> None:
    """Twins are closer to Anna's two payments, but may be the two of another account as well; the others may not."""
    known = [ANNA._replace(text="danke")] * 2 + [BASE._replace(text="danke", iban="DE02120300000000202051")] * 2
    twins = [BASE._replace(format=CSV, name="annamueller", text="danke")] * count
    others = [BASE._replace(format=CSV, iban=ANNA.iban)] * 2
    found = pair(known, [*twins, *others])
    assert (len(_places(found[:count])), len(_places(found[count:]))) == (count, found_again)
