"""The messages that we send, as the H005 schemas describe them."""

from __future__ import annotations

import secrets
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from paymatch.outbound.ebics import ciphers, signed_xml
from paymatch.outbound.ebics.keys import BankKeys, KeyUse, SubscriberKeys, certificate_digest, public_key
from paymatch.outbound.ebics.services import BankService
from paymatch.outbound.ebics.signed_xml import DSIG, H005, H005_ONLY, S002, S002_ONLY, SHA256_URI

H000: Final = "http://www.ebics.org/H000"
_H000_ONLY: Final[Any] = {None: H000}
SOFTWARE_KEYS: Final = "0000"
"""`SecurityMedium`: the keys are in files."""


@dataclass(frozen=True, slots=True)
class Subscriber:
    """The subscriber and the bank."""

    host_id: str
    partner_id: str
    user_id: str


def hev(host_id: str) -> bytes:
    """Which versions of EBICS the bank speaks."""
    root = etree.Element(f"{{{H000}}}ebicsHEVRequest", nsmap=_H000_ONLY)
    _add(root, "HostID", host_id)
    return _bytes(root)


def unsecured_request(subscriber: Subscriber, order_type: str, order_data: bytes) -> bytes:
    """INI, HIA, H3K: keys on their way to the bank, before it knows any of them."""
    root = _root("ebicsUnsecuredRequest")
    static, _mutable = _header(root)
    _whose(static, subscriber)
    _add(_add(static, "OrderDetails"), "AdminOrderType", order_type)
    _add(static, "SecurityMedium", SOFTWARE_KEYS)
    transfer = _add(_add(root, "body"), "DataTransfer")
    _add(transfer, "OrderData", b64encode(ciphers.compress(order_data)).decode())
    return _bytes(root)


def hpb(subscriber: Subscriber, keys: SubscriberKeys, now: datetime) -> bytes:
    """Asks for the bank's keys."""
    root = _root("ebicsNoPubKeyDigestsRequest")
    static, _mutable = _header(root)
    _add(static, "HostID", subscriber.host_id)
    _fresh(static, now)
    _whose(static, subscriber, host=False)
    _add(_add(static, "OrderDetails"), "AdminOrderType", "HPB")
    _add(static, "SecurityMedium", SOFTWARE_KEYS)
    _add(root, "body")
    return _sign(root, keys)


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """What an order is about. `service` None: an administrative order. `needs_approval`: others sign it at the bank."""

    order_type: str
    service: BankService | None = None
    since: date | None = None
    until: date | None = None
    file_name: str = ""
    needs_approval: bool = False


@dataclass(frozen=True, slots=True)
class SignedUpload:
    """What the first message of an upload carries beside the order itself."""

    transaction_key: bytes
    order_data: bytes
    segments: int


def first_request(
    subscriber: Subscriber, keys: SubscriberKeys, bank: BankKeys, order: OrderRequest, upload: SignedUpload | None,
    now: datetime,
) -> bytes:  # fmt: skip
    """Begins a download, or an upload whose segments follow."""
    root = _root("ebicsRequest")
    static, mutable = _header(root)
    _add(static, "HostID", subscriber.host_id)
    _fresh(static, now)
    _whose(static, subscriber, host=False)
    _order_details(static, order)
    digests = _add(static, "BankPubKeyDigests")
    for name, use, each in (
        ("Authentication", KeyUse.AUTHENTICATION, bank.authentication),
        ("Encryption", KeyUse.ENCRYPTION, bank.encryption),
    ):
        _digest(digests, name, use, each)
    _add(static, "SecurityMedium", SOFTWARE_KEYS)
    if upload is not None:
        _add(static, "NumSegments", str(upload.segments))
    _add(mutable, "TransactionPhase", "Initialisation")
    body = _add(root, "body")
    if upload is not None:
        _signed_upload(_add(body, "DataTransfer"), subscriber, keys, bank, upload)
    return _sign(root, keys)


def segment_request(
    subscriber: Subscriber, keys: SubscriberKeys, transaction: str, number: int, last: bool, segment: str | None
) -> bytes:
    """Sends a segment of an upload, or asks for one of a download (None)."""
    root, mutable = _further(subscriber, transaction, "Transfer")
    place = _add(mutable, "SegmentNumber", str(number))
    place.set("lastSegment", "true" if last else "false")
    body = _add(root, "body")
    if segment is not None:
        _add(_add(body, "DataTransfer"), "OrderData", segment)
    return _sign(root, keys)


def receipt_request(subscriber: Subscriber, keys: SubscriberKeys, transaction: str, *, kept: bool) -> bytes:
    """Ends a download: the data is kept, or the bank must deliver it again."""
    root, _mutable = _further(subscriber, transaction, "Receipt")
    receipt = _add(_add(root, "body"), "TransferReceipt")
    receipt.set("authenticate", "true")
    _add(receipt, "ReceiptCode", "0" if kept else "1")
    return _sign(root, keys)


def ini_order(subscriber: Subscriber, keys: SubscriberKeys) -> bytes:
    """Order data of INI: the key that signs orders."""
    root = etree.Element(f"{{{S002}}}SignaturePubKeyOrderData", nsmap=S002_ONLY)
    _signature_key(root, keys)
    return _with_owner(root, subscriber, S002)


def hia_order(subscriber: Subscriber, keys: SubscriberKeys) -> bytes:
    """Order data of HIA: the keys for authentication and encryption."""
    root = _root("HIARequestOrderData", version=False)
    _two_keys(root, keys)
    return _with_owner(root, subscriber, H005)


def h3k_order(subscriber: Subscriber, keys: SubscriberKeys) -> bytes:
    """Order data of H3K: all three certificates at once, where a bank trusts the authority that issued them."""
    root = _root("H3KRequestOrderData", version=False)
    for name, use in (
        ("Signature", KeyUse.SIGNATURE), ("Authentication", KeyUse.AUTHENTICATION), ("Encryption", KeyUse.ENCRYPTION),
    ):  # fmt: skip
        info = _add(root, f"{name}CertificateInfo")
        _certificate(info, keys.of(use).certificate)
        _add(info, f"{name}Version", use)
    return _with_owner(root, subscriber, H005)


def hcs_order(subscriber: Subscriber, keys: SubscriberKeys) -> bytes:
    """Order data of HCS: all three new keys, signed by the one that they replace."""
    root = etree.Element(f"{{{H005}}}HCSRequestOrderData", nsmap=H005_ONLY | {"esig": S002})
    _two_keys(root, keys)
    _signature_key(root, keys)
    return _with_owner(root, subscriber, H005)


def _signed_upload(
    transfer: etree._Element, subscriber: Subscriber, keys: SubscriberKeys, bank: BankKeys, upload: SignedUpload
) -> None:
    info = _add(transfer, "DataEncryptionInfo")
    info.set("authenticate", "true")
    _digest(info, "EncryptionPubKeyDigest", KeyUse.ENCRYPTION, bank.encryption)
    wrapped = ciphers.wrap_key(upload.transaction_key, public_key(bank.encryption))
    _add(info, "TransactionKey", b64encode(wrapped).decode())
    signature = ciphers.sign_order(upload.order_data, keys.signature.private)
    book = etree.Element(f"{{{S002}}}UserSignatureData", nsmap=S002_ONLY)
    entry = _add(book, "OrderSignatureData")
    _add(entry, "SignatureVersion", KeyUse.SIGNATURE)
    _add(entry, "SignatureValue", b64encode(signature).decode())
    _add(entry, "PartnerID", subscriber.partner_id)
    _add(entry, "UserID", subscriber.user_id)
    sealed = _add(transfer, "SignatureData", ciphers.sealed_order(_bytes(book), upload.transaction_key))
    sealed.set("authenticate", "true")
    digest = _add(transfer, "DataDigest", b64encode(ciphers.order_digest(upload.order_data)).decode())
    digest.set("SignatureVersion", KeyUse.SIGNATURE)


def _order_details(static: etree._Element, order: OrderRequest) -> None:
    details = _add(static, "OrderDetails")
    _add(details, "AdminOrderType", order.order_type)
    if order.service is None:
        parameters = _add(details, "StandardOrderParams")
    else:
        parameters = _add(details, f"{order.order_type}OrderParams")
        if order.file_name:
            parameters.set("fileName", order.file_name)
        _service(_add(parameters, "Service"), order.service)
    if order.order_type == "BTU":
        flag = _add(parameters, "SignatureFlag")
        if order.needs_approval:
            flag.set("requestEDS", "true")
    if order.since is not None and order.until is not None:
        days = _add(parameters, "DateRange")
        _add(days, "Start", order.since.isoformat())
        _add(days, "End", order.until.isoformat())


def _service(place: etree._Element, service: BankService) -> None:
    _add(place, "ServiceName", service.name)
    if service.scope:
        _add(place, "Scope", service.scope)
    if service.option:
        _add(place, "ServiceOption", service.option)
    if service.container:
        _add(place, "Container").set("containerType", service.container)
    message = _add(place, "MsgName", service.message)
    if service.version:
        message.set("version", service.version)


def _further(subscriber: Subscriber, transaction: str, phase: str) -> tuple[etree._Element, etree._Element]:
    root = _root("ebicsRequest")
    static, mutable = _header(root)
    _add(static, "HostID", subscriber.host_id)
    _add(static, "TransactionID", transaction)
    _add(mutable, "TransactionPhase", phase)
    return root, mutable


def _two_keys(root: etree._Element, keys: SubscriberKeys) -> None:
    for name, use in (("Authentication", KeyUse.AUTHENTICATION), ("Encryption", KeyUse.ENCRYPTION)):
        info = _add(root, f"{name}PubKeyInfo")
        _certificate(info, keys.of(use).certificate)
        _add(info, f"{name}Version", use)


def _signature_key(root: etree._Element, keys: SubscriberKeys) -> None:
    info = etree.SubElement(root, f"{{{S002}}}SignaturePubKeyInfo")
    _certificate(info, keys.signature.certificate)
    _add(info, "SignatureVersion", KeyUse.SIGNATURE)


def _certificate(place: etree._Element, certificate: x509.Certificate) -> None:
    data = etree.SubElement(place, f"{{{DSIG}}}X509Data")
    issued = etree.SubElement(data, f"{{{DSIG}}}X509IssuerSerial")
    etree.SubElement(issued, f"{{{DSIG}}}X509IssuerName").text = certificate.issuer.rfc4514_string()
    etree.SubElement(issued, f"{{{DSIG}}}X509SerialNumber").text = str(certificate.serial_number)
    encoded = b64encode(certificate.public_bytes(Encoding.DER)).decode()
    etree.SubElement(data, f"{{{DSIG}}}X509Certificate").text = encoded


def _with_owner(root: etree._Element, subscriber: Subscriber, namespace: str) -> bytes:
    etree.SubElement(root, f"{{{namespace}}}PartnerID").text = subscriber.partner_id
    etree.SubElement(root, f"{{{namespace}}}UserID").text = subscriber.user_id
    return _bytes(root)


def _root(name: str, *, version: bool = True) -> etree._Element:
    root = etree.Element(f"{{{H005}}}{name}", nsmap=H005_ONLY)
    if version:
        root.set("Version", "H005")
        root.set("Revision", "1")
    return root


def _header(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    header = _add(root, "header")
    header.set("authenticate", "true")
    static, mutable = _add(header, "static"), _add(header, "mutable")
    if etree.QName(root).localname != "ebicsUnsecuredRequest":
        _add(root, "AuthSignature")
    return static, mutable


def _fresh(static: etree._Element, now: datetime) -> None:
    """Nonce and moment: the bank refuses a message that it has seen."""
    _add(static, "Nonce", secrets.token_hex(16).upper())
    _add(static, "Timestamp", now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def _whose(static: etree._Element, subscriber: Subscriber, *, host: bool = True) -> None:
    if host:
        _add(static, "HostID", subscriber.host_id)
    _add(static, "PartnerID", subscriber.partner_id)
    _add(static, "UserID", subscriber.user_id)
    _add(static, "Product", "paymatch").set("Language", "en")


def _digest(place: etree._Element, name: str, use: KeyUse, certificate: x509.Certificate) -> None:
    digest = _add(place, name, b64encode(certificate_digest(certificate)).decode())
    digest.set("Version", use)
    digest.set("Algorithm", SHA256_URI)


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    """A child in the parent's namespace."""
    child = etree.SubElement(parent, f"{{{etree.QName(parent).namespace}}}{name}")
    child.text = text
    return child


def _sign(root: etree._Element, keys: SubscriberKeys) -> bytes:
    signed_xml.sign(root, keys.authentication.private)
    return _bytes(root)


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)
