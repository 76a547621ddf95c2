"""Gaps and mismatches between statements, and that they close when the missing one arrives."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest

from paymatch.domain.books.completeness import Gap, GapKind, StatementFacts, gaps_of, proved_by
from paymatch.domain.books.overlap import Extent, stretches
from paymatch.domain.words.message import Message
from tests.domain.books.test_overlap import DAY, extent

MONDAY = date(2026, 3, 2)


def facts(number: int, opening: int | None, closing: int | None, *, days: int = 1, flags: str = "") -> StatementFacts:
    """Statement `number` of the day after Monday by that many days."""
    first = MONDAY + timedelta(days=number)
    found = frozenset([flags]) if flags else frozenset[str]()
    return StatementFacts(
        f"st{number}", "camt.053", f"statement {number}", str(number), first, first + timedelta(days=days - 1),
        opening, closing, found,
    )  # fmt: skip


CHAIN = [facts(number, 100 * number, 100 * number + 100) for number in range(1, 8)]


def test_a_whole_chain_has_no_gaps_in_any_order() -> None:
    for seed in range(20):
        assert gaps_of(Random(seed).sample(CHAIN, len(CHAIN))) == []


def test_a_missing_statement_is_a_gap_until_it_arrives() -> None:
    lacking = [s for s in CHAIN if s.id != "st4"]
    day = MONDAY + timedelta(days=4)
    said = Message("gap-balance", one="statement 3", other="statement 5")
    assert said == "between statement 3 and statement 5 a statement is missing: the balances do not meet"
    assert gaps_of(lacking) == [Gap(GapKind.BALANCE, day, day, said, ("st3", "st5"))]
    assert gaps_of(lacking)[0].days() == {day}
    assert gaps_of([*lacking, CHAIN[3]]) == []


def test_a_gap_without_days_between_flags_the_day_after() -> None:
    found = gaps_of([facts(1, 0, 100), replace(facts(2, 150, 200), sequence="")])
    assert [(gap.kind, gap.days()) for gap in found] == [(GapKind.BALANCE, frozenset([MONDAY + timedelta(days=2)]))]


def test_overlapping_downloads_are_no_gap() -> None:
    week = replace(facts(1, 100, 800, days=7), id="week", sequence="")
    assert gaps_of([*CHAIN, week]) == []
    early = replace(facts(1, 100, 500, days=4), sequence="")
    late = replace(facts(3, 300, 800, days=5), sequence="")
    assert gaps_of([early, late]) == []


def test_the_same_day_in_two_formats_is_no_gap() -> None:
    swift = [replace(s, id=f"m{s.id}", format="MT940") for s in CHAIN]
    assert gaps_of([*CHAIN, *swift]) == []
    assert gaps_of([CHAIN[0], swift[0]]) == []


def test_several_statements_of_one_day() -> None:
    day = facts(1, 0, 10)
    parts = [
        replace(day, id=f"p{n}", sequence=str(n), opening_minor=10 * n, closing_minor=10 * n + 10) for n in range(4)
    ]
    assert gaps_of(parts) == []
    found = gaps_of([parts[0], parts[1], parts[3]])
    assert [(gap.kind, gap.statements) for gap in found] == [(GapKind.BALANCE, ("p1", "p3"))]


def test_a_number_left_out_though_the_balances_meet_is_told_and_not_proven() -> None:
    found = gaps_of([facts(1, 0, 100), replace(facts(2, 100, 200), sequence="4")])
    assert [(gap.kind, gap.proven, gap.days()) for gap in found] == [(GapKind.SEQUENCE, False, frozenset())]
    assert found[0].text.endswith("the numbers 2 to 3 are missing")


def test_numbers_without_balances_prove() -> None:
    found = gaps_of([facts(1, None, None), facts(3, None, None)])
    assert [(gap.kind, gap.days()) for gap in found] == [(GapKind.SEQUENCE, frozenset([MONDAY + timedelta(days=2)]))]


def test_numbers_begin_anew_each_year() -> None:
    december = replace(facts(1, 0, 5), first_date=date(2025, 12, 31), last_date=date(2025, 12, 31), sequence="250")
    january = replace(facts(2, 5, 9), first_date=date(2026, 1, 2), last_date=date(2026, 1, 2), sequence="1")
    assert gaps_of([december, january]) == []


def test_a_mismatch_is_cured_by_a_sound_statement_of_the_days() -> None:
    wrong = facts(1, 0, 100, flags="balance-mismatch")
    assert [gap.kind for gap in gaps_of([wrong])] == [GapKind.MISMATCH]
    assert gaps_of([wrong, replace(wrong, id="again", flags=frozenset())]) == []
    assert [gap.kind for gap in gaps_of([replace(wrong, flags=frozenset(["unreadable-entries"]))])] == [
        GapKind.UNREADABLE
    ]


def test_a_mismatch_is_cured_by_a_statement_of_all_its_days_only() -> None:
    wrong = facts(2, 0, 100, days=3, flags="balance-mismatch")
    for first, days, cured in ((2, 3, True), (1, 5, True), (2, 2, False), (3, 2, False), (3, 4, False), (1, 3, False)):
        sound = replace(facts(first, 0, 100, days=days), id="sound", sequence="")
        assert [gap.kind for gap in gaps_of([wrong, sound])] == ([] if cured else [GapKind.MISMATCH]), (first, days)


def test_a_statement_with_several_faults_is_unreadable_first() -> None:
    faulty = replace(facts(1, 0, 100), flags=frozenset(["balance", "unreadable entry"]))
    assert [gap.kind for gap in gaps_of([faulty])] == [GapKind.UNREADABLE]
    assert [gap.kind for gap in gaps_of([replace(faulty, flags=frozenset(["balance"]))])] == [GapKind.MISMATCH]


def test_a_statement_that_ends_on_the_day_of_the_joint_tells_of_it() -> None:
    """What opens on the last day of another is not behind a gap, what opens on the day after is."""
    early, late = replace(facts(1, 0, 300, days=3), sequence=""), replace(facts(3, 250, 400), sequence="")
    assert gaps_of([early, late]) == []
    assert [
        gap.kind
        for gap in gaps_of(
            [
                early,
                replace(
                    late, first_date=late.first_date + timedelta(days=1), last_date=late.last_date + timedelta(days=1)
                ),
            ]
        )
    ] == [GapKind.BALANCE]


def _silent(statement: StatementFacts) -> StatementFacts:
    return replace(statement, opening_minor=None, closing_minor=None)


@pytest.mark.parametrize(
    ("known", "proven"),
    [
        ((True, True), False),
        ((True, False), True),
        ((False, True), True),
        ((False, False), True),
    ],
)
def test_numbers_prove_where_one_side_has_no_balances(known: tuple[bool, bool], proven: bool) -> None:
    one, other = facts(1, 0, 100), replace(facts(2, 100, 200), sequence="4")
    given = [each if has else _silent(each) for each, has in zip((one, other), known, strict=True)]
    assert [(gap.kind, gap.proven) for gap in gaps_of(given)] == [(GapKind.SEQUENCE, proven)]


@pytest.mark.parametrize(
    ("number", "gaps"), [("51", 1), ("52", 0), ("3", 1), ("2", 0), ("0051", 1), ("1234567890", 0), ("x", 0)]
)
def test_numbers_too_far_apart_are_no_gap(number: str, gaps: int) -> None:
    found = gaps_of([facts(1, 0, 100), replace(facts(2, 100, 200), sequence=number)])
    assert len(found) == gaps


def test_a_number_has_nine_digits_at_most() -> None:
    nine = [replace(facts(1, 0, 100), sequence="999999997"), replace(facts(2, 100, 200), sequence="999999999")]
    assert [gap.kind for gap in gaps_of(nine)] == [GapKind.SEQUENCE]
    ten = [replace(each, sequence=f"1{each.sequence}") for each in nine]
    assert gaps_of(ten) == []


@pytest.mark.parametrize(
    ("opening", "closing", "known"), [(0, 0, True), (None, 5, False), (5, None, False), (None, None, False)]
)
def test_balances_are_known_when_both_are(opening: int | None, closing: int | None, known: bool) -> None:
    assert facts(1, opening, closing).has_balances is known


def test_a_gap_names_its_statements_and_what_is_wrong() -> None:
    wrong = facts(1, 0, 100, flags="balance-mismatch")
    assert [gap.text for gap in gaps_of([wrong])] == [Message("gap-mismatch", statement="statement 1")]
    unreadable = replace(wrong, flags=frozenset(["unreadable-entries"]))
    assert [gap.text for gap in gaps_of([unreadable])] == [Message("gap-unreadable", statement="statement 1")]
    names = {"one": "statement 1", "other": "statement 3"}
    found = gaps_of([facts(1, None, None), facts(3, None, None)])
    assert [gap.text for gap in found] == [Message("gap-number", number=2, **names)]


def test_a_gap_of_several_days_flags_each_of_them() -> None:
    (gap,) = gaps_of([facts(1, 0, 100), facts(5, 400, 500)])
    assert gap.days() == {MONDAY + timedelta(days=place) for place in (2, 3, 4)}


def test_an_overlapping_statement_counts_whatever_else_is_known() -> None:
    before, early = facts(0, -50, 0), replace(facts(1, 0, 300, days=3), sequence="")
    late = replace(facts(3, 250, 400), sequence="")
    assert gaps_of([before, early, late]) == []


def test_statements_of_a_day_that_open_alike_show_the_same_beginning() -> None:
    """As a bank gives a growing statement of the day again under its next number."""
    assert gaps_of([replace(facts(1, 0, 10), id="a"), replace(facts(1, 0, 20), id="b", sequence="2")]) == []


def test_a_number_given_twice_on_a_day_says_not_which_is_first() -> None:
    assert gaps_of([replace(facts(1, 0, 10), id="a"), replace(facts(1, 50, 60), id="b")]) == []


def test_only_an_earlier_statement_closes_with_what_the_next_opens_with() -> None:
    found = gaps_of([facts(1, 0, 100), facts(3, 300, 400), facts(5, 400, 300)])
    assert [(gap.kind, gap.statements) for gap in found] == [(GapKind.BALANCE, ("st1", "st3"))]


def test_a_number_left_out_within_a_day_is_told() -> None:
    parts = [replace(facts(1, 0, 10), id="a"), replace(facts(1, 10, 20), id="b", sequence="3")]
    assert [(gap.kind, gap.proven) for gap in gaps_of(parts)] == [(GapKind.SEQUENCE, False)]


def of_extents(*extents: Extent) -> list[StatementFacts]:
    """Statements as their extents describe them, named for their places."""
    placed = stretches({f"st{place}": each for place, each in enumerate(extents)})
    found = []
    for name, stretch in placed.items():
        each = stretch.extent
        assert each.balances is not None
        found.append(
            StatementFacts(
                name, each.format, name, each.sequence, each.first_date, each.balances.closing_date,
                *each.balances.span, frozenset(), stretch,
            )
        )  # fmt: skip
    return found


def refund_tried_twice(*, numbered: bool) -> list[Extent]:
    """A payment, a refund of it, its return a day later, and the second attempt: the account is back where it was."""
    steps = [(100, 0), (-40, 100), (40, 60), (-40, 100)]
    return [
        extent((place, amount), opening=opening, opened=place, closed=place, number=place + 1 if numbered else None)
        for place, (amount, opening) in enumerate(steps)
    ]


@pytest.mark.parametrize("numbered", [True, False])
def test_a_balance_that_was_left_before_does_not_close_a_gap(numbered: bool) -> None:
    """The statement of the return is missing: an earlier one closes with what the last opens with, but was passed."""
    paid, sent, returned, again = refund_tried_twice(numbered=numbered)
    found = of_extents(paid, sent, again)
    (gap,) = gaps_of(found)
    assert (gap.kind, gap.proven, gap.statements) == (GapKind.BALANCE, True, ("st1", "st2"))
    assert gap.days() == {DAY + timedelta(days=2)}
    assert [each.first_date for each in proved_by(found, [gap])] == [DAY, DAY + timedelta(days=1)]
    assert gaps_of(of_extents(paid, sent, returned, again)) == []


def test_a_gap_is_filled_by_a_statement_of_another_format() -> None:
    paid, sent, returned, again = refund_tried_twice(numbered=True)
    other = returned._replace(format="camt.053", number=None, sequence="")
    assert [(gap.kind, gap.proven) for gap in gaps_of(of_extents(paid, sent, other, again))] == [
        (GapKind.SEQUENCE, False)
    ]


def test_downloads_that_overlap_pass_no_balance() -> None:
    """Each day, the week, and a month that begins before them; in whatever way their opening balances are dated."""
    for opened in (-1, 0):
        days = [
            extent((n, amount), opening=opening, opened=n + opened, closed=n)
            for n, (amount, opening) in enumerate([(100, 0), (-40, 100), (40, 60), (-40, 100), (7, 60)])
        ]
        week = extent((0, 100), (1, -40), (2, 40), (3, -40), (4, 7), opened=opened, closed=6, file_format="camt.053")
        rest = extent((2, 40), (3, -40), (4, 7), opening=60, opened=2 + opened, closed=6, file_format="camt.053")
        for shown in ([*days, week, rest], [*days[:2], rest], [days[0], week], [*days[1:], week]):
            assert gaps_of(of_extents(*shown)) == [], (opened, shown)
