"""Status reports of banks on transfer files (pain.002, versions .03 to .14), verification of payee included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from lxml import etree

from paymatch.domain.refunds.payee_check import PayeeMatch
from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused

MAX_BYTES: Final = 32 * 1024 * 1024
_DOCTYPE: Final = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E", re.IGNORECASE)
_NAME_MAX: Final = 140
_NOT_INHERITED: Final = frozenset({"PART", "RVCM"})
"""Some of the transactions below were accepted, or matched, and some not: says nothing about a single one."""


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

    def payee_of(self, end_to_end_id: str, ours: str) -> str:
        """What the bank calls the payee, where that matches `ours` closely only (RVMC); "" if not named."""
        for payment in (each for batch in self.batches for each in batch.payments):
            if payment.end_to_end_id == end_to_end_id and payment.known_payee not in {"", ours}:
                return payment.known_payee
        return ""

    def status_of(self, payment_information_id: str, end_to_end_id: str) -> tuple[str, tuple[StatusReason, ...]]:
        """Status and reasons of one of our payments: its own, else its batch's, else the file's; "" if none says it.

        Banks list only what deviates, and the status of the file may differ from that of a transaction (verification of
        payee: file RVMC, transaction RVNM), so the closest one counts.
        """
        for batch in self.batches:
            if batch.payment_information_id not in {payment_information_id, ""}:
                continue
            for payment in batch.payments:
                if payment.end_to_end_id == end_to_end_id:
                    return payment.status, payment.reasons
            if batch.payment_information_id:
                return batch.status, batch.reasons
        return ("", ()) if self.status in _NOT_INHERITED else (self.status, self.reasons)


def read_pain002(stream: BinaryIO) -> StatusReport:
    """The status report. FileRefused: no pain.002, no well-formed XML, a DOCTYPE, or more than 32 MB."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileRefused(Message("file-too-many-bytes", bytes=MAX_BYTES))
    if _DOCTYPE.search(data):
        raise FileRefused(Message("file-line", line="1", what=Message("pain002-doctype")))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise FileRefused(Message("xml-malformed", error=" ".join(str(error).split())[:200])) from error
    report = next((found for found in (root, *_children(root)) if _name(found) in _REPORTS), None)
    if report is None:
        raise FileRefused(Message("file-line", line="1", what=Message("pain002-none", element=_name(root))))
    return _report(root, report)


_REPORTS: Final = frozenset({"CstmrPmtStsRpt", "pain.002.001.02"})


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
        payments.append(
            TransferReportStatus(
                payment_information_id=batch,
                end_to_end_id=_text(element, "OrgnlEndToEndId"),
                instruction_id=_text(element, "OrgnlInstrId"),
                status=own or _inherited_status(above),
                reasons=_reasons(element) or (() if own and own != above else reasons_above),
                known_payee=_known_payee(element) if own == PayeeMatch.CLOSE else "",
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
    """Text at the path of local names; "" if there is none."""
    for name in path.split("/"):
        if element is None:
            return ""
        element = next((child for child in _children(element) if _name(child) == name), None)
    return (element.text or "").strip() if element is not None else ""


def _children(element: etree._Element) -> Iterator[etree._Element]:
    """The child elements, without comments and processing instructions."""
    return element.iterchildren("{*}*")


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname
