"""Lent days: which of two equal payments a line without references meant, once a reference tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.books.batches import BatchKey
from paymatch.domain.books.identity import PROVISIONAL_DAYS, date_rank, identity_key_of
from paymatch.domain.books.lent_days import BookedEntry, Move, Shown, content_of, moves
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting, PostingSource

FINAL = PostingSource.FINAL
DAY = date(2026, 3, 10)
NEXT = DAY + timedelta(days=1)
BY_TABLE, BY_CAMT = date_rank(FINAL, "CSV"), date_rank(FINAL, "camt")


def parts(reference: str, day: date) -> BookedEntry:
    """A batch that was announced under this reference, on a day that a table lent it."""
    return BookedEntry(Shown(BatchKey(3000, day, (reference,), FINAL, "camt", lent_day=True)), BY_TABLE)


def line(day: date, **facts: str) -> BookedEntry:
    """What only the table has shown."""
    posting = Posting("DE89370400440532013000", EUR, 3000, day, **facts)  # type: ignore[arg-type]
    return BookedEntry(Shown(BatchKey(3000, day, (), FINAL, "CSV")), BY_TABLE, identity_key_of(posting, FINAL, "CSV"))


def shown(reference: str, day: date) -> Shown:
    return Shown(BatchKey(3000, day, (reference,), FINAL, "camt"))


def exchanges(standing: list[BookedEntry], entries: list[Shown], date_rank: int) -> list[tuple[int, int]]:
    """Who exchanges with whom if the statement covers no other days."""
    found = moves(standing, entries, date_rank, (date.max, date.min))
    return [(each.place, each.other) for each in found if each.other is not None]


def test_the_line_of_the_right_day_is_taken_in_exchange() -> None:
    assert exchanges([parts("260311000001X", DAY), line(NEXT)], [shown("260311000001X", NEXT)], BY_CAMT) == [(0, 1)]


def test_who_stands_on_its_own_day_stays() -> None:
    entries = [shown("260311000001X", NEXT), shown("260311000002X", NEXT)]
    standing = [parts("260311000001X", DAY), parts("260311000002X", NEXT), line(NEXT)]
    assert exchanges(standing, entries, BY_CAMT) == [(0, 2)]
    assert exchanges(standing[:2], entries, BY_CAMT) == []


def test_a_line_goes_through_several_hands() -> None:
    later = NEXT + timedelta(days=1)
    standing = [parts("260311000001X", DAY), parts("260312000002X", NEXT), line(later)]
    entries = [shown("260311000001X", NEXT), shown("260312000002X", later)]
    assert exchanges(standing, entries, BY_CAMT) == [(0, 1), (1, 2)]


def test_nothing_is_exchanged_without_proof() -> None:
    mine, other = parts("260311000001X", DAY), line(NEXT)
    assert exchanges([mine, other], [shown("260311000009X", NEXT)], BY_CAMT) == []
    assert exchanges([mine, other], [shown("260311000001X", NEXT)], BY_TABLE) == []
    twice = [shown("260311000001X", NEXT), shown("260311000001X", DAY)]
    assert exchanges([mine, other], twice, BY_CAMT) == []
    far = DAY + timedelta(days=4)
    assert exchanges([mine, line(far)], [shown("260311000001X", far)], BY_CAMT) == []
    named = line(NEXT, counterparty_iban="DE75512108001245126199")
    assert exchanges([mine, named], [shown("260311000001X", NEXT)], BY_CAMT) == []
    dearer = replace(other, entry=Shown(replace(other.entry.sum, amount_minor=3001)))
    assert exchanges([mine, dearer], [shown("260311000001X", NEXT)], BY_CAMT) == []


def test_payments_of_their_own_exchange_lines_that_say_the_same() -> None:
    def single(name: str) -> BookedEntry:
        posting = Posting(
            "DE89370400440532013000", EUR, 3000, DAY, bank_reference="260311000001X", counterparty_name=name
        )
        identity = identity_key_of(posting, FINAL, "camt", lent_day=True)
        return replace(parts("260311000001X", DAY), single=identity)

    entry = shown("260311000001X", NEXT)
    assert exchanges([single("Eva Muster"), line(NEXT, counterparty_name="EVA MUSTER")], [entry], BY_CAMT) == [(0, 1)]
    assert exchanges([single("Eva Muster"), line(NEXT, counterparty_name="Adam Beispiel")], [entry], BY_CAMT) == []


def test_without_a_reference_what_the_payments_say_counts() -> None:
    content = content_of([PAYMENT])
    own = replace(parts("", DAY), entry=Shown(BatchKey(3000, DAY, (), FINAL, "camt", lent_day=True), content))
    entry = Shown(BatchKey(3000, NEXT, (), FINAL, "camt"), content)
    assert exchanges([own, line(NEXT)], [entry], BY_CAMT) == [(0, 1)]
    assert exchanges([own, line(NEXT)], [replace(entry, content=())], BY_CAMT) == []
    assert content_of([PAYMENT, replace(PAYMENT, iban="")]) == ()


def test_a_day_without_a_line_needs_a_statement_of_both_days() -> None:
    own, entries = parts("260311000001X", DAY), [shown("260311000001X", NEXT)]
    assert moves([own], entries, BY_CAMT, (NEXT, NEXT)) == []
    assert moves([own], entries, BY_CAMT, (DAY, NEXT)) == [Move(0, NEXT, None)]


PAYMENT = identity_key_of(
    Posting("DE89370400440532013000", EUR, 3000, DAY, counterparty_iban="DE75512108001245126199"), FINAL, "camt"
)
NUMBERS = st.integers(0, PROVISIONAL_DAYS)  # further away a reference proves nothing


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8), st.lists(NUMBERS, max_size=8))
def test_days_change_hands_only(lent: list[tuple[int, int]], lines: list[int]) -> None:
    """Every exchange puts one on the day of its reference, and takes nobody off the day of its own."""
    standing = [parts(f"26031100000{place}X", DAY + timedelta(own)) for place, (own, _) in enumerate(lent)]
    entries = [shown(f"26031100000{place}X", DAY + timedelta(right)) for place, (_, right) in enumerate(lent)]
    standing += [line(DAY + timedelta(day)) for day in lines]
    days = [each.entry.sum.booking_date for each in standing]
    before, right = Counter(days), sum(day == entry.sum.booking_date for day, entry in zip(days, entries, strict=False))
    for one, other in exchanges(standing, entries, BY_CAMT):
        days[one], days[other] = days[other], days[one]
        now_right = sum(day == entry.sum.booking_date for day, entry in zip(days, entries, strict=False))
        assert now_right > right
        right = now_right
    assert Counter(days) == before
