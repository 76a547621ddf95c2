"""Permissions of the subscriber at the bank (HTD, HKD, HAA), and the class of signature that each needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lxml import etree

from paymatch.outbound.ebics.answers import order_root
from paymatch.outbound.ebics.services import BankService
from paymatch.outbound.ebics.signed_xml import H005

_NAMES: Final = {"e": H005}


@dataclass(frozen=True, slots=True)
class ServicePermission:
    """That the subscriber may do something; `level` E, A, B, T, or "" where no signature is needed."""

    order_type: str
    service: BankService | None
    level: str


@dataclass(frozen=True, slots=True)
class SubscriberOffer:
    """What HTD says: accounts, and permissions of this user."""

    accounts: tuple[str, ...]
    permissions: tuple[ServicePermission, ...]

    @property
    def services(self) -> tuple[BankService, ...]:
        """All services that the user may use."""
        return tuple(each.service for each in self.permissions if each.service is not None)

    @property
    def transfer_level(self) -> str:
        """The class of signature for transfers, the strongest that a permission for pain.001 gives; "" for none."""
        levels = {
            each.level for each in self.permissions
            if each.order_type == "BTU" and (each.service is None or each.service.message == "pain.001")
        }  # fmt: skip
        return next((level for level in "EABT" if level in levels), "")


def read_offer(order_data: bytes, user_id: str) -> SubscriberOffer:
    """HTD of this user, or their part of HKD. EbicsAnswerUnreadable."""
    name = "HKDResponseOrderData" if b"HKDResponseOrderData" in order_data[:2000] else "HTDResponseOrderData"
    root = order_root(order_data, name)
    numbers = root.findall("e:PartnerInfo/e:AccountInfo/e:AccountNumber[@international='true']", _NAMES)
    users = [each for each in root.findall("e:UserInfo", _NAMES) if each.findtext("e:UserID", "", _NAMES) == user_id]
    permissions = [_permission(each) for user in users for each in user.findall("e:Permission", _NAMES)]
    return SubscriberOffer(tuple((each.text or "").replace(" ", "") for each in numbers), tuple(permissions))


def read_available(order_data: bytes) -> tuple[BankService, ...]:
    """HAA: services with data that waits. EbicsAnswerUnreadable."""
    root = order_root(order_data, "HAAResponseOrderData")
    return tuple(_service(each) for each in root.findall("e:Service", _NAMES))


def _permission(place: etree._Element) -> ServicePermission:
    service = place.find("e:Service", _NAMES)
    found = None if service is None else _service(service)
    order_type = (place.findtext("e:AdminOrderType", "", _NAMES) or "").strip()
    return ServicePermission(order_type, found, place.get("AuthorisationLevel", ""))


def _service(place: etree._Element) -> BankService:
    container, message = place.find("e:Container", _NAMES), place.find("e:MsgName", _NAMES)
    return BankService(
        place.findtext("e:ServiceName", "", _NAMES),
        place.findtext("e:Scope", "", _NAMES),
        place.findtext("e:ServiceOption", "", _NAMES),
        "" if message is None else (message.text or "").strip(),
        "" if container is None else container.get("containerType", ""),
        "" if message is None else message.get("version", ""),
    )
