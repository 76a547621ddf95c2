"""The bank's messages, read: each field once, with what the schemas say of it checked."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.failures import EbicsAnswerUnreadable
from paymatch.outbound.ebics.keys import BankKeys, public_key
from paymatch.outbound.ebics.requests import H000
from paymatch.outbound.ebics.signed_xml import DSIG, H005, SignatureNotGenuine, parse, verify

_NAMES: Final = {"e": H005, "d": DSIG, "v": H000}
_KINDS: Final = {"ebicsResponse", "ebicsKeyManagementResponse"}
_CODE: Final = re.compile(r"\d{6}")
_TRANSACTION: Final = re.compile(r"[0-9A-Fa-f]{32}")


@dataclass(frozen=True, slots=True)
class BankAnswer:
    """An answer. Empty texts and 0: not said. `genuine`: signed by the bank's key X002, header and codes covered."""

    technical_code: str
    business_code: str
    report_text: str
    transaction: str
    segments: int
    segment: int
    is_last: bool
    phase: str
    order_id: str
    wrapped_key: bytes
    order_data: str
    genuine: bool

    @property
    def code(self) -> str:
        """The code that decides: that of the message, or of the order if the message was fine."""
        return self.technical_code if self.technical_code != "000000" else self.business_code


def read_answer(message: bytes, bank: BankKeys | None) -> BankAnswer:
    """The answer to an order; with `bank` its signature is checked. EbicsAnswerUnreadable."""
    root = _root_of(message)
    if etree.QName(root).localname not in _KINDS or root.get("Version") != "H005":
        raise _unreadable("not an H005 answer")
    header, transfer = "e:header/e:mutable/", "e:body/e:DataTransfer/"
    technical, business = _text(root, header + "e:ReturnCode"), _text(root, "e:body/e:ReturnCode")
    if not _CODE.fullmatch(technical) or not _CODE.fullmatch(business):
        raise _unreadable("no return code")
    transaction = _text(root, "e:header/e:static/e:TransactionID")
    if transaction and not _TRANSACTION.fullmatch(transaction):
        raise _unreadable("TransactionID")
    segment = root.find(header + "e:SegmentNumber", _NAMES)
    return BankAnswer(
        technical, business, _text(root, header + "e:ReportText"), transaction,
        _number(_text(root, "e:header/e:static/e:NumSegments")), _number(_text(root, header + "e:SegmentNumber")),
        segment is not None and segment.get("lastSegment") in {"true", "1"}, _text(root, header + "e:TransactionPhase"),
        _text(root, header + "e:OrderID"), _base64(_text(root, transfer + "e:DataEncryptionInfo/e:TransactionKey")),
        _text(root, transfer + "e:OrderData"), genuine=bank is not None and _is_genuine(root, bank),
    )  # fmt: skip


def read_versions(message: bytes) -> dict[str, str]:
    """Of HEV: protocol version -> EBICS version, H005 -> 03.00 for example. EbicsAnswerUnreadable."""
    root = _root_of(message)
    if etree.QName(root).localname != "ebicsHEVResponse":
        raise _unreadable("not an answer to HEV")
    found = root.findall("v:VersionNumber", _NAMES)
    return {each.get("ProtocolVersion", ""): (each.text or "").strip() for each in found}


def read_bank_keys(order_data: bytes, host_id: str) -> BankKeys:
    """Of HPB: the bank's keys. EbicsAnswerUnreadable if they are not those of this bank, or too short."""
    root = _root_of(order_data)
    if etree.QName(root).localname != "HPBResponseOrderData" or _text(root, "e:HostID") != host_id:
        raise _unreadable("not the keys of this bank")
    found = []
    for name, version in (("Authentication", "X002"), ("Encryption", "E002")):
        place = f"e:{name}PubKeyInfo/"
        if _text(root, f"{place}e:{name}Version") != version:
            raise _unreadable(f"a key of another version than {version}")
        try:
            certificate = x509.load_der_x509_certificate(_base64(_text(root, f"{place}d:X509Data/d:X509Certificate")))
            public_key(certificate)
        except ValueError as error:
            raise _unreadable(f"{version}: {error}") from None
        found.append(certificate)
    return BankKeys(*found)


def order_root(order_data: bytes, name: str) -> etree._Element:
    """The root of an administrative order's data. EbicsAnswerUnreadable if it is not named so."""
    root = _root_of(order_data)
    if etree.QName(root).localname != name:
        raise _unreadable(f"not {name}")
    return root


def _root_of(message: bytes) -> etree._Element:
    try:
        return parse(message)
    except ValueError as error:
        raise _unreadable(str(error)) from None


def _is_genuine(root: etree._Element, bank: BankKeys) -> bool:
    body_code = root.find("e:body/e:ReturnCode", _NAMES)
    if body_code is None or body_code.get("authenticate") != "true":
        return False
    try:
        verify(root, public_key(bank.authentication))
    except SignatureNotGenuine:
        return False
    return True


def _text(root: etree._Element, path: str) -> str:
    return (root.findtext(path, "", _NAMES) or "").strip()


def _number(text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) <= 10):
        raise _unreadable("a number of segments")
    return int(text)


def _base64(text: str) -> bytes:
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise _unreadable("base64") from None


def _unreadable(what: str) -> EbicsAnswerUnreadable:
    return EbicsAnswerUnreadable(Message("ebics-unreadable", what=what))
