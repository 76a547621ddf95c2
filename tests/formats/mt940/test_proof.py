"""Entries that a bank's habit and the standard read differently: what the balances prove counts."""

from __future__ import annotations

import io

import pytest

from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.statement import Entry, StatementEnd, UnreadableEntry

TYPELESS = ":61:2011301130CN220000,00//0001\r\n:86:ABONO\r\n"
USUAL = ":61:2011301130D1000,00NTRFNONREF//0002\r\n"
REVERSAL = ":61:2011301130RC500,00NTRFNONREF//0003\r\n"


def read(entries: str, opening: str, closing: str) -> tuple[list[int | str], tuple[str, ...]]:
    """Amounts of the entries, or why one could not be read; notes."""
    lines = [":20:S", ":25:0123456789", ":28C:1/1", opening, entries.removesuffix("\r\n"), closing, "-", ""]
    events = list(read_mt940(io.BytesIO("\r\n".join(line for line in lines if line).encode()), default_currency="MXN"))
    (end,) = [event for event in events if isinstance(event, StatementEnd)]
    read: list[int | str] = [
        event.amount_minor if isinstance(event, Entry) else event.reason
        for event in events
        if isinstance(event, Entry | UnreadableEntry)
    ]
    return read, end.guesses


UNREADABLE = "line 5: the statement line is not a date, mark, amount and transaction type"
PROVEN = ("line 5: no transaction type; the balances prove the amount",)


@pytest.mark.parametrize(
    ("entries", "closing", "expected", "notes"),
    [
        (TYPELESS, ":62F:C201130MXN220100,00", [22_000_000], PROVEN),
        (TYPELESS + USUAL, ":62F:C201130MXN219100,00", [22_000_000, -100_000], PROVEN),
        (TYPELESS, ":62F:C201130MXN220100,01", [UNREADABLE], ()),
        (TYPELESS, ":62F:C201130EUR220100,00", [UNREADABLE], ()),
        (TYPELESS + ":61:bad\r\n", ":62F:C201130MXN220100,00", [UNREADABLE, UNREADABLE.replace("5", "7")], ()),
    ],
)
def test_a_line_without_transaction_type(
    entries: str, closing: str, expected: list[int | str], notes: tuple[str, ...]
) -> None:
    assert read(entries, ":60F:C201129MXN100,00", closing) == (expected, notes)


def test_nothing_is_proven_without_an_opening_balance() -> None:
    assert read(TYPELESS, "", ":62F:C201130MXN220000,00") == ([UNREADABLE.replace("5", "4")], ())


def test_nothing_is_proven_behind_an_entry_that_nobody_can_read() -> None:
    expected = [UNREADABLE, UNREADABLE.replace("5", "6")]
    assert read(":61:bad\r\n" + TYPELESS, ":60F:C201129MXN100,00", ":62F:C201130MXN220100,00") == (expected, ())


@pytest.mark.parametrize(
    ("closing", "amount", "notes"),
    [
        (":62F:D201130MXN400,00", -50_000, ()),  # the standard: a credit is taken back
        (":62F:C201130MXN600,00", 50_000, ("line 5: the balances prove that RC is money in and RD money out here",)),
        (":62F:C201130MXN0,00", -50_000, ()),  # neither: the standard counts, and the statement does not add up
    ],
)
def test_a_reversal_is_what_the_balances_prove(closing: str, amount: int, notes: tuple[str, ...]) -> None:
    assert read(REVERSAL, ":60F:C201129MXN100,00", closing) == ([amount], notes)


def test_positions_are_those_of_the_file() -> None:
    data = f":20:S\r\n:25:1\r\n:60F:C201129MXN0,\r\n{USUAL}{TYPELESS}{USUAL}:62F:C201130MXN218000,\r\n-\r\n"
    entries = [event for event in read_mt940(io.BytesIO(data.encode())) if isinstance(event, Entry)]
    assert [(entry.position, entry.amount_minor) for entry in entries] == [
        (0, -100_000),
        (1, 22_000_000),
        (2, -100_000),
    ]
    assert entries[1].bank_reference == "0001"
