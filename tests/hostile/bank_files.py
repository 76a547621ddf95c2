"""Bank files that do their worst: each makes one text of a file as long as it is told, of what its reader looks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

_CAMT = (
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
    "<BkToCstmrStmt><GrpHdr><MsgId>M</MsgId></GrpHdr><Stmt><Id>S</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id>"
    "</Acct>%s</Stmt></BkToCstmrStmt></Document>"
)
_NTRY = (
    '<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-09</Dt>'
    "</BookgDt><NtryDtls><TxDtls>%s</TxDtls></NtryDtls></Ntry>"
)
_MT940 = ":20:S\r\n:25:37040044/0532013000\r\n:28C:1/1\r\n:60F:C260309EUR0,\r\n%s:62F:C260309EUR1,\r\n-\r\n"
_OFX = "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR%s</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
_STMTTRN = "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260309<TRNAMT>1.00<FITID>1%s</STMTTRN>"

_HEADERS = "Buchungstag;Verwendungszweck;Betrag;Währung\r\n"
_ROW = "09.03.2026;x;1,00;EUR\r\n"
_LINE = ":61:2603090309C1,NTRFNONREF//7\r\n"


@dataclass(frozen=True)
class HostileFile:
    """A file around one text that grows; `pump` is what the text repeats, `frame` what stands around it."""

    name: str
    pump: str
    frame: Callable[[str], str]

    def build(self, size: int) -> bytes:
        """The file with a text of so many characters."""
        return self.frame(self.pump * (size // len(self.pump))).encode()


PUMPS_OF_TABLES = (
    ",", ".", " ", "7", "-", "'", '""', "1,", "1.1.2026 ", "Auftraggeber: ", "Auftraggeber: x Kto/IBAN: ", "Ref. ",
    "Buchungstext: ", "EREF+", "EREF+ ", "SVWZ+", "IBAN: ", "Naam: ", "Tytuł : ", "/REMI/", "/TRTP/", "=", "\u00a0",
    "EUR", "€", "(", "A", "ä", "Ref.7", "End-to-End-Ref.: ",
)  # fmt: skip
PUMPS_OF_MT940 = (
    "/", "/EREF/", "/REMI/", "/TRTP/ /REMI/", "/CNTP/", "IBAN: ", "NAAM: ", "REK:", "OD: ", "; OD: ", ";", " ", "?",
    "?20", "?20EREF+", "EREF+ ", "SVWZ+", "EREF: ", "IBAN: BIC: ", "7", "A", "NL92KNAB0123456789 ", "MTLG:", "R", "+",
)  # fmt: skip


PUMPS_OF_CAMT = (" ", "7", "&amp;", ">", "\n", "ä", "]]", "RF18", "/", "&#10;")
PUMPS_OF_OFX = ("<", ">", " ", "&amp;", "&", "7", "<PAYEE>", "</PAYEE>", "<MEMO>x", "<NAME a ", "-", ",")

_FRAMES: tuple[tuple[str, tuple[str, ...], Callable[[str], str]], ...] = (
    ("table, text", PUMPS_OF_TABLES, lambda text: f'{_HEADERS}09.03.2026;"{text}";1,00;EUR\r\n'),
    ("table, amount", PUMPS_OF_TABLES, lambda text: f'{_HEADERS}{_ROW}09.03.2026;x;"{text}";EUR'),
    (
        "table, last amount",
        PUMPS_OF_TABLES,
        lambda text: f'Datum;Text;Betrag\r\n9.3.2026;x;1,00\r\n9.3.2026;x;"{text}"',
    ),
    ("table, amount and a digit", (",", "."), lambda text: f'{_HEADERS}{_ROW}09.03.2026;x;"{text}1";EUR\r\n'),
    ("table, date", PUMPS_OF_TABLES, lambda text: f'{_HEADERS}{_ROW}"{text}";x;2,00;EUR\r\n'),
    ("MT940, :86:", PUMPS_OF_MT940, lambda text: _MT940 % f"{_LINE}:86:{_wrapped(text)}\r\n"),
    ("MT940, :86: in one line", PUMPS_OF_MT940, lambda text: _MT940 % f"{_LINE}:86:{text}\r\n"),
    ("MT940, subfields", PUMPS_OF_MT940, lambda text: _MT940 % f"{_LINE}:86:166?20{_wrapped(text)}\r\n"),
    ("MT940, slash fields", PUMPS_OF_MT940, lambda text: _MT940 % f"{_LINE}:86:/TRTP/x/REMI/{_wrapped(text)}\r\n"),
    ("MT940, :61:", (" ", "7", ",", "7 ", "C", "/", "N"), lambda text: _MT940 % f":61:2603090309C1{text}NTRFx\r\n"),
    ("camt, Ustrd", PUMPS_OF_CAMT, lambda text: _CAMT % (_NTRY % f"<RmtInf><Ustrd>{text}</Ustrd></RmtInf>")),
    ("camt, lines", ("<Ustrd>7</Ustrd>",), lambda text: _CAMT % (_NTRY % f"<RmtInf>{text}</RmtInf>")),
    ("camt, details", ("<!-- -->", "<RmtInf><![CDATA[x]]></RmtInf>"), lambda text: _CAMT % (_NTRY % text)),
    ("camt, open comment", ("-x", "--", "<!--"), lambda text: _CAMT % (_NTRY % f"<!--{text}")),
    ("camt, attribute", (">", "/", "x='"), lambda text: _CAMT % (_NTRY % f'<Nm a="{text}">x</Nm>')),
    ("camt, entries", (_NTRY % "",), lambda text: _CAMT % text),
    ("OFX, memo", PUMPS_OF_OFX, lambda text: _OFX % (_STMTTRN % f"<MEMO>{text}")),
    ("OFX, amount", PUMPS_OF_OFX, lambda text: _OFX % (_STMTTRN % f"<TRNAMT>{text}")),
    ("OFX, nested", ("<PAYEE><CURRENCY>",), lambda text: _OFX % (_STMTTRN % (text + text.replace("<", "</")))),
)


def hostile_files() -> Iterator[HostileFile]:
    """Each file that the readers are timed with."""
    for name, pumps, frame in _FRAMES:
        for pump in pumps:
            yield HostileFile(f"{name} {pump[:20]!r}", pump, frame)


def _wrapped(text: str) -> str:
    return "\r\n".join(text[at : at + 65] for at in range(0, len(text), 65))
