"""Postings as bank files: one camt.053.001.08 and one MT940 per account and day, with balances that follow on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from lab.matching.phrases import plain_letters
from lab.matching.values import Payment, money

OPENING: Final = 1_000_000
_NAMESPACE: Final = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"
_SWIFT: Final = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-:().,'+ #&_*=@;%!<>\"$[]{}|")
_GVC: Final = {
    "UEBERWEISUNG": "177",
    "RETOURE": "159",
    "LASTSCHRIFT": "105",
    "RUECKLASTSCHRIFT": "109",
    "LASTSCHRIFTEINZUG": "171",
    "GEHALT": "153",
    "ENTGELT": "808",
    "ABSCHLUSS": "805",
    "DAUERAUFTRAG": "117",
    "DAUERAUFTRAGSGUTSCHRIFT": "152",
}


def days_of(payments: list[Payment]) -> dict[tuple[str, str], dict[date, list[Payment]]]:
    """Account and currency -> day -> its postings, days ascending."""
    found: dict[tuple[str, str], dict[date, list[Payment]]] = defaultdict(lambda: defaultdict(list))
    for p in sorted(payments, key=lambda p: (p.day, p.id)):
        found[p.account, p.currency][p.day].append(p)
    return found


@dataclass(frozen=True, slots=True)
class Sheet:
    """One statement: an account's postings of one day between two balances."""

    account: str
    currency: str
    day: date
    number: int
    opening: int
    postings: list[Payment]

    @property
    def closing(self) -> int:
        return self.opening + sum(p.amount for p in self.postings)


def sheets_of(payments: list[Payment]) -> list[Sheet]:
    """The statements of all accounts; each opens with what the one before closed with."""
    sheets: list[Sheet] = []
    for (account, currency), days in days_of(payments).items():
        balance = OPENING
        for number, (day, postings) in enumerate(days.items(), 1):
            sheets.append(Sheet(account, currency, day, number, balance, postings))
            balance = sheets[-1].closing
    return sheets


def write_statements(folder: Path, payments: list[Payment]) -> None:
    """Writes the files `<IBAN>_<yyyymmdd>.camt.xml` and `.mt940.sta` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for sheet in sheets_of(payments):
        stem = f"{sheet.account}_{sheet.day:%Y%m%d}"
        (folder / f"{stem}.camt.xml").write_text(camt053(sheet), encoding="utf-8", newline="\n")
        (folder / f"{stem}.mt940.sta").write_text(mt940(sheet), encoding="ascii", newline="")


def camt053(s: Sheet) -> str:
    """One statement as camt.053.001.08."""
    name, written = f"{s.account[-10:]}-{s.day:%y%m%d}", f"<CreDtTm>{s.day}T22:00:00+01:00</CreDtTm>"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="{_NAMESPACE}"><BkToCstmrStmt>'
        f"<GrpHdr><MsgId>{name}</MsgId>{written}</GrpHdr><Stmt><Id>{name}</Id><ElctrncSeqNb>{s.number}</ElctrncSeqNb>"
        f"{written}<Acct><Id><IBAN>{s.account}</IBAN></Id><Ccy>{s.currency}</Ccy></Acct>"
        + _balance("OPBD", s.opening, s.currency, s.day)
        + _balance("CLBD", s.closing, s.currency, s.day)
        + "\n"
        + "".join(_entry(p) for p in s.postings)
        + "</Stmt></BkToCstmrStmt></Document>\n"
    )


def _balance(code: str, amount: int, currency: str, day: date) -> str:
    return (
        f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="{currency}">{money(abs(amount))}</Amt>'
        f"<CdtDbtInd>{_sign(amount)}</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
    )


def _sign(amount: int) -> str:
    return "CRDT" if amount >= 0 else "DBIT"


def _entry(p: Payment) -> str:
    amount = f'<Amt Ccy="{p.currency}">{money(abs(p.amount))}</Amt><CdtDbtInd>{_sign(p.amount)}</CdtDbtInd>'
    family = "RCDT" if (p.amount > 0) else "ICDT"
    kind = "RRTN" if p.return_reason else "ESCT"
    return (
        f"<Ntry>{amount}<RvslInd>{'true' if p.return_reason else 'false'}</RvslInd><Sts><Cd>BOOK</Cd></Sts>"
        f"<BookgDt><Dt>{p.day}</Dt></BookgDt><ValDt><Dt>{p.day}</Dt></ValDt><AcctSvcrRef>{p.id}</AcctSvcrRef>"
        f"<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>{family}</Cd><SubFmlyCd>{kind}</SubFmlyCd></Fmly></Domn></BkTxCd>"
        f"<NtryDtls><TxDtls><Refs><AcctSvcrRef>{p.id}</AcctSvcrRef>"
        f"<EndToEndId>{_xml(p.end_to_end) or 'NOTPROVIDED'}</EndToEndId></Refs>"
        f"{amount}{_amounts(p)}{_parties(p)}{_remittance(p)}{_return(p)}"
        f"</TxDtls></NtryDtls><AddtlNtryInf>{p.booking_text}</AddtlNtryInf></Ntry>\n"
    )


def _xml(text: str) -> str:
    return escape("".join(c for c in text if c >= " "))


def _amounts(p: Payment) -> str:
    if not p.instructed:
        return ""
    exchange = ""
    if p.rate:
        exchange = (
            f"<CcyXchg><SrcCcy>{p.instructed_currency}</SrcCcy><TrgtCcy>{p.currency}</TrgtCcy>"
            f"<UnitCcy>{p.currency}</UnitCcy><XchgRate>{p.rate}</XchgRate></CcyXchg>"
        )
    charges = f'<Chrgs><Rcrd><Amt Ccy="{p.currency}">{money(p.charges)}</Amt></Rcrd></Chrgs>' if p.charges else ""
    instructed = f'<Amt Ccy="{p.instructed_currency}">{money(p.instructed)}</Amt>{exchange}'
    return f"<AmtDtls><InstdAmt>{instructed}</InstdAmt></AmtDtls>{charges}"


def _parties(p: Payment) -> str:
    side = "Dbtr" if (p.amount >= 0) != bool(p.return_reason) else "Cdtr"
    if p.return_reason and p.amount < 0:
        side = "Dbtr"  # of the original payment, which was a credit
    party = f"<{side}><Pty><Nm>{_xml(p.name)}</Nm></Pty></{side}>" if p.name else ""
    account = f"<{side}Acct><Id><IBAN>{p.iban}</IBAN></Id></{side}Acct>" if p.iban else ""
    ultimate = f"<Ultmt{side}><Pty><Nm>{_xml(p.ultimate)}</Nm></Pty></Ultmt{side}>" if p.ultimate else ""
    return f"<RltdPties>{party}{account}{ultimate}</RltdPties>" if party or account or ultimate else ""


def _remittance(p: Payment) -> str:
    lines = "".join(f"<Ustrd>{_xml(p.text[i : i + 140])}</Ustrd>" for i in range(0, len(p.text), 140))
    structured = ""
    if p.reference:
        kind = "<Prtry>QRR</Prtry>" if p.reference.isdigit() else "<Cd>SCOR</Cd>"
        structured = (
            f"<Strd><CdtrRefInf><Tp><CdOrPrtry>{kind}</CdOrPrtry></Tp><Ref>{p.reference}</Ref></CdtrRefInf></Strd>"
        )
    return f"<RmtInf>{lines}{structured}</RmtInf>" if lines or structured else ""


def _return(p: Payment) -> str:
    return f"<RtrInf><Rsn><Cd>{p.return_reason}</Cd></Rsn></RtrInf>" if p.return_reason else ""


def mt940(s: Sheet) -> str:
    """One statement as MT940 with German :86: fields; umlauts written out, at most 378 characters of text a posting."""
    lines = [":20:STARTUMSE", f":25:{s.account}", f":28C:{s.number:05d}/001"]
    lines.append(f":60F:{_mt_balance(s.opening, s.currency, s.day)}")
    for p in s.postings:
        # A reversed credit takes money out (RC), a reversed debit brings it back (RD).
        sign = ("RD" if p.amount > 0 else "RC") if p.return_reason else ("C" if p.amount > 0 else "D")
        lines.append(f":61:{s.day:%y%m%d}{s.day:%m%d}{sign}{_comma(p.amount)}NTRFNONREF//{p.id}")
        lines += _lines(f":86:{_86(p)}")
    lines += [f":62F:{_mt_balance(s.closing, s.currency, s.day)}", "-"]
    return "\r\n".join(lines) + "\r\n"


def _lines(field: str) -> list[str]:
    """The field in lines of at most 65; none but the first begins with `:` or `-`, which would end the field."""
    lines = []
    while field:
        end = 65
        while len(field) > end and field[end] in ":-":
            end -= 1
        lines.append(field[:end])
        field = field[end:]
    return lines


def _comma(amount: int) -> str:
    return money(abs(amount)).replace(".", ",")


def _mt_balance(amount: int, currency: str, day: date) -> str:
    return f"{'C' if amount >= 0 else 'D'}{day:%y%m%d}{currency}{_comma(amount)}"


def _swift(text: str) -> str:
    return "".join(c if c in _SWIFT else "." for c in plain_letters(text))


def _86(p: Payment) -> str:
    text = _swift(p.text)
    if p.reference:
        text = f"{p.reference} {text}".strip()
    parts = [f"EREF+{_swift(p.end_to_end)} "] if p.end_to_end else []
    if p.return_reason:
        parts.append(f"RTRN+{p.return_reason} ")
    body = "".join([*parts, "SVWZ+", text, f" ABWA+{_swift(p.ultimate)}" if p.ultimate else ""])
    pieces = [body[i : i + 27] for i in range(0, min(len(body), 378), 27)]
    fields = [f"?{n}{piece}" for n, piece in zip([*range(20, 30), *range(60, 64)], pieces, strict=False)]
    name = _swift(p.name)
    names = (f"?32{name[:27]}" if name else "") + (f"?33{name[27:54]}" if len(name) > 27 else "")
    gvc = _GVC.get(p.booking_text, "166")
    return f"{gvc}?00{p.booking_text[:27]}?109301{''.join(fields)}?30COBADEFFXXX?31{p.iban}{names}"
