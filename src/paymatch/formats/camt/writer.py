"""Writes camt.052, camt.053 and camt.054 as a bank would, in versions .02, .04 and .08: for the demo, the sandbox bank
and round trips. Valid against the schemas of ISO 20022."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from xml.sax.saxutils import escape

from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.postings import Posting
from paymatch.formats.bank_values import reference_kind
from paymatch.formats.statement import EntryStatus


class CamtMessage(StrEnum):
    """A camt message that is written."""

    INTRADAY = "camt.052"
    STATEMENT = "camt.053"
    NOTIFICATION = "camt.054"


VERSIONS: Final = ("001.02", "001.04", "001.08")

_ELEMENTS: Final = {
    CamtMessage.INTRADAY: ("BkToCstmrAcctRpt", "Rpt", "RptPgntn"),
    CamtMessage.STATEMENT: ("BkToCstmrStmt", "Stmt", "StmtPgntn"),
    CamtMessage.NOTIFICATION: ("BkToCstmrDbtCdtNtfctn", "Ntfctn", "NtfctnPgntn"),
}
_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}")
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """One entry: a single payment, or a batch whose payments are its details."""

    postings: tuple[Posting, ...]  # their signed amounts add up to the entry
    status: EntryStatus = EntryStatus.BOOKED
    reversal: bool = False  # RvslInd
    entry_reference: str = ""  # NtryRef
    bank_reference: str = ""  # AcctSvcrRef of the entry; that of the single posting if not given
    with_details: bool = True  # False: a batch of which the statement shows the sum only (the 054 has the details)


@dataclass(frozen=True, slots=True)
class CamtStatement:
    """The content of one statement; the closing balance is the opening balance plus the bookings."""

    account: str
    currency: Currency
    opening_minor: int
    opening_date: date
    closing_date: date
    statement_id: str
    number: int  # electronic sequence number
    bookings: tuple[WrittenEntry, ...] = ()
    owner_name: str = ""
    servicer_bic: str = ""
    page: int = 1
    last_page: bool = True


def write_camt(
    statements: Iterable[CamtStatement],
    created_at: datetime,
    message: CamtMessage = CamtMessage.STATEMENT,
    version: str = "001.08",
    message_id: str = "",
) -> bytes:
    """The message in UTF-8. A statement (053) has opening and closing balance, a report (052) the interim balance."""
    if version not in VERSIONS:
        raise ValueError(f"version {version!r} is not written")
    parts = _message(list(statements), created_at, message, version, message_id)
    return "".join(('<?xml version="1.0" encoding="UTF-8"?>\n', *parts)).encode("utf-8")


def _message(
    statements: list[CamtStatement], created_at: datetime, message: CamtMessage, version: str, message_id: str
) -> Iterator[str]:
    root = _ELEMENTS[message][0]
    moment = created_at.isoformat(timespec="seconds")
    yield f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:{message}.{version}"><{root}><GrpHdr>'
    yield _el("MsgId", message_id or (statements[0].statement_id if statements else "EMPTY"))
    yield _el("CreDtTm", moment)
    if statements and version == "001.02":
        yield _pages("MsgPgntn", statements[0])
    yield "</GrpHdr>\n"
    for statement in statements:
        yield from _statement(statement, moment, message, version)
    yield f"</{root}></Document>\n"


def _pages(name: str, statement: CamtStatement) -> str:
    last = "true" if statement.last_page else "false"
    return f"<{name}>{_el('PgNb', str(statement.page))}{_el('LastPgInd', last)}</{name}>"


def _statement(statement: CamtStatement, moment: str, message: CamtMessage, version: str) -> Iterator[str]:
    _, name, pagination = _ELEMENTS[message]
    entries = _Entries(statement, version)
    yield f"<{name}>{_el('Id', statement.statement_id)}"
    if version != "001.02":
        yield _pages(pagination, statement)
    yield _el("ElctrncSeqNb", str(statement.number)) + _el("CreDtTm", moment)
    start, end = f"{statement.opening_date}T00:00:00", f"{statement.closing_date}T23:59:59"
    yield f"<FrToDt>{_el('FrDtTm', start)}{_el('ToDtTm', end)}</FrToDt>"
    owner = f"<Ownr>{_el('Nm', statement.owner_name)}</Ownr>" if statement.owner_name else ""
    bank = f"<Svcr>{_bank(statement.servicer_bic, version)}</Svcr>" if statement.servicer_bic else ""
    yield f"<Acct>{_account_id(statement.account)}{_el('Ccy', statement.currency)}{owner}{bank}</Acct>"
    yield from _balances(statement, message)
    yield _summary(statement)
    for booking in statement.bookings:
        yield "\n"
        yield from entries.entry(booking)
    yield f"</{name}>\n"


def _balances(statement: CamtStatement, message: CamtMessage) -> Iterator[str]:
    if message is CamtMessage.NOTIFICATION:
        return
    booked = sum(_sum(booking) for booking in statement.bookings if booking.status is EntryStatus.BOOKED)
    closing = statement.opening_minor + booked
    if message is CamtMessage.INTRADAY:
        yield _balance("ITBD", closing, statement.closing_date, statement.currency)
        return
    first, last = ("OPBD" if statement.page == 1 else "ITBD"), ("CLBD" if statement.last_page else "ITBD")
    yield _balance(first, statement.opening_minor, statement.opening_date, statement.currency)
    yield _balance(last, closing, statement.closing_date, statement.currency)


def _balance(code: str, minor: int, day: date, currency: Currency) -> str:
    kind = f"<Tp><CdOrPrtry>{_el('Cd', code)}</CdOrPrtry></Tp>"
    return f"<Bal>{kind}{_amount(minor, currency)}{_direction(minor)}<Dt>{_el('Dt', str(day))}</Dt></Bal>"


def _summary(statement: CamtStatement) -> str:
    sums = [_sum(booking) for booking in statement.bookings]
    parts = [f"<TtlNtries>{_el('NbOfNtries', str(len(sums)))}</TtlNtries>"]
    for name, side in (
        ("TtlCdtNtries", [minor for minor in sums if minor >= 0]),
        ("TtlDbtNtries", [-minor for minor in sums if minor < 0]),
    ):
        total = minor_to_text(sum(side), statement.currency)
        parts.append(f"<{name}>{_el('NbOfNtries', str(len(side)))}{_el('Sum', total)}</{name}>")
    return f"<TxsSummry>{''.join(parts)}</TxsSummry>"


def _sum(booking: WrittenEntry) -> int:
    return sum(posting.amount_minor for posting in booking.postings)


class _Entries:
    """Entries in the dialect of one version."""

    def __init__(self, statement: CamtStatement, version: str) -> None:
        self._statement = statement
        self._currency = statement.currency
        self._version = version

    def entry(self, booking: WrittenEntry) -> Iterator[str]:
        first = booking.postings[0]
        minor = _sum(booking)
        single = len(booking.postings) == 1
        yield "<Ntry>" + _el("NtryRef", booking.entry_reference) + _amount(minor, self._currency) + _direction(minor)
        yield "<RvslInd>true</RvslInd>" if booking.reversal else ""
        status = _el("Cd", booking.status) if self._version == "001.08" else booking.status.value
        yield f"<Sts>{status}</Sts><BookgDt>{_el('Dt', str(first.booking_date))}</BookgDt>"
        if first.value_date:
            yield f"<ValDt>{_el('Dt', str(first.value_date))}</ValDt>"
        reference = booking.bank_reference or (first.entry_reference or first.bank_reference if single else "")
        yield _el("AcctSvcrRef", reference) + _code(first.bank_code, minor)
        yield "<NtryDtls>"
        if not single or first.batch_size > 1:
            yield f"<Btch>{_el('MsgId', first.message_id)}{_el('PmtInfId', first.batch_id)}"
            yield f"{_el('NbOfTxs', str(len(booking.postings)))}</Btch>"
        if booking.with_details:
            for posting in booking.postings:
                own = posting.bank_reference if posting.bank_reference != reference else ""
                yield from self._detail(posting, own, reversal=booking.reversal)
        yield f"</NtryDtls>{_el('AddtlNtryInf', first.booking_text[:500])}</Ntry>"

    def _detail(self, posting: Posting, own_reference: str, *, reversal: bool) -> Iterator[str]:
        yield "<TxDtls>" + _references(posting, own_reference)
        if self._version != "001.02":
            yield _amount(posting.amount_minor, self._currency) + _direction(posting.amount_minor)
        yield self._amounts(posting) + self._charges(posting)
        yield from self._parties(posting, returned=posting.is_return or reversal)
        yield f"<Purp>{_el('Cd', posting.purpose)}</Purp>" if posting.purpose else ""
        yield _remittance(posting)
        if posting.is_return and not reversal:
            reason = f"<Rsn>{_el('Cd', posting.return_reason)}</Rsn>" if posting.return_reason else ""
            yield f"<RtrInf>{reason}{_el('AddtlInf', posting.return_text)}</RtrInf>"
        yield _el("AddtlTxInf", " ".join(posting.extra_texts)[:500]) + "</TxDtls>"

    def _amounts(self, posting: Posting) -> str:
        instructed, currency = posting.instructed_amount_minor, Currency(posting.instructed_currency)
        if instructed is None and posting.original_amount_minor is not None:
            instructed, currency = posting.original_amount_minor, self._currency
        rate = ""
        if posting.exchange_rate:
            source = _el("SrcCcy", currency or self._currency) + _el("TrgtCcy", self._currency)
            rate = f"<CcyXchg>{source}{_el('XchgRate', posting.exchange_rate)}</CcyXchg>"
        first = f"<InstdAmt>{_amount(instructed, currency)}</InstdAmt>" if instructed is not None else ""
        own = _amount(posting.amount_minor, self._currency)
        if not first and not rate and self._version != "001.02":
            return ""
        return f"<AmtDtls>{first}<TxAmt>{own}{rate}</TxAmt></AmtDtls>"

    def _charges(self, posting: Posting) -> str:
        if not posting.charges_minor:
            return ""
        amount = _amount(posting.charges_minor, self._currency) + _el("CdtDbtInd", "DBIT")
        if self._version == "001.02":
            return f"<Chrgs>{amount}</Chrgs>"
        return f"<Chrgs><Rcrd>{amount}<ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>"

    def _parties(self, posting: Posting, *, returned: bool) -> Iterator[str]:
        other_pays = (posting.amount_minor >= 0) != returned
        other, own = ("Dbtr", "Cdtr") if other_pays else ("Cdtr", "Dbtr")
        sides = {
            other: (posting.counterparty_name, posting.counterparty_iban, posting.ultimate_name),
            own: (self._statement.owner_name, self._statement.account, ""),
        }
        if not any(sides[other]) and not posting.counterparty_bic:
            return
        yield "<RltdPties>"
        for role in ("Dbtr", "Cdtr"):
            name, account, ultimate = sides[role]
            yield self._party(role, name)
            yield f"<{role}Acct>{_account_id(account)}</{role}Acct>" if account else ""
            yield self._party(f"Ultmt{role}", ultimate)
        yield "</RltdPties>"
        if posting.counterparty_bic:
            yield f"<RltdAgts><{other}Agt>{_bank(posting.counterparty_bic, self._version)}</{other}Agt></RltdAgts>"

    def _party(self, role: str, name: str) -> str:
        if not name:
            return ""
        text = _el("Nm", name)
        return f"<{role}><Pty>{text}</Pty></{role}>" if self._version == "001.08" else f"<{role}>{text}</{role}>"


def _el(name: str, text: str) -> str:
    return f"<{name}>{escape(_NOT_XML.sub('', text))}</{name}>" if text else ""


def _amount(minor: int, currency: Currency) -> str:
    return f'<Amt Ccy="{currency}">{minor_to_text(abs(minor), currency)}</Amt>'


def _direction(minor: int) -> str:
    return _el("CdtDbtInd", "CRDT" if minor >= 0 else "DBIT")


def _account_id(account: str) -> str:
    if _IBAN.fullmatch(account):
        return f"<Id>{_el('IBAN', account)}</Id>"
    return f"<Id><Othr>{_el('Id', account)}</Othr></Id>"


def _bank(bic: str, version: str) -> str:
    return f"<FinInstnId>{_el('BIC' if version == '001.02' else 'BICFI', bic)}</FinInstnId>"


def _code(code: str, minor: int) -> str:
    """ISO code `PMNT/RCDT/ESCT`, or a German GVC of three digits in the form of the DK."""
    if code.isdigit():
        return f"<BkTxCd><Prtry>{_el('Cd', f'NTRF+{code}')}{_el('Issr', 'DK')}</Prtry></BkTxCd>"
    domain, family, sub_family = (code or ("PMNT/RCDT/ESCT" if minor >= 0 else "PMNT/ICDT/ESCT")).split("/")
    inner = f"<Fmly>{_el('Cd', family)}{_el('SubFmlyCd', sub_family)}</Fmly>"
    return f"<BkTxCd><Domn>{_el('Cd', domain)}{inner}</Domn></BkTxCd>"


def _references(posting: Posting, own_reference: str) -> str:
    return (
        "<Refs>"
        + _el("MsgId", posting.message_id)
        + _el("AcctSvcrRef", own_reference)
        + _el("PmtInfId", posting.batch_id)
        + _el("EndToEndId", posting.end_to_end_id or posting.original_end_to_end_id or "NOTPROVIDED")
        + _el("TxId", posting.transaction_id)
        + _el("MndtId", posting.mandate_id)
        + "</Refs>"
    )


def _remittance(posting: Posting) -> str:
    parts = [_el("Ustrd", line) for line in posting.remittance_lines]
    parts += [f"<Strd><RfrdDocInf>{_el('Nb', number)}</RfrdDocInf></Strd>" for number in posting.referred_documents]
    for reference in posting.structured_references:
        kind = reference_kind("", reference)
        said = _el("Cd", kind) if kind == "SCOR" else _el("Prtry", kind or "OTHR")
        inner = f"<Tp><CdOrPrtry>{said}</CdOrPrtry></Tp>{_el('Ref', reference)}"
        parts.append(f"<Strd><CdtrRefInf>{inner}</CdtrRefInf></Strd>")
    return f"<RmtInf>{''.join(parts)}</RmtInf>" if parts else ""
