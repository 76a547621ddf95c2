"""Each layout is read as it was written down: account, currency, sums, dates, payers, texts and balances."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

import pytest

from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, FileRefused, StatementHead, UnreadableEntry
from paymatch.formats.tables.profiles import CsvField, CsvProfile
from paymatch.formats.tables.reader import propose_profile, propose_with
from paymatch.formats.tables.text import lines_of, rows_of
from tests.formats.layouts.alps import ALPS
from tests.formats.layouts.germany import GERMANY
from tests.formats.layouts.layout import DE, PAYER, Facts, Layout
from tests.formats.layouts.north_and_east import NORTH_AND_EAST
from tests.formats.layouts.west import WEST
from tests.length import some

_REMARK: Final = 2  # cells of a line that is no entry
LAYOUTS: Final = (*GERMANY, *ALPS, *WEST, *NORTH_AND_EAST)


@dataclass(slots=True)
class Contents:
    """What a file was read as."""

    statements: dict[tuple[str, str], tuple[Facts, ...]] = field(default_factory=dict)
    ends: list[tuple[int, ...]] = field(default_factory=list)
    heads: list[StatementHead] = field(default_factory=list)
    unreadable: list[UnreadableEntry] = field(default_factory=list)


def facts_of(entry: Entry) -> Facts:
    detail = entry.details[0]
    party = detail.debtor if entry.amount_minor >= 0 else detail.creditor
    text = "".join(detail.remittance_lines)
    day = str(entry.booking_date or "")
    return entry.amount_minor, day, entry.status.value, party.name, party.account, text


def contents_of(data: bytes, profile: CsvProfile | None = None) -> Contents:
    found, key = Contents(), ("", "")
    for _, events in read_statements(io.BytesIO(data), profile_of=lambda _table: profile):
        for event in events:
            if isinstance(event, StatementHead):
                key = (event.account, event.currency or "EUR")
                found.heads.append(event)
                found.statements.setdefault(key, ())
            elif isinstance(event, Entry):
                assert event.currency == key[1]
                found.statements[key] += (facts_of(event),)
            elif isinstance(event, UnreadableEntry):
                found.unreadable.append(event)
            else:
                found.ends.append(tuple(balance.amount_minor for balance in event.balances))
    return found


def confirmed(layout: Layout, data: bytes) -> CsvProfile:
    """The layout of the file as it is kept once the owner has named his account."""
    profile = propose_with(data, {}, account=layout.owner).profile
    return replace(profile, account=profile.account or layout.owner)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_what_a_layout_says(layout: Layout) -> None:
    found = contents_of(layout.data)
    assert (found.heads[0].unknown_layout is not None) == layout.asked
    if layout.asked:
        found = contents_of(layout.data, confirmed(layout, layout.data))
    assert found.statements == layout.named(layout.owner if layout.asked else "")
    assert found.ends == layout.ends
    assert len(found.unreadable) == layout.unreadable


def _read(layout: Layout, data: bytes) -> Contents:
    """As `contents_of`, with the owner's answer if he is asked."""
    found = contents_of(data)
    return contents_of(data, confirmed(layout, data)) if found.heads[0].unknown_layout is not None else found


def _payments(found: dict[tuple[str, str], tuple[Facts, ...]]) -> Counter[tuple[object, ...]]:
    """Account, currency, amount, day, state and the other side of each entry, but not the order of its texts."""
    return Counter((*key, *facts[:5]) for key, of_one in found.items() for facts in of_one)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_layout_saved_by_another_program_says_the_same(layout: Layout) -> None:
    text = layout.text.removeprefix("\ufeff")
    wanted = layout.named(layout.owner if layout.asked else "")
    others = {text.replace("\r\n", "\n").replace("\n", end).encode(layout.encoding) for end in ("\r\n", "\r")}
    for data in (*others, *(text.encode(each) for each in ("utf-8", "utf-8-sig", "utf-16"))):
        assert _read(layout, data).statements == wanted


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("seed", range(3))
def test_columns_in_another_order_are_the_same_payments(layout: Layout, seed: int) -> None:
    profile = propose_profile(layout.data).profile
    rows = [row.cells for row in rows_of(lines_of(layout.stream, profile.encoding), profile.delimiter)]
    header = next((place for place, row in enumerate(rows) if profile.is_header(row)), -1)
    if not profile.header or any(not cell.strip() for cell in rows[header]):
        return  # columns without a name are read by their place
    width = len(rows[header])
    order = Random(seed).sample(range(width), width)
    out = io.StringIO()
    write = csv.writer(out, delimiter=profile.delimiter)
    for place, row in enumerate(rows):
        cells = (*row, *[""] * (width - len(row)))
        write.writerow([cells[each] for each in order] if place >= header and len(row) > _REMARK else row)
    found = _read(layout, out.getvalue().encode())
    assert _payments(found.statements) == _payments(layout.named(layout.owner if layout.asked else ""))


@pytest.mark.parametrize("layout", [each for each in LAYOUTS if not each.unreadable], ids=lambda layout: layout.name)
def test_a_file_that_breaks_off_says_no_other_payment(layout: Layout) -> None:
    """Each entry that is read is one of the whole file: no amount, day, account or state is read of half a cell."""
    data = layout.data
    profile = confirmed(layout, data) if layout.asked else None
    statements = contents_of(data, profile).statements
    whole = Counter((*key, *facts[:3]) for key, of_one in statements.items() for facts in of_one)
    for at in some(range(len(data) // 3, len(data)), 60):
        try:
            found = contents_of(data[:at], profile)
        except FileRefused:
            continue
        if profile is None and found.heads[0].unknown_layout is not None:
            continue  # nothing is booked of it
        read = Counter((*key, *facts[:3]) for key, of_one in found.statements.items() for facts in of_one)
        assert read <= whole, (at, data[:at][-40:])


@pytest.mark.parametrize(
    ("text", "minors"),
    [
        ("Datum;Text;Betrag\n05.08.2026;A;12,00\n06.08.2026;B;13,4", [1200]),
        ("Datum;Text;Betrag\n05.08.2026;A;1.", []),
        ("Datum;Text;Betrag\n05.08.2026;A;-1", []),
        ('Datum;Text;Betrag\n05.08.2026;A;"-1', []),
        ('Datum;Text;Betrag\n05.08.2026;A;"-1"', [-100]),
        ("Datum;Text;Betrag\n05.08.2026;A;12,00-\n06.08.2026;B;13,40", [-1200]),
        ("Datum;Text;Betrag\n05.08.2026;A;12,00\n06.08.2026;B;13,40", [1200, 1340]),
        ("Datum;Text;Betrag;Status\n05.08.2026;A;12,00;Umsatz vor", []),
        ("Datum;Text;Betrag;Status\n05.08.2026;A;12,00;Umsatz gebucht", [1200]),
        ("Datum;Text;Betrag;Währung\n05.08.2026;A;12,00;US", []),
        ("Datum;Text;Betrag;Währung\n05.08.2026;A;12,00;USD", [1200]),
        (f"Text;Betrag;Auftragskonto;Datum\nA;12,00;{DE};05.08.20", []),
        (f"Text;Betrag;Auftragskonto;Datum\nA;12,00;{DE};05.08.2026", [1200]),
        ("Datum;Text;Betrag;Auftragskonto\n05.08.2026;A;12,00;DE5367797904", []),
        (f"Datum;Text;Betrag;Auftragskonto\n05.08.2026;A;12,00;{DE}", [1200]),
    ],
)
def test_the_last_cell_of_a_file_without_line_end_counts_if_it_is_whole(text: str, minors: list[int]) -> None:
    found = contents_of(text.encode())
    assert [facts[0] for of_one in found.statements.values() for facts in of_one] == minors
    assert len(found.unreadable) == text.count("\n") - len(minors)


_SIDES = (
    f"Buchung;Sender / Empfänger;IBAN / Konto-Nr.;Verwendungszweck;Betrag\n05.08.2026;Jörg Müller;{PAYER};SW-1;12,00\n"
)


def test_the_account_of_a_single_payer_is_not_the_owners() -> None:
    """The column of accounts holds one account in all rows, as only one customer has paid."""
    table = _SIDES + f"06.08.2026;Jörg Müller;{PAYER};SW-2;13,00\n"
    for owner in ("", DE):
        profile = propose_with(table.encode(), {}, account=owner).profile
        assert (profile.columns_of(CsvField.IBAN), profile.columns_of(CsvField.ACCOUNT)) == (("IBAN / Konto-Nr.",), ())


@pytest.mark.parametrize("said", [DE, "67797904/9691425502", "9691425502", "DE53 6779 7904 9691 4255 02"])
def test_a_column_of_accounts_is_the_owners_if_it_holds_his(said: str) -> None:
    """Its twin: one entry is enough, also beside the name of the other side."""
    table = _SIDES.replace(PAYER, said)
    profile = propose_with(table.encode(), {}, account=DE).profile
    assert (profile.columns_of(CsvField.IBAN), profile.columns_of(CsvField.ACCOUNT)) == ((), ("IBAN / Konto-Nr.",))


def test_a_name_of_the_account_is_the_account_that_the_owner_named_and_another_name_is_not() -> None:
    table = "Date;Description;Amount;Account\n2026-08-05;SW-1;12.00;Main\n2026-08-06;SW-2;13.00;Main\n"
    profile = propose_with(table.encode(), {}, account=DE).profile
    assert list(contents_of(table.encode(), profile).statements) == [(DE, "EUR")]
    other = table.replace("13.00;Main", "13.00;Savings").encode()
    assert list(contents_of(other, profile).statements) == [(DE, "EUR"), ("Savings", "EUR")]
