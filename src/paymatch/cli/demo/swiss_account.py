"""The demo shop's second account, in francs: its bank sends a statement a week by MT940; one of them got lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from paymatch.cli.demo.orders import CHF, DemoOrder
from paymatch.domain.calendar import next_bank_day
from paymatch.domain.postings import Posting
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940

SWISS_IBAN: Final = "CH9300762011623852957"
_PAYERS_IBAN: Final = "CH5604835012345678009"
_OPENING_MINOR: Final = 418_230
_PAID_AFTER: Final = timedelta(days=3)
_FRIDAY: Final = 4
_LATEST: Final = 6
"""Among so many of the last statements one got lost, and a later one has an unreadable line."""

_AMOUNT: Final = re.compile(rb"(:61:\d{10}C)(\d+),")


@dataclass(frozen=True, slots=True)
class WeeklyFile:
    """A statement file, and the bank day on which the shop uploads it. `moved`: something was booked in its week."""

    name: str
    day: date
    content: bytes
    moved: bool


def weekly_files(orders: Sequence[DemoOrder], first_day: date, last_day: date) -> list[WeeklyFile]:
    """The files of all weeks that are over: one is missing, and one was damaged on its way."""
    postings = [_payment(place, order) for place, order in enumerate(orders) if order.currency == CHF]
    files = list(_write_files(postings, first_day, last_day))
    lost, damaged = [file for file in files[-_LATEST:] if file.moved][:2]
    return [
        replace(file, content=_damage_amount(file.content)) if file is damaged else file
        for file in files
        if file != lost
    ]


def _damage_amount(content: bytes) -> bytes:
    """The statement with a first amount that is not a number."""
    return _AMOUNT.sub(rb"\1\2;", content, count=1)


def _write_files(postings: Sequence[Posting], first_day: date, last_day: date) -> Iterator[WeeklyFile]:
    opening, number = _OPENING_MINOR, 1
    day = first_day
    friday = first_day + timedelta(days=(_FRIDAY - first_day.weekday()) % 7)
    while next_bank_day(friday) <= last_day:
        of_week = [each for each in postings if day <= each.booking_date <= friday]
        entries = tuple(entry_of(posting) for posting in of_week)
        content = write_mt940([StatementToWrite(SWISS_IBAN, CHF, opening, day, friday, number, entries)])
        yield WeeklyFile(f"franken-{friday}.sta", next_bank_day(friday), content, bool(of_week))
        opening += sum(posting.amount_minor for posting in of_week)
        day, friday, number = friday + timedelta(days=1), friday + timedelta(days=7), number + 1


def _payment(place: int, order: DemoOrder) -> Posting:
    day = next_bank_day(order.day + _PAID_AFTER)
    return Posting(
        account=SWISS_IBAN,
        currency=CHF,
        amount_minor=order.amount_minor,
        booking_date=day,
        value_date=day,
        bank_reference=f"CH{day:%y%j}{place:05d}",
        counterparty_name=order.name,
        counterparty_iban=_PAYERS_IBAN,
        remittance_lines=(f"Bestellung {order.number}",),
        booking_text="GUTSCHRIFT",
    )
