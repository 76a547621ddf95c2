"""Values for the templates of an order's page: figures, colours, and errors of a form."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from paymatch.domain.calendar import today_in
from paymatch.domain.money import Currency, Money
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.domain.shops.brand import Brand
from paymatch.domain.shops.colours import USUAL_ACCENT, WHITE, Colour, ink_on, readable_on
from paymatch.store.customers.pages import ShownRefund
from paymatch.usecases.customers.bank_details import Wrong
from paymatch.usecases.customers.order_pages import CustomerOrderPage, mark_of
from paymatch.usecases.orders.images import code_svg

LIGHT: Final = Colour(0xF3, 0xF5, 0xF7)
DARK: Final = Colour(0x16, 0x1B, 0x20)
"""Of the page's two shades of each scheme (customers.css) that on which the shop's colour is harder to read."""

_TINT: Final = 0.1
"""How much of the shop's colour is in the ground of what is done or chosen."""

_OF_HOLDER: Final = frozenset({Wrong.HOLDER_MISSING, Wrong.HOLDER_TOO_LONG})


@dataclass(frozen=True, slots=True)
class BankDetailsForm:
    """The form for bank details. `bank` None: it was not checked yet; "" where the bank is not known by name."""

    holder: str = ""
    iban: str = ""
    bank: str | None = None
    wrong: tuple[Wrong, ...] = ()

    def with_refusal(self, why: Sequence[Wrong]) -> BankDetailsForm:
        """The same form with what is wrong in it."""
        return replace(self, wrong=tuple(why))

    @property
    def wrong_holder(self) -> Wrong | None:
        """What is wrong with the name."""
        return next((each for each in self.wrong if each in _OF_HOLDER), None)

    @property
    def wrong_iban(self) -> Wrong | None:
        """What is wrong with the IBAN."""
        return next((each for each in self.wrong if each not in _OF_HOLDER and each is not Wrong.OUTDATED), None)

    @property
    def is_outdated(self) -> bool:
        """Whether the page has changed since the form was shown."""
        return Wrong.OUTDATED in self.wrong


@dataclass(frozen=True, slots=True)
class RefundLine:
    """A refund and where it is: `asked`, `awaits-payment`, `planned`, `under-way`, `sent`, `checked`."""

    amount: Money
    where: str
    day: date | None
    account: str  # its end, enough for a person who knows it to recognise it


def look_of(brand: Brand | None) -> dict[str, Any]:
    """How the page looks: the shop's colours, always readable, and its logo."""
    accent = brand.accent if brand is not None else USUAL_ACCENT
    logo = brand.logo if brand is not None else None
    light, dark = WHITE.mixed_with(accent, _TINT), DARK.mixed_with(accent, _TINT)
    return {
        "brand": brand, "accent": str(accent), "on_accent": str(ink_on(accent)),
        "link": str(readable_on(readable_on(accent, LIGHT), light)),
        "link_dark": str(readable_on(readable_on(accent, DARK), dark)), "tint": str(light), "tint_dark": str(dark),
        "logo": _data("image/png", logo.png) if logo is not None else "",
    }  # fmt: skip


def context_of(page: CustomerOrderPage, today: date) -> dict[str, Any]:
    """Everything that the page's templates name, but for the form and the request."""
    code = page.to_pay.code if page.to_pay is not None else None
    awaits = page.asking is not None and page.asking.id in page.refunds_due.uncovered
    return look_of(page.brand) | {
        "page": page, "state": str(page.state), "today": today,
        "received": [(each.day, Money(each.amount_minor, page.amount.currency)) for each in page.received],
        "invoices": [
            (each.number, mark_of(each), _size(each.size_bytes), today_in(page.timezone, each.created_at))
            for each in page.invoices
        ],
        "refunds": [_line(each, page) for each in page.refunds], "asking": page.asking,
        "to_refund": Money(page.refunds_due.uncovered_minor, page.amount.currency),
        "asked_awaits": awaits, "pays_first": awaits and page.to_pay is not None,
        "asked": page.asking is not None and page.asking.wants_details,
        "asked_amount": None if page.asking is None else _money(page.asking),
        "asked_account": "" if page.asking is None else ending(page.asking.iban),
        "code": "" if code is None else _data("image/svg+xml", code_svg(code)),
        "has_slip": code is not None and code.bill is not None,
        "code_link": "" if code is None else code.link,
        "steps": page.paid.minor > 0 and page.amount.minor > 0,
        "quiet": page.says_paid_until is not None and page.to_pay is not None,
        "reported_at": page.says_paid_at, "checked_at": page.checked_at, "zone": page.timezone,
        "shipping": page.shipping_numbers,
    }  # fmt: skip


def ending(account: str) -> str:
    """`DE89 … 3000`: enough for a person who knows the account."""
    return f"{account[:4]} … {account[-4:]}" if len(account) > 11 else ""


def _line(refund: ShownRefund, page: CustomerOrderPage) -> RefundLine:
    where, day = "checked", None
    if refund.wants_details:
        where = "asked"
    elif refund.id in page.refunds_due.uncovered:
        where = "awaits-payment"
    elif refund.status is RefundStatus.NEW:
        where, day = "planned", refund.planned_date
    elif refund.status is RefundStatus.IN_PROCESS:
        where = "under-way"
    elif refund.status is RefundStatus.PROCESSED:
        where, day = "sent", refund.execution_date
    return RefundLine(_money(refund), where, day, ending(refund.iban) if where not in ("asked", "checked") else "")


def _money(refund: ShownRefund) -> Money:
    return Money(refund.amount_minor, Currency(refund.currency))


def _data(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def _size(size_bytes: int) -> str:
    return f"{max(size_bytes // 1024, 1)} KB" if size_bytes < 1_000_000 else f"{size_bytes / 1_000_000:.1f} MB"
