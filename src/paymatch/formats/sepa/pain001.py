"""Transfer files: SEPA credit transfers as pain.001.001.09 (default) or .03, for refunds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from lxml import etree

from paymatch.domain.bank_accounts import is_bic, is_iban
from paymatch.domain.money import EUR, minor_to_text

MAX_AMOUNT_MINOR: Final = 99_999_999_999  # EPC115-06: 999,999,999.99 EUR
_IDENTIFICATION: Final = re.compile(r"(?!/)(?!.*//)[A-Za-z0-9?:().,'+ /-]{1,35}(?<!/)")
_NOT_SENT: Final = re.compile(r"[^A-Za-z0-9/?:().,'+ ÄÖÜäöüß&*$%-]")
_WRITTEN_OUT: Final = str.maketrans({"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "đ": "d", "–": "-"})


class TransferRefused(ValueError):
    """The transfer cannot be written; the text names the transfer and what is wrong with it."""


class Pain001Version(StrEnum):
    V09 = "pain.001.001.09"
    V03 = "pain.001.001.03"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One payment in EUR. No address is sent: it is optional within the EEA, and a wrong form of it is rejected."""

    end_to_end_id: str  # the refund's reference; comes back on the statement
    amount_minor: int
    creditor_name: str
    creditor_iban: str
    creditor_bic: str = ""
    remittance: str = ""  # up to 140 characters are sent


@dataclass(frozen=True, slots=True)
class TransferFile:
    """One file with one batch on one account."""

    message_id: str
    payment_information_id: str
    created_at: datetime  # UTC
    execution_date: date
    debtor_name: str
    debtor_iban: str
    transfers: tuple[Transfer, ...]
    debtor_bic: str = ""
    batch_booking: bool = True


def write_pain001(file: TransferFile, version: Pain001Version = Pain001Version.V09) -> bytes:
    """The XML bytes of the transfer file (EPC132-08, DK annex 3). TransferRefused for what a bank would reject."""
    _check(file)
    namespace = f"urn:iso:std:iso:20022:tech:xsd:{version}"
    root = etree.Element("Document", nsmap={None: namespace})  # type: ignore[dict-item]  # lxml-stubs lack None
    order = etree.SubElement(root, "CstmrCdtTrfInitn")
    count = str(len(file.transfers))
    total = minor_to_text(sum(transfer.amount_minor for transfer in file.transfers), EUR)
    header = etree.SubElement(order, "GrpHdr")
    _add(header, "MsgId", file.message_id)
    _add(header, "CreDtTm", file.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"))
    _add(header, "NbOfTxs", count)
    _add(header, "CtrlSum", total)
    _add(header, "InitgPty/Nm", sendable(file.debtor_name, 70))
    batch = etree.SubElement(order, "PmtInf")
    _add(batch, "PmtInfId", file.payment_information_id)
    _add(batch, "PmtMtd", "TRF")
    _add(batch, "BtchBookg", "true" if file.batch_booking else "false")
    _add(batch, "NbOfTxs", count)
    _add(batch, "CtrlSum", total)
    _add(batch, "PmtTpInf/SvcLvl/Cd", "SEPA")
    day = file.execution_date.isoformat()
    _add(batch, "ReqdExctnDt/Dt" if version is Pain001Version.V09 else "ReqdExctnDt", day)
    _add(batch, "Dbtr/Nm", sendable(file.debtor_name, 70))
    _add(batch, "DbtrAcct/Id/IBAN", file.debtor_iban)
    if file.debtor_bic:
        _add(batch, f"DbtrAgt/FinInstnId/{_bic_tag(version)}", file.debtor_bic)
    else:
        _add(batch, "DbtrAgt/FinInstnId/Othr/Id", "NOTPROVIDED")
    _add(batch, "ChrgBr", "SLEV")
    for transfer in file.transfers:
        _transfer(batch, transfer, version)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _transfer(batch: etree._Element, transfer: Transfer, version: Pain001Version) -> None:
    element = etree.SubElement(batch, "CdtTrfTxInf")
    _add(element, "PmtId/EndToEndId", transfer.end_to_end_id)
    _add(element, "Amt/InstdAmt", minor_to_text(transfer.amount_minor, EUR)).set("Ccy", EUR)
    if transfer.creditor_bic:
        _add(element, f"CdtrAgt/FinInstnId/{_bic_tag(version)}", transfer.creditor_bic)
    _add(element, "Cdtr/Nm", sendable(transfer.creditor_name, 70))
    _add(element, "CdtrAcct/Id/IBAN", transfer.creditor_iban)
    if text := sendable(transfer.remittance, 140):
        _add(element, "RmtInf/Ustrd", text)


def _bic_tag(version: Pain001Version) -> str:
    return "BICFI" if version is Pain001Version.V09 else "BIC"


def _add(parent: etree._Element, path: str, text: str) -> etree._Element:
    for tag in path.split("/"):
        parent = etree.SubElement(parent, tag)
    parent.text = text
    return parent


def sendable(text: str, length: int) -> str:
    """`text` in the characters that German banks take (EPC217-08 and umlauts), cut to `length`.

    Umlauts stay: the bank of the payee compares the name (verification of payee). Other accents are taken off, what is
    left over becomes a full stop.
    """
    kept: list[str] = []
    for character in unicodedata.normalize("NFC", text.translate(_WRITTEN_OUT)):
        if _NOT_SENT.match(character) and not character.isspace():
            bare = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
            kept.append(_NOT_SENT.sub(".", bare) or ".")
        else:
            kept.append(character)
    return " ".join("".join(kept).split())[:length].rstrip()


def _check(file: TransferFile) -> None:
    for what, text in (("message id", file.message_id), ("payment information id", file.payment_information_id)):
        if not _IDENTIFICATION.fullmatch(text):
            raise TransferRefused(f"{what} {text!r}: 1 to 35 characters of the SEPA character set are needed")
    if not file.transfers:
        raise TransferRefused("a transfer file needs at least one transfer")
    _check_party("debtor", file.debtor_name, file.debtor_iban, file.debtor_bic)
    seen: set[str] = set()
    for transfer in file.transfers:
        name = f"transfer {transfer.end_to_end_id!r}"
        if not _IDENTIFICATION.fullmatch(transfer.end_to_end_id):
            raise TransferRefused(f"{name}: the reference needs 1 to 35 characters of the SEPA character set")
        if transfer.end_to_end_id in seen:
            raise TransferRefused(f"{name}: the reference is used twice in the file")
        seen.add(transfer.end_to_end_id)
        if not 0 < transfer.amount_minor <= MAX_AMOUNT_MINOR:
            raise TransferRefused(f"{name}: the amount must be between 0.01 and 999999999.99 EUR")
        _check_party(name, transfer.creditor_name, transfer.creditor_iban, transfer.creditor_bic)


def _check_party(what: str, name: str, iban: str, bic: str) -> None:
    if not sendable(name, 70):
        raise TransferRefused(f"{what}: the name is missing")
    if not is_iban(iban):
        raise TransferRefused(f"{what}: {iban!r} is no IBAN")
    if bic and not is_bic(bic):
        raise TransferRefused(f"{what}: {bic!r} is no BIC")
