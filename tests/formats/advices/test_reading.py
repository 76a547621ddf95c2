"""Remittance advices in the forms in which payers send them."""

from __future__ import annotations

import csv
import io
import time
from datetime import date
from io import BytesIO
from typing import Final

import pytest
import typst
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.domain.advices.advice import Advice, DeductionKind
from paymatch.formats.advices.edifact import _segments
from paymatch.formats.advices.reading import read_advice
from paymatch.formats.advices.refusals import AdviceUnreadable
from paymatch.formats.statement import FileRefused

CARRIER = """Avis: DHL-778812
Bestellnummer;Betrag;Gebühr;Auszahlung
SW-1001;100,00;2,00;98,00
SW-1002;50,00;1,00;49,00
Summe;150,00;3,00;147,00
"""
REMADV = (
    "UNB+UNOC:3+A+B+260301:1200+1'UNH+1+REMADV:D:96A:UN'BGM+481+AV-77001'DTM+137:20260301:102'NAD+PR+++Muster GmbH'"
    "CUX+2:EUR'DOC+380+R-1'RFF+ON:SW-1001'MOA+9:100.00'MOA+12:98.00'MOA+52:2.00'DOC+380+SW-1002'MOA+12:50.00'UNS+S'"
    "MOA+12:{total}'UNT+9+1'UNZ+1+1'"
)
UBL = """<?xml version="1.0"?><RemittanceAdvice xmlns="urn:oasis:names:specification:ubl:schema:xsd:RemittanceAdvice-2">
<ID>RA-500123</ID><IssueDate>2026-11-03</IssueDate><TotalPaymentAmount currencyID="EUR">148.00</TotalPaymentAmount>
<AccountingCustomerParty><Party><PartyName><Name>Muster GmbH</Name></PartyName></Party></AccountingCustomerParty>
<RemittanceAdviceLine><ID>1</ID><DebitLineAmount currencyID="EUR">100.00</DebitLineAmount>
<PaidAmount currencyID="EUR">98.00</PaidAmount>
<BillingReference><InvoiceDocumentReference><ID>SW-1001</ID></InvoiceDocumentReference></BillingReference>
</RemittanceAdviceLine>
<RemittanceAdviceLine><ID>2</ID><PaidAmount currencyID="EUR">50.00</PaidAmount>
<BillingReference><InvoiceDocumentReference><ID>SW-1002</ID></InvoiceDocumentReference></BillingReference>
</RemittanceAdviceLine></RemittanceAdvice>"""
REMT = """<Document xmlns="urn:iso:std:iso:20022:tech:xsd:remt.001.001.05"><RmtAdvc><GrpHdr>
<CreDtTm>2026-11-03T10:00:00</CreDtTm></GrpHdr><RmtInf><RmtId>RA-500123</RmtId><Strd><RfrdDocInf><Nb>SW-1001</Nb></RfrdDocInf>
<RfrdDocAmt><DuePyblAmt Ccy="EUR">100.00</DuePyblAmt><DscntApldAmt><Amt Ccy="EUR">2.00</Amt></DscntApldAmt>
<RmtdAmt Ccy="EUR">98.00</RmtdAmt></RfrdDocAmt></Strd><Strd><RfrdDocInf><Nb>SW-1002</Nb></RfrdDocInf>
<RfrdDocAmt><RmtdAmt Ccy="EUR">50.00</RmtdAmt></RfrdDocAmt></Strd><OrgnlPmtInf><InstdAmt Ccy="EUR">148.00</InstdAmt>
<Dbtr><Nm>Muster GmbH</Nm></Dbtr></OrgnlPmtInf></RmtInf></RmtAdvc></Document>"""


def lines_of(found: Advice) -> list[tuple[tuple[str, ...], int, int]]:
    return [(each.references, each.gross_minor, each.deduction_minor) for each in found.lines]


def only(data: bytes, currency: str = "EUR") -> Advice:
    (found,) = read_advice(data, currency).advices
    return found


def test_a_carriers_table_with_fee_and_sum() -> None:
    found = only(CARRIER.encode("cp1252"))
    assert lines_of(found) == [(("SW-1001",), 100_00, 2_00), (("SW-1002",), 50_00, 1_00)]
    assert (found.number, found.total_minor, found.lines[0].deduction_kind) == ("DHL-778812", 147_00, DeductionKind.FEE)


def test_a_fee_of_the_whole_sum_stands_in_a_row_without_a_number() -> None:
    found = only(b"Order number,Amount\nSW-1,10.00\nSW-2,20.00\nService fee,-3.00\nTotal,27.00\n")
    assert (found.paid_minor, found.deducted_minor) == (27_00, 3_00)


def test_a_workbook() -> None:
    file = BytesIO()
    book = xlsxwriter.Workbook(file)
    sheet = book.add_worksheet()
    for place, row in enumerate([["Order number", "Amount"], ["SW-1", 119.9], ["SW-2", 1049], ["Total", 1168.9]]):
        sheet.write_row(place, 0, row)
    book.close()
    assert lines_of(only(file.getvalue())) == [(("SW-1",), 119_90, 0), (("SW-2",), 1049_00, 0)]


def test_edifact_ubl_and_remt_say_the_same() -> None:
    said = [only(REMADV.format(total="148.00").encode()), only(UBL.encode()), only(REMT.encode())]
    for found in said:
        assert [(each.gross_minor, each.deduction_minor) for each in found.lines] == [(100_00, 2_00), (50_00, 0)]
        assert (found.paid_minor, found.total_minor, found.payer) == (148_00, 148_00, "Muster GmbH")
    assert [each.lines[0].references for each in said] == [("SW-1001", "R-1"), ("SW-1001",), ("SW-1001",)]
    assert [each.number for each in said] == ["AV-77001", "RA-500123", "RA-500123"]
    assert said[1].day == date(2026, 11, 3)


def test_the_text_of_a_pdf_is_proved_by_its_sum() -> None:
    lines = ["Payer: Muster GmbH", "Advice no: A-12345", "Order SW-1001 1,100.00", "Order SW-1002 50.00"]
    text = " \\\n ".join([*lines, "Total 1,150.00"])
    found = only(typst.compile(text.encode()))
    assert (lines_of(found)[0][1], found.paid_minor, found.payer) == (1100_00, 1150_00, "Muster GmbH")
    with pytest.raises(AdviceUnreadable, match="no stated sum proves") as raised:
        only(typst.compile(text.replace("1,150.00", "1,151.00").encode()))
    assert "SW-1001" in raised.value.text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty"),
        (CARRIER.replace("100,00", "hundert").encode(), "row 3: 'hundert' is not an amount"),
        (CARRIER.replace("98,00", "97,00").encode(), "row 3: the amount less its deduction is not what is paid"),
        (b"Order,Amount,Currency\nSW-1,1.00,EUR\nSW-2,1.00,CHF\n", "amounts in CHF, EUR"),
        (b"<!DOCTYPE a><RemittanceAdvice/>", "line 1: a DOCTYPE is not taken"),
        (UBL.replace("98.00", "x").encode(), "line 5: 'x' is not an amount"),
        (b"<Invoice/>", "line 1: Invoice is not a remittance advice"),
        (REMADV.replace("MOA+12:50.00", "MOA+12:fifty").format(total="148.00").encode(), "segment 13: "),
        (b"%PDF-1.7 broken", "the PDF cannot be read"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(data: bytes, why: str) -> None:
    with pytest.raises(FileRefused, match=why):
        read_advice(data, "EUR")


def test_sums_that_contradict_the_rows_are_shown_to_a_person() -> None:
    with pytest.raises(AdviceUnreadable, match=r"rows add up to 147\.00, but the advice states 148\.00"):
        read_advice(CARRIER.replace("147,00", "148,00").encode(), "EUR")


def test_a_thousand_lines_take_less_than_a_second() -> None:
    rows = "".join(f"SW-{number},10.00\n" for number in range(1000))
    start = time.process_time()
    found = only(f"Order number,Amount\n{rows}Total,10000.00\n".encode())
    assert (len(found.lines), time.process_time() - start < 1.0) == (1000, True)


def test_a_long_element_of_an_interchange_takes_time_in_proportion() -> None:
    text = "UNB+UNOC:3+a+b+261127:1000+1'UNH+1+REMADV:D:96A:UN'BGM+481+" + "?+A" * 1_000_000 + "+9'"
    begin = time.process_time()
    with pytest.raises(FileRefused):
        read_advice(text.encode(), "EUR")
    assert time.process_time() - begin < 5


def test_released_signs_and_line_ends_of_an_interchange() -> None:
    (segment,) = _segments("UNB+a?+b?'c:d\r\ne+f'\n\n'rest")
    assert segment == [["UNB"], ["a+b'c", "de"], ["f"]]


def test_a_file_has_so_many_advices() -> None:
    one = "UNH+1+REMADV:D:96A:UN'CUX+2:EUR'DOC+380+SW-1'MOA+12:1'UNS+S'UNT+9+1'"
    with pytest.raises(FileRefused, match="500 remittance advices"):
        read_advice(("UNB+UNOC:3'" + one * 501).encode(), "EUR")
    assert len(read_advice(("UNB+UNOC:3'" + one * 500).encode(), "EUR").advices) == 500


FORGED: Final = (
    "Summe", "Total Deutschland GmbH", "Auszahlung SW-1002", "Gesamt: 150,00", "Payout", "SW-1002", "Gebühr 5,00",
    "Skonto", "=SUM(A1:A9)", "\u202eSW-1002", "S\u200bW-1002", "ＳＷ-１００２", "a;b", 'x";"50,00', "x\ny", "O" * 3000,
    "-100,00", "147,00",
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(first=st.sampled_from(FORGED), second=st.sampled_from(FORGED))
def test_the_name_of_a_customer_is_no_row_of_the_advice(first: str, second: str) -> None:
    def read(*names: str) -> list[tuple[tuple[str, ...], int, int]]:
        out = io.StringIO()
        rows = csv.writer(out, delimiter=";", quoting=csv.QUOTE_ALL)
        rows.writerow(["Bestellnummer", "Kunde", "Betrag", "Gebühr", "Auszahlung"])
        rows.writerow(["SW-1001", names[0], "100,00", "2,00", "98,00"])
        rows.writerow(["SW-1002", names[1], "50,00", "1,00", "49,00"])
        rows.writerow(["Summe", "", "150,00", "3,00", "147,00"])
        (advice,) = read_advice(out.getvalue().encode(), "EUR").advices
        assert (advice.total_minor, advice.deductions) == (14700, ())
        return [(each.references, each.gross_minor, each.deduction_minor) for each in advice.lines]

    assert read(first, second) == read("Eva Muster", "Ida Muster")
