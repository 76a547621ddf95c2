"""A bank's month and the many ways to download it: lines, and files of them in every format, with overlaps."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940

ACCOUNT = "DE89370400440532013000"
FIRST = date(2026, 3, 2)
NOW = datetime(2026, 4, 20, 9, tzinfo=UTC)
_NAMES = ("Jürgen Groß", "Anna Müller", "Søren Łukasz", "Café Blümchen GmbH & Co. KG", "O'Neill, Sinéad", "Max Weiß")


@dataclass(frozen=True)
class Line:
    """One entry of the account: a payment, or a batch of several."""

    parts: tuple[Posting, ...]
    announced: date  # the day that 052 and 054 name

    @property
    def day(self) -> date:
        return self.parts[0].booking_date

    @property
    def amount(self) -> int:
        return sum(part.amount_minor for part in self.parts)


@dataclass
class World:
    """Lines by day, and how the bank writes them. `references`: share of lines with a reference of the bank."""

    seed: int
    count: int
    days: int = 8
    references: float = 0.6
    batches: float = 0.1
    twins: float = 0.2
    shifted: float = 0.1
    amounts: tuple[int, ...] = ()  # of which every payment has one; usual ones if none are given
    lines: list[Line] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        while len(self.lines) < self.count:
            line = self._line(len(self.lines))
            copies = self.chance.randint(2, 3) if self.chance.random() < self.twins else 1
            self.lines += [line] * copies
        self.lines.sort(key=lambda line: line.day)

    def order_of(self, number: int) -> str:
        return f"SO-{100000 + number * 7}"

    def _line(self, number: int) -> Line:
        chance = self.chance
        day = FIRST + timedelta(days=chance.randrange(self.days))
        reference = f"{day:%y%m%d}{number:06d}X" if chance.random() < self.references else ""
        if chance.random() < self.batches:
            payments = [
                self._payment(1000 * number + place, day, incoming=True) for place in range(chance.randint(2, 5))
            ]
            parts = tuple(
                replace(payment, entry_reference=reference, bank_reference=reference, detail_index=place)
                for place, payment in enumerate(payments)
            )
        else:
            parts = (replace(self._payment(1000 * number, day), bank_reference=reference),)
        shifted = reference and chance.random() < self.shifted
        return Line(parts, day - timedelta(days=chance.randint(1, 3)) if shifted else day)

    def _payment(self, number: int, day: date, *, incoming: bool = False) -> Posting:
        chance = self.chance
        out = chance.randint(100, 90000) if incoming else -chance.randint(100, 5000)
        return Posting(
            ACCOUNT,
            EUR,
            chance.choice(self.amounts or (1990, 2990, 4999, chance.randint(100, 90000), out)),
            day,
            value_date=day,
            counterparty_name=chance.choice(_NAMES),
            counterparty_iban=f"DE{chance.randint(10, 99)}1203000000{chance.randint(10**7, 10**8 - 1):08d}",
            end_to_end_id=f"E2E{number}" if chance.random() < 0.3 else "",
            remittance_lines=(f"Bestellung {self.order_of(number)} vielen Dank für die schöne Lieferung",),
        )

    def of_days(self, first: int, last: int) -> list[Line]:
        """The lines of days first to last, counted from 0, both included."""
        return [line for line in self.lines if first <= (line.day - FIRST).days <= last]

    def balance_before(self, first: int) -> int:
        """The booked balance before a day."""
        return 100_000 + sum(line.amount for line in self.lines if (line.day - FIRST).days < first)


def camt(world: World, first: int, last: int, *, version: str = "001.08", divided: bool = True) -> bytes:
    """A camt.053 of these days; undivided batches show their sum."""
    return write_camt([_statement(world, first, last, divided=divided)], NOW, version=version)


def _statement(world: World, first: int, last: int, *, divided: bool) -> CamtStatement:
    bookings = tuple(
        WrittenEntry(
            line.parts, bank_reference=line.parts[0].entry_reference, with_details=divided or len(line.parts) == 1
        )
        for line in world.of_days(first, last)
    )
    days = (FIRST + timedelta(days=first), FIRST + timedelta(days=last))
    return CamtStatement(ACCOUNT, EUR, world.balance_before(first), *days, f"S{first}-{last}", 10 + first, bookings)


def announcement(world: World, message: CamtMessage, lines: Sequence[Line]) -> bytes:
    """A camt.052 or camt.054 of these lines, on the days that were announced."""
    bookings = tuple(
        WrittenEntry(
            tuple(replace(part, booking_date=line.announced, value_date=line.announced) for part in line.parts),
            bank_reference=line.parts[0].entry_reference,
            with_details=message is CamtMessage.NOTIFICATION or len(line.parts) == 1,
        )
        for line in lines
    )
    days = [line.announced for line in lines]
    name = f"{message}-{min(days)}-{len(lines)}"
    statement = CamtStatement(ACCOUNT, EUR, 0, min(days), max(days), name, 1, bookings)
    return write_camt([statement], NOW, message, message_id=name)


def mt940(world: World, first: int, last: int) -> bytes:
    """An MT940 of these days, one statement per day; batches show their sum."""
    statements = []
    for place in range(first, last + 1):
        lines = world.of_days(place, place)
        day = FIRST + timedelta(days=place)
        entries = tuple(entry_of(line.parts[0] if len(line.parts) == 1 else _sum_of(line)) for line in lines)
        before = world.balance_before(place)
        statements.append(StatementToWrite(ACCOUNT, EUR, before, day - timedelta(days=1), day, 10 + place, entries))
    return write_mt940(statements)


def _sum_of(line: Line) -> Posting:
    first = line.parts[0]
    return Posting(ACCOUNT, EUR, line.amount, line.day, value_date=line.day, bank_reference=first.entry_reference)


_SPARKASSE = (
    "Auftragskonto", "Buchungstag", "Valutadatum", "Verwendungszweck", "Kundenreferenz (End-to-End)", "Sammlerreferenz",
    "Beguenstigter/Zahlungspflichtiger", "Kontonummer/IBAN", "Betrag", "Waehrung",
)  # fmt: skip


def table(world: World, first: int, last: int) -> bytes:
    """A CSV of these days as an online bank writes it; batches show their sum."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(_SPARKASSE)
    for line in world.of_days(first, last):
        own = line.parts[0] if len(line.parts) == 1 else _sum_of(line)
        amount = f"{line.amount / 100:.2f}".replace(".", ",")
        day = f"{line.day:%d.%m.%Y}"
        name, iban = own.counterparty_name, own.counterparty_iban
        writer.writerow([ACCOUNT, day, day, own.text, "", "", name, iban, amount, "EUR"])
    return text.getvalue().encode("cp1252", "replace")


def downloads(world: World, *, announced: bool = True) -> list[bytes]:
    """Files that together hold every line at least once, with overlaps and several formats of the same days."""
    chance, last = world.chance, world.days - 1
    middle = last // 2
    files = [
        camt(world, 0, middle),
        camt(world, middle, last, version="001.02"),
        camt(world, 1, last - 1, version="001.04"),
        camt(world, 0, last, divided=False),
        mt940(world, 0, last),
        mt940(world, middle - 1, middle + 1),
    ]
    if announced:
        for place in range(world.days):
            lines = world.of_days(place, place)
            if lines:
                files.append(announcement(world, CamtMessage.INTRADAY, lines[: chance.randint(1, len(lines))]))
                files.append(
                    announcement(world, CamtMessage.NOTIFICATION, [line for line in lines if line.amount > 0] or lines)
                )
    return files
