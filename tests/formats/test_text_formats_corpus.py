"""Every MT94x, CSV and OFX file of the corpus gives the entries and sums of its list, or a difference explained here.

`docs/bank-formats-text.md` says why for each difference.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from decimal import Decimal

import pytest

from paymatch.formats.bank_values import digits_of_code
from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.ofx import read_ofx
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementHead, UnreadableEntry
from paymatch.formats.tables.reader import read_csv
from tests.formats.corpus_files import CorpusFile, corpus_files, corpus_folder

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(corpus_folder() is None, reason="the corpus is not beside the repository"),
]

REFUSED_MT940 = {
    "WoLpH__mt940/mt940_tests/betterplace/amount_formats.sta": "line 1: :60F: is outside of a statement",
    "WoLpH__mt940/mt940_tests/cmxl/statement_details.sta": "line 1: :61: is outside of a statement",
    "WoLpH__mt940/mt940_tests/cmxl/statement_line.sta": "line 1: :61: is outside of a statement",
    "railslove__cmxl/spec/fixtures/mt940-with-colon-after-line-break.txt": "line 11: the file ends inside a statement",
}
OTHER_STATEMENTS = {
    "fruitl00p__php-mt940/test/Parser/Banking/Mt940/Engine/Rabo/sample2": 1,
    "zilverline__mt940/spec/fixtures/two_accounts.txt": 4,
}
UNREADABLE = {"railslove__cmxl/spec/fixtures/mt940-headers.txt": "line 8: 3622687806 is not a date"}

REFUSED_CSV = {
    "TH_20180101-20180523_page_1.csv": "no column for date",
    "TH_20180101-20180523_strana_1.csv": "no column for date",
    "TH_20180521-20180523.csv": "no column for date",
    "statement_1.csv": "money in cannot be distinguished from money out",
    "test_delimiter_tab.csv": "money in cannot be distinguished from money out",
    "test_row_format_CD_flag.csv": "money in cannot be distinguished from money out",
    "test_row_format_default.csv": "money in cannot be distinguished from money out",
}
CSV_ENTRIES = {
    "20171001-20171106.csv": (1, "-59.99"),
    "2018-04-14_10-52-13_bunq-transactieoverzicht.csv": (3, "728.54"),
    "20180226_12345678.csv": (1, "-5.00"),
    "2019-03-02_11-50-46_bunq-statement.csv": (7, "-23.82"),
    "CSV_A_20180414_112204.csv": (3, "-1037.49"),
    "MS_JANE_SMITH_01-12-2019_14-12-2019.csv": (13, "-399.99"),
    "MonzoDataExport_February2018_2018-02-26_174335.csv": (1, "-10.00"),
    "Movements_1234512345_201805271848.csv": (1, "-1.00"),
    "export_KBC-Mastercard_Business_Essential_20200204_1604.csv": (3, "2.73"),
    "test_headers.csv": (73, "-4580.70"),
    "test_row_format_neg_inflow.csv": (73, "-4580.70"),
    "csv_european_decimals.csv": (3, "2260.94"),
    "csv_garbled_amount.csv": (1, "100.00"),
    "sample_statement.csv": (2, "1300.00"),
}
CSV_UNREADABLE = {
    "test_headers.csv": "line 72: the row has no date that can be read",
    "test_row_format_neg_inflow.csv": "line 71: the row has no date that can be read",
    "csv_garbled_amount.csv": "line 3: '12..34' is not an amount",
}


def _sum(entries: Iterable[Entry], sign: int) -> Decimal:
    amounts = (Decimal(entry.amount_minor).scaleb(-digits_of_code(entry.currency)) for entry in entries)
    return abs(sum((amount for amount in amounts if amount * sign > 0), Decimal(0)))


@pytest.mark.parametrize("file", corpus_files("MT94x"), ids=lambda file: file.name)
def test_mt940_file_gives_the_entries_and_sums_of_the_list(file: CorpusFile) -> None:
    if file.name in REFUSED_MT940:
        with pytest.raises(FileRefused, match=REFUSED_MT940[file.name]):
            list(read_mt940(io.BytesIO(file.data)))
        return
    events = list(read_mt940(io.BytesIO(file.data)))
    heads = [event for event in events if isinstance(event, StatementHead)]
    assert len(heads) == OTHER_STATEMENTS.get(file.name, file.statements)
    assert len(heads) == sum(isinstance(event, StatementEnd) for event in events)
    unreadable = [event.reason for event in events if isinstance(event, UnreadableEntry)]
    if file.name in UNREADABLE:
        assert unreadable == [UNREADABLE[file.name]]
        return
    entries = [event for event in events if isinstance(event, Entry)]
    assert (len(entries), _sum(entries, 1), _sum(entries, -1)) == (file.entries, file.credit, file.debit)
    assert unreadable == []


@pytest.mark.parametrize("file", corpus_files("OFX"), ids=lambda file: file.name)
def test_ofx_file_gives_the_entries_and_sums_of_the_list(file: CorpusFile) -> None:
    if file.name.endswith("bank_small.ofx"):
        with pytest.raises(FileRefused, match="no statement of an account"):
            list(read_ofx(io.BytesIO(file.data)))
        return
    entries = [
        event for event in read_ofx(io.BytesIO(file.data)) if not isinstance(event, StatementHead | StatementEnd)
    ]
    read = [entry for entry in entries if isinstance(entry, Entry)]
    assert (len(entries), _sum(read, 1), _sum(read, -1)) == (file.entries, file.credit, file.debit)


@pytest.mark.parametrize("file", corpus_files("CSV"), ids=lambda file: file.name)
def test_csv_file_gives_its_entries(file: CorpusFile) -> None:
    name = file.name.rsplit("/", 1)[-1]
    if name in REFUSED_CSV:
        with pytest.raises(FileRefused, match=REFUSED_CSV[name]):
            list(read_csv(io.BytesIO(file.data)))
        return
    events = list(read_csv(io.BytesIO(file.data)))
    entries = [event for event in events if isinstance(event, Entry)]
    assert (len(entries), str(_sum(entries, 1) - _sum(entries, -1))) == CSV_ENTRIES[name]
    unreadable = [event.reason for event in events if isinstance(event, UnreadableEntry)]
    assert unreadable == ([CSV_UNREADABLE[name]] if name in CSV_UNREADABLE else [])
