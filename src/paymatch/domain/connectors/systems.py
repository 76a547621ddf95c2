"""A connector: one of the shop's shop systems, which provides orders and receives payment states (D-75)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from paymatch.domain.callbacks.receivers import ReceiverRefused, receiver_of
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

MAX_METHODS: Final = 50
MAX_MINUTES: Final = 1440
LEAST_MINUTES: Final = 5
"""Time between two polls: a shop on a small server is not polled more often."""
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_METHOD: Final = re.compile(r"[^\s=,;](?:[^=,;\x00-\x1f]{0,98}[^\s=,;])?")
_STATE: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,39})")
_PREFIX: Final = re.compile(r"[A-Za-z0-9_/.-]{0,20}")


class ShopSystem(StrEnum):
    """The shop systems that have a connector."""

    WOOCOMMERCE = "woocommerce"
    SHOPWARE = "shopware"  # Shopware 6


class ConnectorStatus(StrEnum):
    """Whether it runs. A new one is paused, so its owner first sees which orders it would import."""

    PAUSED = "paused"
    ACTIVE = "active"


class TakenAs(StrEnum):
    """The types of orders that a payment method can map to (docs/api.md, Order)."""

    PREPAYMENT = "PREPAYMENT"
    INVOICE = "INVOICE"
    COD = "COD"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Our credentials at the shop system: consumer key and secret of WooCommerce, access key and secret of Shopware."""

    key: str
    secret: str


def read_credentials(key: str, secret: str) -> Credentials:
    """The credentials in a form that a header can carry; SettingRefused."""
    found = Credentials(key.strip(), secret.strip())
    for name, value in (("key", found.key), ("secret", found.secret)):
        if not 1 <= len(value) <= 255 or not (value.isascii() and value.isprintable()):
            raise _setting_refused(name, Message("connector-secret"))
    return found


DEFAULT_METHODS: Final[Mapping[ShopSystem, Mapping[str, TakenAs]]] = {
    # WooCommerce's built-in gateways; cards and wallets are paid at once and are not imported.
    ShopSystem.WOOCOMMERCE: {"bacs": TakenAs.PREPAYMENT, "cod": TakenAs.COD},
    # technicalName since Shopware 6.5.7; the handler's name in every version of 6.
    ShopSystem.SHOPWARE: {
        "payment_prepayment": TakenAs.PREPAYMENT,
        "payment_invoicepayment": TakenAs.INVOICE,
        "payment_cashpayment": TakenAs.COD,
        "handler_shopware_prepayment": TakenAs.PREPAYMENT,
        "handler_shopware_invoicepayment": TakenAs.INVOICE,
        "handler_shopware_cashpayment": TakenAs.COD,
    },
}
"""Payment methods that are imported by default."""


@dataclass(frozen=True, slots=True)
class Connector:
    """The settings of a connector. Secrets are not among them."""

    name: str
    system: ShopSystem
    url: str  # the shop's address, without a slash at its end
    methods: Mapping[str, TakenAs]
    take_from: date  # orders placed earlier are not imported
    paid_status: str = "processing"  # of WooCommerce; Shopware has states of its own
    prefix: str = ""  # prefix to the shop's own numbers, for several shops with equal numbers
    minutes: int = 10
    write_back: bool = True

    def type_of(self, names: tuple[str, ...]) -> TakenAs | None:
        """The type under which an order with this payment method is imported; None: it is not imported."""
        return next((self.methods[name] for name in names if name in self.methods), None)


def new_connector(name: str, system: ShopSystem, url: str, take_from: date) -> Connector:
    """A connector with the default settings; SettingRefused if its name is invalid."""
    if _NAME.fullmatch(name) is None:
        raise SettingRefused(Message("connector-name"), parameter="name", expected=Message("connector-name"))
    methods = MappingProxyType(dict(DEFAULT_METHODS[system]))
    return Connector(name, system, _url("url", url), methods, take_from)


def read_system(text: str) -> ShopSystem:
    """The shop system of this name; SettingRefused."""
    try:
        return ShopSystem(text.strip().lower())
    except ValueError:
        raise SettingRefused(
            Message("connector-no-system", name=text), parameter="system", allowed=tuple(ShopSystem)
        ) from None


def _url(name: str, text: str) -> str:
    """The shop's address; forbidden receivers are refused here if recognisable, and again at each call."""
    found = text.strip().rstrip("/")
    try:
        receiver = receiver_of(found, allow_private=True)
    except ReceiverRefused as refusal:
        raise SettingRefused(refusal.message, parameter=name, expected=refusal.message) from None
    if "?" in receiver.target:
        raise SettingRefused(Message("connector-url-query"), parameter=name, expected=Message("connector-url-query"))
    return found


def _methods(name: str, text: str) -> Mapping[str, TakenAs]:
    found: dict[str, TakenAs] = {}
    for part in filter(None, (each.strip() for each in re.split(r"[,;\n]", text))):
        method, equals, kind = (each.strip() for each in part.partition("="))
        if not equals or _METHOD.fullmatch(method) is None or kind.upper() not in set(TakenAs):
            raise _setting_refused(name, Message("connector-methods", part=part[:60]))
        found[method] = TakenAs(kind.upper())
    if not 1 <= len(found) <= MAX_METHODS:
        raise _setting_refused(name, Message("connector-some-methods", most=MAX_METHODS))
    return MappingProxyType(found)


def _minutes(name: str, text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6 and LEAST_MINUTES <= int(digits) <= MAX_MINUTES):
        raise _setting_refused(name, Message("plan-whole-number", low=LEAST_MINUTES, high=MAX_MINUTES))
    return int(digits)


def _status(name: str, text: str) -> str:
    found = text.strip().lower().removeprefix("wc-")
    if _STATE.fullmatch(found) is None:
        raise _setting_refused(name, Message("connector-status-name"))
    return found


def _prefix(name: str, text: str) -> str:
    if _PREFIX.fullmatch(text.strip()) is None:
        raise _setting_refused(name, Message("connector-prefix"))
    return text.strip()


def _day(name: str, text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise _setting_refused(name, Message("connector-day")) from None


def _switch(name: str, text: str) -> bool:
    if text.strip().lower() not in ("on", "off"):
        raise _setting_refused(name, Message("setting-switch"))
    return text.strip().lower() == "on"


def _setting_refused(name: str, why: Message) -> SettingRefused:
    return SettingRefused(Message("setting-refused", setting=name, why=why), parameter=name, expected=why)


SETTINGS: Final[Mapping[str, tuple[str, Callable[[str, str], Any]]]] = {
    "url": ("url", _url),
    "payment-methods": ("methods", _methods),
    "take-from": ("take_from", _day),
    "paid-status": ("paid_status", _status),
    "number-prefix": ("prefix", _prefix),
    "poll-minutes": ("minutes", _minutes),
    "write-back": ("write_back", _switch),
}
"""Setting -> its field and its parser, which raises SettingRefused."""


def change_connector(connector: Connector, settings: Mapping[str, str]) -> Connector:
    """The connector with these settings, given as texts; SettingRefused for the first invalid one."""
    values: dict[str, Any] = {}
    for name, text in settings.items():
        if name not in SETTINGS:
            raise SettingRefused(
                Message("setting-unknown", name=repr(name), settings=", ".join(SETTINGS)), parameter=name
            )
        field, read = SETTINGS[name]
        values[field] = read(name, text)
    return replace(connector, **values)


def as_texts(connector: Connector) -> dict[str, str]:
    """Every setting in the form that `changed` takes."""
    held = {field.name: getattr(connector, field.name) for field in fields(connector)}
    return {name: _setting_text(held[field]) for name, (field, _) in SETTINGS.items()}


def _setting_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{method}={kind}" for method, kind in value.items())
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
