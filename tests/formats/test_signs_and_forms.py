"""Signs, statuses and line ends that banks write and that readers got wrong."""

from __future__ import annotations

import io

import pytest

from paymatch.formats.connectors.woocommerce import read_orders
from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, EntryStatus, StatementEnd, UnreadableEntry

_CAMT = (
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:{name}.001.08">'
    "<{message}><GrpHdr><MsgId>M</MsgId></GrpHdr><{statement}><Id>S</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN>"
    "</Id></Acct>{balances}{entries}</{statement}></{message}></Document>"
)
_ENTRY = (
    '<Ntry><Amt Ccy="EUR">{amount}</Amt><CdtDbtInd>{side}</CdtDbtInd>{more}'
    "<BookgDt><Dt>2026-11-24</Dt></BookgDt></Ntry>"
)
_BOOKED = "<Sts><Cd>BOOK</Cd></Sts>"
_REVERSED = f"<RvslInd>true</RvslInd>{_BOOKED}"


def _balance(code: str, amount: str) -> str:
    return (
        f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">{amount}</Amt>'
        "<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>"
    )


def camt053(*entries: str, balances: str = "") -> bytes:
    values = {"name": "camt.053", "message": "BkToCstmrStmt", "statement": "Stmt"}
    return _CAMT.format(**values, balances=balances, entries="".join(entries)).encode()


def read(data: bytes) -> tuple[list[int | str], tuple[str, ...]]:
    """Amounts of the entries, or why one could not be read; notes."""
    events = [event for _, found in read_statements(io.BytesIO(data)) for event in found]
    amounts: list[int | str] = [
        event.amount_minor if isinstance(event, Entry) else event.reason
        for event in events
        if isinstance(event, Entry | UnreadableEntry)
    ]
    (end,) = [event for event in events if isinstance(event, StatementEnd)]
    return amounts, end.guesses


TURNED = "line 1: the balances prove that the side is that of the payment which was reversed"


@pytest.mark.parametrize(
    ("side", "closing", "expected"),
    [
        ("DBIT", "150.00", ([5000, 2000], (TURNED,))),  # the side of the debit that was reversed
        ("CRDT", "150.00", ([5000, 2000], ())),
        ("CRDT", "50.00", ([-5000, 2000], (TURNED,))),
        ("DBIT", "50.00", ([-5000, 2000], ())),
        ("CRDT", "99.00", ([5000, 2000], ())),  # nothing is proven
    ],
)
@pytest.mark.parametrize("opening", ["OPBD", "PRCD"])
def test_balances_decide_the_sign_of_a_reversal(
    side: str, closing: str, expected: tuple[list[int], tuple[str, ...]], opening: str
) -> None:
    entries = (
        _ENTRY.format(amount="50.00", side=side, more=_REVERSED),
        _ENTRY.format(amount="20.00", side="CRDT", more=_BOOKED),
    )  # fmt: skip
    assert read(camt053(*entries, balances=_balance(opening, "80.00") + _balance("CLBD", closing))) == expected


def test_an_entry_of_a_final_statement_without_a_status_is_booked() -> None:
    entry = _ENTRY.format(amount="50.00", side="CRDT", more="")
    assert read(camt053(entry)) == ([5000], ())
    (found,) = [e for _, each in read_statements(io.BytesIO(camt053(entry))) for e in each if isinstance(e, Entry)]
    assert found.status is EntryStatus.BOOKED
    values = {"name": "camt.052", "message": "BkToCstmrAcctRpt", "statement": "Rpt"}
    report = _CAMT.format(**values, balances="", entries=entry).encode()
    assert read(report)[0] == ["Sts: '' is not known"]


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("-30.000", -3000), ("-3.77000", -377), ("1,500", 150), ("1.000", 100), ("-49.90", -4990),
        ("4.355", "line 3: 4.355 has more decimals than EUR has"),
    ],
)  # fmt: skip
def test_an_ofx_amount_has_no_marks_between_groups(amount: str, expected: int | str) -> None:
    data = (
        "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM>"
        f"<BANKTRANLIST><STMTTRN><TRNTYPE>OTHER<DTPOSTED>20261124<TRNAMT>{amount}<FITID>1</STMTTRN></BANKTRANLIST>"
        "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    )
    assert read(data.encode())[0] == [expected]


def test_mt940_whose_lines_end_in_at_signs_is_recognised() -> None:
    lines = ("", ":20:S", ":25:37040044/0532013000", ":28C:0", ":60F:C261123EUR0,00", ":61:2611241124CR20,00N062NONREF",
             ":86:166?20SVWZ+A-1", ":62F:C261124EUR20,00", "-")  # fmt: skip
    assert read("@@".join(lines).encode()) == ([2000], ())


def test_texts_of_woocommerce_are_decoded_once() -> None:
    body = (
        b'[{"id": 7, "number": "7", "status": "on-hold", "currency": "EUR", "date_created_gmt": "2026-11-24T09:00:00",'
        b' "total": "49.90", "billing": {"company": "Huber &amp; Sohn", "first_name": "Se&#225;n",'
        b' "last_name": "O&#039;Neill &amp;amp; Co"}}]'
    )
    (order,) = read_orders(body).orders
    billing = order.doc["billing"]  # type: ignore[union-attr]  # it is readable
    assert (billing["company"], billing["firstName"]) == ("Huber & Sohn", "Seán")
    assert billing["lastName"] == "O'Neill &amp; Co"
