"""A customer says "I paid": from the order to the posting in one step, by amount, day, name and account (D-125)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from paymatch.domain.matching.text.names import identifying_words, parse_name
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.store.orders import order_list
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.search.payments import ComplaintPayment, WantedPayment, find_payments
from paymatch.store.transactions import ShopTx

_DAYS_AROUND: Final = 10
"""The longest time from a customer's instruction to the booking, as people remember a day only roughly."""
_SHORTEST_WORD: Final = 3
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"})
_MARKS: Final = re.compile(r"[^A-Z0-9]")
_NO_LETTER: Final = re.compile(r"[^\w-]|_")


@dataclass(frozen=True, slots=True)
class Complaint:
    """A customer's statement about the payment; None and "" where the order's own data is enough."""

    amount_minor: int | None = None
    day: date | None = None
    name: str = ""
    account: str = ""


@dataclass(frozen=True, slots=True)
class ComplaintSearch:
    """The order, the search, and its results."""

    order: ListedOrder
    wanted: Complaint
    payments: tuple[ComplaintPayment, ...]


def search_payment(tx: ShopTx, number: str, said: Complaint) -> ComplaintSearch:
    """The postings that may be the payment, the likeliest first, in any status; OrderUnknown.

    Missing details are taken from the order: its amount, its customer's name, all days since it was made.
    """
    order = order_list.find(tx, number)
    if order is None:
        raise OrderUnknown(number)
    wanted = Complaint(
        said.amount_minor or (order.open_minor if order.open_minor > 0 else order.amount_minor),
        said.day, said.name or order.customer, said.account.replace(" ", "").upper(),
    )  # fmt: skip
    first, last = _days(order, said.day, tx.today)
    found = find_payments(
        tx,
        WantedPayment(
            order.currency, first, last, wanted.amount_minor, _words(wanted.name), wanted.account,
            _MARKS.sub("", number.upper()),
        ),
    )  # fmt: skip
    return ComplaintSearch(order, wanted, tuple(found))


def _days(order: ListedOrder, said: date | None, today: date) -> tuple[date, date]:
    around = timedelta(days=_DAYS_AROUND)
    return (said - around, said + around) if said is not None else (order.ordered - around, today)


def _words(name: str) -> list[str]:
    """The identifying words of the name in every spelling of a bank: MT940 has neither umlauts nor Cyrillic letters."""
    parsed = parse_name(name)
    found = [each for options in identifying_words(parsed) for each in options] if parsed.spellings else []
    for word in (_NO_LETTER.sub("", each) for each in name.split()):
        if parsed.spellings or canonical(flat(word)) in parsed.bag:
            found += [word, word.lower().translate(_UMLAUTS), flat(word)]
    return sorted({each for each in found if len(each) >= _SHORTEST_WORD})


def currency_of(tx: ShopTx, number: str) -> str:
    """The currency of the order, in which a customer names what was paid; OrderUnknown."""
    order = order_list.find(tx, number)
    if order is None:
        raise OrderUnknown(number)
    return order.currency
