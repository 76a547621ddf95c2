"""A bank whose days are dense: few sums, few texts, several statements and pages a day, some of it announced."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940
from tests.usecases.statements.bank_world import ACCOUNT, FIRST, NOW, Line

DAYS = 6
LINES = 30
_AMOUNTS = (1990, 1990, 4999, -1990)
_PAYERS = (("Anna Alt", "DE02120300000000202051"), ("Cafe Blume GmbH", "DE27370400440000005006"))
_TEXTS = ("Danke", "Danke", "Bestellung SO-350100", "Bestellung SO-350190")


class DenseWorld:
    """Thirty lines in six days, and the bank files that report them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.numbered = self.chance.random() < 0.6  # without numbers nothing tells a way back from a repetition
        self.pages = self.numbered and self.chance.random() < 0.4
        self.lines = sorted((self._line(number) for number in range(LINES)), key=lambda line: line.day)

    def sums(self) -> Counter[date]:
        """What was booked per day."""
        found: Counter[date] = Counter()
        for line in self.lines:
            found[line.day] += line.amount
        return found

    def _line(self, number: int) -> Line:
        chance = self.chance
        day = FIRST + timedelta(days=chance.randrange(DAYS))
        reference = f"{day:%y%m%d}{number:06d}X" if chance.random() < 0.4 else ""
        parts = tuple(self._payment(day) for _ in range(chance.choice((2, 3)) if chance.random() < 0.15 else 1))
        if len(parts) > 1:
            parts = tuple(
                replace(part, amount_minor=abs(part.amount_minor), entry_reference=reference, detail_index=place)
                for place, part in enumerate(parts)
            )
        named = tuple(replace(part, bank_reference=reference) for part in parts)
        return Line(named, day - timedelta(days=chance.randint(1, 3)) if chance.random() < 0.2 else day)

    def _payment(self, day: date) -> Posting:
        amounts = _AMOUNTS if self.numbered else _AMOUNTS[:3]
        name, iban = self.chance.choice(_PAYERS)
        return Posting(
            ACCOUNT, EUR, self.chance.choice(amounts), day, value_date=day, counterparty_name=name,
            counterparty_iban=iban, remittance_lines=(self.chance.choice(_TEXTS),),
        )  # fmt: skip

    def files(self) -> list[bytes]:
        """Six to eight files: each day as MT940, some of the days in other files again, and what was announced."""
        statements = list(self._statements())
        cut = self.chance.randint(1, len(statements) - 1)
        files = [write_mt940(statements[:cut]), write_mt940(statements[cut:])]
        again = self.chance.randint(0, cut - 1)
        files.append(write_mt940(statements[again : cut + self.chance.randint(0, 2)]))
        if self.chance.random() < 0.5:
            files.append(self._camt(statements))
        for message in (CamtMessage.INTRADAY, CamtMessage.INTRADAY, CamtMessage.NOTIFICATION, CamtMessage.NOTIFICATION):
            files.append(self._announced(message, len(files)))
        return files

    def _of_day(self) -> Iterator[list[Line]]:
        """The lines of one statement or page after the other: each day in one to three of them."""
        for place in range(DAYS):
            lines = [line for line in self.lines if line.day == FIRST + timedelta(days=place)]
            count = min(self.chance.choice((1, 2, 3)), len(lines))
            for part in range(count):
                yield lines[part::count]

    def _statements(self) -> Iterator[StatementToWrite]:
        balance, number, page, before = 100_000, 7, 0, FIRST - timedelta(days=1)
        for lines in self._of_day():
            day = lines[0].day
            is_page = self.pages and page > 0 and before == day
            number, page = (number, page + 1) if is_page else (number + (page > 0), 1)
            counted = (number, page) if self.numbered else (0, 1)
            entries = tuple(entry_of(_as_mt940(line)) for line in lines)
            yield StatementToWrite(ACCOUNT, EUR, balance, before, day, counted[0], entries, page=counted[1])
            balance, before = balance + sum(line.amount for line in lines), day

    def _camt(self, statements: list[StatementToWrite]) -> bytes:
        """The whole time in one camt.053 that shows batches as their sum."""
        bookings = tuple(WrittenEntry(line.parts, with_details=len(line.parts) == 1) for line in self.lines)
        last = self.lines[-1].day
        whole = CamtStatement(
            ACCOUNT, EUR, statements[0].opening_minor, FIRST - timedelta(days=1), last, "W", 1, bookings
        )
        return write_camt([whole], NOW)

    def _announced(self, message: CamtMessage, number: int) -> bytes:
        lines = self.chance.sample(self.lines, self.chance.randint(3, 12))
        bookings = tuple(
            WrittenEntry(
                tuple(replace(part, booking_date=line.announced, value_date=line.announced) for part in line.parts),
                with_details=message is CamtMessage.NOTIFICATION or len(line.parts) == 1,
            )
            for line in lines
        )
        days = [line.announced for line in lines]
        name = f"{message}-{number}"
        return write_camt([CamtStatement(ACCOUNT, EUR, 0, min(days), max(days), name, 1, bookings)], NOW, message)


def _as_mt940(line: Line) -> Posting:
    """As a bank writes it that knows no references."""
    own = line.parts[0]
    if len(line.parts) == 1:
        return replace(own, bank_reference="")
    return Posting(ACCOUNT, EUR, line.amount, line.day, value_date=line.day, remittance_lines=("SAMMLER",))
