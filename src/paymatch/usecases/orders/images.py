"""Images for payment: payment code and Swiss payment slip for the amount to pay (docs/api.md, Images; D-9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Final, TypeVar

import structlog

from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.reminders.letters import PostalAddress
from paymatch.domain.words.message import Message
from paymatch.formats.codes.choice import OF_COUNTRY, Code, CodeKind, usual_kind, write_code
from paymatch.formats.codes.epc_qr import Payee, PaymentCodeRefused
from paymatch.formats.codes.payme import payme_link
from paymatch.formats.codes.payments import CodedPayment
from paymatch.formats.codes.pictures import svg_pdf, svg_png
from paymatch.formats.codes.swiss_qr import (
    CODE_WIDTH_MM,
    SwissAddress,
    SwissBill,
    slip_pdf,
    slip_png,
    slip_svg,
    swiss_code_svg,
    swiss_text,
)
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.orders import Payable
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.payment_requests import payment_request

_log = structlog.get_logger("paymatch.payment_codes")
T = TypeVar("T")

_PAYABLE = frozenset({PaymentStatus.UNPAID, PaymentStatus.PAID_PARTIAL, PaymentStatus.COLLECTION})


class ImageType(StrEnum):
    QRCODE = "QRCODE"
    NATIONAL = "NATIONAL"
    PAYMENTSLIP = "PAYMENTSLIP"
    PAYMENTSLIPPRINT = "PAYMENTSLIPPRINT"


class ImageFormat(StrEnum):
    """The formats of an image."""

    PNG = "image/png"
    SVG = "image/svg+xml"
    PDF = "application/pdf"


_CODE_WIDTH_MM: Final = 60


@dataclass(frozen=True, slots=True)
class PaymentCode:
    """A payment code or a Swiss bill, not drawn yet."""

    code: Code | None = None
    bill: SwissBill | None = None
    link: str = ""  # opens the payment in a banking app; "" where no standard of the account's country has one


def image(tx: ShopTx, number: str, kind: ImageType, form: ImageFormat) -> bytes:
    """The image in this format. OrderUnknown; OrderRefused if nothing is payable or no such image can be made."""
    found = order_store.payable(tx, number)
    if found is None:
        raise OrderUnknown(number)
    return image_of(tx, number, found, kind, form)


def image_of(tx: ShopTx, number: str, found: Payable, kind: ImageType, form: ImageFormat) -> bytes:
    """The image of a loaded order; OrderRefused as in `image`.

    It asks for the same amount as the last mail: the open amount and the reminder fees. Once the order is in
    collection, the agency states what is due on top of the open amount.
    """
    if found.status not in _PAYABLE or found.open_minor <= 0:
        raise OrderRefused(Message("order-nothing-payable-status", status=found.status))
    wanted = payment_request(tx, Money(found.open_minor, Currency(found.currency)), found.exchange_rate)
    if wanted is None:
        raise OrderRefused(Message("order-image-not-possible-shop", currency=found.currency))
    country, currency = wanted.account.account[:2], wanted.amount.currency
    amount = wanted.amount + Money(found.fees_minor if found.status in OPEN_STATUSES else 0, currency)
    code = OF_COUNTRY.get((country, currency)) if kind is ImageType.NATIONAL else usual_kind(country, currency)
    payment = _payment(tx, code, wanted.account, amount, found.reference, number)
    try:
        if kind in (ImageType.QRCODE, ImageType.NATIONAL):
            if code is not None:
                return _draw_code(write_code(code, payment), form)
            if currency != "CHF":
                raise OrderRefused(Message("order-image-not-possible-no", currency=currency, country=country))
            return _draw_svg(swiss_code_svg(_bill(tx, payment)), form)
        slip = slip_svg(_bill(tx, payment), tx.shop.language, lines=kind is ImageType.PAYMENTSLIP)
        return _draw_slip(slip, form)
    except PaymentCodeRefused as error:
        raise OrderRefused(Message("order-image-not-possible", error=error.message)) from None


def payment_code(
    tx: ShopTx,
    account: shop_store.AccountRow,
    amount: Money,
    reference: str,
    number: str,
    country: str = "",
    payer: PostalAddress | None = None,
    pay_by: date | None = None,
) -> PaymentCode | None:
    """The code with which a customer pays this amount to the account; None where there is none for it or the shop.

    `country` is the customer's: one who lives in the country of the account gets the code that banks there read. A
    Swiss slip names the `payer`; on a page that anyone may open it does not.
    """
    home = account.account[:2]
    national = OF_COUNTRY.get((home, amount.currency)) if country == home else None
    kind = national or usual_kind(home, amount.currency)
    payment = replace(_payment(tx, kind, account, amount, reference, number), pay_by=pay_by)
    try:
        if kind is not None:
            link = _draw_or_text(lambda: payme_link(payment), "") if home == "SK" else ""
            return _draw_or_text(lambda: PaymentCode(code=write_code(kind, payment), link=link), None)
        if amount.currency == "CHF":
            bill = replace(_bill(tx, payment), debtor=_debtor(payer))
            return PaymentCode(bill=bill) if _draw_or_text(lambda: swiss_text(bill), None) else None
    except (PaymentCodeRefused, OrderRefused):
        return None
    return None


def code_svg(code: PaymentCode | None) -> bytes:
    """The code alone, a Swiss one without its slip, as SVG; b"" where there is none."""
    if code is None:
        return b""
    if code.code is not None:
        return _draw_or_text(code.code.svg, b"")
    bill = code.bill
    return _draw_or_text(lambda: swiss_code_svg(bill), b"") if bill is not None else b""


def code_png(code: PaymentCode | None, scale: int = 8) -> bytes:
    """The code alone as PNG, for a mail or to be kept as a picture; b"" where there is none.

    A Swiss code has no slip around it: on a phone it would be as small as a stamp.
    """
    if code is None:
        return b""
    if own := code.code:
        return _draw_or_text(lambda: own.png(scale), b"")
    return _draw_or_text(lambda: svg_png(svg, CODE_WIDTH_MM), b"") if (svg := code_svg(code)) else b""


def slip_sheet(code: PaymentCode | None, language: str) -> bytes:
    """The Swiss payment slip at the foot of a sheet, as PDF; b"" where the account has none."""
    if code is None or (bill := code.bill) is None:
        return b""
    return _draw_or_text(lambda: slip_pdf(slip_svg(bill, language)), b"")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A code as SVG, and how wide it is printed; empty where there is none."""

    svg: bytes = b""
    width_mm: float = 0


def drawn_svg(code: PaymentCode | None, language: str) -> tuple[Drawing, bytes]:
    """The code for a letter and the Swiss payment slip: one of them, or neither."""
    if code is None:
        return Drawing(), b""
    if own := code.code:
        return _draw_or_text(lambda: Drawing(own.svg(), own.kind.width_mm), Drawing()), b""
    bill = code.bill
    assert bill is not None, "a code or a bill"
    return Drawing(), _draw_or_text(lambda: slip_svg(bill, language), b"")


def _draw_or_text(draw: Callable[[], T], instead: T) -> T:
    """A drawing, or its substitute: account and amount are also given as text."""
    try:
        return draw()
    except PaymentCodeRefused:
        return instead
    except Exception:
        # No fault in a picture may stop a page, mail or letter.
        _log.exception("payment code not drawn")
        return instead


def _draw_code(code: Code, form: ImageFormat) -> bytes:
    if form is ImageFormat.PNG:
        return code.png()
    return code.svg() if form is ImageFormat.SVG else svg_pdf(code.svg(), _CODE_WIDTH_MM)


def _draw_svg(svg: bytes, form: ImageFormat) -> bytes:
    if form is ImageFormat.PNG:
        return svg_png(svg, CODE_WIDTH_MM)
    return svg if form is ImageFormat.SVG else svg_pdf(svg, CODE_WIDTH_MM)


def _draw_slip(slip: bytes, form: ImageFormat) -> bytes:
    if form is ImageFormat.PNG:
        return slip_png(slip)
    return slip if form is ImageFormat.SVG else slip_pdf(slip)


def _payment(
    tx: ShopTx,
    code: CodeKind | None,
    account: shop_store.AccountRow,
    amount: Money,
    reference: str,
    number: str,
) -> CodedPayment:
    """The payment as this code needs it: the shop's address is asked for only where the code carries it."""
    addressed = code is not None and code.carries_address
    street, house_number, postcode, city = shop_store.address(tx) if addressed else ("", "", "", "")
    payee = Payee(account.holder or tx.shop.holder, account.account, account.bic)
    return CodedPayment(
        payee, amount, reference, f"{street} {house_number}".strip(), f"{postcode} {city}".strip(), number
    )


def _debtor(payer: PostalAddress | None) -> SwissAddress | None:
    """Whom a slip is for, if the guidelines can write the address: name, postcode, city and country."""
    if payer is None or not ((payer.company or payer.name) and payer.postcode and payer.city):
        return None
    if payer.country not in COUNTRIES:
        return None
    return SwissAddress(payer.company or payer.name, payer.postcode, payer.city, payer.country, payer.street)


def _bill(tx: ShopTx, payment: CodedPayment) -> SwissBill:
    street, house_number, postcode, city = shop_store.address(tx)
    if not postcode or not city:
        raise OrderRefused(Message("order-image-not-possible-shop-settings"))
    creditor = SwissAddress(payment.payee.name, postcode, city, tx.shop.country, street, house_number)
    return SwissBill(payment.payee.iban, creditor, payment.amount, payment.reference)
