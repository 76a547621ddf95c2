"""What a camt message says around its entries: group header, statement, account, balances, sums."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from lxml import etree

from paymatch.formats.camt.values import SIGNS, ValueUnreadable, amount_of, count_of, day_of, moment_of
from paymatch.formats.statement import Balance, FileRefused, StatementEnd, StatementHead

MESSAGES: Final = {
    "BkToCstmrAcctRpt": "camt.052",
    "BkToCstmrStmt": "camt.053",
    "BkToCstmrDbtCdtNtfctn": "camt.054",
}
"""Message elements; in version .01 they carry the version in their name (BkToCstmrStmtV01)."""
STATEMENTS: Final = frozenset({"Rpt", "Stmt", "Ntfctn"})
MAX_DEPTH: Final = 64
MAX_OUTLINE_CHARS: Final = 1 << 20
"""Text of a statement outside of its entries."""

_NAMESPACE: Final = re.compile(r"camt\.05[234]\.([0-9]{3}\.[0-9]{2})")
_MESSAGE: Final = re.compile(r"(BkToCstmr(?:AcctRpt|Stmt|DbtCdtNtfctn))(?:V([0-9]{2}))?")


def name_of(element: etree._Element) -> str:
    """The element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


class Outline:
    """The message without its entries, as a tree that holds one statement at a time."""

    def __init__(self) -> None:
        self._parser = etree.XMLPullParser(
            events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        )
        self._open: list[etree._Element] = []
        self._message: etree._Element | None = None
        self._statement: etree._Element | None = None
        self._root_name = ""
        self._chars = 0
        self._format = self._version = ""

    def feed(self, text: str) -> Iterator[StatementHead | StatementEnd]:
        """Takes text between entries; answers what ends in it: a head for a statement without entries, and ends."""
        self._chars += len(text)
        if self._chars > MAX_OUTLINE_CHARS:
            raise FileRefused(f"a statement has more than {MAX_OUTLINE_CHARS:,} characters outside of its entries")
        try:
            self._parser.feed(text)
        except etree.XMLSyntaxError as error:
            raise FileRefused(f"the XML around the entries is broken: {error.msg}") from None
        for event, element in self._parser.read_events():
            assert isinstance(element, etree._Element)
            if event == "start":
                self._opened(element)
            else:
                yield from self._closed(element)

    def in_statement(self) -> bool:
        """Whether what follows the text fed so far stands directly in a statement."""
        return self._statement is not None and self._open[-1] is self._statement

    def head(self) -> StatementHead:
        """Head of the statement that is open."""
        assert self._statement is not None
        assert self._message is not None
        return _head(self._format, self._version, _child(self._message, "GrpHdr"), self._statement)

    def day(self) -> date | None:
        """The day of the statement that is open: the last that it covers, else that of its closing balance, else that
        on which it was made."""
        assert self._statement is not None
        head = self.head()
        closing = (element for element in self._statement if _text(element, "Tp/CdOrPrtry/Cd", "Tp/Cd") == "CLBD")
        balance = _day(_text(next(closing, None), "Dt/Dt", "Dt/DtTm", "Dt"))
        return head.to_date or balance or (head.created_at.date() if head.created_at else None)

    def finish(self) -> None:
        """FileRefused if the file held no camt message."""
        if self._message is None:
            raise FileRefused(
                f"line 1: element {self._root_name or '?'} is not a statement (camt.052, camt.053, camt.054)"
            )

    def _opened(self, element: etree._Element) -> None:
        if not self._open:
            self._root_name = name_of(element)
        self._open.append(element)
        if len(self._open) > MAX_DEPTH:
            raise FileRefused(f"line {element.sourceline}: elements are nested more than {MAX_DEPTH} deep")
        name = name_of(element)
        if self._message is None or self._message not in self._open:
            if found := _MESSAGE.fullmatch(name):
                self._message = element
                self._format = MESSAGES[found[1]]
                namespace = _NAMESPACE.search(str(element.tag)) or _NAMESPACE.search(str(self._open[0].tag))
                self._version = namespace[1] if namespace else f"001.{found[2]}" if found[2] else ""
        elif name in STATEMENTS and len(self._open) > 1 and self._open[-2] is self._message:
            self._statement = element
            self.head_given = False

    def _closed(self, element: etree._Element) -> Iterator[StatementHead | StatementEnd]:
        self._open.pop()
        if element is not self._statement:
            return
        if not self.head_given:
            yield self.head()
        yield _end(element)
        self._statement = None
        self._chars = 0
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)

    head_given = False
    """Set by the reader once it has handed out the head of the open statement."""


def _child(element: etree._Element | None, path: str) -> etree._Element | None:
    """The first element at the path of local names."""
    for name in path.split("/"):
        if element is None:
            return None
        element = next((child for child in element if name_of(child) == name), None)
    return element


def _text(element: etree._Element | None, *paths: str) -> str:
    """Text of the first element at the first path that has one."""
    for path in paths:
        found = _child(element, path)
        if found is not None and found.text and (text := found.text.strip()):
            return text
    return ""


def _head(kind: str, version: str, header: etree._Element | None, statement: etree._Element) -> StatementHead:
    account = _text(
        statement, "Acct/Id/IBAN", "Acct/Id/Othr/Id", "Acct/Id/BBAN", "Acct/Id/UPIC", "Acct/Id/PrtryAcct/Id"
    )
    pagination = _child(statement, "StmtPgntn")
    if pagination is None:
        pagination = _child(statement, "RptPgntn")
    if pagination is None:
        pagination = _child(statement, "NtfctnPgntn")
    if pagination is None:
        pagination = _child(header, "MsgPgntn")
    last_page = _text(pagination, "LastPgInd")
    return StatementHead(
        format=kind,
        version=version,
        account=account.replace(" ", ""),
        currency=_text(statement, "Acct/Ccy"),
        message_id=_text(header, "MsgId"),
        statement_id=_text(statement, "Id"),
        electronic_sequence=_text(statement, "ElctrncSeqNb"),
        legal_sequence=_text(statement, "LglSeqNb"),
        page=count_of(_text(pagination, "PgNb")),
        last_page=last_page in {"true", "1"} if last_page else None,
        created_at=moment_of(_text(statement, "CreDtTm") or _text(header, "CreDtTm")),
        from_date=_day(_text(statement, "FrToDt/FrDtTm", "FrToDt/FrDt")),
        to_date=_day(_text(statement, "FrToDt/ToDtTm", "FrToDt/ToDt")),
        copy_duplicate=_text(statement, "CpyDplctInd"),
        servicer_bic=_text(
            statement, "Acct/Svcr/FinInstnId/BICFI", "Acct/Svcr/FinInstnId/BIC", "Acct/Svcr/FinInstnId/CmbndId/BIC"
        ),
        owner_name=_text(statement, "Acct/Ownr/Nm", "Acct/Ownr/Pty/Nm"),
        account_name=_text(statement, "Acct/Nm"),
        reporting_source=_text(statement, "RptgSrc/Cd", "RptgSrc/Prtry"),
    )


def _day(text: str) -> date | None:
    try:
        return day_of(text)
    except ValueUnreadable:
        return None


def _end(statement: etree._Element) -> StatementEnd:
    balances: list[Balance] = []
    unreadable: list[str] = []
    for element in statement:
        if name_of(element) == "Bal":
            try:
                balances.append(_balance(element))
            except ValueUnreadable as error:
                unreadable.append(str(error))
    sums: dict[str, int | None] = {}
    currency = _text(statement, "Acct/Ccy") or (balances[0].currency if balances else "")
    for field, path in (("credit", "TxsSummry/TtlCdtNtries"), ("debit", "TxsSummry/TtlDbtNtries")):
        sums[f"summary_{field}_count"] = count_of(_text(statement, f"{path}/NbOfNtries"))
        try:
            # Some banks put a minus before the sum of debits; which side it is says the element.
            text = _text(statement, f"{path}/Sum").removeprefix("-")
            sums[f"summary_{field}_minor"] = amount_of(text, currency, f"{path}/Sum") if text and currency else None
        except ValueUnreadable as error:
            unreadable.append(str(error))
    return StatementEnd(
        balances=tuple(balances),
        summary_count=count_of(_text(statement, "TxsSummry/TtlNtries/NbOfNtries")),
        additional_info=_text(statement, "AddtlStmtInf", "AddtlRptInf", "AddtlNtfctnInf"),
        unreadable=tuple(unreadable),
        guesses=(),
        **sums,
    )


def _balance(element: etree._Element) -> Balance:
    code = _text(element, "Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry", "Tp/Cd", "Tp/Prtry")
    place = f"Bal {code or '?'}"
    amount = _child(element, "Amt")
    direction = _text(element, "CdtDbtInd")
    if direction not in SIGNS:
        raise ValueUnreadable(f"{place}: CdtDbtInd {direction!r} is neither CRDT nor DBIT")
    currency = str(amount.get("Ccy", "")) if amount is not None else ""
    minor = amount_of(_text(element, "Amt"), currency, f"{place}: Amt")
    day = _text(element, "Dt/Dt", "Dt/DtTm", "Dt")
    try:
        return Balance(code, SIGNS[direction] * minor, currency, day_of(day))
    except ValueUnreadable as error:
        raise ValueUnreadable(f"{place}: {error}") from None
