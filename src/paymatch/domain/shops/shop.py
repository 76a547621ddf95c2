"""Shops: everything a call needs to know about its shop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from paymatch.domain.calendar import today_in
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.words.message import Message

KEEP_MAIL_DAYS: Final = 365
"""How long mail of a new shop keeps its address and words."""

REFUND_LIMIT_MINOR: Final = 50_000
REFUND_DAY_LIMIT_MINOR: Final = 500_000
REFUND_FOUR_EYES_MINOR: Final = 1_000_000
"""Limits of a new shop (D-37), in minor units of its currency."""


class ShopStatus(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    DELETED = "deleted"


class Access(StrEnum):
    READ_WRITE = "read-write"
    READ_ONLY = "read-only"


class ShopUnknown(Unknown):
    """There is no shop of this id or name."""

    def __init__(self, shop: str) -> None:
        super().__init__(Message("shop-unknown", shop=repr(shop)))


class SettingRefused(Refused):
    """A setting of the shop does not exist or does not accept this value."""


def only_one(names: Sequence[str], several: Callable[[str], Message]) -> str:
    """The only one of the names; "" if there is none. SettingRefused with `several(names)` if there are several."""
    if len(names) > 1:
        raise SettingRefused(several(", ".join(names)))
    return names[0] if names else ""


@dataclass(frozen=True, slots=True)
class Shop:
    """A shop and its settings. Amounts in minor units of its currency."""

    id: UUID
    name: str
    status: ShopStatus
    api: bool
    access: Access
    currency: str
    country: str
    timezone: str
    language: str
    holder: str
    sandbox: bool
    sandbox_now: datetime | None
    sandbox_stands: bool
    letters: bool
    accounts_locked: bool
    caution: str
    learning: bool
    tolerance_minor: int
    fee_tolerance_minor: int
    discount_basis_points: int  # cash discount that counts as paid, 200 for 2 %
    callbacks: bool
    callback_url: str
    callback_ports: Sequence[int]  # allowed for callbacks besides 443 and 80
    callback_grace_seconds: int  # how long the callback of a person's decision can still be withdrawn (D-18)
    refund_runs: bool  # due refunds are put into transfer files automatically, on bank days
    reminders: bool
    payment_information: bool  # a mail with account and reference is sent when an order is submitted
    keep_mail_days: int | None  # how long mail keeps its address and words; None: for ever
    statements_api: bool  # whether keys of the scope may upload statements; sandbox shops always may (D-37)
    refund_limit_minor: int  # refunds up to it are transferred automatically (D-37)
    refund_day_limit_minor: int
    refund_four_eyes_minor: int  # above it two people must release a refund
    letter_print_hour: int | None = None  # when a day's letters go into a print run automatically; None: never
    use_credit: bool = False  # customers' credit pays their new orders automatically (D-87)
    payment_thanks: bool = False  # customers who have paid get a thank-you mail
    export_every: str = "off"  # how often exports are sent automatically: off, day, week, month
    bank_charge_basis_points: int = 500  # share of the sent amount: stated bank charges up to it are accepted (D-84)
    bank_charge_limit_minor: int = 3000
    lapse_after_days: int | None = None  # unpaid prepayment orders lapse then; None: never (D-42)
    invoice_terms: bool = True  # terms of electronic invoices fill empty fields of orders (D-96)
    second_factor: str = "off"  # whose sign-in needs one: off, money (users who may move money or settings), all

    def now(self, clock: datetime) -> datetime:
        """The shop's moment: the clock's, or a sandbox shop's own, which only lags behind if it is stopped (D-34)."""
        if not self.sandbox or self.sandbox_now is None:
            return clock
        return self.sandbox_now if self.sandbox_stands else max(self.sandbox_now, clock)

    def today(self, clock: datetime) -> date:
        """The calendar day in the shop's time zone at its moment."""
        return today_in(self.timezone, self.now(clock))

    def day_of(self, moment: datetime) -> date:
        """The calendar day of a stored moment, in the shop's time zone.

        Not `today`: it would use the shop's own time if a sandbox shop is ahead.
        """
        return today_in(self.timezone, moment)

    @property
    def sends_mail(self) -> bool:
        """Whether any mail is sent to the shop's customers."""
        return self.reminders or self.payment_information or self.payment_thanks

    @property
    def sends_callbacks(self) -> bool:
        """Callbacks are sent only if enabled and a URL is registered (docs/api.md, Events)."""
        return self.callbacks and bool(self.callback_url)
