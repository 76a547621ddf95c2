"""Documents beside statements with random damage: each is read or refused in one sentence, within seconds of CPU.

Advices in all forms, mails with advices or about failed deliveries, reports of agencies and banks, tables of orders,
feeds, workbooks, settlement files. 300 files in `make test`, 6,000 in `make soak`; a number makes its file again.
"""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from datetime import date
from email.message import EmailMessage
from time import process_time
from typing import Final

import pytest
import typst
import xlsxwriter

from paymatch.domain.refusal import Refused
from paymatch.formats.account_information import AccountReport, ReportedParty, ReportedTransaction, write_report
from paymatch.formats.advices.reading import read_advice
from paymatch.formats.collection.reports import read_reports
from paymatch.formats.mail.advice_mail import read_advice_mail
from paymatch.formats.mail.delivery_report import bounces
from paymatch.formats.order_files.table import read_order_table
from paymatch.formats.sepa.pain002 import read_pain002
from paymatch.formats.settlements.layouts import layouts, recognise_settlement
from paymatch.formats.settlements.reader import SettlementReading
from paymatch.formats.statement import FileRefused
from tests.formats.advices.test_reading import CARRIER, REMADV, REMT, UBL
from tests.formats.settlements.files import KLARNA, PAYPAL_DE, STRIPE_PAYOUTS_RECONCILED
from tests.hostile.test_mutated_files import read_all

FILES: Final = 6_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 300
PARTS: Final = 6
MOST_CPU_SECONDS: Final = 4.0
TOKENS: Final = tuple(
    text.encode()
    for text in (
        "\x00", "\x1b[2J", "\u202e", "\r", "\n\n", '"', ";", "'", "+", "?", ":", "<a>", "</Strd>", "<!DOCTYPE a>",
        "<![CDATA[", "]]>", "&lt;", "&#0;", "[[[[", "{", "}", "null", "9" * 30, "-1", "1e9", "1e999999", "0001-01-01",
        "NaN", "=1+1", "€", "Content-Type: multipart/mixed; boundary=x", "From: a@b", "UNH+", "UNS+S'",
        "MOA+12:", "\xfc",
    )
)  # fmt: skip


def _workbook() -> bytes:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file)
    sheet = book.add_worksheet()
    for place, row in enumerate([["Order number", "Amount"], ["SW-1", 119.9], ["SW-2", 1049], ["Total", 1168.9]]):
        sheet.write_row(place, 0, row)
    book.close()
    return file.getvalue()


def _pdf() -> bytes:
    lines = ["Payer: Muster GmbH", "Order SW-1001 1,100.00", "Order SW-1002 50.00", "Total 1,150.00"]
    return bytes(typst.compile(" \\\n ".join(lines).encode()))


def _mail() -> bytes:
    made = EmailMessage()
    made["Authentication-Results"] = "mx.shop.example; dkim=pass header.d=kurier.example"
    made["From"], made["To"] = (
        "Kurier <avis@kurier.example>",
        "advices+0197aaaa-0000-7000-8000-000000000001@shop.example",
    )
    made.set_content("See the attachment.")
    made.add_alternative("<b>See</b>", subtype="html")
    made.add_attachment(CARRIER.encode(), maintype="text", subtype="csv", filename="avis ü.csv")
    made.add_attachment(UBL.encode(), maintype="application", subtype="xml", filename="avis.xml")
    return made.as_bytes()


_BOUNCE: Final = b"""Return-Path: <>
From: postmaster@mx.example
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

failed
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; eva@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 unknown

--b
Content-Type: message/rfc822

Message-ID: <m-1@shop.example>
Subject: x

x
--b--
"""
_PAIN002: Final = b"""<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">
<CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>P1</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>E1</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn>
<Cd>AC04</Cd></Rsn></StsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>"""
_FEED: Final = write_report(
    AccountReport(
        "enable-banking", "DE89370400440532013000", "EUR", date(2026, 3, 9), date(2026, 3, 10),
        transactions=(
            ReportedTransaction(
                "100.00", "EUR", is_credit=True, reference="R1", booking_date="2026-03-10",
                debtor=ReportedParty("Eva Muster", "DE75512108001245126199"), remittance=("SW-1001",),
            ),
        ),
    )
)  # fmt: skip
_ORDERS: Final = b"number;date;type;amount;currency;billing.lastName\nSW-1;01-03-2026;PREPAYMENT;10.00;EUR;Muster\n"
_AGENCY: Final = b"orderNumber;file;status;description\nA-1001;IN-7;ACCEPTED;x\nA-1002;IN-8;PAID;y\n"
_AGENCY_JSON: Final = (
    b'[{"orderNumber": "A-1001", "file": "IN-7", "status": "ACCEPTED"}, {"file": "IN-8", "status": "PAID"}]'
)


def _settlement(data: bytes) -> None:
    found = recognise_settlement(io.BytesIO(data), layouts())
    if found is not None:
        list(SettlementReading(io.BytesIO(data), found, "EUR").events())


_READERS: Final[tuple[tuple[str, bytes, Callable[[bytes], object]], ...]] = (
    ("advice, table", CARRIER.encode(), lambda data: read_advice(data, "EUR")),
    ("advice, EDIFACT", REMADV.format(total="148.00").encode(), lambda data: read_advice(data, "EUR")),
    ("advice, UBL", UBL.encode(), lambda data: read_advice(data, "EUR")),
    ("advice, remt", REMT.encode(), lambda data: read_advice(data, "EUR")),
    ("advice, workbook", _workbook(), lambda data: read_advice(data, "EUR")),
    ("advice, PDF", _pdf(), lambda data: read_advice(data, "EUR")),
    ("mail", _mail(), lambda data: read_advice_mail(data, "mx.shop.example")),
    ("failed delivery", _BOUNCE, bounces),
    ("pain.002", _PAIN002, lambda data: read_pain002(io.BytesIO(data))),
    ("feed", _FEED, read_all),
    ("statement, workbook", _workbook(), read_all),
    ("orders", _ORDERS, read_order_table),
    ("agency, table", _AGENCY, read_reports),
    ("agency, JSON", _AGENCY_JSON, read_reports),
    ("Stripe", STRIPE_PAYOUTS_RECONCILED.encode(), _settlement),
    ("PayPal", PAYPAL_DE.encode(), _settlement),
    ("Klarna", KLARNA.encode(), _settlement),
)


def mutated(number: int) -> bytes:
    """The document of this number with up to eight damages: cut, doubled, swapped, in another encoding, nested."""
    chance = random.Random(number)
    data = bytearray(_READERS[number % len(_READERS)][1])
    for _ in range(chance.randint(1, 8)):
        at, length = chance.randrange(len(data) + 1), chance.choice((1, 2, 8, 60, 400))
        kind = chance.randrange(8)
        if kind == 0:
            data[at : at + length] = b""
        elif kind == 1:
            data[at:at] = chance.choice(TOKENS) * chance.choice((1, 1, 10, 2_000))
        elif kind == 2:
            data[at:at] = data[at : at + length] * chance.choice((1, 3, 100))
        elif kind == 3:
            data[at : at + length] = chance.randbytes(length)
        elif kind == 4:
            other = chance.randrange(len(data) + 1)
            first, second = sorted((at, other))
            data = data[second:] + data[first:second] + data[:first]
        elif kind == 5:
            text = data.decode("latin-1")
            data = bytearray(text.encode(chance.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-8"))))
        elif kind == 6:
            data += bytes(data)
        else:
            del data[at:]
        data = data[: 1 << 20] or bytearray(b" ")
    return bytes(data)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_document_is_read_or_refused_in_one_sentence(part: int) -> None:
    read = 0
    for number in range(part, FILES, PARTS):
        name, _, reader = _READERS[number % len(_READERS)]
        data, began = mutated(number), process_time()
        try:
            reader(data)
            read += 1
        except (FileRefused, Refused) as refusal:
            assert str(refusal).strip(), f"{name} {number}"
            assert len(str(refusal)) < 2_000, f"{name} {number}"
        except Exception as error:
            raise AssertionError(f"{name} {number}: {error!r}") from error
        assert process_time() - began < MOST_CPU_SECONDS, f"{name} {number}"
    assert read > FILES / PARTS / 20, "too few of the documents can be read at all"
