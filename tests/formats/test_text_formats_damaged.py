"""Damaged MT940, CSV and OFX files: refused with a reason or kept as error rows; no crash, no other amount."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Iterator

import pytest

from paymatch.domain.money import MAX_MINOR
from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.ofx import read_ofx
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementHead, UnreadableEntry
from paymatch.formats.tables.reader import read_csv

MUTATIONS = 2_500 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 500

Read = Callable[[io.BytesIO], Iterator[object]]

MT940 = (
    b":20:STARTUMSE\r\n:25:DE53677979049691425502\r\n:28C:217/1\r\n:60F:C260805EUR10044,90\r\n"
    b":61:2608050805C33,70NTRFNONREF//P00000002\r\n"
    b":86:166?00GUTSCHRIFT?109301?20SVWZ+Bestellungen  1837/SW-?2110840?30C\r\nOBADEFFXXX?31DE89993868758819600373"
    b"?32Jacob AG & Co. KGaA\r\n"
    b":61:2608050805RC12,00NTRFNONREF//P00000003\r\n:86:159?00RETOURE?20EREF+R-77?34911\r\n"
    b":62F:C260805EUR10066,60\r\n-\r\n"
)
SWIFT = (
    b"{1:F01INGBNL2ABXXX0000000000}\r\n{2:I940INGBNL2AXXXN}\r\n{4:\r\n:20:P1\r\n:25:NL47INGB0001212121EUR\r\n:28C:00000\r\n"
    b":60F:C170517EUR10000,00\r\n:61:1706010601D100,00NDDTEREF//6666666666666\r\n/TRCD/01018/\r\n"
    b":86:/EREF/0000008668//CNTP/NL88INGB0999999999/INGBNL2A/RAAMEN NV///REMI/USTD//KASSA 2 ABC-654321/\r\n"
    b":62F:C170601EUR9900,00\r\n-}\r\n"
)
CSV = (
    "Kontonummer:;DE53677979049691425502\n\nBuchungstag;Valuta;Empfänger;Verwendungszweck;Betrag;Währung;Saldo\n"
    "04.08.2026;04.08.2026;Ekkehart Lorch;SW-10843;44,90;EUR;1.044,90\n"
    '05.08.2026;05.08.2026;Jacob AG;"SW-10840; Rest";-1.033,70;EUR;11,20\n'
).encode("cp1252")
OFX = (
    b"OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>123\n"
    b"</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260320<TRNAMT>1250.50<FITID>F-1<NAME>Kern\n"
    b"<MEMO>SW-10843</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
)
READERS: dict[str, tuple[Read, bytes]] = {
    "mt940": (read_mt940, MT940),
    "swift": (read_mt940, SWIFT),
    "csv": (read_csv, CSV),
    "ofx": (read_ofx, OFX),
}


def _events(read: Read, data: bytes) -> list[object] | None:
    """The events, None for a refused file; anything else is a crash. The order of events is checked."""
    try:
        events = list(read(io.BytesIO(data)))
    except FileRefused as refusal:
        assert str(refusal)
        return None
    inside = False
    positions: list[int] = []
    for event in events:
        if isinstance(event, StatementHead):
            assert not inside
            inside, positions = True, []
        elif isinstance(event, StatementEnd):
            assert inside
            assert sorted(positions) == list(range(len(positions)))
            inside = False
        else:
            assert inside
            assert isinstance(event, Entry | UnreadableEntry)
            positions.append(event.position)
            if isinstance(event, Entry):
                assert abs(event.amount_minor) <= MAX_MINOR
    assert not inside
    return events


def _facts(events: list[object]) -> list[tuple[object, ...]]:
    return [
        (entry.amount_minor, entry.booking_date, entry.bank_reference) for entry in events if isinstance(entry, Entry)
    ]


@pytest.mark.parametrize("kind", READERS)
def test_file_cut_at_any_byte_gives_no_other_entry(kind: str) -> None:
    read, data = READERS[kind]
    whole = _events(read, data)
    assert whole is not None
    for length in range(len(data)):
        events = _events(read, data[:length])
        if events is not None:
            facts = _facts(events)
            assert facts == _facts(whole)[: len(facts)], length


@pytest.mark.parametrize("kind", ["mt940", "swift", "ofx"])
def test_file_cut_inside_a_statement_is_refused(kind: str) -> None:
    read, data = READERS[kind]
    marks = {"mt940": b":62F:C260805EUR10066,60", "swift": b":62F:C170601EUR9900,00", "ofx": b"</OFX>"}
    first = {"mt940": b":25:", "swift": b":25:", "ofx": b"<OFX>"}
    begin, end = data.index(first[kind]), data.index(marks[kind])
    for length in range(begin + 5, end):
        assert _events(read, data[:length]) is None, length


@pytest.mark.parametrize("kind", READERS)
def test_nul_is_refused_wherever_it_stands(kind: str) -> None:
    read, data = READERS[kind]
    for at in range(0, len(data), 7):
        assert _events(read, data[:at] + b"\x00" + data[at + 1 :]) is None


def _mutated(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(6)
        if kind == 0 and changed:
            changed[at % len(changed)] = rng.randrange(256)
        elif kind == 1:
            del changed[at : at + rng.randint(1, 30)]
        elif kind == 2:
            changed[at:at] = rng.choice(_PIECES)
        elif kind == 3:
            begin = rng.randrange(len(changed) + 1)
            changed[at:at] = changed[begin : begin + rng.randint(1, 120)]
        elif kind == 4:
            changed = changed[:at]
        else:
            changed = bytearray(changed.replace(rng.choice(_PIECES), rng.choice(_PIECES)))
        changed = changed or bytearray(b"\n")
    return bytes(changed[:6000])


_PIECES = (
    b":20:", b":61:", b":86:", b":62F:", b"-", b"\r\n", b"\n", b"\r", b"?20", b"?", b"/", b"//", b"{4:", b"-}", b"EUR",
    b"JPY", b"KWD", b"1000000000000000,00", b"0,001", b",", b".", b"C", b"RD", b"SVWZ+", b"EREF+", b"\xff\xfe", b"\xc3",
    b"\xe4", b'"', b";", b"<STMTTRN>", b"</STMTTRN>", b"<", b">", b"&#0;", b"\x1a", b"9" * 30, b"@@", b"(", b"-" * 3,
    b"\xef\xbb\xbf", b"31.02.2026", b"260230", b"00.00.", b"<!DOCTYPE x>",
)  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_mutated_files_never_crash(part: int) -> None:
    """Small mutated files; PAYMATCH_MUTATION_SEED replays one: `part:number` as a failure prints it."""
    replay = os.environ.get("PAYMATCH_MUTATION_SEED", "")
    for number in range(MUTATIONS):
        seed = f"{part}:{number}"
        if replay and seed != replay:
            continue
        rng = random.Random(seed)
        read, data = READERS[rng.choice(list(READERS))]
        mutated = _mutated(rng, data)
        try:
            _events(read, mutated)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r} in {mutated!r}") from error


_ENTRY = b":20:A\n:25:1\n:60F:C260804EUR0,\n:61:260804C1,00NTRFX\n"


@pytest.mark.parametrize("read", [read_mt940, read_csv, read_ofx])
@pytest.mark.parametrize(
    "data",
    [
        _ENTRY + b":86:" + b" " * 60_000 + b"\n-\n",
        _ENTRY + b":86:166?20" + b"EREF+ " * 9_000 + b"\n" + b"IBAN: BIC: " * 5_000 + b"\n-\n",
        _ENTRY + b":86:" + b"/EREF/" * 10_000 + b"\n-\n",
        b"Datum;Betrag;Text\n03.08.2026;1,00;Auftraggeber: " + b" " * 100_000 + b"x\n",
        b"Konto;" + b"DE00" * 20_000 + b"\nDatum;Betrag;Text\n03.08.2026;1,00;a\n",
        b"<OFX>" + b"<A" * 300_000,
        b"<OFX><STMTRS>" + b"<STMTTRN " * 100_000,
    ],
    ids=["blanks", "tags", "slashes", "label", "accounts", "open", "unclosed"],
)
def test_file_made_to_be_slow_is_no_trouble(read: Read, data: bytes) -> None:
    """Each of these took minutes with an expression that tries everything twice."""
    _events(read, data)


@pytest.mark.parametrize("read", [read_mt940, read_csv, read_ofx])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\x00" * 100,
        bytes(range(256)) * 20,
        b"%PDF-1.7\n" + b"\x01\xff" * 500,
        b"a" * 300_000,
        b";" * 70_000,
    ],
    ids=["empty", "blank", "zeros", "bytes", "pdf", "one line", "delimiters"],
)
def test_what_is_no_statement_is_refused(read: Read, data: bytes) -> None:
    assert _events(read, data) is None
