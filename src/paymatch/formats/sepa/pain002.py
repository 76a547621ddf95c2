"""Status reports of banks on transfer files (pain.002, versions .03 to .14), verification of payee included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import BinaryIO, Final

from lxml import etree

from paymatch.domain.money import AmountUnreadable, Currency
from paymatch.domain.refunds.payee_check import PayeeMatch
from paymatch.domain.refunds.transfers import NOT_EXECUTED, SETTLED
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import scale
from paymatch.formats.statement import FileRefused

MAX_BYTES: Final = 32 * 1024 * 1024
_DOCTYPE: Final = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E", re.IGNORECASE)
_NAME_MAX: Final = 140
_TEXT_MAX: Final = 140
_NOT_INHERITED: Final = frozenset({"PART", "RVCM"})
"""Some of the transactions below were accepted, or matched, and some not: says nothing about a single one."""
_UNNAMED: Final = frozenset({"NOTPROVIDED", "NOT PROVIDED", "NONREF", "NOTAVAILABLE"})
"""What banks write as the id of a batch where the message definition demands one and they have none."""
_FINAL: Final = dict.fromkeys(NOT_EXECUTED, "rejected") | dict.fromkeys(SETTLED, "settled")
_PAYEE_MATCHES: Final = frozenset(str(each) for each in PayeeMatch)


@dataclass(frozen=True, slots=True)
class StatusReason:
    code: str  # ISO code (AC01) or the bank's own
    text: str = ""


@dataclass(frozen=True, slots=True)
class TransferReportStatus:
    """What the report says about one transaction that it lists."""

    payment_information_id: str
    end_to_end_id: str
    instruction_id: str
    status: str  # RJCT ACSC RVNM ...; of the batch or the file where the transaction has none; "" if nothing says it
    reasons: tuple[StatusReason, ...]
    known_payee: str = ""  # RVMC: what the payee's bank calls the account holder
    amount: str = ""  # InstdAmt of OrgnlTxRef, as it is written; "" if not given, as the two below
    currency: str = ""
    iban: str = ""  # CdtrAcct


@dataclass(frozen=True, slots=True)
class BatchStatus:
    payment_information_id: str
    status: str  # its own, or that of the file; "" if nothing says it
    reasons: tuple[StatusReason, ...]
    payments: tuple[TransferReportStatus, ...]


@dataclass(frozen=True, slots=True)
class StatusReport:
    version: str  # "001.03"; "" without namespace
    message_id: str
    original_message_id: str  # MsgId of our file
    original_message_name: str
    status: str  # GrpSts; "" if the bank gives none
    reasons: tuple[StatusReason, ...]
    batches: tuple[BatchStatus, ...]

    @property
    def names(self) -> frozenset[str]:
        """The message id and the payment information ids of the files that the report is about."""
        return frozenset({self.original_message_id, *(each.payment_information_id for each in self.batches)} - {""})

    def of_batch(self, payment_information_id: str) -> BatchAnswers:
        """The statements about one of our batches."""
        parts = [each for each in self.batches if each.payment_information_id in {payment_information_id, ""}]
        listed: dict[str, list[TransferReportStatus]] = {}
        for payment in (each for part in parts for each in part.payments):
            listed.setdefault(payment.end_to_end_id, []).append(payment)
        own = [each for each in parts if each.payment_information_id]
        rest = (self.status, self.reasons) if not own else _common_status(own)
        others = frozenset() if own else frozenset(each.payment_information_id for each in self.batches) - {""}
        return BatchAnswers(listed, ("", ()) if rest[0] in _NOT_INHERITED else rest, others)


class ReportDoubt(StrEnum):
    """Why an answer on a transfer does not count: a person asks the bank."""

    CONTRADICTS = "contradicts"  # the report says both that it was settled and that it was rejected
    DIFFERS = "differs"  # its amount or its payee's account is not the transfer's
    INHERITED = "inherited"  # said of the whole batch or file, and the report lists what is not in it


@dataclass(frozen=True, slots=True)
class SentTransfer:
    """A transfer as our file has it; the amount in minor units of `currency`."""

    end_to_end_id: str
    amount_minor: int
    currency: Currency
    iban: str


@dataclass(frozen=True, slots=True)
class TransferAnswer:
    """What a report says about one transfer. `status` "": nothing."""

    status: str = ""
    reasons: tuple[StatusReason, ...] = ()
    known_payee: str = ""
    doubt: ReportDoubt | None = None


@dataclass(frozen=True, slots=True)
class BatchAnswers:
    """A report's statements about one batch: of the transfers that it lists, and of the rest.

    `other_batches`: the ids of the batches that the report names instead of this one.
    """

    listed: Mapping[str, Sequence[TransferReportStatus]]
    rest: tuple[str, tuple[StatusReason, ...]]
    other_batches: frozenset[str] = frozenset()

    def answer(self, end_to_end_id: str) -> TransferAnswer:
        """The answer on one transfer: its own, else its batch's, else the file's; "" if none says it.

        Banks list only what deviates, and the status of the file may differ from that of a transaction (verification of
        payee: file RVMC, transaction RVNM), so the closest one counts.
        """
        rows = self.listed.get(end_to_end_id, ())
        if not rows:
            return TransferAnswer(*self.rest)
        kinds = {_FINAL[row.status] for row in rows if row.status in _FINAL}
        matches = {row.status for row in rows if row.status in _PAYEE_MATCHES}
        said = next((row for row in rows if row.status in _FINAL), rows[-1])
        name = next((row.known_payee for row in rows if row.known_payee), "")
        doubt = ReportDoubt.CONTRADICTS if len(kinds) > 1 or len(matches) > 1 else None
        return TransferAnswer(said.status, said.reasons, name, doubt)

    def checked(self, sent: SentTransfer, *, lists_others: bool) -> TransferAnswer:
        """As `answer`, in doubt if the bank means another transfer; `lists_others`: `unknown` has found something."""
        answer, rows = self.answer(sent.end_to_end_id), self.listed.get(sent.end_to_end_id, ())
        if answer.doubt is None and any(_differs(row, sent) for row in rows):
            return replace(answer, doubt=ReportDoubt.DIFFERS)
        if not rows and answer.status and lists_others:
            return replace(answer, doubt=ReportDoubt.INHERITED)
        return answer

    def unknown(self, known: Set[str]) -> list[str]:
        """What the report lists and our file does not have: references ("" for a transaction without one), batches."""
        return sorted((self.listed.keys() - known) | self.other_batches)


def _common_status(parts: Sequence[BatchStatus]) -> tuple[str, tuple[StatusReason, ...]]:
    """The status of a batch for the transfers that are not listed.

    Some banks write a block for each transaction and repeat the batch's id: the status of such a block is that of its
    own transactions.
    """
    about_all = parts if len(parts) == 1 else [each for each in parts if not each.payments]
    if len({each.status for each in about_all}) != 1:
        return "", ()
    return about_all[0].status, about_all[0].reasons


def _differs(row: TransferReportStatus, sent: SentTransfer) -> bool:
    """Whether the original transaction, as the bank has it, is not the one that we sent."""
    if row.iban and row.iban != sent.iban:
        return True
    if not row.amount:
        return False
    try:
        minor = scale(Decimal(row.amount), sent.currency)
    except (AmountUnreadable, InvalidOperation):
        return True
    return minor != sent.amount_minor or row.currency not in {"", sent.currency}


def read_pain002(stream: BinaryIO) -> StatusReport:
    """The status report. FileRefused: no pain.002, several in one, no well-formed XML, a DOCTYPE, more than 32 MB."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileRefused(Message("file-too-many-bytes", bytes=MAX_BYTES))
    if _DOCTYPE.search(data):
        raise FileRefused(Message("file-line", line="1", what=Message("pain002-doctype")))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FileRefused(Message("xml-malformed", error=" ".join(str(error).split())[:200])) from error
    reports = [found for found in (root, *_children(root)) if _name(found) in _REPORTS]
    if not reports or not _is_of_pain002(root):
        raise FileRefused(Message("file-line", line="1", what=Message("pain002-none", element=_name(root)[:100])))
    groups = [found for report in reports for found in _children(report) if _name(found) == "OrgnlGrpInfAndSts"]
    if len(reports) > 1 or len(groups) > 1:
        raise FileRefused(Message("pain002-several"))
    return _report(root, reports[0])


_REPORTS: Final = frozenset({"CstmrPmtStsRpt", "pain.002.001.02"})


def _is_of_pain002(root: etree._Element) -> bool:
    """Whether the namespace is one of pain.002, of ISO or of a country's rules; some programs write none."""
    namespace = etree.QName(root).namespace or ""
    return not namespace or "pain.002" in namespace


def _report(root: etree._Element, report: etree._Element) -> StatusReport:
    namespace = etree.QName(root).namespace or ""
    found = re.search(r"pain\.002\.(\d{3}\.\d{2})", namespace)
    group = next((element for element in _children(report) if _name(element) == "OrgnlGrpInfAndSts"), None)
    status = _text(group, "GrpSts")
    reasons = _reasons(group)
    batches = tuple(
        _batch(element, status, reasons) for element in _children(report) if _name(element) == "OrgnlPmtInfAndSts"
    )
    loose = _payments(report, "", status, reasons)  # version .02 lists transactions beside the group
    return StatusReport(
        version=found[1] if found else "",
        message_id=_text(report, "GrpHdr/MsgId"),
        original_message_id=_text(group, "OrgnlMsgId"),
        original_message_name=_text(group, "OrgnlMsgNmId"),
        status=status,
        reasons=reasons,
        batches=(*batches, BatchStatus("", _inherited_status(status), reasons, loose)) if loose else batches,
    )


def _batch(element: etree._Element, above: str, reasons_above: tuple[StatusReason, ...]) -> BatchStatus:
    identification = _text(element, "OrgnlPmtInfId")
    if identification in _UNNAMED:
        identification = ""
    own = _text(element, "PmtInfSts")
    status = own or _inherited_status(above)
    reasons = _reasons(element) or (() if own and own != above else reasons_above)
    payments = _payments(element, identification, status, reasons)
    return BatchStatus(
        identification, _inherited_status(status) if own in _NOT_INHERITED else status, reasons, payments
    )


def _payments(
    parent: etree._Element, batch: str, above: str, reasons_above: tuple[StatusReason, ...]
) -> tuple[TransferReportStatus, ...]:
    payments: list[TransferReportStatus] = []
    for element in _children(parent):
        if _name(element) != "TxInfAndSts":
            continue
        own = _text(element, "TxSts")
        amount = _at(element, "OrgnlTxRef/Amt/InstdAmt")
        payments.append(
            TransferReportStatus(
                payment_information_id=batch,
                end_to_end_id=_text(element, "OrgnlEndToEndId"),
                instruction_id=_text(element, "OrgnlInstrId"),
                status=own or _inherited_status(above),
                reasons=_reasons(element) or (() if own and own != above else reasons_above),
                known_payee=_known_payee(element) if own == PayeeMatch.CLOSE else "",
                amount=_text(amount, ""),
                currency=(amount.get("Ccy") or "") if amount is not None else "",
                iban=_text(element, "OrgnlTxRef/CdtrAcct/Id/IBAN").replace(" ", "").upper(),
            )
        )
    return tuple(payments)


def _known_payee(element: etree._Element) -> str:
    """The name beside a close match, "" for none: AddtlInf of the transaction's own reason (DFÜ annex 3, 2.2.6).

    The payee in OrgnlTxRef is the one that we wrote. A name of more than 105 characters comes in two texts, some banks
    put a quotation mark before each. Texts above the transaction explain what the codes mean.
    """
    texts = (
        (child.text or "").strip().lstrip('“"').rstrip('”"')
        for info in _children(element)
        if _name(info) == "StsRsnInf"
        for child in _children(info)
        if _name(child) == "AddtlInf"
    )
    name = "".join(texts)
    return name if len(name) <= _NAME_MAX and not name.startswith(PayeeMatch.CLOSE) else ""


def _inherited_status(status: str) -> str:
    return "" if status in _NOT_INHERITED else status


def _reasons(element: etree._Element | None) -> tuple[StatusReason, ...]:
    """The reasons of the element itself, not of those below it."""
    if element is None:
        return ()
    return tuple(
        StatusReason(
            _text(info, "Rsn/Cd")
            or _text(info, "Rsn/Prtry")
            or _text(info, "StsRsn/Cd")
            or _text(info, "StsRsn/Prtry"),
            " ".join((child.text or "").strip() for child in _children(info) if _name(child) == "AddtlInf"),
        )
        for info in _children(element)
        if _name(info) in {"StsRsnInf", "StsRsnInfo"}
    )


def _text(element: etree._Element | None, path: str) -> str:
    """Text at the path of local names, "" for the element's own; "" if there is none.

    No identifier or code of the message has more characters than we keep (Max140Text).
    """
    found = _at(element, path) if path else element
    return (found.text or "").strip()[:_TEXT_MAX] if found is not None else ""


def _at(element: etree._Element | None, path: str) -> etree._Element | None:
    """The first element at the path of local names; None if there is none."""
    for name in path.split("/"):
        if element is None:
            return None
        element = next((child for child in _children(element) if _name(child) == name), None)
    return element


def _children(element: etree._Element) -> Iterator[etree._Element]:
    """The child elements."""
    return element.iterchildren("{*}*")


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname
