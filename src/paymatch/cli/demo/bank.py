"""What the demo shop's bank books in three days: every way in which customers pay, written as a bank would."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import Final

from paymatch.cli.demo.orders import DemoOrder
from paymatch.domain.bank_accounts import german_iban
from paymatch.domain.money import EUR, minor_to_text
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import Booking, CamtStatement, write_camt
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940

SHOP_IBAN: Final = "DE89370400440532013000"
SHOP_NAME: Final = "Teehaus Windmühle"
_OPENING_MINOR: Final = 1_284_310
_SEED: Final = 977
_BANKS: Final = ("37040044", "50010517", "20050550", "70150000", "10010010", "43060967")
_CARRIER: Final = ("Nordpaket Nachnahme", "DE12500105170648489890")


@dataclass(frozen=True, slots=True)
class BankFile:
    """A statement file of one day."""

    name: str
    what: str
    day: date
    content: bytes
    closing_minor: int


@dataclass(slots=True)
class _Days:
    """Postings per day; the bank's reference counts through."""

    days: tuple[date, ...]
    booked: dict[date, list[Posting]] = field(default_factory=dict)
    count: int = 0

    def book(self, day: int, amount_minor: int, name: str, iban: str, *lines: str) -> Posting:
        """Books a payment on the day of this place, 0 the first."""
        self.count += 1
        posting = Posting(
            account=SHOP_IBAN,
            currency=EUR,
            amount_minor=amount_minor,
            booking_date=self.days[day],
            value_date=self.days[day],
            bank_reference=f"{self.days[day]:%y%j}{self.count:06d}",
            counterparty_name=name,
            counterparty_iban=iban,
            remittance_lines=lines,
            booking_text="SEPA-GUTSCHRIFT" if amount_minor > 0 else "SEPA-UEBERWEISUNG",
        )
        self.booked.setdefault(self.days[day], []).append(posting)
        return posting


def statement_files(orders: list[DemoOrder], days: tuple[date, date, date]) -> list[BankFile]:
    """The files that the bank delivers: camt.053, MT940, camt.053, and the first one once more."""
    booked = _Days(days)
    chance = random.Random(_SEED)  # noqa: S311  a story, not a secret
    left = iter([order for order in orders if order.type != "COD"])
    _by_the_book(booked, left, chance)
    _sloppy(booked, left, chance)
    _other_amounts(booked, left)
    _carrier_payout(booked, [order for order in orders if order.type == "COD"][:5])
    _no_orders(booked)
    opening, files = _OPENING_MINOR, []
    for place, day in enumerate(days):
        write = _mt940 if place == 1 else _camt
        files.append(write(day, place, opening, booked.booked[day]))
        opening = files[-1].closing_minor
    return [files[0], files[1], replace(files[0], what="camt.053, delivered twice", day=days[1]), files[2]]


def order_statement(order: DemoOrder, day: date, opening_minor: int) -> BankFile:
    """A camt.053 with a single payment, for the order that is followed through."""
    booked = _Days((day,))
    payer = german_iban(f"{_BANKS[0]}/{7_654_321}")
    booked.book(0, order.amount_minor, order.name, payer, f"Bestellung {order.number} vielen Dank")
    return _camt(day, 9, opening_minor, booked.booked[day])


def _payer(order: DemoOrder) -> str:
    own = int(order.customer[1:])
    return german_iban(f"{_BANKS[own % len(_BANKS)]}/{1_000_000 + own * 37}")


def _by_the_book(booked: _Days, left: Iterator[DemoOrder], chance: random.Random) -> None:
    """The number as it was given, or the invoice's."""
    returned: list[tuple[Posting, DemoOrder]] = []
    for place in range(84):
        order, day = next(left), place % 3
        text = chance.choice((order.number, f"Bestellung {order.number}", f"Rechnung {order.invoice or order.number}"))
        posting = booked.book(day, order.amount_minor, order.name, _payer(order), text)
        if day == 0 and place < 6:
            returned.append((posting, order))
    for posting, order in returned:
        back = booked.book(2, -posting.amount_minor, order.name, posting.counterparty_iban, *posting.remittance_lines)
        booked.booked[booked.days[2]][-1] = replace(
            back, is_return=True, return_reason="FOCR", return_text="Rueckruf der Ueberweisung"
        )


def _sloppy(booked: _Days, left: Iterator[DemoOrder], chance: random.Random) -> None:
    """Numbers with spaces, without their prefix, with a typo; only a name; nothing at all."""
    for place in range(36):
        order, day = next(left), place % 3
        digits = order.number.removeprefix("WT-")
        name = order.name.upper() if place % 2 else order.name
        match place % 6:
            case 0:
                text = f"Best.-Nr. WT {digits[:2]} {digits[2:]}"
            case 1:
                text = f"{digits}/{order.customer}"
            case 2 | 3:
                text = f"WT-{digits[:3]}{digits[4]}{digits[3]} {order.name.split()[-1]}"  # two digits changed places
            case 4:
                text = chance.choice(("Tee", "Vielen Dank!", "Ihre Lieferung"))
            case _:
                text = ""
                name = f"{chance.choice(('H.', 'M.', 'S.'))} {chance.choice(('Sommer', 'Brandt', 'Krüger'))}"
        booked.book(day, order.amount_minor, name, _payer(order), *([text] if text else []))


def _other_amounts(booked: _Days, left: Iterator[DemoOrder]) -> None:
    """Half now and the rest later, too much, too little, several orders in one payment."""
    for place in range(4):
        order = next(left)
        first = order.amount_minor // 2
        booked.book(0, first, order.name, _payer(order), f"Anzahlung {order.number}")
        if place < 2:
            booked.book(2, order.amount_minor - first, order.name, _payer(order), f"Rest {order.number}")
    for extra in (490, 1000, -300):
        order = next(left)
        booked.book(1, order.amount_minor + extra, order.name, _payer(order), f"Bestellung {order.number}")
    for count in (2, 3, 2):
        several = [next(left) for _ in range(count)]
        text = " + ".join(order.number for order in several)
        booked.book(
            1, sum(order.amount_minor for order in several), several[0].name, _payer(several[0]), f"Bestellungen {text}"
        )


def _carrier_payout(booked: _Days, orders: list[DemoOrder]) -> None:
    """Cash that the carrier collected, less its fee, with the tracking numbers."""
    total = sum(order.amount_minor for order in orders)
    booked.book(
        2, total - 250 * len(orders), *_CARRIER, "Nachnahme ", *(f"{order.tracking} " for order in orders),
        f"Entgelt {minor_to_text(250 * len(orders), EUR)}",
    )  # fmt: skip


def _no_orders(booked: _Days) -> None:
    """What passes over every account."""
    for day, amount, name, text in (
        (0, -145_000, "Hausverwaltung Seeblick", "Miete Ladenlokal"),
        (0, -286_450, "Teeimport Hansen KG", "Rechnung 2204 vom Vormonat"),
        (1, 41_260, "Kartenabrechnung", "Terminal 5540012 Umsatz vom Vortag"),
        (1, -1_990, "Telefon AG", "Rechnung 118830041"),
        (2, -2_350, "", "Entgelt Kontofuehrung"),
        (2, 15_000, "Finanzkasse", "Umsatzsteuer Erstattung"),
        (2, 8_000, "Teeimport Hansen KG", "Gutschrift Retoure 551"),
    ):
        booked.book(day, amount, name, german_iban(f"{_BANKS[day]}/{88_001 + amount % 97}") if name else "", text)


def _camt(day: date, place: int, opening: int, postings: list[Posting]) -> BankFile:
    statement = CamtStatement(
        account=SHOP_IBAN, currency=EUR, opening_minor=opening, opening_date=day, closing_date=day,
        statement_id=f"STM-{day:%Y%m%d}-{place}", number=place + 1, owner_name=SHOP_NAME,
        bookings=tuple(Booking((posting,)) for posting in postings),
    )  # fmt: skip
    content = write_camt([statement], datetime.combine(day, time(19, 30), UTC))
    closing = opening + sum(posting.amount_minor for posting in postings)
    return BankFile(f"statement-{day}.camt053.xml", "camt.053", day, content, closing)


def _mt940(day: date, place: int, opening: int, postings: list[Posting]) -> BankFile:
    statement = StatementToWrite(
        SHOP_IBAN, EUR, opening, day, day, number=place + 1, entries=tuple(entry_of(posting) for posting in postings)
    )
    closing = opening + sum(posting.amount_minor for posting in postings)
    return BankFile(f"statement-{day}.sta", "MT940", day, write_mt940([statement]), closing)
