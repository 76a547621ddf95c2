"""Commands for sandbox shops: clock, simulate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, read_amount, read_states
from paymatch.cli.context import command, opened_shop, settings, show
from paymatch.clock import utc_now
from paymatch.domain.shops.sandbox import Reference, SandboxRefused, after_span, moment_of
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.store.sandbox.sandbox import BankBooking
    from paymatch.usecases.sandbox.simulated_bank import SimulatedTransfer


class ClockMove(StrEnum):
    """What `clock` does."""

    ADVANCE = "advance"
    SET = "set"


class What(StrEnum):
    """What `simulate` lets happen."""

    PAYMENT = "payment"
    RETURN = "return"
    PAYOUT = "payout"
    BOOKING = "booking"
    REFUND = "refund"


@command
def clock(
    shop: ShopArgument,
    how: Annotated[
        ClockMove | None, typer.Argument(metavar="HOW", help="advance or set; without either, the clock is shown.")
    ] = None,
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="3d, 2w, 12h, 1d6h; or 2026-12-01, '2026-12-01 14:30'.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Move the clock of a sandbox shop; everything that is due until then happens, in order."""
    with opened_shop(shop) as (database, found):
        if not found.sandbox:
            raise SandboxRefused(Message("sandbox-only-shops-have-clock"))
        result: dict[str, Any] = {"now": found.now(utc_now())}
        if how is not None:
            result = _move_clock(database, found, how, value)
    show(result, as_json=as_json)


def _move_clock(database: Database, shop: Shop, how: ClockMove, value: str) -> dict[str, Any]:
    now = shop.now(utc_now())
    until = after_span(now, value, shop.timezone) if how is ClockMove.ADVANCE else moment_of(value, shop.timezone)
    return _moved_to(database, shop, until)


def _moved_to(database: Database, shop: Shop, until: datetime) -> dict[str, Any]:
    """What happened on the way of the clock to `until`."""
    from paymatch import service_address
    from paymatch.outbound.http import HttpClient
    from paymatch.usecases.work.sandbox_clock import hold_due_work, move

    chosen = settings()
    door = HttpClient(allow_private=chosen.callback_allow_private, further_names=chosen.callback_names())
    try:
        with hold_due_work(database, shop, utc_now):
            return asdict(move(database, shop, until, door, utc_now, base=service_address.address(chosen)))
    finally:
        door.close()


@command
def simulate(
    shop: ShopArgument,
    what: Annotated[What, typer.Argument(metavar="WHAT", help="What the bank books.")],
    orders: Annotated[list[str] | None, typer.Argument(metavar="ORDER", help="For which orders.")] = None,
    amount: Annotated[str, typer.Option(help="In the account's currency; by default what is open.")] = "",
    payer: Annotated[str, typer.Option(help="Who pays; by default the customer.")] = "",
    iban: Annotated[str, typer.Option(help="From which account.")] = "",
    reference: Annotated[Reference, typer.Option(help="How the customer writes the order number.")] = Reference.EXACT,
    text: Annotated[str | None, typer.Option(help="The text, instead of a written reference.")] = None,
    formats: Annotated[list[str] | None, typer.Option("--format", help="camt.053, camt.054, MT940.")] = None,
    fee: Annotated[str, typer.Option(help="What banks or the carrier keep.")] = "",
    times: Annotated[int, typer.Option(min=1, help="How often it is paid.")] = 1,
    twice: Annotated[bool, typer.Option("--delivered-twice", help="The bank delivers its file twice.")] = False,
    reason: Annotated[str, typer.Option(help="Reason code of a return.")] = "",
    outcome: Annotated[
        str, typer.Option(help="Outcome of refunds (booked, rejected, returned); ORDER... are their references.")
    ] = "booked",
    deliver: Annotated[bool, typer.Option("--deliver", help="Move the clock to when the bank's file arrives.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have the simulated bank of a sandbox shop book something; its file arrives at the end of the bank's day."""
    from paymatch.usecases.sandbox.simulated_bank import SimulatedTransfer

    account, files = iban.replace(" ", ""), tuple(formats or ("camt.053",))
    with opened_shop(shop) as (database, found):
        minor, fee_minor = read_amount(amount, found.currency), read_amount(fee, found.currency) or 0
        numbers = tuple(orders or ())
        transfer = SimulatedTransfer(numbers, minor, payer, account, reference, text, files, fee_minor, times, twice)
        booked = _bank_bookings(database, found, what, transfer, reason, outcome)
        rows = [_row(booking) for booking in booked]
        if deliver and booked:
            _moved_to(database, found, max(booking.deliver_at for booking in booked))
            rows = [row | {"status": _statuses(database, found, row["orders"])} for row in rows]
    show(rows, as_json=as_json)


def _bank_bookings(
    database: Database, shop: Shop, what: What, wanted: SimulatedTransfer, reason: str, outcome: str
) -> list[BankBooking]:
    """What the simulated bank has booked; nothing where the outcome of refunds was decided."""
    from paymatch.usecases.sandbox import simulated_bank as bank
    from paymatch.usecases.sandbox.transfers import SimulatedOutcome, decide_outcome

    orders, payer, fee_minor, now = wanted.order_numbers, wanted.payer, wanted.fee_minor, utc_now()
    with database.of_shop(shop, at=now) as tx:
        match what:
            case What.PAYMENT:
                return bank.pay(tx, wanted)
            case What.RETURN:
                code = reason or "FOCR"
                return [bank.give_back(tx, name, reason=code, charges_minor=fee_minor) for name in orders]
            case What.PAYOUT:
                carrier = payer or bank.CARRIER
                return [bank.pay_out(tx, orders, fee_minor=fee_minor, carrier=carrier)]
            case What.REFUND:
                (decided,) = read_states([outcome], SimulatedOutcome)
                for name in orders:
                    decide_outcome(tx, name, decided, reason)
                return []
            case What.BOOKING:
                return [bank.book_other(tx, wanted.amount_minor or 0, payer, wanted.text or "")]


def _statuses(database: Database, shop: Shop, numbers: Sequence[str]) -> list[str]:
    """The payment statuses of these orders, in their sequence."""
    from paymatch.store.orders import order_list

    with database.of_shop(shop) as tx:
        return [order.status for number in numbers if (order := order_list.find(tx, number))]


def _row(booking: BankBooking) -> dict[str, Any]:
    from paymatch.domain.money import minor_to_text

    posting = booking.posting
    return {
        "id": booking.id,
        "orders": list(booking.order_numbers),
        "amount": minor_to_text(posting.amount_minor, posting.currency),
        "currency": posting.currency,
        "bookingDate": posting.booking_date,
        "deliveredAt": booking.deliver_at,
        "payer": posting.counterparty_name,
        "text": posting.text,
    }
