"""Every camt file of the corpus is read with the entry count and sums of its list."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest

from paymatch.domain.money import Currency, minor_to_decimal
from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, EntryStatus, FileRefused, StatementEnd, StatementHead, UnreadableEntry
from tests.formats.corpus_files import CorpusFile, corpus_files

GARBLED = "sebastienrousseau__bankstatementparser/tests/test_data/golden/camt053_garbled_amount.xml"
FILES = [file for kind in ("camt.052", "camt.053", "camt.054") for file in corpus_files(kind)]

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_corpus_file_is_read_as_its_list_says(file: CorpusFile) -> None:
    """Statements, entries and sums; and what is booked becomes postings of the same sum."""
    statements, entries, unreadable = 0, 0, 0
    sums = {1: Decimal(0), -1: Decimal(0)}
    head: StatementHead | None = None
    ((_, events),) = read_statements(io.BytesIO(file.data))
    for event in events:
        match event:
            case StatementHead():
                head = event
                statements += 1
            case Entry():
                entries += 1
                amount = minor_to_decimal(event.amount_minor, Currency(event.currency))
                sums[1 if amount >= 0 else -1] += abs(amount)
                assert head is not None
                postings = postings_of(head, event)
                booked = event.amount_minor if event.status is EntryStatus.BOOKED else 0
                assert sum(posting.amount_minor for posting in postings) == booked
            case UnreadableEntry():
                unreadable += 1
            case StatementEnd():
                assert event.unreadable == ()
    # docs/bank-formats.md: the one file with a garbled amount is read, its entry is shown to a person.
    expected = (1, 0, 1) if file.name == GARBLED else (file.statements, file.entries, 0)
    assert (statements, entries, unreadable) == expected
    assert (sums[1], sums[-1]) == (file.credit, file.debit)


@pytest.mark.parametrize("kind", ["pain.001", "pain.002", "pain.008"])
def test_orders_and_status_reports_of_the_corpus_are_no_statements(kind: str) -> None:
    files = corpus_files(kind)
    if not files:
        pytest.skip("no corpus")
    for file in files:
        with pytest.raises(FileRefused, match="not a bank statement"):
            list(read_statements(io.BytesIO(file.data)))
