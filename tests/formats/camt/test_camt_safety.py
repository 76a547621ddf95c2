"""Hostile and broken camt files: refused with place and reason, or read as they are; no crash, no other sum."""
# ruff: noqa: E501  # a case per line

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from lxml import etree

from paymatch.domain.money import CURRENCIES, EUR, MAX_MINOR, Currency, minor_to_decimal
from paymatch.domain.postings import Posting
from paymatch.formats.camt.reader import read_camt
from paymatch.formats.camt.writer import VERSIONS, CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.read import recognise
from paymatch.formats.statement import Entry, FileRefused, StatementEvent, StatementHead, UnreadableEntry
from tests.formats.camt.camt_samples import GERMAN, RETURN, SWISS_BATCH, camt053, entries_of, events_of, simple_entry

MUTATIONS = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 2_000

BILLION_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DOCTYPES = {
    "file": '<!DOCTYPE Document [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    "network": '<!DOCTYPE Document SYSTEM "http://127.0.0.1:1/x.dtd">',
    "parameter": '<!DOCTYPE Document [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>',
    "laughs": f'<!DOCTYPE Document [<!ENTITY l0 "lol">{BILLION_LAUGHS}]>',
    "quadratic": f'<!DOCTYPE Document [<!ENTITY x "{"a" * 50_000}">]>',
    "plain": "<!DOCTYPE Document>",
}


@pytest.mark.parametrize("kind", list(DOCTYPES))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_doctype_is_refused_in_every_encoding(kind: str, encoding: str) -> None:
    """Before anything of it is parsed, behind comments and instructions too."""
    text = f"<!-- {'x' * 5000} --><?y z?>\n{DOCTYPES[kind]}{camt053(simple_entry('&x;'))}"
    for content in (text, f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>{text}'):
        with pytest.raises(FileRefused, match=r"<!DOCTYPE is not allowed"):
            events_of(content.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-7", "utf-32", "cp037", "unknown-9", "rot13", "hz", "idna"])
def test_an_encoding_in_which_a_doctype_could_hide_is_refused(encoding: str) -> None:
    with pytest.raises(FileRefused, match="encoding"):
        events_of(f'<?xml version="1.0" encoding="{encoding}"?>{camt053()}')
    with pytest.raises(FileRefused):
        events_of(b"\xff\xfe\0\0" + camt053().encode("utf-32-le"))


def test_an_entity_without_doctype_is_refused() -> None:
    with pytest.raises(FileRefused, match=r"line 1: the XML is broken: Entity 'x' not defined"):
        events_of(camt053(simple_entry(more="<AddtlNtryInf>&x;</AddtlNtryInf>")))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (camt053(f"<Ntry>{'<a>' * 270}{'</a>' * 270}</Ntry>"), "line 1: the XML is broken: Excessive depth in document: 256"),
        (camt053(head="<a>" * 270 + "</a>" * 270), "line 1: the XML is broken: Excessive depth in document: 256"),
        (camt053(simple_entry(more="<a></a>" * 2_500_000)), "an element is larger than 16,777,216 characters"),
        (camt053(head="<a>x</a>" * 2_200_000), "an element is larger than 16,777,216 characters"),
        (camt053(simple_entry()).replace("<Stmt>", "<Stmt><Other>").replace("</Stmt>", "</Other></Stmt>"), "line 1: Ntry is outside of a statement"),
        (camt053("<Ntry><Ntry></Ntry></Ntry>"), "line 1: Ntry is outside of a statement"),
        (camt053(f"<!--{'x' * 20_000_000}-->"), "an element is larger than 16,777,216 characters"),
        (camt053(f"<Id>{'x' * 11_000_000}</Id>"), "line 1: the XML is broken: Resource limit exceeded"),
        (camt053(simple_entry(more="<X a:b='1'/>" * 50), simple_entry(more="<X a:b='1'/>" * 50)), "line 1: more than 100 faults of namespaces"),
        ("<Document></Document>", "line 1: element Document is not a statement (camt.052, camt.053, camt.054)"),
        ("\n\n<Document>\n<a></b></Document>", "line 4: the XML is broken: Opening and ending tag mismatch: a"),
        (camt053(simple_entry("1\x00")), "line 1: the XML is broken"),
        (camt053().encode() + b"<x/>", "line 1: the XML is broken: Extra content at the end of the document"),
        (b"", "line 1: no XML element begins here"),
        (b"<", "line 1: no XML element begins here"),
        (camt053(simple_entry(more="<AddtlNtryInf>\x81</AddtlNtryInf>")).encode("latin-1"), "the file is not written in the encoding utf-8 that it claims"),
    ],
)  # fmt: skip
def test_what_is_no_bank_file_is_refused_with_place_and_reason(content: str | bytes, reason: str) -> None:
    with pytest.raises(FileRefused) as refusal:
        events_of(content)
    assert str(refusal.value).startswith(reason)


def test_text_that_looks_like_elements_stays_text() -> None:
    """A `>` need not be escaped in XML; nobody may write another amount into the remittance information."""
    forged = '<AddtlNtryInf>a>/AddtlNtryInf>Amt Ccy="EUR">999.00>/Amt>AddtlNtryInf>b</AddtlNtryInf>'
    content = camt053(*[simple_entry(more="<AddtlNtryInf>x</AddtlNtryInf>")] * 10, simple_entry(more=forged))
    *_, last = entries_of(content)
    assert isinstance(last, Entry)
    assert last.amount_minor == 1000
    assert last.additional_info == 'a>/AddtlNtryInf>Amt Ccy="EUR">999.00>/Amt>AddtlNtryInf>b'
    for hidden in ("<!-- <Ntry></Ntry> -->", "<![CDATA[<Ntry></Ntry>]]>", "<?x <Ntry></Ntry> ?>"):
        assert len(entries_of(camt053(simple_entry(), hidden, simple_entry()))) == 2


def _outcome(content: bytes) -> list[StatementEvent] | str:
    try:
        return events_of(content)
    except FileRefused as refusal:
        return str(refusal)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_cut_off_anywhere_is_refused(encoding: str) -> None:
    """At every byte."""
    content = (camt053(GERMAN, RETURN, "<!-- x -->", "<![CDATA[ ]]>")).encode(encoding)
    whole = _outcome(content)
    assert isinstance(whole, list)
    for length in range(len(content)):
        assert isinstance(_outcome(content[:length]), str), length


def _base_files() -> list[bytes]:
    day = date(2026, 3, 2)
    postings = [
        Posting("DE89370400440532013000", EUR, sign * cents, day, day, f"R{cents}", counterparty_name="Müller & Co",
                counterparty_iban="DE02120300000000202051", remittance_lines=("R-1", "R-2"), end_to_end_id="E")
        for sign, cents in ((1, 1990), (-1, 500), (1, 100))
    ]  # fmt: skip
    bookings = (
        WrittenEntry(tuple(postings[:1])),
        WrittenEntry(tuple(postings[1:2])),
        WrittenEntry(tuple(postings), bank_reference="B"),
    )
    statement = CamtStatement("DE89370400440532013000", EUR, 0, day, day, "S", 1, bookings)
    at = datetime(2026, 3, 3, tzinfo=UTC)
    files = [write_camt([statement], at, message, version) for message in CamtMessage for version in VERSIONS]
    files.append(camt053(GERMAN, "<!-- c -->", SWISS_BATCH, RETURN).encode())
    files.append(camt053(*[simple_entry()] * 6, namespace="").encode("utf-16"))
    prefixed = camt053(GERMAN, simple_entry()).replace("</", "</p:").replace("<", "<p:").replace("<p:/p:", "</p:")
    files.append(prefixed.replace("<p:Document xmlns", "<p:Document xmlns:p").encode())
    return files


def _change_a_digit(rng: random.Random, data: bytearray) -> None:
    places = [place for place, byte in enumerate(data) if byte in b"0123456789"]
    if places:
        data[rng.choice(places)] = rng.choice(b"0123456789012345678901234567890123456789.,- ")


_MUTATORS: list[Callable[[random.Random, bytearray], None]] = [
    _change_a_digit,
    _change_a_digit,
    _change_a_digit,
    lambda rng, data: data.__setitem__(rng.randrange(len(data)), rng.randrange(256)),
    lambda rng, data: data.__delitem__(slice(at := rng.randrange(len(data)), at + rng.choice([1, 1, 2, 20, 400]))),
    lambda rng, data: data.__setitem__(slice(at := rng.randrange(len(data)), at), data[at : at + rng.randrange(1,
    300)]),
    lambda rng, data: data.__setitem__(
        slice(at := rng.randrange(len(data)), at + rng.randrange(3)),
        rng.choice([b"<", b">", b"/", b"&", b"\0", b"<Ntry>", b"</Ntry>", b"<TxDtls/>", b"9" * 16, b".", b"-", b",", b"<!--", b"-->", b"]]>", b"<![CDATA[", b"&#0;", b"&gt;", b"&#10;", b"\xff", b" ", b"Ccy"]),
    ),
    lambda rng, data: data.reverse() if rng.random() < 0.02 else data.__setitem__(rng.randrange(len(data)), rng.choice(b"0123456789<>.")),
]  # fmt: skip


def _by_tree(content: bytes) -> list[str]:
    """Signed amounts as a reader of the whole tree finds them: the opinion to compare with."""
    root = etree.fromstring(
        content, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    )
    amounts = []
    for entry in root.iter("{*}Ntry"):
        fields = {str(child.tag).rpartition("}")[2]: child.text or "" for child in reversed(entry)}
        amounts.append(f"{fields.get('CdtDbtInd', '').strip()} {fields.get('Amt', '').strip()}")
    return amounts


def _check_same_as_tree(content: bytes, events: list[StatementEvent]) -> None:
    found = [event for event in events if isinstance(event, Entry | UnreadableEntry)]
    expected = _by_tree(content)
    assert len(found) == len(expected)
    for entry, text in zip(found, expected, strict=True):
        if isinstance(entry, Entry):
            sign, _, amount = text.partition(" ")
            assert entry.currency in CURRENCIES
            assert abs(entry.amount_minor) <= MAX_MINOR
            value = minor_to_decimal(entry.amount_minor, Currency(entry.currency))
            assert value == (Decimal(amount) if sign == "CRDT" else -Decimal(amount))


def test_mutated_files_are_refused_or_read_as_they_are() -> None:
    """Seeded: the number in a failure is the seed of its file."""
    bases = _base_files()
    accepted = 0
    for seed in range(MUTATIONS):
        rng = random.Random(seed)
        data = bytearray(rng.choice(bases))
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            if data:
                rng.choice(_MUTATORS)(rng, data)
        content = bytes(data)
        try:
            recognise(io.BytesIO(content))
            events = list(read_camt(io.BytesIO(content)))
        except FileRefused as refusal:
            assert str(refusal)
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
        accepted += 1
        try:
            _check_same_as_tree(content, events)
        except (AssertionError, etree.XMLSyntaxError, ArithmeticError) as error:
            # The other reader minds the form of a namespace, which this one does not need, and reads no code page.
            if "is not a valid URI" in str(error) or "Invalid bytes in character encoding" in str(error):
                continue
            raise AssertionError(f"seed {seed}: {error!r}") from error
    assert accepted > MUTATIONS // 10


def test_memory_does_not_grow_with_the_file() -> None:
    """The reader holds one entry at a time: of nine thousand only the current one is alive."""

    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.left = 300
            self.parts = [camt053("|").partition("|")[0].encode()]

        def read(self, size: int = -1) -> bytes:
            if self.parts:
                return self.parts.pop()
            self.left -= 1
            return (simple_entry() * 30).encode() if self.left >= 0 else b""

    import tracemalloc

    tracemalloc.start()
    count = 0
    with pytest.raises(FileRefused, match="XML is broken"):
        for event in read_camt(Endless()):  # type: ignore[arg-type]
            count += isinstance(event, Entry | StatementHead)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 9_001
    assert peak < 8_000_000
