"""Reports of an agency as CSV and JSON, and the dossier as a ZIP."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pikepdf
import pytest

from paymatch.domain.collection.cases import CaseStatus, CollectionRefused
from paymatch.formats.collection.dossier import AgencyMessage, papers_of, write_message
from paymatch.formats.collection.reports import AgencyReport, read_reports
from paymatch.formats.letters.paper import Box
from tests.formats.letters.looks import has_ink, page

WANTED = [
    AgencyReport("A-1", "IN-1", CaseStatus.ACCEPTED),
    AgencyReport("", "IN-2", CaseStatus.PRELEGAL, "First letter; sent"),
]


def test_csv_and_json_say_the_same() -> None:
    rows = [
        {"orderNumber": "A-1", "file": "IN-1", "status": "accepted"},
        {"file": "IN-2", "status": "PRELEGAL", "description": "First letter; sent"},
    ]
    semicolons = (
        '\ufefforderNumber;file;status;description\r\nA-1;IN-1;ACCEPTED;\r\n;IN-2;PRELEGAL;"First letter; sent"\r\n'
    )
    commas = "file,status,orderNumber,description\nIN-1,ACCEPTED,A-1,\nIN-2,PRELEGAL,,First letter; sent\n"
    for content in (json.dumps(rows), semicolons, commas):
        assert read_reports(content.encode()) == WANTED


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "The report is not in UTF-8"),
        (b"[{", "The report is not valid JSON"),
        (b"[" * 100_000, "The report is not valid JSON"),
        (b"[1]", "Report 1 is not an object"),
        (b"[{}]", "Report 1 names neither orderNumber nor file"),
        (b'[{"orderNumber": "A"}]', "Report 1 is empty: status, file or description is needed"),
        (b'[{"orderNumber": "A", "status": "WON"}]', "Report 1: status is one of ACCEPTED, REJECTED"),
        (b'[{"orderNumber": "A", "status": "WITHDRAWN"}]', "Report 1: status is one of ACCEPTED, REJECTED"),
        (b'[{"orderNumber": ["A"], "status": "PAID"}]', "Report 1: orderNumber is not a text"),
        (b'[{"orderNumber": "A\\u001b[2J", "status": "PAID"}]', "Report 1: orderNumber has more than 1000 characters"),
        (b"orderNumber;state\nA;PAID\n", "The report needs a first line that names its columns: orderNumber, file"),
        (b'orderNumber;status\n"A;PAID\n', "The report is not valid CSV"),
    ],
)
def test_a_report_that_cannot_be_read_is_refused_whole(content: bytes, words: str) -> None:
    with pytest.raises(CollectionRefused, match=words.replace("[", r"\[")):
        read_reports(content)


def facts() -> dict[str, object]:
    customer = {"name": "Eva #Muster", "company": "", "address": "", "email": "", "phone": "", "number": ""}
    amounts = {"open": "10.00", "fees": "0.00", "interest": "0.00", "lumpSum": "0.00", "total": "10.00"}
    days = {
        "orderDate": "2026-03-02",
        "dueDate": "2026-03-09",
        "warnedOn": "2026-04-20",
        "handedOver": "2026-05-04",
        "interestUntil": "",
    }
    return {
        "orderNumber": "A-1 #strong[x] $y$", "currency": "EUR", "case": "co_1", "shop": "Shop", "agency": "Agency",
        "reference": "RF18", "customer": customer, **amounts, **days,
    }  # fmt: skip


def test_a_handover_holds_a_summary_tables_and_papers_and_is_the_same_each_time() -> None:
    tables = {
        "reminders": [{"date": "2026-03-16", "level": "1", "fee": "0.00"}],
        "postings": [{"date": "2026-03-20", "amount": "-2.50", "name": "=cmd", "text": "A;1"}],
    }
    papers = papers_of([("R/1", b"%PDF-1.7", "pdf"), ("R_1", b"%PDF-1.7", "pdf"), ("../..", b"x", "png")])
    assert list(papers) == ["R_1.pdf", "R_1-2.pdf", "_.png"]
    content = write_message(AgencyMessage(facts(), tables, papers))
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        assert bundle.namelist() == [
            "message.json", "summary.pdf", "reminders.csv", "postings.csv",
            "papers/R_1.pdf", "papers/R_1-2.pdf", "papers/_.png",
        ]  # fmt: skip
        assert json.loads(bundle.read("message.json")) == {"version": 1, **facts()}
        assert (
            bundle.read("postings.csv") == '\ufeffdate;amount;name;text\r\n2026-03-20;-2.50;\'=cmd;"A;1"\r\n'.encode()
        )
        with pikepdf.open(io.BytesIO(bundle.read("summary.pdf"))) as pdf:
            assert len(pdf.pages) == 1
            assert str(pdf.docinfo["/Title"]) == "Collection of order A-1 #strong[x] $y$"
            assert "/CreationDate" not in pdf.docinfo  # the hour is no part of it
    assert content == write_message(AgencyMessage(facts(), tables, papers))


def test_the_summary_keeps_what_a_bank_wrote_on_the_sheet(tmp_path: Path) -> None:
    """References of banks are words of many characters."""
    posting = {"date": "2026-03-20", "amount": "-2.50", "name": "Eva Muster", "text": f"EREF+{'0123456789' * 14}"}
    content = write_message(AgencyMessage(facts() | {"orderNumber": "A" * 200}, {"postings": [posting]}))
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        pixels = page(tmp_path, bundle.read("summary.pdf"))
    assert has_ink(pixels, Box(22, 20, 166, 120))
    assert not has_ink(pixels, Box(189, 0, 20, 297))


def test_a_payment_is_told_in_one_small_file() -> None:
    content = write_message(AgencyMessage({"kind": "payment", "open": "2.00"}))
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        assert bundle.namelist() == ["message.json"]
    assert content == write_message(AgencyMessage({"kind": "payment", "open": "2.00"}))
