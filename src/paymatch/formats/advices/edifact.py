"""UN/EDIFACT REMADV (D.96A and later): DOC with MOA per document, the whole sum in the summary section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from paymatch.domain.advices.advice import Advice, AdviceLine, DeductionKind
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency, scale
from paymatch.formats.statement import FileRefused

_START: Final = re.compile(rb"\s*(?:UNA.{6}\s*)?UNB", re.DOTALL)
_DUE: Final = frozenset({"9", "77", "39"})  # amount due or of the invoice
_DISCOUNT: Final = frozenset({"52", "53"})
_REMITTED: Final = "12"
_ORDER: Final = "ON"


def is_edifact(data: bytes) -> bool:
    """True if the bytes begin an interchange."""
    return _START.match(data[:200]) is not None


def read_remadv(data: bytes) -> tuple[Advice, ...]:
    """The advices of an interchange; FileRefused names the segment that cannot be read."""
    found: list[Advice] = []
    message: _Message | None = None
    for number, segment in enumerate(_segments(data.decode("latin-1")), 1):
        try:
            tag = segment[0][0]
            if tag == "UNH":
                if segment[2][0] != "REMADV":
                    raise FileRefused(
                        Message(
                            "file-segment",
                            segment=str(number),
                            what=Message("edifact-message", message=segment[2][0][:10]),
                        )
                    )
                message = _Message()
            elif tag == "UNT" and message is not None:
                found.append(message.advice())
                message = None
            elif message is not None:
                message.take(number, segment)
        except (IndexError, InvalidOperation, ValueError, OverflowError):
            raise FileRefused(
                Message("file-segment", segment=str(number), what=Message("edifact-unreadable", tag=segment[0][0][:3]))
            ) from None
    if message is not None or not found:
        raise FileRefused(Message("edifact-ends"))
    return tuple(found)


def _segments(text: str) -> Iterator[list[list[str]]]:
    """Elements and components of each segment, released characters resolved."""
    marks = text[text.index("UNA") + 3 :][:6] if text.lstrip().startswith("UNA") else ":+.? '"
    component, element, _, release, _, end = tuple(marks)
    signs = re.compile("|".join({re.escape(each) for each in (component, element, release, end) if each != " "}))
    body = text[text.index("UNB") :].replace("\r", "").replace("\n", "")
    segment, pieces, at = [[""]], list[str](), 0
    while found := signs.search(body, at):
        sign = found[0]
        pieces.append(body[at : found.start()])
        at = found.end()
        if sign == release:
            pieces.append(body[at : at + 1])
            at += 1
            continue
        segment[-1][-1] = "".join(pieces)
        pieces.clear()
        if sign == component:
            segment[-1].append("")
        elif sign == element:
            segment.append([""])
        else:
            segment[0][0] = segment[0][0].strip()
            if segment[0][0]:
                yield segment
            segment = [[""]]


class _Message:
    """One REMADV while its segments come by."""

    def __init__(self) -> None:
        self._number, self._payer, self._account, self._currency = "", "", "", ""
        self._day: date | None = None
        self._lines: list[AdviceLine] = []
        self._open: tuple[int, list[str]] | None = None
        self._amounts: dict[str, Decimal] = {}
        self._is_summary = False
        self._total: Decimal | None = None

    def take(self, number: int, segment: list[list[str]]) -> None:
        """One segment."""
        tag = segment[0][0]
        if tag == "BGM":
            self._number = segment[2][0] if len(segment) > 2 else ""
        elif tag == "DTM" and self._open is None and segment[1][0] in ("137", "203") and self._day is None:
            self._day = datetime.strptime(segment[1][1][:8], "%Y%m%d").date()  # noqa: DTZ007  a date alone
        elif tag == "NAD" and segment[1][0] in ("PR", "BY") and not self._payer:
            name = [each[0] for each in segment[3:5] if each[0]]
            self._payer = name[-1] if name else ""
        elif tag == "FII" and segment[1][0] in ("OR", "PR") and len(segment) > 2:
            self._account = segment[2][0].replace(" ", "")
        elif tag == "CUX":
            self._currency = segment[1][1] or self._currency
        elif tag == "DOC":
            self._close()
            self._open = (number, [segment[2][0]])
        elif tag == "RFF" and self._open is not None:
            place = 0 if segment[1][0] == _ORDER else len(self._open[1])
            self._open[1].insert(place, segment[1][1])
        elif tag == "UNS":
            self._close()
            self._is_summary = True
        elif tag == "MOA":
            self._take_amount(segment[1])

    def _take_amount(self, parts: list[str]) -> None:
        amount = Decimal(parts[1].replace(",", "."))
        if len(parts) > 2 and parts[2]:
            self._currency = self._currency or parts[2]
        if self._is_summary:
            if parts[0] in (_REMITTED, "9") and (self._total is None or parts[0] == _REMITTED):
                self._total = amount
        elif self._open is not None:
            self._amounts[parts[0]] = amount

    def _close(self) -> None:
        if self._open is None:
            return
        (row, references), amounts = self._open, self._amounts
        self._open, self._amounts = None, {}
        gross = next((amounts[each] for each in sorted(_DUE) if each in amounts), None)
        paid = amounts.get(_REMITTED)
        taken = sum((amounts[each] for each in _DISCOUNT if each in amounts), Decimal(0))
        gross = gross if gross is not None else (paid + taken if paid is not None else None)
        if gross is None:
            raise FileRefused(Message("file-segment", segment=str(row), what=Message("advice-no-amount")))
        kept = gross - paid if paid is not None else taken
        code = self._code()
        numbers = tuple(dict.fromkeys(each for each in references if each))
        kind = DeductionKind.DISCOUNT if taken else DeductionKind.OTHER
        self._lines.append(AdviceLine(row, numbers, scale(gross, code), scale(kept, code), kind))

    def _code(self) -> str:
        code = self._currency or "EUR"
        if not known_currency(code):
            raise FileRefused(Message("advice-currency", currency=repr(code[:10])))
        return code

    def advice(self) -> Advice:
        """What the message said."""
        self._close()
        code = self._code()
        total = None if self._total is None else scale(self._total, code)
        return Advice(code, tuple(self._lines), (), total, self._number, self._day, self._payer, self._account)
