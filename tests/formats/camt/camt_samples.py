"""Small camt files for the tests, in the dialects of several banks."""
# ruff: noqa: E501  # lines as a bank's file has them

from __future__ import annotations

import io

from paymatch.formats.camt.reader import read_camt
from paymatch.formats.statement import Entry, StatementEnd, StatementEvent, StatementHead, UnreadableEntry

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"

GERMAN = """<Ntry><Amt Ccy="EUR">19.90</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt>
<ValDt><Dt>2026-03-03</Dt></ValDt><AcctSvcrRef>2026030212345</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd>
<SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn><Prtry><Cd>NTRF+166+9248/123</Cd><Issr>DK</Issr></Prtry></BkTxCd><NtryDtls><TxDtls>
<Refs><EndToEndId>NOTPROVIDED</EndToEndId><MndtId>M-1</MndtId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">19.90</Amt></TxAmt></AmtDtls>
<RltdPties><Dbtr><Nm>Erika Muster</Nm></Dbtr><DbtrAcct><Id><IBAN>DE02 1203 0000 0000 2020 51</IBAN></Id></DbtrAcct><UltmtDbtr>
<Nm>Max Muster</Nm></UltmtDbtr><Cdtr><Nm>Shop GmbH</Nm></Cdtr></RltdPties><RltdAgts><DbtrAgt><FinInstnId><BIC>BYLADEM1001</BIC>
</FinInstnId></DbtrAgt></RltdAgts><RmtInf><Ustrd>Rechnung R-1 Bestel</Ustrd><Ustrd>lung B-2</Ustrd></RmtInf></TxDtls></NtryDtls>
<AddtlNtryInf>GUTSCHRIFT</AddtlNtryInf></Ntry>"""

SWISS_BATCH = """<Ntry><NtryRef>CH2909000000250094239</NtryRef><Amt Ccy="CHF">30.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd>
</Sts><BookgDt><DtTm>2026-03-02T23:30:00+01:00</DtTm></BookgDt><ValDt><Dt>2026-03-03Z</Dt></ValDt><AcctSvcrRef>BATCH1</AcctSvcrRef>
<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>VCOM</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><Btch><MsgId>BM</MsgId>
<PmtInfId>BP</PmtInfId><NbOfTxs>2</NbOfTxs><TtlAmt Ccy="CHF">30.50</TtlAmt></Btch><TxDtls><Refs><AcctSvcrRef>D1</AcctSvcrRef>
<UETR>8a562c67-ca16-48ba-b074-65581be6f001</UETR></Refs><Amt Ccy="CHF">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><RltdPties><Dbtr><Pty>
<Nm>Rutschmann Pia</Nm></Pty></Dbtr></RltdPties><RmtInf><Strd><CdtrRefInf><Tp><CdOrPrtry><Prtry>QRR</Prtry></CdOrPrtry></Tp><Ref>
210000000003139471430009017</Ref></CdtrRefInf><AddtlRmtInf>?REJECT?0</AddtlRmtInf></Strd></RmtInf></TxDtls><TxDtls><Refs>
<AcctSvcrRef>D2</AcctSvcrRef></Refs><Amt Ccy="CHF">20.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Chrgs><Rcrd><Amt Ccy="CHF">0.90</Amt>
<CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs></TxDtls></NtryDtls></Ntry>"""

RETURN = """<Ntry><Amt Ccy="EUR">25.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-04</Dt></BookgDt><BkTxCd>
<Prtry><Cd>NRTI+109</Cd><Issr>DK</Issr></Prtry></BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>E2E-7</EndToEndId></Refs><AmtDtls><InstdAmt>
<Amt Ccy="EUR">22.00</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">25.00</Amt></TxAmt></AmtDtls><Chrgs><Amt Ccy="EUR">3.00</Amt></Chrgs>
<RltdPties><Dbtr><Nm>Kunde</Nm></Dbtr><DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></DbtrAcct><Cdtr><Nm>Shop GmbH</Nm></Cdtr>
</RltdPties><RtrInf><OrgnlBkTxCd><Prtry><Cd>NDDT+105</Cd></Prtry></OrgnlBkTxCd><Rsn><Cd>MD06</Cd></Rsn><AddtlInf>Widerspruch</AddtlInf>
</RtrInf></TxDtls></NtryDtls></Ntry>"""


def camt053(*entries: str, namespace: str = NAMESPACE, balances: str = "", head: str = "") -> str:
    """A camt.053 of one statement with these entries."""
    xmlns = f' xmlns="{namespace}"' if namespace else ""
    return (
        f"<Document{xmlns}><BkToCstmrStmt><GrpHdr><MsgId>MSG</MsgId><CreDtTm>2026-03-03T06:00:00</CreDtTm></GrpHdr>"
        f"<Stmt><Id>S1</Id>{head}<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>Shop GmbH</Nm></Ownr>"
        f"</Acct>{balances}{''.join(entries)}</Stmt></BkToCstmrStmt></Document>"
    )


def simple_entry(amount: str = "10.00", currency: str = "EUR", **others: str) -> str:
    """An entry without details; `others` replace its fields."""
    fields = {"sign": "CRDT", "status": "BOOK", "day": "<Dt>2026-03-02</Dt>", "more": ""} | others
    return (
        f'<Ntry><Amt Ccy="{currency}">{amount}</Amt><CdtDbtInd>{fields["sign"]}</CdtDbtInd><Sts>{fields["status"]}</Sts>'
        f"<BookgDt>{fields['day']}</BookgDt>{fields['more']}</Ntry>"
    )


def events_of(content: str | bytes) -> list[StatementEvent]:
    """All that the reader says of a file."""
    data = content.encode() if isinstance(content, str) else content
    return list(read_camt(io.BytesIO(data)))


def entries_of(content: str | bytes) -> list[Entry | UnreadableEntry]:
    """Its entries, readable or not."""
    return [event for event in events_of(content) if isinstance(event, Entry | UnreadableEntry)]


def entry_of(content: str | bytes) -> Entry:
    """Its only entry."""
    (entry,) = entries_of(content)
    assert isinstance(entry, Entry)
    return entry


def head_of(content: str | bytes) -> StatementHead:
    """Its first head."""
    return next(event for event in events_of(content) if isinstance(event, StatementHead))


def end_of(content: str | bytes) -> StatementEnd:
    """Its first end."""
    return next(event for event in events_of(content) if isinstance(event, StatementEnd))
