"""No bank file costs more than in proportion to its length, whatever stands in it; nor does reading what it says."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date

import pytest

from paymatch.domain.matching.model import PostingFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.text.names import (
    compare,
    has_surname,
    pair_words,
    parse_name,
    single_words,
)
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.reading import read_text
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.read import read_statements
from paymatch.formats.statement import FileRefused, StatementEvent
from tests.hostile.bank_files import HostileFile, hostile_files
from tests.hostile.growth import TIMES, grows_too_fast
from tests.length import some

SIZE = 15_000
DAY = date(2026, 3, 9)
KNOWN = parse_name("Erika Mustermann GmbH")
WORDS = (
    "7", "7 ", "1234 ", "12345678 ", "1.1.2026 ", "1.1. ", "R", "RF", "RF18 ", "R F 1 ", "A-", "A1 ", "A1-", "A1B",
    "O1", "SW-1O840 ", "+++", "+++010/8068/17183+++ ", "DE89370400440532013000 ", "DE89 3704 ", "00 ", "1/", "1833/34 ",
    "1833,34,", "U ", "NR 7 ", "BESTELLUNG 7 ", "VOM ", "M.", "X. ", "ÄÖ", "?", "1-1-", "ABCDE ", "7.7.7.",
    "12:30 UHR ", "#7 ", "  ",
)  # fmt: skip


def events(data: bytes) -> list[StatementEvent] | str:
    """All that the file says, or why it is refused."""
    try:
        return [event for _, read in read_statements(io.BytesIO(data), "hostile") for event in read]
    except FileRefused as refusal:
        return str(refusal)


def growth_of(read: Callable[[str], object], text: Callable[[int], str]) -> float:
    """By how much the cost of reading grows too fast with the text; 0 if it does not."""
    texts = {size: text(size) for size in (SIZE, TIMES * SIZE)}
    return grows_too_fast(lambda size: lambda: read(texts[size]), SIZE)


@pytest.mark.parametrize("hostile", list(hostile_files()), ids=lambda hostile: hostile.name)
def test_a_file_costs_in_proportion_to_its_length(hostile: HostileFile) -> None:
    files = {size: hostile.build(size) for size in (SIZE, TIMES * SIZE)}
    assert grows_too_fast(lambda size: lambda: events(files[size]), SIZE) == 0


@pytest.mark.parametrize("words", some(WORDS, 13))
def test_the_numbers_of_a_text_are_read_in_proportion_to_its_length(words: str) -> None:
    assert growth_of(lambda text: read_text(flat(text), DAY), lambda size: words * (size // len(words))) == 0


@pytest.mark.parametrize("words", some(WORDS, 13))
def test_a_name_is_compared_in_proportion_to_its_length(words: str) -> None:
    def compared(text: str) -> None:
        name = parse_name.__wrapped__(text)
        compare(name, KNOWN)
        compare(KNOWN, name)
        has_surname([name], [KNOWN])
        pair_words(name)
        single_words(name)

    assert growth_of(compared, lambda size: words * (size // len(words))) == 0


@pytest.mark.parametrize("words", some(WORDS, 13))
def test_a_posting_is_prepared_in_proportion_to_its_length(words: str) -> None:
    def prepared(text: str) -> None:
        posting = Posting(
            account="", currency=EUR, amount_minor=100, booking_date=DAY, value_date=DAY,
            remittance_lines=(text, text[:70]), counterparty_name=text[:4096],
        )  # fmt: skip
        prepare([PostingFacts("1", posting, 100)])

    assert growth_of(prepared, lambda size: words * (size // len(words))) == 0
