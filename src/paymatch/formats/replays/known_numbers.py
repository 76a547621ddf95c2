"""The numbers of a replay's orders, to recognise them as another system writes them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Final

import msgspec

from paymatch.formats.replays.day_parts import DayPart, decisions_of, encode_decisions

_SHORTEST_DIGITS: Final = 3
_NOT_DIGITS: Final = re.compile(r"[^0-9]+")
_SEVERAL: Final = ""


class _Numbers(msgspec.Struct):
    number: str
    invoiceNumbers: list[str] = []  # noqa: N815  the API's name; msgspec copies the default
    marketplaceNumber: str = ""  # noqa: N815


_DECODE: Final = msgspec.json.Decoder(list[_Numbers]).decode


class KnownNumbers:
    """Orders by every form of their number: as it is, without marks, its digits; by invoice or marketplace number."""

    def __init__(self) -> None:
        self._orders: dict[str, date] = {}
        self._forms: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._orders)

    def count_before(self, day: date) -> int:
        """How many of the orders were placed before the day."""
        return sum(ordered < day for ordered in self._orders.values())

    def learn(self, part: DayPart) -> None:
        """Learns the orders of a part, a JSON list."""
        for order in _DECODE(part.content):
            self._orders[order.number] = part.day
            numbers = [order.number, *order.invoiceNumbers, order.marketplaceNumber]
            for form in {form for number in numbers if number for form in _forms(number)}:
                known = self._forms.setdefault(form, order.number)
                if known != order.number:
                    self._forms[form] = _SEVERAL

    def resolve(self, number: str) -> str:
        """The order of this number in one of its forms; the text itself if none or several have it."""
        if not number or number in self._orders:
            return number
        return next((found for form in _forms(number) if (found := self._forms.get(form))), number)

    def resolved(self, part: DayPart) -> DayPart:
        """Decisions with the numbers of the orders that they mean."""
        decisions = [replace(each, order_number=self.resolve(each.order_number)) for each in decisions_of(part.content)]
        return DayPart(part.day, part.rows, encode_decisions(decisions))


def _forms(number: str) -> list[str]:
    """Forms of a number, the surest first."""
    plain = "".join(character for character in number.upper() if character.isalnum())
    digits = _NOT_DIGITS.sub("", number)
    return [plain, digits] if len(digits) >= _SHORTEST_DIGITS and digits != plain else [plain]
