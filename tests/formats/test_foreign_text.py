"""Texts of a bank enter with a length and without characters that steer a terminal; what was left out is noted."""

from __future__ import annotations

import io

import pytest

from paymatch.formats.foreign_text import MAX_REMITTANCE, MAX_TEXT, plain
from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementHead, UnreadableEntry
from tests.formats.camt.camt_samples import camt053, simple_entry

TABLE = "Buchungstag;Verwendungszweck;Betrag;Währung;Name\r\n"


def read(data: str | bytes) -> tuple[StatementHead, list[Entry], tuple[str, ...]]:
    """Head, entries and notes of a file with one statement."""
    data = data.encode() if isinstance(data, str) else data
    events = [event for _, each in read_statements(io.BytesIO(data), "file") for event in each]
    (head,) = [event for event in events if isinstance(event, StatementHead)]
    (end,) = [event for event in events if isinstance(event, StatementEnd)]
    return head, [event for event in events if isinstance(event, Entry)], end.guesses


@pytest.mark.parametrize(
    ("text", "admitted"),
    [
        ("Müller & Söhne", "Müller & Söhne"),
        ("a\tb\r\nc", "a\tb\r\nc"),
        ("\x1b[31mred\x00", " [31mred "),
        ("\u202e4711\u202c\u2066x\u2069", "4711x"),
        ("a\u2028b\x85c\x9bd", "a b c d"),
        ("soft\u00adhyphen and\u00a0space", "soft\u00adhyphen and\u00a0space"),
    ],
)
def test_steering_characters_go_and_text_stays(text: str, admitted: str) -> None:
    assert plain(text) == admitted


def test_a_table_steers_no_terminal() -> None:
    rows = "09.03.2026;Bestellung 4711;1,00;EUR;Meier\r\n09.03.2026;\x1b[2Jweg\u202e;2,00;EUR;E\x1brna\r\n"
    _, entries, notes = read(TABLE + rows)
    assert [entry.details[0].remittance_lines for entry in entries] == [("Bestellung 4711",), (" [2Jweg",)]
    assert [entry.details[0].debtor.name for entry in entries] == ["Meier", "E rna"]
    assert "control characters were removed from 1 entry (line 3)" in notes


def test_a_camt_file_turns_no_text() -> None:
    details = "<NtryDtls><TxDtls><RmtInf><Ustrd>RG \u202e174</Ustrd></RmtInf></TxDtls></NtryDtls>"
    _, entries, notes = read(camt053(simple_entry(more=details) * 2))
    assert [entry.details[0].remittance_lines for entry in entries] == [("RG 174",), ("RG 174",)]
    assert notes == ("control characters were removed from 2 entries (the first in line 1)",)


def test_the_head_and_an_unreadable_entry_steer_nothing() -> None:
    data = b":20:A\x1bB\r\n:25:37040044/0532013000\r\n:60F:C260309EUR0,\r\n:61:bad\x1b[1m\r\n:62F:C260309EUR0,\r\n-\r\n"
    events = [event for _, each in read_statements(io.BytesIO(data), "file") for event in each]
    assert isinstance(events[0], StatementHead)
    assert events[0].statement_id == "A B"
    assert isinstance(events[1], UnreadableEntry)
    assert events[1].raw == ":61:bad [1m"


def test_a_refusal_steers_nothing() -> None:
    with pytest.raises(FileRefused) as refused:
        read("A\x1b[31m;B;C\r\nx;y;z\r\n")
    assert str(refused.value).startswith("line 1: no column for date and amount; columns seen: A [31m, B, C;")


def test_a_long_cell_is_cut_and_noted() -> None:
    _, entries, notes = read(f"{TABLE}09.03.2026;{'x' * (MAX_TEXT + 1)};1,00;EUR;\r\n09.03.2026;y;2,00;EUR;\r\n")
    assert [sum(map(len, entry.details[0].remittance_lines)) for entry in entries] == [MAX_TEXT, 1]
    assert "cells with more than 4,096 characters were cut in the row in line 2" in notes


def test_a_long_amount_is_an_error_row_and_no_amount() -> None:
    data = f"{TABLE}09.03.2026;x;1,00;EUR;\r\n09.03.2026;y;{',' * 40_000};EUR;\r\n".encode()
    events = [event for _, each in read_statements(io.BytesIO(data), "file") for event in each]
    assert [type(event) for event in events] == [StatementHead, Entry, UnreadableEntry, StatementEnd]


def test_a_long_name_is_cut_and_noted() -> None:
    party = f"<NtryDtls><TxDtls><RltdPties><Dbtr><Nm>{'n' * 30_000}</Nm></Dbtr></RltdPties></TxDtls></NtryDtls>"
    _, entries, notes = read(camt053(simple_entry(more=party)))
    assert entries[0].details[0].debtor.name == "n" * MAX_TEXT
    (note,) = notes
    assert note.startswith("overlong text was cut in 1 entry (line 1): 4,096 characters of a text are kept, 65,536 of")


@pytest.mark.parametrize(("lines", "kept"), [(3, [30_000, 30_000, 5_536]), (2, [30_000, 30_000])])
def test_remittance_information_is_cut_as_a_whole(lines: int, kept: list[int]) -> None:
    text = f"<Ustrd>{'7' * 30_000}</Ustrd>" * lines
    details = f"<NtryDtls><TxDtls><RmtInf>{text}</RmtInf></TxDtls></NtryDtls>"
    _, entries, notes = read(camt053(simple_entry(more=details)))
    assert [len(line) for line in entries[0].details[0].remittance_lines] == kept
    assert len(notes) == (sum(kept) == MAX_REMITTANCE)


def test_a_long_description_of_mt940_is_cut_and_noted_once() -> None:
    lines = "\r\n".join(["7" * 65] * 1_100)
    entry = f":61:2603090309C1,NTRFNONREF\r\n:86:{lines}\r\n:86:{lines}\r\n"
    _, entries, notes = read(f":20:S\r\n:25:1/2\r\n:60F:C260309EUR0,\r\n{entry}:62F:C260309EUR1,\r\n-\r\n")
    assert sum(map(len, entries[0].details[0].remittance_lines)) <= MAX_REMITTANCE
    assert [note for note in notes if ":86:" in note] == ["line 5: more than 65,536 characters of :86: were cut"]
