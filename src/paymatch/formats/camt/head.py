"""Header of a camt message: group header, statement, account, balances, sums."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.formats.camt.plan import ElementPlan, Groups, local_name
from paymatch.formats.camt.values import SIGNS, ValueUnreadable, amount_of, count_of, day_of, moment_of
from paymatch.formats.statement import Balance, StatementEnd, StatementHead

MESSAGES: Final = {
    "BkToCstmrAcctRpt": "camt.052",
    "BkToCstmrStmt": "camt.053",
    "BkToCstmrDbtCdtNtfctn": "camt.054",
}
"""Message elements; in version .01 they carry the version in their name (BkToCstmrStmtV01)."""

_NAMESPACE: Final = re.compile(r"camt\.05[234]\.([0-9]{3}\.[0-9]{2})")
_MESSAGE: Final = re.compile(r"(BkToCstmr(?:AcctRpt|Stmt|DbtCdtNtfctn))(?:V([0-9]{2}))?")

_MESSAGE_PARTS: Final = ElementPlan(
    {
        "message": "GrpHdr/MsgId",
        "created": "GrpHdr/CreDtTm",
        "page": "GrpHdr/MsgPgntn/PgNb",
        "last page": "GrpHdr/MsgPgntn/LastPgInd",
    }
)
_PAGES: Final = ("StmtPgntn", "RptPgntn", "NtfctnPgntn")
_STATEMENT: Final = ElementPlan(
    {
        "account": tuple(f"Acct/Id/{number}" for number in ("IBAN", "Othr/Id", "BBAN", "UPIC", "PrtryAcct/Id")),
        "currency": "Acct/Ccy",
        "id": "Id",
        "electronic": "ElctrncSeqNb",
        "legal": "LglSeqNb",
        "page": tuple(f"{pages}/PgNb" for pages in _PAGES),
        "last page": tuple(f"{pages}/LastPgInd" for pages in _PAGES),
        "created": "CreDtTm",
        "from": ("FrToDt/FrDtTm", "FrToDt/FrDt"),
        "to": ("FrToDt/ToDtTm", "FrToDt/ToDt"),
        "copy": "CpyDplctInd",
        "BIC": tuple(f"Acct/Svcr/FinInstnId/{name}" for name in ("BICFI", "BIC", "CmbndId/BIC")),
        "owner": ("Acct/Ownr/Nm", "Acct/Ownr/Pty/Nm"),
        "account name": "Acct/Nm",
        "source": ("RptgSrc/Cd", "RptgSrc/Prtry"),
        "count": "TxsSummry/TtlNtries/NbOfNtries",
        "credit count": "TxsSummry/TtlCdtNtries/NbOfNtries",
        "credit sum": "TxsSummry/TtlCdtNtries/Sum",
        "debit count": "TxsSummry/TtlDbtNtries/NbOfNtries",
        "debit sum": "TxsSummry/TtlDbtNtries/Sum",
        "info": ("AddtlStmtInf", "AddtlRptInf", "AddtlNtfctnInf"),
    },
    {"balances": "Bal"},
)
_BALANCE: Final = ElementPlan(
    {
        "code": ("Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry", "Tp/Cd", "Tp/Prtry"),
        "amount": "Amt",
        "currency": "Amt/@Ccy",
        "direction": "CdtDbtInd",
        "day": ("Dt/Dt", "Dt/DtTm", "Dt"),
    }
)


def is_message(element: etree._Element) -> bool:
    """Whether the element is a camt message that is read."""
    return _MESSAGE.fullmatch(local_name(element.tag)) is not None


def is_final(statement: etree._Element) -> bool:
    """Whether the statement is one of camt.053, which shows booked entries."""
    message = statement.getparent()
    found = _MESSAGE.fullmatch(local_name(message.tag)) if message is not None else None
    return found is not None and MESSAGES[found[1]] == "camt.053"


def read_balances(statement: etree._Element) -> list[Balance]:
    """The balances of the statement that can be read."""
    return _balances(_STATEMENT.read(statement)[1])[0]


def read_head(statement: etree._Element) -> StatementHead:
    """The head of a statement in a message."""
    message = statement.getparent()
    assert message is not None
    found = _MESSAGE.fullmatch(local_name(message.tag))
    assert found is not None
    root = statement.getroottree().getroot()
    namespace = _NAMESPACE.search(message.tag) or _NAMESPACE.search(root.tag)
    header, _ = _MESSAGE_PARTS.read(message)
    texts, _ = _STATEMENT.read(statement)
    paged = texts if texts["page"] or texts["last page"] else header
    return StatementHead(
        format=MESSAGES[found[1]],
        version=namespace[1] if namespace else f"001.{found[2]}" if found[2] else "",
        account=texts["account"].replace(" ", ""),
        currency=texts["currency"],
        message_id=header["message"],
        statement_id=texts["id"],
        electronic_sequence=texts["electronic"],
        legal_sequence=texts["legal"],
        page=count_of(paged["page"]),
        last_page=paged["last page"] in {"true", "1"} if paged["last page"] else None,
        created_at=moment_of(texts["created"] or header["created"]),
        from_date=_day(texts["from"]),
        to_date=_day(texts["to"]),
        copy_duplicate=texts["copy"],
        servicer_bic=texts["BIC"],
        owner_name=texts["owner"],
        account_name=texts["account name"],
        reporting_source=texts["source"],
    )


def day_of_statement(statement: etree._Element) -> date | None:
    """The last day that it covers, else that of its closing balance, else that on which it was made."""
    head = read_head(statement)
    _, groups = _STATEMENT.read(statement)
    balances = (_BALANCE.read(element)[0] for element in groups.get("balances", ()))
    closing = next((_day(texts["day"]) for texts in balances if texts["code"] == "CLBD"), None)
    return head.to_date or closing or (head.created_at.date() if head.created_at else None)


def _day(text: str) -> date | None:
    try:
        return day_of(text)
    except ValueUnreadable:
        return None


def read_end(statement: etree._Element, guesses: Iterable[Message]) -> StatementEnd:
    """The end of a statement; `guesses` are what was not certain in it."""
    texts, groups = _STATEMENT.read(statement)
    balances, unreadable = _balances(groups)
    sums: dict[str, int | None] = {}
    currency = texts["currency"] or (balances[0].currency if balances else "")
    for side, element in (("credit", "TtlCdtNtries"), ("debit", "TtlDbtNtries")):
        sums[f"summary_{side}_count"] = count_of(texts[f"{side} count"])
        # Some banks put a minus before the sum of debits; which side it is says the element.
        text = texts[f"{side} sum"].removeprefix("-")
        try:
            place = f"TxsSummry/{element}/Sum"
            sums[f"summary_{side}_minor"] = amount_of(text, currency, place) if text and currency else None
        except ValueUnreadable as error:
            unreadable.append(error.message)
    return StatementEnd(
        balances=tuple(balances),
        summary_count=count_of(texts["count"]),
        additional_info=texts["info"],
        unreadable=tuple(unreadable),
        guesses=tuple(guesses),
        **sums,
    )


def _balances(groups: Groups) -> tuple[list[Balance], list[Message]]:
    """Those that can be read, and in words those that cannot."""
    balances: list[Balance] = []
    unreadable: list[Message] = []
    for element in groups.get("balances", ()):
        try:
            balances.append(_balance(element))
        except ValueUnreadable as error:
            unreadable.append(error.message)
    return balances, unreadable


def _balance(element: etree._Element) -> Balance:
    texts, _ = _BALANCE.read(element)
    place, direction = f"Bal {texts['code'] or '?'}", texts["direction"]
    if direction not in SIGNS:
        raise ValueUnreadable(Message("camt-balance-direction", place=place, text=repr(direction)))
    minor = amount_of(texts["amount"], texts["currency"], f"{place}: Amt")
    try:
        return Balance(texts["code"], SIGNS[direction] * minor, texts["currency"], day_of(texts["day"]))
    except ValueUnreadable as error:
        raise ValueUnreadable(Message("file-named", name=place, what=error.message)) from None
