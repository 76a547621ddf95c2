"""An advice as printed text: the text layer of a PDF, or the words of a mail. Only a stated sum proves the reading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Final

from paymatch.domain.advices.advice import Advice, AdviceLine, Deduction, DeductionKind
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.words.message import Message
from paymatch.formats.advices.headings import AdviceColumn, amount_column, column_of, deduction_kind_in, is_total
from paymatch.formats.advices.refusals import AdviceUnreadable
from paymatch.formats.advices.stated_facts import facts_in
from paymatch.formats.bank_values import known_currency, printed_amount
from paymatch.formats.tables.values import decimal_mark_of

_AMOUNT: Final = re.compile(
    r"(?<![\w.,-])([-\u2212]?(?:\d{1,3}(?:[.,' \u2019]\d{3}){1,3}|\d{1,9})[.,]\d\d-?)"
    r"(?:\s?(?:EUR|CHF|USD|GBP|PLN|€))?(?![\w.,])"
)
_DATE: Final = re.compile(r"\b\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b")
_REFERENCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9/_.#-]{2,39}")
_CURRENCY: Final = re.compile(r"\b(EUR|CHF|USD|GBP|PLN|CZK|SEK|DKK|NOK|HUF|RON)\b|€")
_MAX_LINE: Final = 400
_MAX_LINES: Final = 25_000
_SHOWN: Final = 20_000


def read_printed(text: str, currency: str) -> Advice:
    """The advice of a text. AdviceUnreadable unless its rows add up to a sum that it states."""
    lines = [each[:_MAX_LINE] for each in text.splitlines()[:_MAX_LINES]]
    said = {each[0].replace("€", "EUR") for each in _CURRENCY.finditer(text[:_SHOWN])}
    known = {each for each in said if known_currency(each)}
    if len(known) > 1:
        raise AdviceUnreadable(Message("advice-text-currencies", currencies=", ".join(sorted(known))), text[:_SHOWN])
    reading = _PrintedReading(lines, next(iter(known), currency))
    found = reading.advice()
    if found is None:
        raise AdviceUnreadable(Message("advice-no-sum"), text[:_SHOWN])
    return found


class _PrintedReading:
    """The lines of a text with the amounts in them."""

    def __init__(self, lines: Sequence[str], currency: str) -> None:
        self._lines, self._currency = lines, currency
        self._mark = decimal_mark_of([each[1] for line in lines for each in _AMOUNT.finditer(line)])[0]
        self._columns = self._heading()
        self._rows: list[tuple[int, tuple[str, ...], tuple[int, ...], str]] = []
        self._kept: list[Deduction] = []
        self._totals: list[int] = []
        for number, line in enumerate(lines, 1):
            self._take(number, line)

    def advice(self) -> Advice | None:
        """The reading that a stated sum proves; None if there is none."""
        facts = facts_in(self._lines)
        for columns, kept in product(self._readings(), ((), tuple(self._kept)) if self._kept else ((),)):
            lines = tuple(line for row in self._rows if (line := _line_of(*row, columns)) is not None)
            if len(lines) != len(self._rows) or not lines:
                continue
            found = Advice(self._currency, lines, kept, None, facts.number, facts.day, facts.payer, facts.account)
            if found.paid_minor in self._totals:
                return Advice(
                    self._currency, lines, kept, found.paid_minor, facts.number, facts.day, facts.payer, facts.account
                )  # fmt: skip
        return None

    def _heading(self) -> tuple[AdviceColumn, ...]:
        """The amount columns as a heading names them, from left to right."""
        for line in self._lines[:200]:
            cells = [each.strip() for each in re.split(r"\s{2,}|\t|\|", line)]
            if len(cells) < 2:
                cells = line.split()
            found = [column for each in cells if (column := column_of(each)) is not None]
            found = [amount_column(found) if each is AdviceColumn.AMOUNT else each for each in found]
            amounts = tuple(each for each in found if each in _AMOUNT_COLUMNS)
            if amounts and len(amounts) < len(found):
                return amounts
        return ()

    def _readings(self) -> list[tuple[AdviceColumn, ...]]:
        """What the amounts of a row may be: as the heading says, else one amount, or gross, deduction and net."""
        usual = [
            (AdviceColumn.NET,),
            (AdviceColumn.GROSS, AdviceColumn.DEDUCTION, AdviceColumn.NET),
            (AdviceColumn.GROSS, AdviceColumn.NET),
        ]
        return [self._columns] if self._columns else usual

    def _take(self, number: int, line: str) -> None:
        amounts = tuple(printed_amount(each[1], self._mark, self._currency) for each in _AMOUNT.finditer(line))
        if not amounts:
            return
        words = _DATE.sub(" ", _AMOUNT.sub(" ", line))
        if is_total(line) or is_total(line.strip(" *-=")):
            self._totals.append(amounts[-1])
            return
        references = tuple(
            dict.fromkeys(
                each[0].strip("#.-/") for each in _REFERENCE.finditer(words) if any(sign.isdigit() for sign in each[0])
            )
        )
        if references:
            self._rows.append((number, references, amounts, words))
        elif (kind := deduction_kind_in(flat(words))) is not DeductionKind.OTHER:
            self._kept.append(Deduction(kind, abs(amounts[-1]), number))


_AMOUNT_COLUMNS: Final = (AdviceColumn.GROSS, AdviceColumn.DEDUCTION, AdviceColumn.NET)


def _line_of(
    number: int, references: tuple[str, ...], amounts: tuple[int, ...], words: str, columns: tuple[AdviceColumn, ...]
) -> AdviceLine | None:
    """The row with its amounts in these columns; None if they do not fit."""
    if len(amounts) != len(columns):
        return None
    said = dict(zip(columns, amounts, strict=True))
    net, gross = said.get(AdviceColumn.NET), said.get(AdviceColumn.GROSS)
    kept = abs(said.get(AdviceColumn.DEDUCTION, 0))
    if gross is None and net is not None:
        gross = net + (kept if net > 0 else -kept)
    if gross is None:
        return None
    deduction = kept if gross > 0 else -kept
    if net is not None and AdviceColumn.DEDUCTION not in said:
        deduction = gross - net
    if net is not None and gross - deduction != net:
        return None
    return AdviceLine(number, references, gross, deduction, deduction_kind_in(words), words.strip()[:100])
