"""What we write as a German bank is read back with the same facts."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import Currency
from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.mt940.writer import Charset, EntryToWrite, StatementToWrite, write_mt940, write_mt942
from paymatch.formats.statement import Balance, Entry, StatementEnd, StatementHead

_DAY = st.dates(date(2025, 10, 5), date(2026, 9, 20))  # an entry date has no year: it is near the statement's
_WORDS = st.text(st.sampled_from("abcXYZ019 äöüß.-/:,+'()?"), min_size=0, max_size=260)
_ID = st.text(st.sampled_from("ABC019-/"), min_size=1, max_size=35)
_NAME = st.text(st.sampled_from("Müller GmbH & Co. -"), max_size=54)


@st.composite
def _entries(draw: st.DrawFn) -> EntryToWrite:
    booking = draw(_DAY)
    return EntryToWrite(
        amount_minor=draw(st.integers(-(10**13), 10**13)),
        booking_date=booking,
        value_date=date.fromordinal(booking.toordinal() + draw(st.integers(-20, 20))),
        bank_reference=draw(_ID),
        reversal=draw(st.booleans()),
        booking_text=draw(st.sampled_from(["", "GUTSCHRIFT"])),
        name=draw(_NAME),
        account=draw(st.sampled_from(["", "DE89370400440532013000"])),
        bic=draw(st.sampled_from(["", "COBADEFFXXX"])),
        end_to_end_id=draw(st.one_of(st.just(""), _ID)),
        mandate_id=draw(st.one_of(st.just(""), _ID)),
        remittance=draw(_WORDS),
    )


@given(st.lists(_entries(), max_size=5), st.integers(-(10**12), 10**12), st.sampled_from(["EUR", "JPY", "KWD"]))
def test_written_statements_are_read_with_the_same_facts(
    entries: list[EntryToWrite], opening: int, currency: str
) -> None:
    day = date(2026, 3, 31)
    statement = StatementToWrite(
        "DE53677979049691425502", Currency(currency), opening, day, day, number=7, entries=tuple(entries)
    )
    head, *read, end = list(read_mt940(io.BytesIO(write_mt940([statement], Charset.UTF8))))
    assert head == StatementHead(
        format="MT940",
        version="",
        account="DE53677979049691425502",
        currency=currency,
        message_id="STARTUMSE",
        statement_id="STARTUMSE",
        legal_sequence="7",
        page=1,
        from_date=day,
    )
    closing = opening + sum(entry.amount_minor for entry in entries)
    assert end == StatementEnd((Balance("OPBD", opening, currency, day), Balance("CLBD", closing, currency, day)))
    read.sort(key=_position)  # an entry behind a full line of text comes last
    assert [_facts(entry) for entry in read] == [_written(entry) for entry in entries]


def _position(entry: object) -> int:
    assert isinstance(entry, Entry)
    return entry.position


def _facts(entry: object) -> tuple[object, ...]:
    assert isinstance(entry, Entry)
    detail = entry.details[0]
    party = detail.debtor if (entry.amount_minor > 0) != entry.reversal else detail.creditor
    return (
        entry.amount_minor,
        entry.booking_date,
        entry.value_date,
        entry.bank_reference,
        entry.reversal,
        entry.booking_text,
        party.name,
        party.account,
        party.bic,
        detail.end_to_end_id,
        detail.mandate_id,
        "".join(detail.remittance_lines),
    )


def _written(entry: EntryToWrite) -> tuple[object, ...]:
    return (
        entry.amount_minor,
        entry.booking_date,
        entry.value_date,
        entry.bank_reference,
        entry.reversal,
        entry.booking_text,
        entry.name.strip(),
        entry.account,
        entry.bic,
        entry.end_to_end_id,
        entry.mandate_id,
        entry.remittance.replace("?", ".").rstrip()[: _room(entry)].rstrip(),
    )


def _room(entry: EntryToWrite) -> int:
    """14 subfields of 27 characters, less those that the references before the remittance fill."""
    used = sum(-(-(len(value) + 5) // 27) for value in (entry.end_to_end_id, entry.mandate_id) if value)
    return (14 - used) * 27 - 5


def test_interim_report_says_count_and_sums() -> None:
    day = date(2026, 8, 4)
    entries = (EntryToWrite(1250, day, bank_reference="A1"), EntryToWrite(-250, day, bank_reference="A2"))
    statement = StatementToWrite("50880050/194774600", Currency("EUR"), 0, day, day, 12, entries)
    head, one, two, end = read_mt940(io.BytesIO(write_mt942([statement], datetime(2026, 8, 4, 10, 30, tzinfo=UTC))))
    assert isinstance(head, StatementHead)
    assert (head.format, head.currency, head.account) == ("MT942", "EUR", "50880050/194774600")
    assert isinstance(one, Entry)
    assert isinstance(two, Entry)
    assert (one.amount_minor, two.amount_minor) == (1250, -250)
    assert end == StatementEnd((), summary_count=2, summary_credit_minor=1250, summary_debit_minor=250)


def test_return_is_written_as_reversal_with_its_reason() -> None:
    day = date(2026, 10, 5)
    entry = EntryToWrite(
        -12497,
        day,
        bank_reference="P1",
        reversal=True,
        booking_text="RETOURE",
        end_to_end_id="R-1",
        return_reason="AM05",
    )
    statement = StatementToWrite("DE53677979049691425502", Currency("EUR"), 0, day, day, 1, (entry,))
    data = write_mt940([statement], Charset.SWIFT)
    assert data == (
        b":20:STARTUMSE\r\n:25:DE53677979049691425502\r\n:28C:00001/001\r\n:60F:C261005EUR0,00\r\n"
        b":61:2610051005RC124,97NTRFNONREF//P1\r\n:86:159?00RETOURE?20EREF+R-1?34911\r\n"
        b":62F:D261005EUR124,97\r\n-\r\n"
    )
    read = list(read_mt940(io.BytesIO(data)))[1]
    assert isinstance(read, Entry)
    assert (read.amount_minor, read.reversal, read.gvc) == (-12497, True, "159")
    detail = read.details[0]
    assert (detail.return_reason, detail.return_text, detail.original_end_to_end_id) == ("AM05", "RETOURE", "R-1")
