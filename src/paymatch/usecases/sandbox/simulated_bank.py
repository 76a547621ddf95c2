"""The simulated bank of a sandbox shop: its bookings, and the real files that it delivers at the end of its day."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from paymatch.domain.calendar import next_bank_day
from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.money import AmountUnreadable, Currency, decimal_to_minor, minor_to_decimal, minor_to_text
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.postings import Posting
from paymatch.domain.shops.sandbox import Reference, SandboxRefused, booking_day, day_ends_at, iban_of, write_duration
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.matching import matching as match_store
from paymatch.store.sandbox import sandbox as store
from paymatch.store.sandbox.sandbox import BankBooking, SimulatedBankFile
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.statements import import_file

CARRIER: Final = "DHL Paket Nachnahme"
FORMATS: Final = ("camt.054", "camt.053", "MT940")
"""In the order in which the bank delivers them: the notification comes before the statement."""

MAX_TIMES: Final = 20


@dataclass(frozen=True, slots=True)
class SimulatedTransfer:
    """A customer's transfer for one or more orders.

    `amount_minor` in the currency of the shop's account, None: the open amount. `payer` and `iban` empty: the first
    order's customer. `text` replaces the text of `reference`. `fee_minor` is the banks' deduction.
    """

    order_numbers: tuple[str, ...]
    amount_minor: int | None = None
    payer: str = ""
    iban: str = ""
    reference: Reference = Reference.EXACT
    text: str | None = None
    formats: tuple[str, ...] = ("camt.053",)
    fee_minor: int = 0
    times: int = 1
    delivered_twice: bool = False


def pay(tx: ShopTx, transfer: SimulatedTransfer) -> list[BankBooking]:
    """Books a customer's transfer at the simulated bank. OrderUnknown; SandboxRefused."""
    _check(tx.shop, transfer.formats)
    if not 1 <= transfer.times <= MAX_TIMES:
        raise SandboxRefused(Message("sandbox-times-must-1", most=MAX_TIMES))
    orders = _orders(tx, transfer.order_numbers)
    first = orders[0]
    customer = first.names[0] if first.names else first.number
    account = _account(tx)
    amount, instructed, rate = _amount(transfer, orders, account.currency)
    if amount <= transfer.fee_minor:
        asked = transfer.amount_minor is not None
        raise SandboxRefused(
            Message("sandbox-amount-must-above-fee") if asked else Message("sandbox-nothing-open-on-order")
        )
    text = transfer.text
    if text is None:
        parts = [
            write_duration(transfer.reference, order.number, customer, order.creditor_reference) for order in orders
        ]
        text = parts[0] + "".join(f" + {part.removeprefix('Bestellung ')}" for part in parts[1:] if part != parts[0])
    payer = transfer.payer or customer
    posting = _posting(
        tx.shop, account, tx.wall_time, amount - transfer.fee_minor, payer, transfer.iban or iban_of(payer), text
    )
    posting = replace(
        posting,
        charges_minor=transfer.fee_minor,
        instructed_amount_minor=amount if transfer.fee_minor and instructed is None else instructed,
        instructed_currency=first.currency
        if instructed is not None
        else account.currency
        if transfer.fee_minor
        else "",
        exchange_rate=rate,
    )
    return [_book(tx, posting, transfer) for _ in range(transfer.times)]


def give_back(
    tx: ShopTx,
    name: str,
    *,
    reason: str = "FOCR",
    charges_minor: int = 0,
    formats: tuple[str, ...] = ("camt.053",),
) -> BankBooking:
    """Books the return of a payment: `name` is its id, or the order that it was made for. SandboxRefused."""
    _check(tx.shop, formats)
    known = store.bookings(tx, booking_id=name) or store.bookings(tx, order_number=name)
    returned = {booking.posting.original_end_to_end_id for booking in known if booking.posting.is_return}
    given = [b for b in known if b.posting.amount_minor > 0 and b.posting.end_to_end_id not in returned]
    if not given:
        raise SandboxRefused(Message("sandbox-bank-booked-no-payment", name=repr(name)))
    was = given[0].posting
    account = shop_store.AccountRow(was.account, was.currency, "", "", tx.shop.holder, confirmed=True)
    posting = replace(
        _posting(
            tx.shop, account, tx.wall_time, -was.amount_minor - charges_minor, was.counterparty_name,
            was.counterparty_iban,
            was.text,
        ),
        is_return=True,
        return_reason=reason,
        original_end_to_end_id=was.end_to_end_id,
        original_amount_minor=was.amount_minor,
        end_to_end_id="",
        charges_minor=charges_minor,
        booking_text="RETOURE",
    )  # fmt: skip
    return _book(tx, posting, SimulatedTransfer(given[0].order_numbers, formats=formats))


def pay_out(tx: ShopTx, order_numbers: Sequence[str], *, fee_minor: int, carrier: str = CARRIER) -> BankBooking:
    """Books a carrier's payout for several orders, less its fee, with their tracking numbers."""
    _check(tx.shop, FORMATS)
    orders = _orders(tx, tuple(order_numbers))
    account = _account(tx)
    total = sum(order.open_minor for order in orders)
    if total <= fee_minor:
        raise SandboxRefused(Message("sandbox-nothing-open-on-these"))
    names = [order.shipping_numbers[0] if order.shipping_numbers else order.number for order in orders]
    fee = f" Entgelt {minor_to_text(fee_minor, Currency(account.currency))}" if fee_minor else ""
    text = f"Auszahlung Nachnahme {' '.join(names)}{fee}"
    posting = _posting(tx.shop, account, tx.wall_time, total - fee_minor, carrier, iban_of(carrier), text)
    return _book(tx, posting, SimulatedTransfer(tuple(order_numbers)))


def book_other(tx: ShopTx, amount_minor: int, name: str, text: str) -> BankBooking:
    """Books a posting without an order: the bank's own fee, rent, a third party's payment."""
    _check(tx.shop, FORMATS)
    account = _account(tx)
    posting = _posting(tx.shop, account, tx.wall_time, amount_minor, name, iban_of(name) if name else "", text)
    return _book(tx, posting, SimulatedTransfer(()))


def bank_bookings(tx: ShopTx) -> list[BankBooking]:
    """The bank's bookings, latest first."""
    return store.bookings(tx)


def deliver(database: Database, shop: Shop, clock: datetime) -> list[ImportReport]:
    """Closes the bank days that are over: writes their files and sends them through the ordinary import.

    A process that dies in between leaves files that wait for their import; the next call continues with them.
    """
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        _write_files(tx, now)
        _write_quiet_days(tx)
        waiting = store.files(tx, waiting=True)
    reports: list[ImportReport] = []
    for file in waiting:
        reports.append(
            import_file(
                database,
                shop,
                io.BytesIO(file.content),
                file.name,
                clock,
                channel=StatementChannel.SANDBOX_BANK,
            )
        )
        with database.of_shop(shop, at=clock) as tx:
            store.set_imported(tx, file.id, now)
    return reports


def import_again(database: Database, shop: Shop, clock: datetime) -> ImportReport:
    """Sends the bank's latest file through the import once more, as a clerk might. SandboxRefused if there is none."""
    with database.of_shop(shop, at=clock) as tx:
        files = store.files(tx, waiting=False)
    if not files:
        raise SandboxRefused(Message("sandbox-bank-delivered-no-file"))
    return import_file(
        database,
        shop,
        io.BytesIO(files[-1].content),
        f"again-{files[-1].name}",
        clock,
        channel=StatementChannel.SANDBOX_BANK,
    )


def _check(shop: Shop, formats: Sequence[str]) -> None:
    if not shop.sandbox:
        raise SandboxRefused(Message("sandbox-only-shops-have-simulated"))
    for name in formats or ("",):
        if name not in FORMATS:
            raise SandboxRefused(Message("sandbox-bank-delivers-not", formats=", ".join(FORMATS), name=repr(name)))


def _orders(tx: ShopTx, numbers: tuple[str, ...]) -> list[OrderFacts]:
    if not numbers:
        raise SandboxRefused(Message("sandbox-missing-parameter-ordernumber"))
    found = match_store.load_orders(tx, numbers)
    for number in numbers:
        if number not in found:
            raise OrderUnknown(number)
    return [found[number] for number in numbers]


def _account(tx: ShopTx) -> shop_store.AccountRow:
    """The shop's account in its currency; one is opened at the simulated bank if there is none."""
    found = [row for row in shop_store.accounts(tx) if row.currency == tx.shop.currency]
    if found:
        return found[0]
    row = shop_store.AccountRow(iban_of(str(tx.shop.id)), tx.shop.currency, "", "", tx.shop.holder, confirmed=True)
    shop_store.add_account(tx, row, tx.wall_time)
    return row


def _amount(transfer: SimulatedTransfer, orders: Sequence[OrderFacts], currency: str) -> tuple[int, int | None, str]:
    """(minor units of the account's currency, instructed minor units if the order's currency is another, rate)."""
    open_minor = sum(order.open_minor for order in orders)
    order = orders[0]
    if order.currency == currency:
        return (open_minor if transfer.amount_minor is None else transfer.amount_minor), None, ""
    if transfer.amount_minor is not None:
        return transfer.amount_minor, None, ""
    if not order.exchange_rate:
        raise SandboxRefused(
            Message("sandbox-order-without-exchangerate-give", number=order.number, currency=order.currency)
        )
    # exchangeRate says how many units of the order's currency one unit of the account's costs.
    there = minor_to_decimal(open_minor, Currency(order.currency)) / order.exchange_rate
    digits = Decimal(1).scaleb(-2)
    try:
        amount = decimal_to_minor(there.quantize(digits, ROUND_HALF_UP), Currency(currency))
    except AmountUnreadable:
        message = Message("sandbox-order-costs-more", number=order.number, currency=currency)
        raise SandboxRefused(message) from None
    return amount, open_minor, f"{order.exchange_rate:f}"


def _posting(
    shop: Shop, account: shop_store.AccountRow, clock: datetime, amount: int, name: str, iban: str, text: str
) -> Posting:
    day = booking_day(shop.now(clock), shop.timezone)
    return Posting(
        account=account.account,
        currency=Currency(account.currency),
        amount_minor=amount,
        booking_date=day,
        value_date=day,
        counterparty_name=name,
        counterparty_iban=iban,
        remittance_lines=tuple(text[start : start + 140] for start in range(0, len(text), 140)),
        booking_text="GUTSCHRIFT" if amount > 0 else "BELASTUNG",
    )


def _book(tx: ShopTx, posting: Posting, transfer: SimulatedTransfer) -> BankBooking:
    place = store.next_place(tx, posting.booking_date)
    reference = f"{posting.booking_date:%y%j}{place + 1:05d}"
    booking = BankBooking(
        id=new_id("bk", tx.now),
        posting=replace(
            posting,
            bank_reference=f"SB{reference}",
            end_to_end_id=posting.end_to_end_id or ("" if posting.is_return else f"E2E-{reference}"),
        ),
        deliver_at=day_ends_at(posting.booking_date, tx.shop.timezone),
        formats=transfer.formats,
        delivered_twice=transfer.delivered_twice,
        order_numbers=transfer.order_numbers,
        place=place,
    )
    store.add_bookings(tx, [booking])
    return booking


def _write_files(tx: ShopTx, now: datetime) -> None:
    days: dict[tuple[str, str, date], list[BankBooking]] = defaultdict(list)
    for booking in store.due_bookings(tx, now):
        posting = booking.posting
        days[posting.account, posting.currency, posting.booking_date].append(booking)
    for (account, currency, day), booked in sorted(days.items(), key=lambda item: item[0][2]):
        opening = store.balance_before(tx, account, currency, day)
        for name in FORMATS:
            asked = [booking for booking in booked if name in booking.formats]
            if asked:
                # A statement has the whole day; a notification has the requested bookings.
                bookings = asked if name == "camt.054" else booked
                file = _file(tx.shop, name, day, opening, account, currency, [each.posting for each in bookings])
                store.add_file(tx, file, now)
                if any(each.delivered_twice for each in asked):
                    copy = replace(file, id=new_id("sf", now), name=f"copy-{file.name}")
                    store.add_file(tx, copy, now)
        store.set_delivered(tx, [booking.id for booking in booked], now)


def next_quiet_day(shop: Shop, clock: datetime, told_until: date | None, *, silent: bool) -> date | None:
    """The next bank day with a statement even if nothing is booked on it; None if there are no such statements.

    Shops whose reminders wait for complete statements get them, from the day on which reminders were switched on.
    """
    if silent or not shop.sends_mail:
        return None
    if told_until is None:
        return next_bank_day(shop.today(clock))
    return next_bank_day(told_until + timedelta(days=1))


def _write_quiet_days(tx: ShopTx) -> None:
    """Statements of past bank days without bookings."""
    now = tx.now
    silent, told_until = store.bank_days_told(tx)
    day = next_quiet_day(tx.shop, tx.wall_time, told_until, silent=silent)
    while day is not None and day_ends_at(day, tx.shop.timezone) <= now:
        account = _account(tx)
        if not store.booked_on(tx, account.account, account.currency, day):
            opening = store.balance_before(tx, account.account, account.currency, day)
            file = _file(tx.shop, "camt.053", day, opening, account.account, account.currency, [])
            store.add_file(tx, file, now)
        store.set_told(tx, day)
        day = next_bank_day(day + timedelta(days=1))


def _file(
    shop: Shop, name: str, day: date, opening: int, account: str, code: str, postings: Sequence[Posting]
) -> SimulatedBankFile:
    currency = Currency(code)
    ends_at = day_ends_at(day, shop.timezone)
    number = day.timetuple().tm_yday
    if name == "MT940":
        entries = tuple(entry_of(posting) for posting in postings)
        content = write_mt940([StatementToWrite(account, currency, opening, day, day, number, entries)])
        return SimulatedBankFile(new_id("sf", ends_at), f"{day}.sta", name, day, content)
    bookings = tuple(WrittenEntry((posting,)) for posting in postings)
    statement = CamtStatement(
        account, currency, opening, day, day, f"SB-{name[-3:]}-{day:%Y%m%d}", number, bookings, owner_name=shop.holder
    )
    content = write_camt([statement], ends_at, CamtMessage(name))
    return SimulatedBankFile(new_id("sf", ends_at), f"{day}.{name.replace('.', '')}.xml", name, day, content)
