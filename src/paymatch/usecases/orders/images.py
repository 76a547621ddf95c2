"""Images for payment: QR code and Swiss payment slip with what is still open (API document, endpoint 13; D-9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from paymatch.domain.money import EUR, Currency, Money
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.shops.shop import Shop
from paymatch.formats.codes.epc_qr import Payee, PaymentCodeRefused, epc_png, epc_svg, epc_text
from paymatch.formats.codes.swiss_qr import SwissAddress, SwissBill, slip_png, slip_svg
from paymatch.store import shops as shop_store
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import orders as order_store
from paymatch.usecases.orders.payment_requests import payment_request

_PAYABLE = frozenset({PaymentStatus.UNPAID, PaymentStatus.PAID_PARTIAL, PaymentStatus.COLLECTION})


class ImageType(StrEnum):
    QRCODE = "QRCODE"
    PAYMENTSLIP = "PAYMENTSLIP"
    PAYMENTSLIPPRINT = "PAYMENTSLIPPRINT"


def image(tx: Tx, shop: Shop, number: str, kind: ImageType, *, svg: bool) -> bytes:
    """The image as PNG or SVG. OrderUnknown; OrderRefused if nothing is payable or no such image can be made."""
    found = order_store.payable(tx, ShopId(shop.id), number)
    if found is None:
        raise OrderUnknown(number)
    if found.status not in _PAYABLE or found.open_minor <= 0:
        raise OrderRefused(f"Nothing payable (status {found.status})")
    wanted = payment_request(tx, shop, Money(found.open_minor, Currency(found.currency)), found.exchange_rate)
    if wanted is None:
        raise OrderRefused(f"Image not possible: the shop has no bank account in {found.currency}")
    account, amount, reference = wanted.account, wanted.amount, found.reference
    try:
        if kind is ImageType.QRCODE:
            text = epc_text(Payee(account.holder or shop.holder, account.account, account.bic), amount, reference)
            return epc_svg(text) if svg else epc_png(text)
        slip = slip_svg(_bill(tx, shop, account, amount, reference), shop.language, lines=kind is ImageType.PAYMENTSLIP)
        return slip if svg else slip_png(slip)
    except PaymentCodeRefused as error:
        raise OrderRefused(f"Image not possible: {error}") from None


@dataclass(frozen=True, slots=True)
class PaymentCode:
    """What a mail's code is drawn from: the text of a SEPA code, or a Swiss bill."""

    sepa: str = ""
    bill: SwissBill | None = None


def payment_code(
    tx: Tx, shop: Shop, account: shop_store.AccountRow, amount: Money, reference: str
) -> PaymentCode | None:
    """The code by which this amount is paid to the account; None where there is none for the currency or the shop."""
    try:
        if amount.currency == EUR:
            payee = Payee(account.holder or shop.holder, account.account, account.bic)
            return PaymentCode(sepa=epc_text(payee, amount, reference))
        if amount.currency == "CHF":
            return PaymentCode(bill=_bill(tx, shop, account, amount, reference))
    except (PaymentCodeRefused, OrderRefused):
        return None
    return None


def draw(code: PaymentCode | None, language: str) -> bytes:
    """The code as PNG; nothing where there is none."""
    if code is None:
        return b""
    if code.bill is None:
        return epc_png(code.sepa, scale=4)
    try:
        return slip_png(slip_svg(code.bill, language), dpi=110)
    except PaymentCodeRefused:
        return b""


def _bill(tx: Tx, shop: Shop, account: shop_store.AccountRow, amount: Money, reference: str) -> SwissBill:
    street, house_number, postcode, city = shop_store.address(tx, ShopId(shop.id))
    if not postcode or not city:
        raise OrderRefused("Image not possible: the shop's settings postcode and city are needed for payment slips")
    creditor = SwissAddress(account.holder or shop.holder, postcode, city, shop.country, street, house_number)
    return SwissBill(account.account, creditor, amount, reference)
