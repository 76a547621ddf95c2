"""Transfer files for refunds: pain.001.001.09 (default) or .03 for SEPA credit transfers, .09 for all others."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from lxml import etree

from paymatch.domain.bank_accounts import is_bic, is_iban
from paymatch.domain.money import EUR, Currency, minor_to_text
from paymatch.domain.refunds.transfers import MAX_AMOUNT_MINOR, TransferKind
from paymatch.formats.languages.latin_letters import in_latin_letters

_SWISS: Final = frozenset({"CH", "LI"})
_IDENTIFICATION: Final = re.compile(r"(?!/)(?!.*//)[A-Za-z0-9?:().,'+ /-]{1,35}(?<!/)")
_NOT_SENT: Final = re.compile(r"[^A-Za-z0-9/?:().,'+ ÄÖÜäöüß&*$%-]")
_NOT_SEPA: Final = re.compile(r"[^A-Za-z0-9/?:().,'+ -]")
_WITHOUT_UMLAUTS: Final = str.maketrans({"ß": "ss", "ẞ": "SS", "&": "+"})
_TAKE_UMLAUTS: Final = frozenset({"AT", "CH", "DE", "LI"})
"""Countries whose banks take umlauts and `&` (DK annex 3, STUZZA, SPS)."""
_WRITTEN_OUT: Final = str.maketrans(
    {
        "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "đ": "d", "Đ": "D",
        "ı": "i", "–": "-",
    }
)  # fmt: skip


class TransferRefused(ValueError):
    """The transfer cannot be written; the text names the transfer and what is wrong with it."""


class Pain001Version(StrEnum):
    V09 = "pain.001.001.09"
    V03 = "pain.001.001.03"


class TransferCharacters(StrEnum):
    """Which characters the names and texts of a file hold."""

    BY_COUNTRY = ""  # as banks of the account's country take them
    SEPA = "sepa"  # Latin letters without accents (EPC217-08)
    UMLAUTS = "umlauts"  # umlauts and `&` as well


@dataclass(frozen=True, slots=True)
class CreditTransfer:
    """One payment in the currency of its file.

    No address is sent within SEPA: it is optional there, and a wrong form of it is rejected.
    """

    end_to_end_id: str  # the refund's reference; comes back on the statement
    amount_minor: int
    creditor_name: str
    creditor_iban: str
    creditor_bic: str = ""
    remittance: str = ""  # up to 140 characters are sent
    creditor_town: str = ""  # these two are needed for FOREIGN, and sent for SWISS and FOREIGN where they are known
    creditor_country: str = ""


@dataclass(frozen=True, slots=True)
class PayerAddress:
    """Where the shop is. Banks need the town outside of SEPA; nothing is written without it."""

    town: str
    country: str
    street: str = ""
    house_number: str = ""
    postcode: str = ""


@dataclass(frozen=True, slots=True)
class TransferFile:
    """One file with one batch on one account."""

    message_id: str
    payment_information_id: str
    created_at: datetime  # UTC
    execution_date: date
    debtor_name: str
    debtor_iban: str
    transfers: tuple[CreditTransfer, ...]
    debtor_bic: str = ""
    batch_booking: bool = True
    currency: Currency = EUR
    kind: TransferKind = TransferKind.SEPA
    characters: TransferCharacters = TransferCharacters.BY_COUNTRY
    instant: bool = False  # SEPA only: within seconds, on any day
    payer: PayerAddress | None = None  # is sent for SWISS and FOREIGN

    @property
    def umlauts(self) -> bool:
        """Whether the shop's bank takes umlauts and `&`."""
        if self.characters is TransferCharacters.BY_COUNTRY:
            return self.debtor_iban[:2] in _TAKE_UMLAUTS
        return self.characters is TransferCharacters.UMLAUTS


_CHARGES: Final = {TransferKind.SEPA: "SLEV", TransferKind.FOREIGN: "SHAR"}  # SPS: none for payments within Switzerland


def write_pain001(file: TransferFile, version: Pain001Version = Pain001Version.V09) -> bytes:
    """The XML bytes of the transfer file (EPC132-08, DK annex 3). TransferRefused for what a bank would reject."""
    _check(file)
    namespace = f"urn:iso:std:iso:20022:tech:xsd:{version}"
    root = etree.Element("Document", nsmap={None: namespace})  # type: ignore[dict-item]  # lxml-stubs lack None
    order = etree.SubElement(root, "CstmrCdtTrfInitn")
    count = str(len(file.transfers))
    total = minor_to_text(sum(transfer.amount_minor for transfer in file.transfers), file.currency)
    header = etree.SubElement(order, "GrpHdr")
    _add(header, "MsgId", file.message_id)
    _add(header, "CreDtTm", file.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"))
    _add(header, "NbOfTxs", count)
    _add(header, "CtrlSum", total)
    _add(header, "InitgPty/Nm", sendable(file.debtor_name, 70, umlauts=file.umlauts))
    batch = etree.SubElement(order, "PmtInf")
    _add(batch, "PmtInfId", file.payment_information_id)
    _add(batch, "PmtMtd", "TRF")
    _add(batch, "BtchBookg", "true" if file.batch_booking else "false")
    _add(batch, "NbOfTxs", count)
    _add(batch, "CtrlSum", total)
    if file.kind is TransferKind.SEPA:
        form = etree.SubElement(batch, "PmtTpInf")
        _add(form, "SvcLvl/Cd", "SEPA")
        if file.instant:
            _add(form, "LclInstrm/Cd", "INST")
    day = file.execution_date.isoformat()
    _add(batch, "ReqdExctnDt/Dt" if version is Pain001Version.V09 else "ReqdExctnDt", day)
    payer = etree.SubElement(batch, "Dbtr")
    _add(payer, "Nm", sendable(file.debtor_name, 70, umlauts=file.umlauts))
    if file.payer is not None and file.kind is not TransferKind.SEPA:
        _payer_address(payer, file.payer, umlauts=file.umlauts)
    account = etree.SubElement(batch, "DbtrAcct")
    _add(account, "Id/IBAN", file.debtor_iban)
    if file.kind is not TransferKind.SEPA:
        _add(account, "Ccy", file.currency)  # an account may be held in several
    _debtor_bank(batch, file, version)
    if file.kind in _CHARGES:
        _add(batch, "ChrgBr", _CHARGES[file.kind])
    for transfer in file.transfers:
        _transfer(batch, file, transfer, version)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _payer_address(payer: etree._Element, address: PayerAddress, *, umlauts: bool) -> None:
    """Structured: banks take no other form from November 2026 on, and no address without town (D-111)."""
    town = sendable(address.town, 35, umlauts=umlauts)
    if not town:
        return
    parts = {"StrtNm": (address.street, 70), "BldgNb": (address.house_number, 16), "PstCd": (address.postcode, 16)}
    element = etree.SubElement(payer, "PstlAdr")
    for tag, (text, length) in parts.items():
        if sent := sendable(text, length, umlauts=umlauts):
            _add(element, tag, sent)
    _add(element, "TwnNm", town)
    _add(element, "Ctry", address.country)


def _debtor_bank(batch: etree._Element, file: TransferFile, version: Pain001Version) -> None:
    """The shop's bank: by BIC, in Switzerland else by the clearing number in the IBAN, elsewhere else by the IBAN."""
    bank = etree.SubElement(etree.SubElement(batch, "DbtrAgt"), "FinInstnId")
    if file.debtor_bic:
        _add(bank, _bic_tag(version), file.debtor_bic)
    elif file.kind is not TransferKind.SEPA and file.debtor_iban[:2] in _SWISS:
        clearing = etree.SubElement(bank, "ClrSysMmbId")
        _add(clearing, "ClrSysId/Cd", "CHBCC")
        _add(clearing, "MmbId", file.debtor_iban[4:9].lstrip("0"))
    else:
        _add(bank, "Othr/Id", "NOTPROVIDED")


def _transfer(batch: etree._Element, file: TransferFile, transfer: CreditTransfer, version: Pain001Version) -> None:
    element = etree.SubElement(batch, "CdtTrfTxInf")
    _add(element, "PmtId/EndToEndId", transfer.end_to_end_id)
    _add(element, "Amt/InstdAmt", minor_to_text(transfer.amount_minor, file.currency)).set("Ccy", file.currency)
    if transfer.creditor_bic:
        _add(element, f"CdtrAgt/FinInstnId/{_bic_tag(version)}", transfer.creditor_bic)
    payee = etree.SubElement(element, "Cdtr")
    _add(payee, "Nm", sendable(transfer.creditor_name, 70, umlauts=file.umlauts))
    town = sendable(transfer.creditor_town, 35, umlauts=file.umlauts)
    if file.kind is not TransferKind.SEPA and town and transfer.creditor_country:
        address = etree.SubElement(payee, "PstlAdr")  # structured: banks take no other form from November 2026 on
        _add(address, "TwnNm", town)
        _add(address, "Ctry", transfer.creditor_country)
    _add(element, "CdtrAcct/Id/IBAN", transfer.creditor_iban)
    if text := sendable(transfer.remittance, 140, umlauts=file.umlauts):
        _add(element, "RmtInf/Ustrd", text)


def _bic_tag(version: Pain001Version) -> str:
    return "BICFI" if version is Pain001Version.V09 else "BIC"


def _add(parent: etree._Element, path: str, text: str) -> etree._Element:
    for tag in path.split("/"):
        parent = etree.SubElement(parent, tag)
    parent.text = text
    return parent


def sendable(text: str, length: int, *, umlauts: bool = True) -> str:
    """`text` in the characters that banks take (EPC217-08), cut to `length`; with `umlauts` as German banks take them.

    Greek and Cyrillic letters are written in Latin ones. Umlauts stay where the bank takes them: the bank of the payee
    compares the name (verification of payee). Other accents are taken off, what is left over becomes a full stop.
    """
    kept: list[str] = []
    not_sent = _NOT_SENT if umlauts else _NOT_SEPA
    written = in_latin_letters(text).translate(_WRITTEN_OUT)
    for character in unicodedata.normalize("NFC", written if umlauts else written.translate(_WITHOUT_UMLAUTS)):
        if not_sent.match(character) and not character.isspace():
            bare = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
            kept.append(not_sent.sub(".", bare) or ".")
        else:
            kept.append(character)
    return " ".join("".join(kept).split())[:length].rstrip()


def sendable_name(text: str, length: int = 70, *, umlauts: bool = True) -> str:
    """A name as `sendable`; "" if not one letter of it is left, because no bank could compare it."""
    name = sendable(text, length, umlauts=umlauts)
    return name if any(map(str.isalnum, name)) else ""


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
            raise TransferRefused(f"{name}: the amount must be between 0.01 and 999999999.99")
        _check_party(name, transfer.creditor_name, transfer.creditor_iban, transfer.creditor_bic)
        if file.kind is TransferKind.FOREIGN and not (transfer.creditor_bic and sendable(transfer.creditor_town, 35)):
            raise TransferRefused(f"{name}: BIC and town of the payee are needed outside of SEPA")


def _check_party(what: str, name: str, iban: str, bic: str) -> None:
    if not sendable_name(name):
        raise TransferRefused(f"{what}: the name is missing")
    if not is_iban(iban):
        raise TransferRefused(f"{what}: {iban!r} is not an IBAN")
    if bic and not is_bic(bic):
        raise TransferRefused(f"{what}: {bic!r} is not a BIC")
