"""Identity of postings: booked once, however often and in whatever form they are read (DESIGN.md section 5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.identity import Known, Trace, pair, rank, trace_of
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting, PostingSource

FINAL, INTRADAY, NOTIFICATION = PostingSource.FINAL, PostingSource.INTRADAY, PostingSource.NOTIFICATION
DAY = date(2026, 3, 2)
POSTING = Posting(
    "DE1", EUR, 1990, DAY, bank_reference="BANKREF-1", counterparty_name="Jürgen Groß", counterparty_iban="DE2",
    end_to_end_id="E2E-1", remittance_lines=("Bestellung 4711",),
)  # fmt: skip
TRACE = trace_of(POSTING, FINAL, "camt")


def is_known(known: Trace, incoming: Trace) -> bool:
    return pair([Known("p1", known)], [incoming]) == ["p1"]


def test_same_posting_is_known() -> None:
    assert is_known(TRACE, TRACE)


def test_spaces_case_and_umlauts_do_not_count() -> None:
    other = replace(
        POSTING, counterparty_name="JUERGEN GROSS", end_to_end_id="e2e 1", remittance_lines=("Bestell", "ung 47 11")
    )
    assert is_known(TRACE, trace_of(other, FINAL, "camt"))


@pytest.mark.parametrize(
    "change",
    [
        {"amount_minor": -1990}, {"amount_minor": 1991}, {"booking_date": DAY + timedelta(days=1)},
        {"bank_reference": "BANKREF-2"}, {"counterparty_iban": "DE3"}, {"counterparty_name": "Karl Groß"},
        {"end_to_end_id": "E2E-2"}, {"remittance_lines": ("Bestellung 4712",)},
    ],
)  # fmt: skip
def test_another_fact_is_another_posting(change: dict[str, object]) -> None:
    other = replace(POSTING, **change)  # type: ignore[arg-type]
    assert not is_known(TRACE, trace_of(other, FINAL, "camt"))


def test_what_one_side_does_not_say_does_not_count() -> None:
    bare = Posting("DE1", EUR, 1990, DAY, bank_reference="BANKREF-1")
    assert is_known(TRACE, trace_of(bare, FINAL, "camt"))
    assert is_known(trace_of(bare, FINAL, "camt"), TRACE)


def test_other_format_may_cut_texts_but_not_change_them() -> None:
    long = replace(POSTING, counterparty_name="Jürgen Großmann-Schmitt", bank_reference="BANKREF-1234567890-ABC")
    cut = replace(long, counterparty_name="Jürgen Großmann-", bank_reference="BANKREF-12345678")
    assert is_known(trace_of(long, FINAL, "camt"), trace_of(cut, FINAL, "MT940"))
    assert not is_known(trace_of(long, FINAL, "camt"), trace_of(cut, FINAL, "camt"))


@pytest.mark.parametrize(
    ("days", "source", "expected"),
    [
        (0, INTRADAY, True),
        (3, INTRADAY, True),
        (3, NOTIFICATION, True),
        (-3, INTRADAY, True),
        (4, INTRADAY, False),
        (1, FINAL, False),
    ],
)
def test_announced_posting_may_be_booked_up_to_three_days_off(days: int, source: PostingSource, expected: bool) -> None:
    announced = trace_of(replace(POSTING, booking_date=DAY + timedelta(days=days)), source, "camt")
    assert is_known(announced, TRACE) is expected
    assert is_known(TRACE, announced) is expected


def test_multiset_adds_what_is_more_than_known() -> None:
    assert pair([], [TRACE, TRACE]) == [None, None]
    assert sorted(map(str, pair([Known("p1", TRACE)], [TRACE, TRACE, TRACE]))) == ["None", "None", "p1"]
    assert pair([Known("p1", TRACE), Known("p2", TRACE)], [TRACE]) in (["p1"], ["p2"])


def test_closest_pair_is_made_first() -> None:
    bare = replace(TRACE, reference="", end_to_end_id="")
    assert pair([Known("p1", bare), Known("p2", TRACE)], [TRACE, bare]) == ["p2", "p1"]


def test_most_trustworthy_sighting_ranks_highest() -> None:
    order = [
        rank(source, form) for source in (INTRADAY, NOTIFICATION, FINAL) for form in ("CSV", "OFX", "MT940", "camt")
    ]
    assert order == sorted(order)
    assert len(set(order)) == len(order)


TRACES = st.lists(
    st.builds(
        lambda minor, day, reference, text: trace_of(
            Posting("DE1", EUR, minor, DAY + timedelta(days=day), bank_reference=reference, remittance_lines=(text,)),
            FINAL,
            "camt",
        ),
        st.sampled_from([1990, -1990, 500]),
        st.integers(0, 2),
        st.sampled_from(["", "R1", "R2"]),
        st.sampled_from(["", "a", "b"]),
    ),
    max_size=8,
)


@given(TRACES)
def test_statement_that_is_read_again_adds_nothing(traces: list[Trace]) -> None:
    known = [Known(f"p{place}", trace) for place, trace in enumerate(traces)]
    found = pair(known, traces)
    assert sorted(str(each) for each in found) == [each.id for each in known]


@given(TRACES, TRACES)
def test_each_booked_posting_is_given_once(old: list[Trace], new: list[Trace]) -> None:
    known = [Known(f"p{place}", trace) for place, trace in enumerate(old)]
    given_out = [each for each in pair(known, new) if each is not None]
    assert len(set(given_out)) == len(given_out)
    by_id = {each.id: each.trace for each in known}
    for trace, each in zip(new, pair(known, new), strict=True):
        if each is not None:
            assert by_id[each].amount_minor == trace.amount_minor


@given(TRACES, TRACES, st.randoms())
def test_sequence_of_the_booked_ones_does_not_count(old: list[Trace], new: list[Trace], chance: Random) -> None:
    known = [Known(f"p{place}", trace) for place, trace in enumerate(old)]
    shuffled = list(known)
    chance.shuffle(shuffled)
    assert pair(known, new) == pair(shuffled, new)
