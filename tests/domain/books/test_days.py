"""Which day's payment an announcement is, which days belong together, and when they can no longer change."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from paymatch.domain.books.booked_postings import FoldedPosting, keep_ids, postings_of_entry
from paymatch.domain.books.fold import BookedEntry, BooksOfSum, fold
from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, SWIFT_MT
from tests.domain.books.test_fold import days_of
from tests.usecases.conftest import batch, paid

FINAL, NEWS, EARLY = PostingSource.FINAL, PostingSource.NOTIFICATION, PostingSource.INTRADAY
DAY = date(2026, 3, 10)
BY_053, BY_054, BY_052 = ShownBy("a", FINAL, CAMT), ShownBy("b", NEWS, CAMT), ShownBy("c", EARLY, CAMT)
MT940 = ShownBy("m", FINAL, SWIFT_MT)


def shown(by: ShownBy, days: int, text: str = "SO-1", position: int = 0, **more: Any) -> ShownEntry:
    """A payment so many days later."""
    return ShownEntry(by, position, (paid(1990, text, booking_date=DAY + timedelta(days), **more),))


def met(announced: ShownEntry, *finals: ShownEntry) -> int | None:
    """How many days after the tenth of March the payment is booked that the announcement met; None if it met none."""
    (booked,) = (each for each in fold([announced, *finals]) if announced in each.entries)
    return next(((each.day - DAY).days for each in booked.entries if each.is_final), None)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ((0, 1), 0), ((1, 2), 1), ((2, 3), 2), ((-1, 1), 1), ((-1, 3), 3), ((-1, -2), -1), ((-2, -3), -2), ((-3,), -3),
        ((3,), 3), ((4,), None), ((-4,), None), ((4, -3), -3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("by", [BY_054, BY_052])
def test_an_announcement_is_of_its_own_day_else_of_the_next_within_three(
    by: ShownBy, days: tuple[int, ...], expected: int | None
) -> None:
    """Then of those before it: banks announce, then book."""
    finals = [shown(BY_053, each, position=place) for place, each in enumerate(days)]
    assert met(shown(by, 0), *finals) == met(shown(by, 0), *finals[::-1]) == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [((2,), 2), ((3,), 3), ((4,), 1), ((-3,), -3), ((-4,), 1), ((0, 3), 0), ((-2, 2), 2), ((-1, 2), -1)],
)
def test_a_reference_names_the_day_of_an_announcement(named: tuple[int, ...], expected: int) -> None:
    """The nearest one, and the later of two that are as near; payments without it are of other days."""
    finals = [shown(BY_053, each, position=place, bank_reference="R1") for place, each in enumerate(named)]
    assert met(shown(BY_054, 0, bank_reference="R1"), shown(BY_053, 1, position=9), *finals) == expected


def test_references_that_only_begin_alike_name_no_day_in_one_format() -> None:
    """MT940 has room for 16 characters: there the beginning is enough, and within camt it is another payment."""
    long = "2603100000012345"
    announced = shown(BY_054, 0, "SO-7", bank_reference=f"{long}A", counterparty_iban="DE02120300000000202051")
    other = shown(BY_053, 2, "SO-8", bank_reference=f"{long}B", counterparty_name="Else")
    assert met(announced, other) is None
    cut = shown(MT940, 2, "SO-7", bank_reference=long, counterparty_iban="", counterparty_name="")
    assert met(announced, shown(BY_053, 1, "SO-7", counterparty_iban="DE02120300000000202051"), cut) == 2


@pytest.mark.parametrize(("gap", "groups"), [(0, 1), (1, 1), (3, 1), (4, 2), (-3, 1), (-4, 2)])
def test_days_within_three_of_an_announcement_are_one_group(gap: int, groups: int) -> None:
    assert len(days_of(shown(BY_053, gap), shown(BY_054, 0))) == groups


@pytest.mark.parametrize(
    ("one", "other", "groups"),
    [
        ("DE75512108001245126199", "DE02120300000005126199", 1),  # the last seven digits
        ("DE75512108001245126199", "DE02120300000004126199", 2),
        ("DE75512108001245126199", "DE75512100000000202051", 1),  # the first eight characters
        ("DE75512108001245126199", "DE75512200000000202051", 2),
    ],
)
def test_accounts_that_a_format_may_have_cut_tie_their_days(one: str, other: str, groups: int) -> None:
    final = shown(BY_053, 2, "SO-1", counterparty_iban=one, counterparty_name="Eva")
    announced = shown(ShownBy("n", NEWS, SWIFT_MT), 0, "SO-2", counterparty_iban=other, counterparty_name="Else")
    assert len(days_of(final, announced)) == groups


@pytest.mark.parametrize(
    ("field", "one", "other", "groups"),
    [
        ("mandate_id", "MANDATE1X", "MANDATE1Y", 1), ("mandate_id", "MANDATEX", "MANDATEY", 2),
        ("bank_reference", "REFEREN1X", "REFEREN1Y", 1), ("bank_reference", "REFERENX", "REFERENY", 2),
        ("counterparty_name", "Eva", "Eva", 1), ("counterparty_name", "Eva", "Else", 2),
    ],
)  # fmt: skip
def test_what_lines_of_two_days_share_ties_them(field: str, one: str, other: str, groups: int) -> None:
    mine: dict[str, Any] = {"counterparty_name": "Eva A", "counterparty_iban": "DE75512108001245126199"}
    yours: dict[str, Any] = {"counterparty_name": "Else B", "counterparty_iban": "DE02120300000000202051"}
    final = shown(BY_053, 2, "SO-1", **(mine | {field: one}))
    announced = shown(ShownBy("n", NEWS, SWIFT_MT), 0, "SO-2", **(yours | {field: other}))
    assert len(days_of(final, announced)) == groups


def test_groups_are_handed_out_once_no_later_day_can_change_them() -> None:
    """Three days until announcements are met, three more until those of the days behind them are."""
    books = BooksOfSum()
    assert books.open_from == date.max
    first, second = shown(BY_053, 0), shown(BY_053, 5, position=1)
    assert books.add([first, second], DAY + timedelta(5)) == []
    assert books.open_from == DAY
    assert sorted(each.day for each in books.entries()) == [first.day, second.day]
    assert books.add([], DAY + timedelta(5)) == []
    (group,) = books.add([], DAY + timedelta(6))
    assert (group.first, group.last, [each.entries for each in group.booked]) == (DAY, DAY, [[first]])
    assert (books.open_from, list(books.entries())) == (second.day, [second])
    assert books.add([], DAY + timedelta(10)) == []
    (group,) = books.add([], DAY + timedelta(11))
    assert (group.first, books.open_from, list(books.entries())) == (second.day, date.max, [])


def test_what_waits_is_open_from_the_first_day_that_belongs_to_it() -> None:
    books = BooksOfSum()
    later = ShownEntry(BY_053, 0, shown(BY_053, 4).lines, ("p1",), frozenset({"p1"}), (DAY,))
    assert books.add([later, shown(BY_053, 5, position=1)], DAY + timedelta(5)) == []
    assert books.open_from == DAY


@pytest.mark.parametrize("reach", [timedelta(3), timedelta(0)])
def test_a_statement_that_is_alone_is_put_in_the_order_of_what_it_says(reach: timedelta) -> None:
    entries = [shown(BY_053, 0, text, place) for place, text in enumerate(("B", "A"))]
    (group,) = BooksOfSum(reach).add(entries, date.max)
    assert [each.entries[0].lines[0].text for each in group.booked] == ["A", "B"]


def test_of_two_postings_that_stood_for_one_the_best_line_keeps_its_id() -> None:
    """By its best line, not by its last."""
    best = [replace_name(shown(by, 0, bank_reference="R1"), "old") for by in (BY_053, BY_054)]
    other = replace_name(shown(ShownBy("d", NEWS, CAMT), 0, bank_reference="R0"), "old")
    own: list[FoldedPosting] = [posting for entry in fold([*best, other]) for posting in postings_of_entry(entry)]
    keep_ids(own, {"old": 1990})
    assert {posting.lines[0][0].statement.id: posting.id for posting in own} == {"a": "old", "d": ""}


def replace_name(entry: ShownEntry, name: str) -> ShownEntry:
    """The entry, having stood for the posting of this id."""
    return ShownEntry(entry.statement, entry.position, entry.lines, (name,))


def test_a_batch_is_divided_as_the_entry_that_says_most_divides_it() -> None:
    rich = batch("B1", paid(1000, "Rechnung 4711"), paid(2000, "Rechnung 4712"))
    poor = tuple(replace(line, remittance_lines=()) for line in rich)
    swift, camt = ShownEntry(ShownBy("s", FINAL, SWIFT_MT), 0, poor), ShownEntry(ShownBy("t", NEWS, CAMT), 0, rich)
    for entries in ([swift, camt], [camt, swift]):
        (booked,) = fold(entries)
        assert booked.division is camt
        assert [entry.statement.id for entry in booked.entries] == ["s", "t"]


@pytest.mark.parametrize(("named", "competing"), [(1, 0), (-1, 0), (2, 0), (2, 1), (-2, -1)])
def test_a_payment_without_the_reference_is_not_the_one_announced(named: int, competing: int) -> None:
    final = shown(BY_053, named, bank_reference="R1")
    assert met(shown(BY_054, 0, bank_reference="R1"), final, shown(BY_053, competing, position=1)) == named


@pytest.mark.parametrize(("named", "beside"), [(-1, 1), (-2, 1), (-2, 2), (1, -1), (3, -1)])
def test_a_reference_ties_no_day_beyond_those_on_which_it_stands(named: int, beside: int) -> None:
    """From the announcement's own day to the one named; a payment behind them is by itself."""
    announced, final = shown(BY_054, 0, bank_reference="R1"), shown(BY_053, named, bank_reference="R1")
    other = shown(BY_053, beside, "SO-9", 1, counterparty_name="Else", counterparty_iban="DE02120300000000202051")
    tied, alone = sorted((DAY, final.day)), other.day
    assert sorted(days_of(announced, final, other)) == sorted([(tied[0], tied[1]), (alone, alone)])


NOBODY: dict[str, Any] = {"counterparty_name": "", "counterparty_iban": ""}
ELSE: dict[str, Any] = {"counterparty_name": "Else", "counterparty_iban": "DE02120300000000202051"}


def joined(*entries: ShownEntry) -> set[str]:
    """The statements that show the payment of the one final entry."""
    (booked,) = (each for each in fold(entries) if any(entry.is_final for entry in each.entries))
    return {entry.statement.id for entry in booked.entries}


def test_of_two_that_a_bare_booking_may_be_the_notified_one_is_it() -> None:
    """It says no more than a sum on the next day, and both are announced: an intraday statement binds less."""
    bare = shown(MT940, 1, "", **NOBODY)
    for one, other in ((BY_054, BY_052), (BY_052, BY_054)):
        assert joined(bare, shown(one, 0, "SO-1"), shown(other, 0, "SO-2", **ELSE)) == {"m", "b"}


def test_of_two_that_a_bare_booking_may_be_the_one_that_more_statements_show_is_it() -> None:
    """A notification with an intraday statement comes before a notification, however early it was shown first."""
    bare, both = shown(MT940, 1, "", **NOBODY), [shown(BY_054, 0, "SO-2", **ELSE), shown(BY_052, 0, "SO-2", **ELSE)]
    assert joined(bare, shown(BY_054, 0, "SO-1", 1), *both) == {"m", "b", "c"}
    assert joined(bare, shown(ShownBy("d", NEWS, CAMT), 0, "SO-1"), *both) == {"m", "b", "c"}


def test_of_two_that_a_bare_booking_may_be_the_one_that_a_person_decided_is_it() -> None:
    bare, one = shown(MT940, 1, "", **NOBODY), shown(BY_054, 0, "SO-1")
    decided = ShownEntry(one.statement, 0, one.lines, ("p1",), frozenset({"p1"}))
    both = [shown(ShownBy(name, NEWS, CAMT), 0, "SO-2", **ELSE) for name in ("d", "e")]
    assert joined(bare, decided, *both) == {"m", "b"}
    assert joined(bare, one, *both) == {"m", "d", "e"}


def test_days_up_to_the_last_that_may_be_met_are_folded_at_once() -> None:
    first, second = shown(BY_053, 0), shown(BY_053, 3, position=1)
    books = BooksOfSum()
    (group,) = books.add([first, second], DAY + timedelta(6))
    assert (group.first, group.last, books.open_from) == (DAY, DAY, second.day)
    assert list(books.entries()) == [second]


@pytest.mark.parametrize(("days", "complete"), [(3, 0), (4, 1)])
def test_what_is_tied_to_later_days_holds_back_what_it_may_reach(days: int, complete: int) -> None:
    """A payment that stood on a day to come waits for it; what lies four days before both is complete."""
    first, later = shown(BY_053, 0), shown(BY_053, days, position=1)
    tied = ShownEntry(BY_053, 1, later.lines, ("p1",), frozenset({"p1"}), (DAY + timedelta(20),))
    assert len(BooksOfSum().add([first, tied], DAY + timedelta(10))) == complete


def test_a_payment_is_not_announced_by_the_batch_that_it_was_sent_in() -> None:
    """The id of a batch names the day of its sum; of its payments, which are booked by themselves, it names none."""
    announced = shown(BY_054, 0, bank_reference="R1", batch_id="B1")
    other = shown(BY_053, 2, "SO-9", 1, bank_reference="R2", batch_id="B1", **ELSE)
    assert met(announced, other, shown(BY_053, -2, position=2)) == -2
    total, bare = shown(BY_054, 0, "", batch_id="B1", **NOBODY), shown(MT940, 1, "", **NOBODY)
    parts = [paid(minor, "SO-1", batch_id="B1", booking_date=DAY + timedelta(2)) for minor in (1000, 990)]
    assert met(total, bare, ShownEntry(BY_053, 0, batch("", *parts))) == 2


def test_of_two_divisions_in_one_format_the_booked_one_counts() -> None:
    """For any payments."""
    parts = batch("B1", paid(1000, "Rechnung 4711"), paid(2000, "Rechnung 4712"))
    for texts in (("A", "B"), ("Y", "Z")):
        others = tuple(replace(part, remittance_lines=(text,)) for part, text in zip(parts, texts, strict=True))
        final, news = ShownEntry(BY_053, 0, parts), ShownEntry(BY_054, 0, others)
        assert BookedEntry(DAY, [final, news]).division is BookedEntry(DAY, [news, final]).division is final
