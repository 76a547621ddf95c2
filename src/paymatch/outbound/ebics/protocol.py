"""The customer protocol (HAC): the bank's processing of each order, in the form of a pain.002 of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.failures import EbicsAnswerUnreadable
from paymatch.outbound.ebics.signed_xml import parse


class ProtocolVerdict(StrEnum):
    """What the protocol says of an order as a whole."""

    UNKNOWN = "UNKNOWN"  # nothing, or not its end yet
    WAITS_FOR_APPROVAL = "WAITS_FOR_APPROVAL"
    ACCEPTED = "ACCEPTED"
    REFUSED = "REFUSED"


@dataclass(frozen=True, slots=True)
class ProtocolEntry:
    """One line: what happened to which order, and when. Empty texts: not said."""

    action: str
    order_id: str
    digest: str
    moment: str
    reason: str
    text: str


def read_protocol(order_data: bytes) -> list[ProtocolEntry]:
    """The lines of HAC in their order. EbicsAnswerUnreadable."""
    try:
        root = parse(order_data)
    except ValueError as error:
        raise EbicsAnswerUnreadable(Message("ebics-unreadable", what=str(error))) from None
    return [_entry(each) for each in root.iter("{*}OrgnlPmtInfAndSts")]


def verdict(entries: list[ProtocolEntry], order_id: str, digest: str) -> ProtocolVerdict:
    """What the protocol says of the order with this number, or with this digest of its data."""
    found = ProtocolVerdict.UNKNOWN
    for entry in entries:
        named = (order_id and entry.order_id == order_id) or (digest and entry.digest == digest)
        if not named:
            continue
        if entry.action == "ORDER_HAC_FINAL_POS":
            found = ProtocolVerdict.ACCEPTED
        elif entry.action in {"ORDER_HAC_FINAL_NEG", "VEU_CANCEL_ORDER"}:
            found = ProtocolVerdict.REFUSED
        elif entry.action == "VEU_FORWARDING" and found is ProtocolVerdict.UNKNOWN:
            found = ProtocolVerdict.WAITS_FOR_APPROVAL
    return found


def _entry(place: etree._Element) -> ProtocolEntry:
    facts = {
        (other.findtext("{*}SchmeNm/{*}Prtry") or "").strip(): (other.findtext("{*}Id") or "").strip()
        for other in place.iterfind("{*}StsRsnInf/{*}Orgtr/{*}Id/{*}OrgId/{*}Othr")
    }
    return ProtocolEntry(
        (place.findtext("{*}OrgnlPmtInfId") or "").strip(),
        facts.get("OrderID", ""),
        facts.get("DataDigest", ""),
        facts.get("TimeStamp", ""),
        (place.findtext("{*}StsRsnInf/{*}Rsn/{*}Cd") or "").strip(),
        " ".join((each.text or "").strip() for each in place.iterfind("{*}StsRsnInf/{*}AddtlInf")),
    )
