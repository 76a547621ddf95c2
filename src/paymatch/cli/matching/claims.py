"""The command for claims on carriers and marketplaces."""

from __future__ import annotations

import csv
import sys
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from paymatch.cli.context import command, opened, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.money import currency_of, minor_to_decimal
from paymatch.domain.orders.claims import Claim, Payout, Settled
from paymatch.usecases import shops
from paymatch.usecases.orders.claims import MIN_DAYS, claim_list

_ORDERS: Final = (
    "orderNumber", "shippingNumber", "orderDate", "shippedDate", "amount", "currency", "daysWaiting", "carrier",
    "lastPayout",
)  # fmt: skip
_PAYOUTS: Final = (
    "posting", "bookingDate", "carrier", "status", "amount", "currency", "orders", "gross", "fee", "missing",
    "unexplained", "unknownNumbers",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(claims)


@command
def claims(
    shop: ShopArgument,
    days: Annotated[int, typer.Option(min=0, help="Shipped at least so many days ago.")] = MIN_DAYS,
    date: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d", "%d-%m-%Y"], help="As of this day.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="The orders to claim as CSV.")] = False,
    as_json: AsJson = False,
) -> None:
    """Orders on delivery that no payout has brought yet, and what payouts of carriers leave unexplained."""
    with opened() as database:
        found = shops.find(database, shop)
        result = claim_list(database, found, date.date() if date else found.today(utc_now()), days)
    orders = [_order(claim) for claim in result.orders]
    payouts = [_payout(payout, compared) for payout, compared in result.payouts]
    if as_csv:
        _write_csv(orders)
    elif as_json:
        show({"orders": orders, "payouts": payouts}, as_json=True)
    else:
        show(orders, as_json=False, columns=_ORDERS, title="To claim")
        show(payouts, as_json=False, columns=_PAYOUTS, title="Payouts")


def _order(claim: Claim) -> dict[str, Any]:
    order = claim.order
    return {
        "orderNumber": order.number,
        "shippingNumber": ", ".join(order.shipping_numbers),
        "orderDate": f"{order.ordered:%d-%m-%Y}",
        "shippedDate": f"{order.shipped:%d-%m-%Y}",
        "amount": _money(order.open_minor, order.currency),
        "currency": order.currency,
        "daysWaiting": claim.days_waiting,
        "carrier": claim.payer,
        "lastPayout": f"{claim.last_payout:%d-%m-%Y}" if claim.last_payout else None,
    }


def _payout(payout: Payout, compared: Settled) -> dict[str, Any]:
    return {
        "posting": payout.posting,
        "bookingDate": f"{payout.booked:%d-%m-%Y}",
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
    return str(minor_to_decimal(minor, currency_of(currency)))


def _write_csv(rows: list[dict[str, Any]]) -> None:
    """The rows on stdout; a cell that a table program would take for a formula gets an apostrophe."""
    writer = csv.DictWriter(sys.stdout, _ORDERS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
