"""Refunds at the simulated bank: it accepts our transfer files, answers with pain.002, and books the transfers."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from paymatch.domain.calendar import next_bank_day
from paymatch.domain.money import Currency
from paymatch.domain.postings import Posting
from paymatch.domain.shops.sandbox import SandboxRefused, booking_day, day_ends_at
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.sepa.pain002_writer import AnsweredTransfer, write_pain002
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.refunds import transfers
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.sandbox import sandbox as bank_store
from paymatch.store.sandbox import transfers as store
from paymatch.store.sandbox.sandbox import BankBooking
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds.bank_reports import import_report


class SimulatedOutcome(StrEnum):
    """The outcome of a refund at the simulated bank."""

    BOOKED = "booked"
    REJECTED = "rejected"  # pain.002 RJCT, nothing is booked
    RETURNED = "returned"  # booked, and on the next bank day it is back


def decide_outcome(tx: ShopTx, external_reference: str, outcome: SimulatedOutcome, reason: str) -> None:
    """Sets the outcome of this refund at the bank; by default it is booked. SandboxRefused for a real shop."""
    if not tx.shop.sandbox:
        raise SandboxRefused(Message("sandbox-only-shops-have-simulated"))
    store.set_outcome(tx, external_reference, outcome, reason or "AC04")


def take_files(database: Database, shop: Shop, clock: datetime) -> int:
    """The bank accepts the new transfer files, each once; returns their number."""
    with database.of_shop(shop, at=clock) as tx:
        waiting = store.untaken(tx)
        files = [file for file in transfers.files(tx) if file.id in waiting]
    for file in files:
        # A repeated report does nothing: if this process dies after it, the next one starts here again.
        _report(database, shop, file, clock)
        with database.of_shop(shop, at=clock) as tx:
            if store.set_taken(tx, file.id, shop.now(clock)):
                _execute(tx, file)
    return len(files)


def _report(database: Database, shop: Shop, file: FileRow, clock: datetime) -> None:
    with database.of_shop(shop, at=clock) as tx:
        rows, outcomes = transfers.of_files(tx, [file.id]), store.outcomes(tx, file.id)
    answers = []
    for row in rows:
        outcome, reason = outcomes.get(row.end_to_end_id, (SimulatedOutcome.BOOKED, ""))
        rejected = outcome == SimulatedOutcome.REJECTED
        answers.append(AnsweredTransfer(row.end_to_end_id, "RJCT" if rejected else "ACSP", reason if rejected else ""))
    content = write_pain002(
        f"SB{file.id.removeprefix('tf_').upper()}", shop.now(clock), original_message_id=file.message_id,
        original_version=file.version, payment_information_id=file.payment_information_id, answers=answers,
    )  # fmt: skip
    import_report(database, shop, io.BytesIO(content), clock)


def _execute(tx: ShopTx, file: FileRow) -> None:
    """Books the debits of the file, and the credits of returned transfers."""
    outcomes = store.outcomes(tx, file.id)
    day = max(file.execution_date, booking_day(tx.now, tx.shop.timezone))
    for row in transfers.of_files(tx, [file.id]):
        outcome, reason = outcomes.get(row.end_to_end_id, (SimulatedOutcome.BOOKED, ""))
        if outcome == SimulatedOutcome.REJECTED:
            continue
        debit = _debit(file, row, day)
        _book(tx, debit)
        if outcome == SimulatedOutcome.RETURNED:
            back = next_bank_day(day + timedelta(days=1))
            credit = replace(
                debit, amount_minor=row.amount_minor, booking_date=back, value_date=back, is_return=True,
                return_reason=reason, original_end_to_end_id=row.end_to_end_id, original_amount_minor=row.amount_minor,
                end_to_end_id="", booking_text="RETOURE",
            )  # fmt: skip
            _book(tx, credit)


def _debit(file: FileRow, row: TransferRow, day: date) -> Posting:
    return Posting(
        account=file.account,
        currency=Currency(file.currency),
        amount_minor=-row.amount_minor,
        booking_date=day,
        value_date=day,
        counterparty_name=row.holder,
        counterparty_iban=row.iban,
        end_to_end_id=row.end_to_end_id,
        remittance_lines=("Erstattung",),
        booking_text="SEPA-UEBERWEISUNG",
    )


def _book(tx: ShopTx, posting: Posting) -> None:
    place = bank_store.next_place(tx, posting.booking_date)
    booking = BankBooking(
        id=new_id("bk", tx.now),
        posting=replace(posting, bank_reference=f"SB{posting.booking_date:%y%j}{place + 1:05d}"),
        deliver_at=day_ends_at(posting.booking_date, tx.shop.timezone),
        formats=("camt.053",),
        delivered_twice=False,
        order_numbers=(),
        place=place,
    )
    bank_store.add_bookings(tx, [booking])
