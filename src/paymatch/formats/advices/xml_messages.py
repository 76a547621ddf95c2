"""Advices as XML: UBL RemittanceAdvice (OASIS UBL 2.x) and ISO 20022 remt.001."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from lxml import etree

from paymatch.domain.advices.advice import Advice, AdviceLine, DeductionKind
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency, scale
from paymatch.formats.statement import FileRefused

_DOCTYPE: Final = re.compile(
    rb"<\x00?!\x00?(?:D\x00?O\x00?C\x00?T\x00?Y\x00?P|E\x00?N\x00?T\x00?I\x00?T)", re.IGNORECASE
)
_MAX_DEPTH: Final = 40


def is_xml(data: bytes) -> bool:
    """True if the bytes begin an XML document."""
    return data[:64].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lstrip(b"\x00")[:1] == b"<"


def read_xml(data: bytes) -> tuple[str, tuple[Advice, ...]]:
    """(form, advices); FileRefused for another document, a DOCTYPE, or with the line that is damaged."""
    if _DOCTYPE.search(data):
        raise FileRefused(Message("file-line", line="1", what=Message("pain002-doctype")))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise FileRefused(Message("file-line", line=str(error.lineno or 1), what=Message("xml-damaged"))) from None
    for action, depth in _depths(root):
        if depth > _MAX_DEPTH:
            raise FileRefused(Message("file-line", line=str(action.sourceline), what=Message("xml-deep")))
    name = etree.QName(root).localname
    if name == "RemittanceAdvice":
        return "UBL RemittanceAdvice", (_of_ubl(root),)
    messages = _all(root, "RmtAdvc")
    if messages:
        advices = tuple(_of_remt(root, each) for message in messages for each in _all(message, "RmtInf"))
        return "ISO 20022 remt.001", advices
    raise FileRefused(Message("file-line", line="1", what=Message("advice-none", element=name[:40])))


def _depths(root: etree._Element) -> Iterable[tuple[etree._Element, int]]:
    waiting = [(root, 1)]
    while waiting:
        each, depth = waiting.pop()
        yield each, depth
        if depth <= _MAX_DEPTH:
            waiting += [(child, depth + 1) for child in each]


def _line_of(element: etree._Element) -> int:
    line: Any = element.sourceline  # the stubs know no number
    return int(line or 0)


def _all(element: etree._Element, name: str) -> list[etree._Element]:
    return list(element.iter(f"{{*}}{name}"))


def _child(element: etree._Element | None, *path: str) -> etree._Element | None:
    for name in path:
        if element is None:
            return None
        element = element.find(f"{{*}}{name}")
    return element


def _text(element: etree._Element | None, *path: str) -> str:
    found = _child(element, *path)
    return (found.text or "").strip()[:100] if found is not None else ""


def _amount(element: etree._Element | None, currency: str) -> int | None:
    """Minor units; None if there is no such element."""
    if element is None:
        return None
    code = element.get("currencyID") or element.get("Ccy") or currency
    if code != currency:
        raise FileRefused(
            Message(
                "file-line", line=str(element.sourceline),
                what=Message("advice-amount-currency", currency=repr(code[:10]), other=currency),
            )
        )  # fmt: skip
    try:
        return scale(Decimal((element.text or "").strip()), currency)
    except (InvalidOperation, ValueError, OverflowError):
        raise FileRefused(
            Message(
                "file-line",
                line=str(element.sourceline),
                what=Message("amount-none", text=repr((element.text or "")[:30])),
            )
        ) from None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _known_code(code: str) -> str:
    if not known_currency(code):
        raise FileRefused(Message("advice-currency", currency=repr(code[:10])))
    return code


def _of_ubl(root: etree._Element) -> Advice:
    total = _child(root, "TotalPaymentAmount")
    stated = total.get("currencyID", "") if total is not None else ""
    currency = _known_code(stated or _text(root, "DocumentCurrencyCode") or "EUR")
    lines = [_ubl_line(each, currency) for each in _all(root, "RemittanceAdviceLine")]
    payer = _child(root, "AccountingCustomerParty", "Party")
    name = _text(payer, "PartyName", "Name") or _text(payer, "PartyLegalEntity", "RegistrationName")
    return Advice(
        currency, tuple(lines), (), _amount(total, currency), _text(root, "ID"), _day(_text(root, "IssueDate")), name,
        _text(root, "PaymentMeans", "PayerFinancialAccount", "ID").replace(" ", ""),
    )  # fmt: skip


def _ubl_line(line: etree._Element, currency: str) -> AdviceLine:
    paid = _amount(_child(line, "PaidAmount"), currency)
    credit, debit = (_amount(_child(line, name), currency) for name in ("CreditLineAmount", "DebitLineAmount"))
    due = debit if debit is not None else None
    if due is None:
        due = -credit if credit is not None and paid is None else credit
    gross = due if due is not None else paid
    if gross is None:
        raise FileRefused(Message("file-line", line=str(line.sourceline), what=Message("advice-line-no-amount")))
    references = [_text(line, "BillingReference", each, "ID") for each in ("InvoiceDocumentReference",)]
    references += [_text(line, "DocumentReference", "ID"), _text(line, "InvoicingPartyReference")]
    numbers = tuple(dict.fromkeys(each for each in references if each))
    return AdviceLine(_line_of(line), numbers, gross, gross - paid if paid is not None else 0, DeductionKind.OTHER)


def _of_remt(root: etree._Element, info: etree._Element) -> Advice:
    payment = _child(info, "OrgnlPmtInf", "OrgnlRefs")
    payment = payment if payment is not None else _child(info, "OrgnlPmtInf")
    amounts = _all(payment, "InstdAmt") if payment is not None else []
    first = next((each for each in info.iter() if each.get("Ccy")), None)
    currency = _known_code(
        (amounts[0].get("Ccy") if amounts else first.get("Ccy") if first is not None else None) or "EUR"
    )
    total = _amount(amounts[0], currency) if amounts else None
    lines = [_remt_line(each, currency) for each in _all(info, "Strd")]
    debtor = next(iter(_all(info, "Dbtr")), None)
    account = next(iter(_all(info, "DbtrAcct")), None)
    reference = next((_text(each) for each in _all(info, "EndToEndId")), "") or _text(info, "RmtId")
    created = next((_text(each) for each in _all(root, "CreDtTm")), "")
    return Advice(
        currency, tuple(lines), (), total, reference, _day(created), _text(debtor, "Nm") or _text(debtor, "Pty", "Nm"),
        _text(account, "Id", "IBAN"),
    )  # fmt: skip


def _remt_line(line: etree._Element, currency: str) -> AdviceLine:
    amounts = _child(line, "RfrdDocAmt")
    due, paid, credit = (_amount(_child(amounts, each), currency) for each in ("DuePyblAmt", "RmtdAmt", "CdtNoteAmt"))
    if credit is not None and due is None and paid is None:
        due = -credit
    gross = due if due is not None else paid
    if gross is None:
        raise FileRefused(Message("file-line", line=str(line.sourceline), what=Message("advice-no-amount")))
    is_discount = any(True for _ in line.iter("{*}DscntApldAmt"))
    references = [_text(each) for each in _all(line, "Nb")] + [_text(line, "CdtrRefInf", "Ref")]
    return AdviceLine(
        _line_of(line), tuple(dict.fromkeys(each for each in references if each)), gross,
        gross - paid if paid is not None else 0, DeductionKind.DISCOUNT if is_discount else DeductionKind.OTHER,
    )  # fmt: skip
