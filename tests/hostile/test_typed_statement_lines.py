"""MT940 and MT942: a payer whose text goes on where the bank begins a line types no entry, balance or statement (D-80).

Banks wrap the text of a payment at a fixed width. A text of the right length begins a line with whatever it says.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from paymatch.usecases.matching.matching import match_due
from tests.usecases.conftest import ACCOUNT, Books

FIRST: Final = ":61:2603100310C1,00NTRFNONREF//B1"
FORGED: Final = ":61:2603100310C100,00NTRFNONREF//B9"
GERMAN: Final = ":86:166?00GUTSCHRIFT?109301?20EREF+E-1?21SVWZ+"
DUTCH: Final = ":86:/EREF/E-1//CNTP/NL88INGB0999999999/INGBNL2A/E MUSTER///REMI/USTD//"
FREE: Final = ":86:Eingang von Eva Muster "


def final(*lines: str, closing: str = "1,00") -> bytes:
    """A statement with balances: one euro was booked, unless `closing` says otherwise."""
    head = (":20:S", f":25:{ACCOUNT}", ":28C:7/1", ":60F:C260309EUR0,00")
    return "\r\n".join((*head, *lines, f":62F:C260310EUR{closing}", "-", "")).encode("cp1252")


def unproved(*lines: str) -> bytes:
    """A statement without balances, as small banks export it."""
    return "\r\n".join((":20:S", f":25:{ACCOUNT}", ":28C:7/1", *lines, "-", "")).encode("cp1252")


def intraday(*lines: str, sums: tuple[str, ...] = (":90D:0EUR0,00", ":90C:1EUR1,00")) -> bytes:
    """A report of the day, with the bank's count and sums unless `sums` are left out."""
    head = (":20:S", f":25:{ACCOUNT}", ":28C:7/1", ":34F:EUR0,00", ":13D:2603101200+0100")
    return "\r\n".join((*head, *lines, *sums, "-", "")).encode("cp1252")


def typed(begin: str, *lines: str, width: int = 65, fill: str = "x") -> list[str]:
    """A text of which each of `lines` begins a line of the file, wrapped as the bank does."""
    text = begin
    for each in lines:
        text += fill * (-len(text) % width) + each
    return [text[at : at + width] for at in range(0, len(text), width)]


class Case(NamedTuple):
    """A file, and what it must do: status of SW-1001 and SW-1002, bookings in cents, error rows."""

    name: str
    data: bytes
    orders: tuple[str, str] = ("UNPAID", "UNPAID")
    booked: tuple[int, ...] = (100,)
    errors: int = 0


TAIL: Final = "?30COBADEFFXXX?31DE02120300000000202051?32Erika Muster"
PAYS: Final = ":86:SW-1001 Muster"
NAMED: Final = ":61:2603100310C100,00NTRFSW-1001"

ATTACKS: Final = (
    Case("entry in a free text", final(FIRST, *typed(FREE, FORGED, PAYS)), errors=1),
    Case("entry without a text of its own", final(FIRST, *typed(FREE, NAMED)), errors=1),
    Case("entry in German tags", final(FIRST, *typed(GERMAN, FORGED, ":86:166?20SVWZ+SW-1001" + TAIL)), errors=1),
    Case("entry in Dutch words", final(FIRST, *typed(DUTCH, FORGED, PAYS)), errors=1),
    Case("entry in lines of 27", final(FIRST, f":86:{'x' * 27}", ":61:260310C100,00NTRFSW1001"), errors=1),
    Case("entry in lines of 35", final(FIRST, f":86:{'x' * 35}", NAMED), errors=1),
    Case("entry in lines of 78", final(FIRST, *typed(FREE, FORGED, PAYS, width=78)), errors=1),
    Case("entry behind blanks", final(FIRST, *typed(FREE, FORGED, PAYS, fill=" ")), errors=1),
    Case(
        "entry behind umlauts in UTF-8",
        final(FIRST, *typed(FREE, FORGED, PAYS, fill="ä")).decode("cp1252").encode(),
        errors=1,
    ),
    Case("reversed debit", final(FIRST, *typed(FREE, FORGED.replace("C100", "RD100"), PAYS)), errors=1),
    Case("entry and its counterpart", final(FIRST, *typed(FREE, NAMED, FORGED.replace("C100", "D100"))), errors=2),
    Case(
        "entry of one payer, its counterparts of another",
        final(
            FIRST, *typed(FREE, NAMED), FIRST.replace("B1", "B2"),
            *typed(FREE, FORGED.replace("C100", "D60"), FORGED.replace("C100", "D40")), closing="2,00",
        ),
        booked=(100, 100), errors=3,
    ),
    Case("statement", final(FIRST, *typed(FREE, ":20:S2", FORGED, PAYS)), errors=1),
    Case("statement with account", final(FIRST, *typed(FREE, ":20:S", f":25:{ACCOUNT}", FORGED, PAYS)), errors=1),
    Case("account", final(FIRST, *typed(FREE, ":25:DE02120300000000202051", FORGED, PAYS)), errors=1),
    Case("closing balance", final(FIRST, *typed(FREE, FORGED, PAYS, ":62F:C260310EUR101,00")), errors=1),
    Case("closing balance before", final(FIRST, *typed(FREE, ":62F:C260310EUR101,00", FORGED, PAYS)), errors=1),
    Case("opening balance", final(FIRST, *typed(FREE, ":60F:D260309EUR100,00", FORGED, PAYS)), errors=1),
    Case("end of the message", final(FIRST, *typed(FREE, "-}", NAMED)), errors=1),
    Case("end and header", final(FIRST, *typed(FREE, "-}{1:F01X}{2:I940X}{4:", NAMED)), errors=1),
    Case("unreadable entry", final(FIRST, *typed(FREE, ":61:x")), errors=1),
    Case("second text", final(FIRST, *typed(FREE, ":86:166?20SVWZ+y?31DE1")), booked=(100,)),
    Case("no balances", unproved(FIRST, *typed(FREE, FORGED, PAYS)), errors=1),
    Case("intraday", intraday(FIRST, *typed(FREE, FORGED, PAYS))),
    Case("intraday without sums", intraday(FIRST, *typed(FREE, FORGED, PAYS), sums=())),
    Case("intraday with typed sums", intraday(FIRST, *typed(FREE, NAMED, ":90C:2EUR101,00"), sums=())),
    Case("intraday with its counterpart", intraday(FIRST, *typed(FREE, NAMED, FORGED.replace("C100", "D100")))),
)  # fmt: skip

PAID: Final = ("PAID", "UNPAID")
SECOND: Final = ":61:2603100310C100,00NTRFNONREF//B2"
FULL: Final = FREE + "x" * (65 - len(FREE))
"""The first payment's own text, which happens to fill its line."""
HONEST: Final = (
    Case("a full line before a payment", final(FIRST, FULL, SECOND, PAYS, closing="101,00"), PAID, (100, 10_000)),
    Case(
        "full lines before each payment",
        final(
            FIRST, FULL, SECOND, ":86:SW-1001 " + "x" * 53, SECOND.replace("B2", "B3"), ":86:SW-1002 Muster",
            closing="201,00",
        ),
        ("PAID", "PAID"), (100, 10_000, 10_000),
    ),
    Case("a full line before the balance", final(SECOND, ":86:SW-1001 " + "x" * 53, closing="100,00"), PAID, (10_000,)),
    Case(
        "a full line before a debit",
        final(FIRST, FULL, SECOND.replace("C", "D"), ":86:Miete", closing="99,00").replace(b":62F:C", b":62F:D"),
        booked=(-10_000, 100),
    ),
    Case("a wrapped text", final(SECOND, *typed(":86:SW-1001 ", "end"), closing="100,00"), PAID, (10_000,)),
    Case("a clock time", final(SECOND, *typed(":86:SW-1001 Karte ", ":26:37 x"), closing="100,00"), PAID, (10_000,)),
    Case("no balances, a short line", unproved(FIRST, ":86:Eingang", SECOND, PAYS), PAID, (100, 10_000)),
    Case("no balances, no full one", unproved(SECOND, *typed(":86:SW-1001 ", "end")), PAID, (10_000,)),
    Case(
        "two statements",
        final(SECOND, ":86:SW-1001 " + "x" * 53, closing="100,00")
        + final(SECOND.replace("B2", "B3"), ":86:SW-1002", closing="200,00").replace(b"EUR0,00", b"EUR100,00").replace(
            b"7/1", b"8/1").replace(b":60F:C260309", b":60F:C260310"),
        ("PAID", "PAID"), (10_000, 10_000),
    ),
    Case(
        "intraday with sums",
        intraday(FIRST, FULL, SECOND, PAYS, sums=(":90D:0EUR0,00", ":90C:2EUR101,00")), PAID, (100, 10_000),
    ),
    Case("intraday, a short line", intraday(FIRST, ":86:Eingang", SECOND, PAYS, sums=()), PAID, (100, 10_000)),
)  # fmt: skip


@pytest.mark.parametrize("case", [*ATTACKS, *HONEST], ids=lambda case: case.name)
def test_a_line_begins_an_entry_only_if_the_bank_wrote_it(books: Books, case: Case) -> None:
    for number in ("SW-1001", "SW-1002"):
        books.order(number, "100.00")
    report = books.bring(case.data)
    match_due(books.database, books.shop, books.now)
    assert (books.status("SW-1001"), books.status("SW-1002")) == case.orders
    assert tuple(sorted(row[1] for row in books.postings())) == case.booked
    assert (report.errors, report.new_accounts, report.balances_wrong) == (case.errors, [], 0)
    books.sound()


def test_a_payment_that_an_intraday_report_leaves_open_is_paid_by_the_final_statement(books: Books) -> None:
    books.order("SW-1001", "100.00")
    books.bring(intraday(FIRST, FULL, SECOND, PAYS, sums=()))
    match_due(books.database, books.shop, books.now)
    assert (books.status("SW-1001"), len(books.postings())) == ("UNPAID", 1)
    books.bring(final(FIRST, FULL, SECOND, PAYS, closing="101,00"))
    match_due(books.database, books.shop, books.now)
    assert (books.status("SW-1001"), [row[1:3] for row in books.postings()]) == (
        "PAID", [(100, "FINAL"), (10_000, "FINAL")],
    )  # fmt: skip
