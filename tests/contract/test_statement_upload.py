"""Our addition: bank statements by upload. Any file is booked whole, flagged, or refused whole."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from paymatch.domain.money import EUR
from paymatch.formats.mt940.writer import StatementToWrite, write_mt940
from paymatch.store.statements.statements import lock_imports
from paymatch.usecases.statements import accounts
from paymatch.usecases.statements.csv_mapping import mapping
from tests.contract.bank import ACCOUNT, entry
from tests.contract.client import Reply, ShopClient, with_scope, with_statements
from tests.contract.test_bad_input import contract_like
from tests.contract.test_invoices_and_images import form
from tests.waiting import wait_until

N = "SU-12001"
CAMT = """<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
<GrpHdr><MsgId>M</MsgId><CreDtTm>2026-03-02T00:00:00</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><ElctrncSeqNb>1</ElctrncSeqNb><CreDtTm>2026-03-02T00:00:00</CreDtTm>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">0.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>@DATE</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">@AMOUNT</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>@DATE</Dt></Dt></Bal>
<Ntry><Amt Ccy="@CURRENCY">@AMOUNT</Amt><CdtDbtInd>@SIGN</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>@DATE</Dt></BookgDt><ValDt><Dt>@VALUE</Dt></ValDt><AcctSvcrRef>@REFERENCE</AcctSvcrRef>
<NtryDtls><TxDtls><Refs><EndToEndId>@END</EndToEndId></Refs><RltdPties><Dbtr><Nm>@NAME</Nm></Dbtr></RltdPties>
<RmtInf><Ustrd>@TEXT</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>"""
RIGHT = {
    "DATE": "2026-03-02", "AMOUNT": "19.90", "CURRENCY": "EUR", "SIGN": "CRDT", "VALUE": "2026-03-02",
    "REFERENCE": "R1", "END": "E1", "NAME": "Eva Muster", "TEXT": f"Bestellung {N}",
}  # fmt: skip


@pytest.fixture
def shop(shop: ShopClient) -> ShopClient:
    return with_statements(shop)


def camt(**changes: str) -> bytes:
    text = CAMT
    for name, value in {**RIGHT, **changes}.items():
        text = text.replace(f"@{name}", value)
    return text.encode()


def upload(shop: ShopClient, content: bytes, query: str = "") -> Reply:
    body = form(content, name="statement.xml")
    return shop.post(f"statements{query}", body, content_type="multipart/form-data; boundary=xxBOUNDARYxx")


def test_statement_is_booked_and_matched(shop: ShopClient) -> None:
    shop.submit(N)
    report = upload(shop, camt()).json
    assert (report["format"], report["new"], report["matched"], report["balance"]) == ("camt.053", 1, 1, "ok")
    assert shop.status(N) == "PAID"


def test_statement_that_is_known_is_a_success_with_nothing_new(shop: ShopClient) -> None:  # D-24
    upload(shop, camt())
    with shop.unchanged():
        report = upload(shop, camt()).json
    assert (report["new"], report["known"]) == (0, 1)


def test_dry_run_reports_the_same_and_changes_nothing(shop: ShopClient) -> None:
    shop.submit(N)
    with shop.unchanged():
        rehearsed = upload(shop, camt(), "?dryRun=true").json
    assert (rehearsed["new"], rehearsed["matched"], rehearsed["dryRun"]) == (1, 1, True)


@pytest.mark.parametrize("content", [b"hello", b"%PDF-1.4", b"\x00" * 100, b"<a/>", b"PK\x03\x04"])
def test_file_that_is_no_statement_is_refused_whole(shop: ShopClient, content: bytes) -> None:
    with shop.unchanged():
        assert upload(shop, content).error[0] == 400


@pytest.mark.parametrize("value", ["0001-01-01", "9999-12-31", "1970-01-01", "2026-02-31", "x", "0000-00-00"])
def test_booking_date_that_cannot_be_right_is_an_error_row(shop: ShopClient, value: str) -> None:
    report = upload(shop, camt(DATE=value, VALUE=value)).json
    assert (report["new"], report["errors"]) == (0, 1)
    assert (shop.count("postings"), shop.count("import_errors")) == (0, 1)
    assert upload(shop, camt()).json["new"] == 1  # and later files are booked as ever


@pytest.mark.parametrize("value", ["0001-01-01", "9999-12-31"])
def test_value_date_far_away_is_kept_as_the_bank_wrote_it(shop: ShopClient, value: str) -> None:
    assert upload(shop, camt(VALUE=value)).json["new"] == 1
    assert shop.get("postings").json[0]["valuationDate"] == "-".join(reversed(value.split("-")))


VALUES = {
    "AMOUNT": ["0", "1e5", "9" * 30, "0.001", "-5", "NaN", "9999999999999.99", "10000000000000.00", ""],
    "CURRENCY": ["XXX", "JPY", "KWD", "eur", ""],
    "SIGN": ["DBIT", "X", ""],
    "REFERENCE": ["x" * 5000, "", "&#0;", "\ufffe", "\U0010ffff"],
    "TEXT": ["x" * 100_000, "", "1234 " * 3000, "\u2028", "&lt;", "]]>", "&unknown;"],
    "NAME": ["x" * 5000, "é" * 300, "\u0600", "&amp;" * 500],
    "END": ["x" * 5000, "PMR123", "NOTPROVIDED"],
}


@pytest.mark.parametrize("name", VALUES)
def test_any_value_in_any_field_of_a_statement(shop: ShopClient, name: str) -> None:
    shop.submit(N)
    for value in VALUES[name]:
        before = shop.contents()
        if not contract_like(upload(shop, camt(**{name: value}))):
            assert shop.contents() == before
        assert shop.get("postings?includePostings=true").status == 200


def test_damaged_statements(shop: ShopClient) -> None:
    shop.submit(N)
    day = date(2026, 3, 2)
    entries = (entry(f"Bestellung {N} " + "x" * 100, 1990, bank_reference="ABC"), entry("b", -5))
    files = (camt(), write_mt940([StatementToWrite(ACCOUNT, EUR, 0, day, day, 1, entries)]))
    chance = random.Random(20260302)
    for _ in range(150):
        content = bytearray(chance.choice(files))
        for _ in range(chance.choice((1, 2, 5, 30))):
            place, turn = chance.randrange(len(content)), chance.random()
            if turn < 0.5:
                content[place] = chance.randrange(256)
            elif turn < 0.75:
                del content[place : place + chance.randrange(40)]
            else:
                content[place:place] = content[chance.randrange(len(content)) :][: chance.randrange(60)]
            content = content or bytearray(b"x")
        contract_like(upload(shop, bytes(content)))
    assert shop.get("postings?includePostings=true").status == 200


def confirmed(shop: ShopClient, table: bytes) -> bytes:
    """The table, whose layout a person has confirmed."""
    accounts.add(shop.database, shop.shop, ACCOUNT, "EUR", shop.clock.now)
    mapping(shop.database, shop.shop, io.BytesIO(table), account=ACCOUNT, save=True)
    return table


def test_note_of_an_error_row_names_its_line_once(shop: ShopClient) -> None:
    table = b"Datum;Text;Betrag\n10.03.2026;a;1,00\n11.03.2026;b;1..0\n12.03.2026;c;2,00\n"
    report = upload(shop, confirmed(shop, table)).json
    assert (report["new"], report["errors"], report["notes"]) == (2, 1, ["line 3: '1..0' is not an amount"])


def test_a_table_of_no_known_layout_is_not_booked_until_it_is_confirmed(shop: ShopClient) -> None:
    table = b"Date,Text,Amount\n02/03/2026,a,1.00\n"
    reply = upload(shop, table)
    assert (reply.status, shop.count("postings")) == (400, 0)
    assert reply.json["error"].startswith(
        "is this a bank statement, and of which account? The columns Date, Text, Amount"
    )
    confirmed(shop, table)
    assert upload(shop, table).json["new"] == 1


def test_what_a_table_does_not_prove_is_said(shop: ShopClient) -> None:
    report = upload(shop, b"Date,Payee,Transaction type,Amount (EUR)\n02/03/2026,a,x,1.00\n").json
    assert report["notes"] == [
        "no date shows whether the day or the month comes first; taken: the day",
        "the file does not name its account: undo the import, and name the account when you import it again",
    ]


def test_long_import_is_answered_with_202_and_asked_for_later(shop: ShopClient) -> None:
    """Before, a long file blocked one of the four threads that answer all shops until it was booked."""
    shop.api._config = replace(shop.api._config, import_wait_seconds=0.2)
    with shop.database.of_shop(shop.shop) as tx:
        lock_imports(tx)
        reply = upload(shop, camt())
        name = reply.json["importId"]
        assert (reply.status, reply.json) == (202, {"importId": name, "state": "running"})
        assert reply.headers["Location"] == f"/api/v2/imports/{name}"
        assert shop.get(f"imports/{name}").json["state"] == "running"
    wait_until(lambda: shop.get(f"imports/{name}").json["state"] != "running")
    found = shop.get(f"imports/{name}").json
    assert (found["state"], found["new"], shop.count("postings")) == ("done", 1, 1)


def test_key_that_uploads_asks_what_became_of_it(shop: ShopClient) -> None:
    uploader = with_scope(shop, "statements")
    name = upload(uploader, camt()).json["importId"]
    assert uploader.get(f"imports/{name}").json["state"] == "done"
    assert uploader.get("postings").error == (401, "API key lacks the scope read")


def test_import_of_another_shop_is_not_found(shop: ShopClient, make_shop: Callable[..., ShopClient]) -> None:
    name = upload(shop, camt()).json["importId"]
    assert shop.get(f"imports/{name}").json["state"] == "done"
    assert make_shop().get(f"imports/{name}").error == (404, f"Import '{name}' not found")
