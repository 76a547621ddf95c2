"""A bank on 127.0.0.1 that speaks EBICS 3.0 (H005), with the faults that banks and lines have.

It knows one subscriber. What it is asked and what it answers are kept in `messages`, so that tests can hold both
against the published schemas.
"""

from __future__ import annotations

import io
import secrets
import zipfile
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from paymatch.outbound.ebics import ciphers, signed_xml
from paymatch.outbound.ebics.keys import BankKeys, SubscriberKeys, certificate_digest, public_key
from paymatch.outbound.ebics.signed_xml import DSIG, H005
from tests.fakes.serving import serving

NAMES = {"e": H005, "d": DSIG, "s": signed_xml.S002}
SKEW = timedelta(minutes=5)
OK = "000000"


@dataclass
class Transfer:
    """A transaction in progress. `segments` are those of a download, or what an upload has brought."""

    order_type: str
    key: bytes
    segments: list[str]
    count: int = 0
    order_id: str = ""
    service: str = ""
    signature: bytes = b""
    approval: bool = False
    file_name: str = ""
    service_name: str = ""


@dataclass
class AcceptedOrder:
    """An order that the bank has, whole and signed."""

    order_id: str
    service: str
    file_name: str
    data: bytes
    approval: bool
    service_name: str  # SCT, SCI; with an option SCT//VOI


@dataclass
class EbicsBank:
    """What the bank has, what it was asked, and what goes wrong with it."""

    keys: SubscriberKeys
    host_id: str = "PMBANK"
    partner_id: str = "KUNDE01"
    user_id: str = "USER01"
    iban: str = "DE89370400440532013000"
    level: str = "E"
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)  # noqa: TID251  a bank has a clock of its own
    segment_bytes: int = 1024 * 1024
    active: bool = False
    requires_certificates: bool = False
    waiting: dict[str, list[bytes]] = field(default_factory=dict)  # message name -> files that were never fetched
    orders: list[AcceptedOrder] = field(default_factory=list)
    protocol: list[tuple[str, str]] = field(default_factory=list)  # (action, order id), as HAC will say
    refuses: str = ""  # a code that answers the last segment of an upload
    drops: Counter[str] = field(default_factory=Counter)  # phase -> how many answers are lost on the way back
    loses: Counter[str] = field(default_factory=Counter)  # phase -> how many messages never arrive
    corrupts: Counter[str] = field(default_factory=Counter)  # phase -> how many answers are changed on the way
    takes_instant: bool = False
    options: tuple[str, ...] = ("",)  # of SCT and SCI: VOI with the check of the payee, VOO or none without it
    offers_resume_at: int | None = None  # the next segment is answered by "go on after this one"
    subscriber: dict[str, x509.Certificate] = field(default_factory=dict)
    messages: list[tuple[bytes, bytes]] = field(default_factory=list)
    receipts: list[str] = field(default_factory=list)
    _transfers: dict[str, Transfer] = field(default_factory=dict)
    _nonces: set[str] = field(default_factory=set)
    _numbers: int = 0

    @classmethod
    def create(cls, **settings: object) -> EbicsBank:
        """A bank with new keys."""
        keys = SubscriberKeys.generate("PMBANK", datetime(2026, 1, 1, tzinfo=UTC), 2048)
        return cls(keys, **settings)  # type: ignore[arg-type]  # keywords of the fields

    @property
    def public(self) -> BankKeys:
        """What HPB hands out."""
        return BankKeys(self.keys.authentication.certificate, self.keys.encryption.certificate)

    def change_keys(self) -> None:
        """The bank has new keys from now on."""
        self.keys = SubscriberKeys.generate("PMBANK", datetime(2026, 6, 1, tzinfo=UTC), 2048)

    def put(self, message: str, *files: tuple[str, bytes]) -> None:
        """Statements, reports or notifications wait as one ZIP."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as container:
            for name, content in files:
                container.writestr(name, content)
        self.waiting.setdefault(message, []).append(packed.getvalue())

    def answer(self, message: bytes) -> bytes | None:
        """The answer to a message; None: the line breaks."""
        root = etree.fromstring(message)
        phase = root.findtext(".//e:TransactionPhase", "", NAMES) or etree.QName(root).localname
        if self.loses[phase] > 0:
            self.loses[phase] -= 1
            return None
        answer = self._answer(root)
        self.messages.append((message, answer))
        if self.drops[phase] > 0:
            self.drops[phase] -= 1
            return None
        if self.corrupts[phase] > 0:
            self.corrupts[phase] -= 1
            return answer.replace(b"[EBICS_OK]", b"[EBICS_0K]")
        return answer

    def _answer(self, root: etree._Element) -> bytes:
        kind = etree.QName(root).localname
        if kind == "ebicsHEVRequest":
            return _hev()
        if kind == "ebicsUnsecuredRequest":
            return self._key_management(self._take_keys(root))
        if kind == "ebicsNoPubKeyDigestsRequest":
            return self._hand_out_keys(root)
        code = self._signature_code(root)
        if code:
            return self._response(root, code)
        match root.findtext(".//e:TransactionPhase", "", NAMES):
            case "Initialisation":
                return self._begin(root)
            case "Transfer":
                return self._go_on(root)
            case _:
                return self._receipt(root)

    def _take_keys(self, root: etree._Element) -> str:
        if self._unknown(root):
            return "091003"
        order_type = root.findtext(".//e:AdminOrderType", "", NAMES)
        data = ciphers.decompress(b64decode(root.findtext(".//e:OrderData", "", NAMES)))
        if self.requires_certificates != (order_type == "H3K"):
            return "091006"
        if self.active:
            return "091002"
        self._learn(data)
        return OK

    def _learn(self, data: bytes) -> None:
        for each in etree.fromstring(data).iter("{*}X509Data"):
            owner = each.getparent()
            assert owner is not None
            version = owner.findtext("{*}SignatureVersion") or owner.findtext("{*}AuthenticationVersion")
            version = version or owner.findtext("{*}EncryptionVersion")
            assert version is not None
            der = b64decode(each.findtext("d:X509Certificate", "", NAMES))
            self.subscriber[version] = x509.load_der_x509_certificate(der)

    def _hand_out_keys(self, root: etree._Element) -> bytes:
        if self._unknown(root):
            return self._key_management("091003")
        if not self.active or len(self.subscriber) < 3:
            return self._key_management("091002")
        code = self._signature_code(root)
        if code:
            return self._key_management(code)
        data = etree.Element(f"{{{H005}}}HPBResponseOrderData", nsmap=signed_xml.H005_ONLY)
        for name, version, key in (
            ("Authentication", "X002", self.keys.authentication), ("Encryption", "E002", self.keys.encryption),
        ):  # fmt: skip
            info = _add(data, f"{name}PubKeyInfo")
            holder = etree.SubElement(info, f"{{{DSIG}}}X509Data")
            encoded = b64encode(key.certificate.public_bytes(Encoding.DER)).decode()
            etree.SubElement(holder, f"{{{DSIG}}}X509Certificate").text = encoded
            _add(info, f"{name}Version", version)
        _add(data, "HostID", self.host_id)
        return self._key_management(OK, etree.tostring(data))

    def _signature_code(self, root: etree._Element) -> str:
        """The code that refuses a message of another subscriber, an old one, or one for other keys of the bank."""
        known = self.subscriber.get("X002")
        if known is None:
            return "091002"
        try:
            signed_xml.verify(root, public_key(known))
        except signed_xml.SignatureNotGenuine:
            return "061001"
        nonce = root.findtext(".//e:Nonce", "", NAMES)
        if nonce:
            moment = datetime.fromisoformat(root.findtext(".//e:Timestamp", "", NAMES))
            if nonce in self._nonces or abs(moment - self.clock()) > SKEW:
                return "091103"
            self._nonces.add(nonce)
        if self._unknown(root):
            return "091003"
        digests = root.find(".//e:BankPubKeyDigests", NAMES)
        if digests is not None:
            expected = [b64encode(certificate_digest(each)).decode() for each in
                        (self.keys.authentication.certificate, self.keys.encryption.certificate)]  # fmt: skip
            if [each.text for each in digests] != expected:
                return "091008"
        return ""

    def _unknown(self, root: etree._Element) -> bool:
        user, partner = root.findtext(".//e:UserID", None, NAMES), root.findtext(".//e:PartnerID", None, NAMES)
        return user is not None and (user, partner) != (self.user_id, self.partner_id)

    def _begin(self, root: etree._Element) -> bytes:
        if not self.active:
            return self._response(root, "091002")
        order_type = root.findtext(".//e:AdminOrderType", "", NAMES)
        transfer = Transfer(order_type or "", b"", [])
        transfer.service = root.findtext(".//e:MsgName", "", NAMES)
        option = root.findtext(".//e:ServiceOption", "", NAMES)
        transfer.service_name = root.findtext(".//e:ServiceName", "", NAMES) + (f"//{option}" if option else "")
        if order_type in {"BTU", "HCS", "SPR"}:
            return self._begin_upload(root, transfer)
        data = self._data_for(order_type or "", transfer.service)
        if data is None:
            return self._response(root, "090005")
        transfer.key = ciphers.new_transaction_key()
        transfer.segments = ciphers.segments_of(ciphers.sealed_order(data, transfer.key), self.segment_bytes)
        number = self._remember(transfer)
        return self._response(root, OK, transaction=number, transfer=transfer, segment=1)

    def _begin_upload(self, root: etree._Element, transfer: Transfer) -> bytes:
        wrapped = b64decode(root.findtext(".//e:TransactionKey", "", NAMES))
        transfer.key = ciphers.unwrap_key(wrapped, self.keys.encryption.private)
        transfer.count = int(root.findtext(".//e:NumSegments", "0", NAMES))
        book = etree.fromstring(ciphers.opened_order(root.findtext(".//e:SignatureData", "", NAMES), transfer.key))
        transfer.signature = b64decode(book.findtext(".//s:SignatureValue", "", NAMES))
        flag, parameters = root.find(".//e:SignatureFlag", NAMES), root.find(".//e:BTUOrderParams", NAMES)
        transfer.approval = flag is not None and flag.get("requestEDS") == "true"
        transfer.file_name = "" if parameters is None else parameters.get("fileName", "")
        if self.level == "T" and transfer.order_type == "BTU" and not transfer.approval:
            return self._response(root, "090003")
        self._numbers += 1
        transfer.order_id = f"N{self._numbers:03d}"
        return self._response(root, OK, transaction=self._remember(transfer), transfer=transfer)

    def _go_on(self, root: etree._Element) -> bytes:
        number = root.findtext(".//e:TransactionID", "", NAMES)
        transfer = self._transfers.get(number)
        if transfer is None:
            return self._response(root, "091101")
        wanted = int(root.findtext(".//e:SegmentNumber", "0", NAMES))
        if self.offers_resume_at is not None:
            resume, self.offers_resume_at = self.offers_resume_at, None
            return self._response(root, "061101", transaction=number, transfer=transfer, segment=resume)
        if transfer.order_type not in {"BTU", "HCS", "SPR"}:
            return self._response(root, OK, transaction=number, transfer=transfer, segment=wanted)
        if wanted <= len(transfer.segments):  # it has this one
            done = len(transfer.segments)
            return self._response(root, "061101", transaction=number, transfer=transfer, segment=done)
        transfer.segments.append(root.findtext(".//e:OrderData", "", NAMES))
        code = OK
        if wanted == transfer.count:
            del self._transfers[number]
            code = self.refuses or self._accept(transfer)
        return self._response(root, code, transaction=number, transfer=transfer, segment=wanted)

    def _accept(self, transfer: Transfer) -> str:
        data = ciphers.opened_order("".join(transfer.segments), transfer.key)
        if not ciphers.is_signed(data, transfer.signature, public_key(self.subscriber["A006"])):
            return "091301"
        if transfer.order_type == "HCS":
            self._learn(data)
        elif transfer.order_type == "SPR":
            self.active = False
        else:
            self.orders.append(
                AcceptedOrder(
                    transfer.order_id, transfer.service, transfer.file_name, data, transfer.approval,
                    transfer.service_name,
                )
            )  # fmt: skip
            self.protocol.append(("FILE_UPLOAD", transfer.order_id))
            self.protocol.append(("VEU_FORWARDING" if transfer.approval else "ORDER_HAC_FINAL_POS", transfer.order_id))
        return OK

    def _receipt(self, root: etree._Element) -> bytes:
        transfer = self._transfers.pop(root.findtext(".//e:TransactionID", "", NAMES), None)
        if transfer is None:
            return self._response(root, "091101")
        receipt = root.findtext(".//e:ReceiptCode", "", NAMES)
        self.receipts.append(f"{transfer.service or transfer.order_type} {receipt}")
        if receipt == "0" and transfer.service:
            self.waiting[transfer.service].pop(0)
        return self._response(root, "011000" if receipt == "0" else "011001")

    def _data_for(self, order_type: str, service: str) -> bytes | None:
        if order_type == "BTD":
            return next(iter(self.waiting.get(service, ())), None)
        if order_type == "HAC":
            return _hac(self.protocol) if self.protocol else None
        if order_type == "HAA":
            waiting = [name for name, files in self.waiting.items() if files]
            services = "".join(_service(name) for name in waiting)
            return f'<HAAResponseOrderData xmlns="{H005}">{services}</HAAResponseOrderData>'.encode()
        return self._offer(order_type)

    def _offer(self, order_type: str) -> bytes:
        fetched = "".join(
            f"<Permission><AdminOrderType>BTD</AdminOrderType>{_service(name)}</Permission>"
            for name in ("camt.052", "camt.053", "camt.054", "pain.002")
        )
        info = "".join(
            f"<OrderInfo><AdminOrderType>BTD</AdminOrderType>{_service(name)}<Description>{name}</Description></OrderInfo>"
            for name in ("camt.052", "camt.053", "camt.054", "pain.002")
        )
        return (
            f'<{order_type}ResponseOrderData xmlns="{H005}"><PartnerInfo><AddressInfo/><BankInfo>'
            f"<HostID>{self.host_id}</HostID></BankInfo>"
            f'<AccountInfo ID="1" Currency="EUR"><AccountNumber international="true">{self.iban}</AccountNumber>'
            f"</AccountInfo>{info}</PartnerInfo>"
            f'<UserInfo><UserID Status="1">{self.user_id}</UserID>{fetched}'
            + "".join(
                f'<Permission AuthorisationLevel="{self.level}">'
                f"<AdminOrderType>BTU</AdminOrderType>{_service(name, option)}</Permission>"
                for name in ("pain.001", "instant")[: 2 if self.takes_instant else 1]
                for option in self.options
            )
            + "</UserInfo>"
            f"</{order_type}ResponseOrderData>"
        ).encode()

    def _remember(self, transfer: Transfer) -> str:
        number = secrets.token_hex(16).upper()
        self._transfers[number] = transfer
        return number

    def _key_management(self, code: str, data: bytes | None = None) -> bytes:
        root = _root("ebicsKeyManagementResponse")
        header = _add(root, "header")
        header.set("authenticate", "true")
        _add(header, "static")
        _codes(_add(header, "mutable"), code if code[:2] == "06" else OK, code)
        body = _add(root, "body")
        if data is not None:
            key = ciphers.new_transaction_key()
            place = _add(body, "DataTransfer")
            self._encryption(place, key)
            _add(place, "OrderData", ciphers.sealed_order(data, key))
        _add(body, "ReturnCode", code).set("authenticate", "true")
        return _bytes(root)

    def _encryption(self, place: etree._Element, key: bytes) -> None:
        certificate = self.subscriber["E002"]
        info = _add(place, "DataEncryptionInfo")
        info.set("authenticate", "true")
        digest = _add(info, "EncryptionPubKeyDigest", b64encode(certificate_digest(certificate)).decode())
        digest.set("Version", "E002")
        digest.set("Algorithm", signed_xml.SHA256_URI)
        _add(info, "TransactionKey", b64encode(ciphers.wrap_key(key, public_key(certificate))).decode())

    def _response(
        self, request: etree._Element, code: str, *, transaction: str = "", transfer: Transfer | None = None,
        segment: int = 0,
    ) -> bytes:  # fmt: skip
        root = _root("ebicsResponse")
        header = _add(root, "header")
        header.set("authenticate", "true")
        static, mutable = _add(header, "static"), _add(header, "mutable")
        phase = request.findtext(".//e:TransactionPhase", "", NAMES) or "Initialisation"
        if transaction:
            _add(static, "TransactionID", transaction)
        down = transfer is not None and transfer.order_type not in {"BTU", "HCS", "SPR"}
        if down and transfer is not None and phase == "Initialisation":
            _add(static, "NumSegments", str(len(transfer.segments)))
        _add(mutable, "TransactionPhase", phase)
        if transfer is not None and segment:
            last = segment == (len(transfer.segments) if down else transfer.count)
            _add(mutable, "SegmentNumber", str(segment)).set("lastSegment", str(last).lower())
        if transfer is not None and transfer.order_id:
            _add(mutable, "OrderID", transfer.order_id)
        technical = code if code[:2] in {"06", "01", "03"} or code[:4] in {"0910", "0911"} else OK
        _codes(mutable, technical, code)
        _add(root, "AuthSignature")
        body = _add(root, "body")
        if down and transfer is not None and segment and code == OK:
            place = _add(body, "DataTransfer")
            if phase == "Initialisation":
                self._encryption(place, transfer.key)
            _add(place, "OrderData", transfer.segments[segment - 1])
        _add(body, "ReturnCode", OK if technical != OK else code).set("authenticate", "true")
        signed_xml.sign(root, self.keys.authentication.private)
        return _bytes(root)


def _codes(mutable: etree._Element, technical: str, code: str) -> None:
    _add(mutable, "ReturnCode", technical)
    _add(mutable, "ReportText", "[EBICS_OK] OK" if code == OK else f"[EBICS_{code}]")


def _hev() -> bytes:
    return (
        b'<ebicsHEVResponse xmlns="http://www.ebics.org/H000"><SystemReturnCode><ReturnCode>000000</ReturnCode>'
        b"<ReportText>OK</ReportText></SystemReturnCode>"
        b'<VersionNumber ProtocolVersion="H004">02.50</VersionNumber>'
        b'<VersionNumber ProtocolVersion="H005">03.00</VersionNumber></ebicsHEVResponse>'
    )


def _hac(protocol: list[tuple[str, str]]) -> bytes:
    entries = "".join(
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>{action}</OrgnlPmtInfId><StsRsnInf><Orgtr><Id><OrgId><Othr><Id>{order_id}"
        "</Id><SchmeNm><Prtry>OrderID</Prtry></SchmeNm></Othr></OrgId></Id></Orgtr></StsRsnInf></OrgnlPmtInfAndSts>"
        for action, order_id in protocol
    )
    return (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>'
        f"{entries}</CstmrPmtStsRpt></Document>"
    ).encode()


_SERVICES = {
    "camt.053": ("EOP", "DE", "", "ZIP"), "camt.052": ("STM", "DE", "", "ZIP"), "camt.054": ("STM", "DE", "", "ZIP"),
    "pain.002": ("REP", "DE", "SCT", "ZIP"), "pain.001": ("SCT", "", "", ""),
    "instant": ("SCI", "DE", "", ""),
}  # fmt: skip


def _service(message: str, other: str = "") -> str:
    name, scope, option, container = _SERVICES[message]
    option = other or option
    return (
        f"<Service><ServiceName>{name}</ServiceName>"
        + (f"<Scope>{scope}</Scope>" if scope else "")
        + (f"<ServiceOption>{option}</ServiceOption>" if option else "")
        + (f'<Container containerType="{container}"/>' if container else "")
        + f"<MsgName>{'pain.001' if message == 'instant' else message}</MsgName></Service>"
    )


def _root(name: str) -> etree._Element:
    return etree.Element(f"{{{H005}}}{name}", nsmap=signed_xml.H005_ONLY, Version="H005", Revision="1")


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    child = etree.SubElement(parent, f"{{{H005}}}{name}")
    child.text = text
    return child


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


class _Handler(BaseHTTPRequestHandler):
    bank: ClassVar[EbicsBank]

    def do_POST(self) -> None:
        answer = self.bank.answer(self.rfile.read(int(self.headers["Content-Length"])))
        if answer is None:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_args: object) -> None:
        """Nothing."""


@contextmanager
def serve(bank: EbicsBank) -> Iterator[str]:
    """The bank behind its address."""
    handler = type("_BankHandler", (_Handler,), {"bank": bank})
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield f"{address}/ebics"
