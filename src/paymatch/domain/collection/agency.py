"""The shop's collection agency: how it is reached, and when orders are handed over (D-54)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

MAX_AFTER_DAYS: Final = 365


class Channel(StrEnum):
    """How a case reaches the agency."""

    FOLDER = "folder"  # files that a person or a program takes
    MAIL = "mail"  # a mail with the files
    HTTP = "http"  # a call of the agency's server


@dataclass(frozen=True, slots=True)
class Agency:
    """The agency of a shop. `after_days` None: orders are handed over by hand only."""

    name: str = ""
    channel: Channel = Channel.FOLDER
    address: str = ""  # mail address or URL
    customer_number: str = ""  # the shop's at the agency
    after_days: int | None = None  # between the last reminder and the handover
    interest: bool = False  # statutory interest is claimed
    lump_sum: bool = False  # 40.00 EUR for late payment are claimed of companies

    @property
    def is_set(self) -> bool:
        """Whether orders can be handed over."""
        return bool(self.name)


def _text(name: str, text: str) -> str:
    if len(text) > 255 or not text.isprintable():
        raise SettingRefused(
            Message("setting-may-have-255-printable", name=name), parameter=name, expected=Message("setting-text")
        )
    return text.strip()


def _channel(name: str, text: str) -> Channel:
    try:
        return Channel(text.strip().lower())
    except ValueError:
        raise SettingRefused(
            Message("setting-named-one-of", name=name, channels=", ".join(Channel)), parameter=name
        ) from None


def _days(name: str, text: str) -> int | None:
    if text.strip().lower() == "off":
        return None
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_AFTER_DAYS:
        expected = Message("setting-days-or-off", most=MAX_AFTER_DAYS)
        raise SettingRefused(
            Message("setting-number-days-from-1", name=name, most=MAX_AFTER_DAYS), parameter=name, expected=expected
        )
    return int(text)


def _switch(name: str, text: str) -> bool:
    if text.strip().lower() not in ("on", "off"):
        raise SettingRefused(Message("setting-named-on-or-off", name=name), parameter=name)
    return text.strip().lower() == "on"


SETTINGS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "name": _text,
    "channel": _channel,
    "address": _text,
    "customer-number": _text,
    "after-days": _days,
    "interest": _switch,
    "lump-sum": _switch,
}
"""Setting -> its parser, which raises SettingRefused."""


def change_agency(agency: Agency, settings: Mapping[str, str]) -> Agency:
    """The agency with these settings, given as texts; SettingRefused for the first invalid one."""
    values: dict[str, Any] = {}
    for name, text in settings.items():
        if name not in SETTINGS:
            raise SettingRefused(
                Message("setting-unknown", name=repr(name), settings=", ".join(SETTINGS)), parameter=name
            )
        values[name.replace("-", "_")] = SETTINGS[name](name, text)
    found = replace(agency, **values)
    _check_address(found)
    return found


def as_texts(agency: Agency) -> dict[str, str]:
    """Every setting in the form that `changed` takes."""
    return {field.name.replace("_", "-"): _setting_text(getattr(agency, field.name)) for field in fields(agency)}


def _setting_text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _check_address(agency: Agency) -> None:
    if not agency.name:
        said = Message("agency-name-needed")
        raise SettingRefused(said, parameter="name", expected=Message("setting-text"))
    if agency.channel is Channel.MAIL and mail_address(agency.address) is None:
        said = Message("agency-mail-needed")
        raise SettingRefused(said, parameter="address", expected=Message("setting-mail-address"))
    if agency.channel is Channel.HTTP and urlsplit(agency.address).scheme not in ("https", "http"):
        said = Message("agency-url-needed")
        raise SettingRefused(said, parameter="address", expected=Message("url-form"))
