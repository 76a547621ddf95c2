"""OFX: one case per way of banks that the corpus does not have."""

from __future__ import annotations

import io

from paymatch.formats.ofx import read_ofx
from paymatch.formats.statement import Entry, UnreadableEntry


def entries(*transactions: str, encoding: str = "utf-8") -> list[int | str]:
    """Amounts of the entries, and reasons of the unreadable ones."""
    text = (
        "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>123"
        f"</BANKACCTFROM><BANKTRANLIST>{''.join(transactions)}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    )
    events = read_ofx(io.BytesIO(text.encode(encoding)))
    return [
        event.amount_minor if isinstance(event, Entry) else event.reason
        for event in events
        if isinstance(event, Entry | UnreadableEntry)
    ]


def test_a_statement_without_currency_takes_that_of_the_entry() -> None:
    text = b"<OFX><STMTRS><CURDEF></CURDEF><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260310<TRNAMT>1.00"
    text += b"<CURRENCY><CURRATE>1<CURSYM>AUD</CURRENCY></STMTTRN></STMTRS></OFX>"
    assert [event.currency for event in read_ofx(io.BytesIO(text)) if isinstance(event, Entry)] == ["AUD"]


def transaction(kind: str, amount: str, more: str = "") -> str:
    return f"<STMTTRN><TRNTYPE>{kind}<DTPOSTED>20260310<TRNAMT>{amount}<FITID>1<NAME>Müller{more}</STMTTRN>"


def test_an_amount_in_another_currency_than_the_statement_is_unreadable() -> None:
    foreign = "<CURRENCY><CURRATE>1.1<CURSYM>USD</CURRENCY>"
    converted = foreign.replace("CURRENCY", "ORIGCURRENCY")
    assert entries(transaction("CREDIT", "1.00", foreign), transaction("CREDIT", "2.00", converted)) == [
        "line 4: the amount is in USD, the statement in EUR",
        200,
    ]


def test_a_debit_of_a_file_without_any_minus_is_unreadable() -> None:
    assert entries(transaction("CREDIT", "1.00"), transaction("DEBIT", "2.00")) == [
        100,
        "line 4: the type is DEBIT, but the amount '2.00' has no minus, as all in the file",
    ]
    assert entries(transaction("CREDIT", "1.00"), transaction("DEBIT", "-2.00"), transaction("DEBIT", "3.00")) == [
        100,
        -200,
        300,
    ]


def test_utf_16() -> None:
    assert entries(transaction("CREDIT", "1.00"), encoding="utf-16") == [100]


def test_characters_cdata_and_comments_of_xml_are_read() -> None:
    said = (
        "<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20261120</DTPOSTED><TRNAMT>5.00</TRNAMT><FITID>1</FITID>"
        "<NAME><![CDATA[A & B <Co>]]></NAME><!-- <STMTTRN> -->"
        "<MEMO>SO&#45;4711 B&#xFC;cher &uuml;ber AT&amp;T &amp;lt; R&D</MEMO></STMTTRN>"
    )
    text = f"<OFX><STMTRS><CURDEF>EUR</CURDEF>{said}</STMTRS></OFX>"
    [entry] = [event for event in read_ofx(io.BytesIO(text.encode())) if isinstance(event, Entry)]
    assert entry.details[0].debtor.name == "A & B <Co>"
    assert entry.details[0].remittance_lines == ("SO-4711 Bücher über AT&T &lt; R&D",)


def test_cdata_that_never_ends_does_not_hide_the_rest() -> None:
    text = "<OFX><STMTRS><CURDEF>EUR" + transaction("CREDIT", "1.00", "<MEMO><![CDATA[") + "</STMTRS></OFX>"
    assert [event.amount_minor for event in read_ofx(io.BytesIO(text.encode())) if isinstance(event, Entry)] == [100]
