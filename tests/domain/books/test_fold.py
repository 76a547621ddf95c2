"""The fold: one set of lines gives the same books in whatever order, under whatever names, complete or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import count, permutations
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paymatch.domain.books.booked_postings import FoldedPosting, keep_ids, postings_of_entry
from paymatch.domain.books.fold import BookedEntry, BooksOfSum, DayGroup, fold
from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import Posting, PostingSource
from tests.domain.books.file_formats import CAMT, SWIFT_MT
from tests.domain.books.shown import books_of, entries_of
from tests.length import times
from tests.usecases.conftest import batch, paid
from tests.usecases.statements.bank_world import FIRST, World, camt, downloads, table

FINAL, NEWS, EARLY = PostingSource.FINAL, PostingSource.NOTIFICATION, PostingSource.INTRADAY
DAY = date(2026, 3, 10)
BY_053, BY_054, BY_052 = ShownBy("a", FINAL, CAMT), ShownBy("b", NEWS, CAMT), ShownBy("c", EARLY, CAMT)


def shown(world: World) -> list[list[ShownEntry]]:
    """All that a bank has to say of a world, file by file."""
    files = [*downloads(world), table(world, 0, world.days - 1), table(world, 1, 2)]
    return [entries_of(content, str(place)) for place, content in enumerate(files)]


def mixed(files: Sequence[Sequence[ShownEntry]], chance: Random) -> list[list[ShownEntry]]:
    """The same files in another order, with statements and entries under other names."""
    found = []
    names = count()
    for file in chance.sample(files, len(files)):
        order = chance.sample(file, len(file))
        others = {each.statement: replace(each.statement, id=f"{next(names):x}") for each in order}
        found.append([ShownEntry(others[each.statement], 0, each.lines) for each in order])
    return found


def amounts(entries: Sequence[ShownEntry]) -> Counter[tuple[date, int]]:
    """Day and amount of every posting."""
    own = [posting.resolved.posting for booked in fold(entries) for posting in postings_of_entry(booked)]
    return Counter((each.booking_date, each.amount_minor) for each in own)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Small worlds, half of them with three amounts for everything."""
    return World(
        draw(st.integers(0, 2**32)),
        count=draw(st.integers(1, 10)),
        days=draw(st.integers(2, 6)),
        references=draw(st.sampled_from([0.0, 0.3, 0.6, 1.0])),
        batches=draw(st.sampled_from([0.0, 0.2, 0.4])),
        twins=draw(st.sampled_from([0.0, 0.3])),
        shifted=draw(st.sampled_from([0.0, 0.2, 0.4])),
        amounts=draw(st.sampled_from([(), (1000, 2000, 3000)])),
    )


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=times(5, 12))
@given(worlds(), st.randoms(use_true_random=False))
def test_books_are_a_function_of_the_lines(world: World, chance: Random) -> None:
    """Any subset of the files in any order; of all files the books hold exactly what happened."""
    files = shown(world)
    happened = Counter((part.booking_date, part.amount_minor) for line in world.lines for part in line.parts)
    assert amounts([entry for file in files for entry in file]) == happened
    some = chance.sample(files, chance.randint(1, len(files)))
    wanted = books_of(some)
    assert books_of(mixed(some, chance)) == wanted
    assert books_of(mixed([*some, some[0]], chance)) == wanted, "a file that is there twice adds nothing"


def test_payments_of_a_batch_are_found_in_whatever_order_a_message_names_them() -> None:
    one, other = paid(1500, "A", booking_date=DAY), paid(2500, "B", booking_date=DAY)
    shown = [ShownEntry(BY_053, 0, batch("", one, other)), ShownEntry(BY_054, 0, batch("", other, one))]
    (booked,) = fold(shown)
    found = [[entry.lines[place].text for entry, place in each.lines] for each in postings_of_entry(booked)]
    assert found == [["A", "A"], ["B", "B"]]


def test_the_world_that_had_two_books() -> None:
    """Three of its files gave 40.00 or 80.00 before, depending on which came first."""
    hard = {"references": 0.6, "batches": 0.4, "twins": 0.0, "shifted": 0.2, "amounts": (1000, 2000, 3000)}
    files = shown(World(20396, count=8, days=4, **hard))  # type: ignore[arg-type]
    for seed in range(8):
        some = Random(seed).sample(files, 3)
        assert len({frozenset(books_of(order).items()) for order in permutations(some)}) == 1


def test_a_sum_is_no_announcement_of_another_day() -> None:
    """An undivided sum on the 5th is another batch than the one that was announced for the 2nd without a reference."""
    parts = batch("", paid(1500, "A", booking_date=DAY), paid(2500, "B", booking_date=DAY))
    later = paid(4000, "", counterparty_iban="", counterparty_name="", booking_date=DAY + timedelta(3))
    announced = [ShownEntry(BY_054, 0, parts), ShownEntry(BY_052, 0, (replace(later, booking_date=DAY),))]
    found = amounts([*announced, ShownEntry(BY_053, 0, (replace(later, bank_reference="R1"),))])
    assert found == {(DAY, 1500): 1, (DAY, 2500): 1, (DAY + timedelta(3), 4000): 1}


def day_after_day(entries: Sequence[ShownEntry], step: int = 1) -> list[DayGroup]:
    """The groups of entries of one sum that come some days at a time."""
    found: list[DayGroup] = []
    books, through = BooksOfSum(), min(entry.day for entry in entries) - timedelta(1)
    while books.open_from < date.max or through < max(entry.day for entry in entries):
        before, through = through, through + timedelta(step)
        found += books.add([entry for entry in entries if before < entry.day <= through], through)
    return found


def in_one_piece(entries: Sequence[ShownEntry]) -> list[ShownEntry]:
    """The same, all of them tied together."""
    days = min(entry.day for entry in entries), max(entry.day for entry in entries)
    return [ShownEntry(each.statement, each.position, each.lines, stood_on=days) for each in entries]


@st.composite
def messages(draw: st.DrawFn) -> list[ShownEntry]:
    """One sum, paid by few on few days, as some statements show it: on other days and with less than was said."""
    found: list[ShownEntry] = []
    for number in range(draw(st.integers(1, 10))):
        day = DAY + timedelta(draw(st.integers(0, 9)))
        customer, reference = draw(st.integers(0, 2)), draw(st.sampled_from(["", "", f"REFERENCE{number}"]))
        iban = f"DE0212030000000020205{customer}"
        said = paid(1990, f"Bestellung 100{customer}", bank_reference=reference, counterparty_iban=iban)
        for source in draw(st.lists(st.sampled_from(list(PostingSource)), min_size=1, max_size=3)):
            file_format = draw(st.sampled_from([CAMT, CAMT, SWIFT_MT]))
            told: dict[str, Any] = {
                "booking_date": day if source is FINAL else day + timedelta(draw(st.integers(-3, 3)))
            }
            left_out = draw(st.sampled_from(["", "", "", "text", "account", "both"]))
            if left_out in ("text", "both"):
                told |= {"remittance_lines": (), "bank_reference": ""}
            if left_out in ("account", "both"):
                told |= {"counterparty_iban": "", "counterparty_name": ""}
            by = ShownBy(f"{source} {file_format.name} {draw(st.integers(0, 1))}", source, file_format)
            found.append(ShownEntry(by, len(found), (replace(said, **told),)))
    return found


@settings(deadline=None, max_examples=times(40, 150))
@given(messages(), st.integers(1, 4))
def test_groups_of_days_give_the_books_of_one_piece(entries: list[ShownEntry], step: int) -> None:
    """However many days come at a time, and whatever they leave open for the next ones."""
    groups = day_after_day(entries, step)
    (whole,) = BooksOfSum().add(in_one_piece(entries), date.max)
    assert said_of(booked for group in groups for booked in group.booked) == said_of(whole.booked)
    days = [day for group in groups for day in (group.first, group.last)]
    assert days == sorted(days)
    assert all(group.first <= booked.day <= group.last for group in groups for booked in group.booked)


def said_of(books: Iterable[BookedEntry]) -> Counter[Any]:
    """Which lines stand for one payment, and on which day."""
    found = ((each.day, [(entry.statement.source, entry.content) for entry in each.entries]) for each in books)
    return Counter((day, repr(sorted(entries, key=repr))) for day, entries in found)


def days_of(*entries: ShownEntry) -> list[tuple[date, date]]:
    """First and last day of each group."""
    found = [(group.first, group.last) for group in day_after_day(entries)]
    assert found == [(group.first, group.last) for group in BooksOfSum().add(entries, date.max)]
    return found


def test_only_what_may_meet_is_in_one_group() -> None:
    """Days without announcements are by themselves, and those of announcements that share nothing with them."""
    final = ShownEntry(BY_053, 0, (paid(1990, "SO-1", booking_date=DAY + timedelta(2)),))
    other = ShownEntry(BY_053, 1, (paid(1990, "SO-1", booking_date=DAY),))
    assert days_of(final, other) == [(DAY, DAY), (final.day, final.day)]
    near = ShownEntry(BY_054, 0, (paid(1990, "SO-2", booking_date=DAY),))
    assert days_of(final, near) == [(DAY, final.day)]
    far = ShownEntry(BY_054, 0, (paid(1990, "SO-2", booking_date=DAY - timedelta(2)),))
    assert days_of(final, far) == [(far.day, far.day), (final.day, final.day)]


def test_a_reference_ties_the_days_on_which_it_stands() -> None:
    """Though the announcement is of the nearest of them, and all have met there."""
    finals = [
        ShownEntry(BY_053, at, (paid(1990, "A", bank_reference="R1", booking_date=DAY + timedelta(at)),))
        for at in (0, 2, 3)
    ]
    news = ShownEntry(BY_054, 0, (paid(1990, "A", bank_reference="R1", booking_date=DAY + timedelta(1)),))
    (first, last) = finals[0].day, finals[2].day
    assert days_of(finals[0], news, finals[1]) == [(first, finals[1].day)]
    assert days_of(*finals, news) == [(first, last)]
    own = ShownEntry(BY_053, 9, (replace(news.lines[0], bank_reference="R1"),))
    assert days_of(*finals, news, own) == [(each.day, each.day) for each in (finals[0], news, *finals[1:])]


def test_what_says_nothing_may_be_any_payment_near() -> None:
    """A table or MT940 may show nothing but a sum, where camt shows who paid."""
    bare = paid(1990, "", counterparty_iban="", counterparty_name="", booking_date=DAY + timedelta(2))
    final = ShownEntry(ShownBy("m", FINAL, SWIFT_MT), 0, (bare,))
    news = ShownEntry(BY_054, 0, (paid(1990, "SO-1", booking_date=DAY),))
    assert days_of(final, news) == [(DAY, final.day)]
    assert len(fold([final, news])) == 1


def test_lines_of_one_posting_are_in_one_group() -> None:
    """What stood on another day is folded with what stands there; a decision holds all its lines."""
    later = DAY + timedelta(5)
    names: dict[str, Any] = {"stands_for": ("p1",), "held": frozenset({"p1"})}
    news = ShownEntry(BY_054, 0, (paid(1990, "SO-1", booking_date=DAY),), **names, stood_on=(later,))
    final = ShownEntry(BY_053, 0, (paid(1990, "SO-2", booking_date=later),), **names)
    (group,) = day_after_day([news, final])
    assert (group.first, group.last, len(group.booked)) == (DAY, later, 1)


def test_eight_characters_of_an_id_are_near() -> None:
    """MT942 cuts ids: what begins alike on two days may be one payment, and what does not is another."""
    final = ShownEntry(BY_053, 0, (paid(1990, "SO-1", end_to_end_id="ORDER104XYZ", booking_date=DAY + timedelta(2)),))
    for said, groups in (("ORDER104", 1), ("ORDER10", 2)):
        line = paid(1990, "else", end_to_end_id=said, counterparty_iban="DE02120300000000202051", booking_date=DAY)
        news = ShownEntry(ShownBy("b", NEWS, SWIFT_MT), 0, (replace(line, counterparty_name="Else"),))
        assert len(days_of(final, news)) == groups


def test_a_day_whose_announcements_have_all_met_hides_no_other() -> None:
    finals = [ShownEntry(BY_053, at, (paid(1990, f"SO-{at}", booking_date=DAY + timedelta(3 * at)),)) for at in (0, 1)]
    news = [ShownEntry(BY_054, 0, finals[0].lines)]
    news.append(ShownEntry(BY_054, 1, (paid(1990, "SO-9", booking_date=DAY + timedelta(1)),)))
    (group,) = day_after_day([*finals, *news])
    found = {booked.entries[0].lines[0].text: len(booked.entries) for booked in group.booked}
    assert found == {"SO-0": 2, "SO-1": 1, "SO-9": 1}
    assert (group.first, group.last) == (DAY, DAY + timedelta(3))


def test_a_statement_that_is_delivered_again_stands_for_the_same_payments() -> None:
    """Word for word the same twins in two statements are as many payments; a third shows one more of them."""
    one, two = paid(1990, "Danke"), paid(1990, "Merci")
    first = [ShownEntry(BY_053, place, (line,)) for place, line in enumerate((one, one, two))]
    again = [ShownEntry(ShownBy("d", FINAL, CAMT), place, (line,)) for place, line in enumerate((two, one, one))]
    more = [ShownEntry(ShownBy("e", FINAL, CAMT), place, (one,)) for place in range(3)]
    other = ShownEntry(ShownBy("f", FINAL, SWIFT_MT), 0, (one,))
    for order in permutations((first, again, more, [other])):
        found = fold([entry for entries in order for entry in entries])
        said = sorted((booked.entries[0].lines[0].text, len(booked.entries)) for booked in found)
        assert said == [("Danke", 1), ("Danke", 3), ("Danke", 4), ("Merci", 2)]
        for booked in found:
            assert len({entry.statement for entry in booked.entries}) == len(booked.entries)


def test_pages_of_one_statement_are_never_each_others_copies() -> None:
    line = paid(1990, "Danke")
    pages = [ShownEntry(ShownBy(f"p{page}", FINAL, CAMT, "S1", page), 0, (line,)) for page in (1, 2)]
    assert [len(booked.entries) for booked in fold(pages)] == [1, 1]
    assert [len(booked.entries) for booked in fold([*pages, ShownEntry(BY_053, 0, (line,))])] == [2, 1]


def test_an_announcement_meets_what_others_of_its_day_may_not_meet() -> None:
    """The booked entry holds a line of the notification already: only what the intraday statement shows may join it."""
    next_day = DAY + timedelta(1)
    line = paid(1990, "SO-1", booking_date=next_day)
    other = paid(1990, "SO-2", counterparty_iban="DE02120300000000202051", counterparty_name="Else", booking_date=DAY)
    entries = [ShownEntry(BY_053, 0, (line,)), ShownEntry(BY_054, 0, (line,)), ShownEntry(BY_054, 1, (other,))]
    entries.append(ShownEntry(BY_052, 0, (replace(line, booking_date=DAY),)))
    found = {booked.entries[0].lines[0].text: booked for booked in fold(entries)}
    assert {text: [entry.statement.id for entry in booked.entries] for text, booked in found.items()} == {
        "SO-1": ["a", "b", "c"],
        "SO-2": ["b"],
    }


def held(entry: ShownEntry, *names: str) -> ShownEntry:
    return ShownEntry(entry.statement, entry.position, entry.lines, names, frozenset(filter(None, names)))


def test_what_a_person_decided_comes_first() -> None:
    """Of two equal payments the one that is held takes the announcement; a sum that is held stays undivided."""
    one = paid(1990, "Danke")
    twins = [held(ShownEntry(BY_053, 0, (one,)), "p1"), ShownEntry(BY_053, 1, (one,), ("p2",))]
    news = ShownEntry(BY_054, 0, (one,))
    assert [len(booked.entries) for booked in fold([twins[1], news, twins[0]]) if booked.is_held] == [2]
    parts = batch("B1", paid(1000, "A"), paid(2000, "B"))
    whole = ShownEntry(BY_053, 0, (paid(3000, "", bank_reference="B1", counterparty_iban=""),))
    divided = ShownEntry(BY_054, 0, parts)
    (booked,) = fold([held(whole, "p3"), divided])
    (posting,) = postings_of_entry(booked)
    assert (posting.resolved.posting.amount_minor, len(posting.sums)) == (3000, 2)
    (booked,) = fold([whole, held(divided, "p4", "")])
    assert [own.resolved.posting.amount_minor for own in postings_of_entry(booked)] == [1000, 2000]


def test_no_machine_joins_what_two_decisions_hold() -> None:
    final, news = ShownEntry(BY_053, 0, (paid(1990, "SO-1"),)), ShownEntry(BY_054, 0, (paid(1990, "SO-1"),))
    assert len(fold([final, news])) == 1
    assert len(fold([held(final, "p1"), held(news, "p2")])) == 2


def kept(entries: Sequence[ShownEntry], booked: dict[str, int]) -> list[tuple[int, str]]:
    """(amount, id) of the postings."""
    own: list[FoldedPosting] = [each for entry in fold(entries) for each in postings_of_entry(entry)]
    keep_ids(own, booked)
    return sorted((each.resolved.posting.amount_minor, each.id) for each in own)


def test_a_posting_keeps_the_id_of_the_one_whose_best_line_it_holds() -> None:
    def payment(by: ShownBy, name: str, reference: str = "R1") -> ShownEntry:
        return ShownEntry(by, 0, (paid(1990, "A", bank_reference=reference),), (name,))

    both = {"old": 1990, "other": 1990}
    assert kept([payment(BY_054, "old"), payment(BY_053, "")], {"old": 1990}) == [(1990, "old")]
    assert kept([payment(BY_054, "old"), payment(BY_053, "other")], both) == [(1990, "other")]
    assert kept([held(payment(BY_054, ""), "old"), payment(BY_053, "other")], both) == [(1990, "old")]
    assert kept([payment(BY_054, "old"), payment(BY_053, "other", "R2")], both) == [(1990, "old"), (1990, "other")]


def test_a_batch_and_its_payments_are_never_one_posting() -> None:
    parts = batch("B1", paid(1000, "A"), paid(2000, "B"))
    whole = ShownEntry(BY_053, 0, (paid(3000, "", bank_reference="B1", counterparty_iban=""),), ("sum",))
    assert kept([whole, ShownEntry(BY_054, 0, parts)], {"sum": 3000}) == [(1000, ""), (2000, "")]
    again = ShownEntry(BY_054, 0, parts, ("p1", "p2"))
    assert kept([replace_names(whole, "p1"), again], {"p1": 1000, "p2": 2000}) == [(1000, "p1"), (2000, "p2")]
    assert kept([replace_names(whole, "p1")], {"p1": 1000}) == [(3000, "")]


def replace_names(entry: ShownEntry, *names: str) -> ShownEntry:
    return ShownEntry(entry.statement, entry.position, entry.lines, names)


@pytest.mark.parametrize("divided_first", [True, False])
def test_a_batch_that_is_divided_in_two_ways_is_booked_once(*, divided_first: bool) -> None:
    ways = [batch("B1", paid(1000, "A"), paid(2000, "B")), batch("B1", paid(500, "A"), paid(2500, "B"))]
    by = [ShownBy("a", FINAL, CAMT), ShownBy("b", FINAL, CAMT)]
    entries = [ShownEntry(by[place], 0, lines) for place, lines in enumerate(ways)]
    assert sum(amounts(entries if divided_first else entries[::-1]).values()) == 2


def test_pages_show_different_payments() -> None:
    pages = [ShownBy(name, FINAL, SWIFT_MT, "7", page) for name, page in (("a", 1), ("b", 2), ("c", 1), ("d", 2))]
    line: tuple[Posting, ...] = (paid(1990, "Danke"),)
    assert len(fold([ShownEntry(page, 0, line) for page in pages])) == 2


def test_days_of_files_are_the_worlds() -> None:
    world = World(9, 12, days=4, shifted=0.0)
    assert amounts(entries_of(camt(world, 0, 3), "x")).total() == sum(len(line.parts) for line in world.lines)
    assert min(day for day, _ in amounts(entries_of(camt(world, 0, 3), "x"))) >= FIRST
