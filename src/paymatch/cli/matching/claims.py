"""The command for claims on carriers and marketplaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from paymatch.cli.arguments import DAY, AsCsv, AsJson, ShopArgument, read_day
from paymatch.cli.context import command, opened_shop, show
from paymatch.cli.terminal import print_csv
from paymatch.clock import utc_now

if TYPE_CHECKING:
    from paymatch.domain.orders.claims import CollectiveSum, ExplainedPayout, PayoutClaim

_ORDERS: Final = (
    "orderNumber", "shippingNumber", "orderDate", "shippedDate", "amount", "currency", "daysWaiting", "carrier",
    "lastPayout",
)  # fmt: skip
_PAYOUTS: Final = (
    "posting", "bookingDate", "carrier", "status", "amount", "currency", "orders", "gross", "fee", "missing",
    "unexplained", "unknownNumbers",
)  # fmt: skip


@command
def claims(
    shop: ShopArgument,
    days: Annotated[int | None, typer.Option(min=0, help="Shipped at least this many days ago.")] = None,
    date: Annotated[str, typer.Option(metavar=DAY, help="As of this day; by default today.")] = "",
    as_csv: AsCsv = False,
    as_json: AsJson = False,
) -> None:
    """List unpaid cash-on-delivery orders, and what payouts of carriers leave unexplained. CSV has the orders."""
    from paymatch.usecases.orders.claims import MIN_DAYS, claim_list

    with opened_shop(shop) as (database, found):
        day = read_day(date) or found.today(utc_now())
        result = claim_list(database, found, day, MIN_DAYS if days is None else days)
    orders = [_order(claim) for claim in result.orders]
    payouts = [_payout(payout, compared) for payout, compared in result.payouts]
    if as_csv:
        print_csv(orders, _ORDERS)
    elif as_json:
        show({"orders": orders, "payouts": payouts}, as_json=True)
    else:
        show(orders, as_json=False, columns=_ORDERS, title="To claim")
        show(payouts, as_json=False, columns=_PAYOUTS, title="Payouts")


def _order(claim: PayoutClaim) -> dict[str, Any]:
    order = claim.order
    return {
        "orderNumber": order.number,
        "shippingNumber": ", ".join(order.shipping_numbers),
        "orderDate": order.ordered.isoformat(),
        "shippedDate": order.shipped.isoformat(),
        "amount": _money(order.open_minor, order.currency),
        "currency": order.currency,
        "daysWaiting": claim.days_waiting,
        "carrier": claim.payer,
        "lastPayout": claim.last_payout.isoformat() if claim.last_payout else None,
    }


def _payout(payout: CollectiveSum, compared: ExplainedPayout) -> dict[str, Any]:
    return {
        "posting": payout.posting,
        "bookingDate": payout.booked.isoformat(),
        "carrier": payout.payer,
        "status": "matched" if payout.decided else "open",
        "amount": _money(payout.amount_minor, payout.currency),
        "currency": payout.currency,
        "orders": len(payout.orders),
        "gross": _money(compared.gross_minor, payout.currency),
        "fee": _money(compared.fee_minor, payout.currency),
        "missing": _money(compared.missing_minor, payout.currency),
        "unexplained": _money(compared.unexplained_minor, payout.currency),
        "unknownNumbers": list(payout.unknown_numbers),
    }


def _money(minor: int, currency: str) -> str:
    from paymatch.domain.money import currency_of, minor_to_decimal

    return str(minor_to_decimal(minor, currency_of(currency)))
