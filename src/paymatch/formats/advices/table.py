"""An advice as a table: headings, a row per order, sums below them (CSV and XLSX)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.advices.advice import Advice, AdviceLine, AdviceUnproved, Deduction, DeductionKind
from paymatch.domain.money import AmountUnreadable
from paymatch.domain.words.message import Message
from paymatch.formats.advices.headings import (
    AdviceColumn,
    amount_column,
    column_of,
    deduction_kind_in,
    is_heading,
    is_total,
)
from paymatch.formats.advices.refusals import AdviceUnreadable
from paymatch.formats.advices.stated_facts import facts_in
from paymatch.formats.bank_values import currency_in, known_currency, looks_like_amount, printed_amount
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.values import decimal_mark_of

_C = AdviceColumn
_AMOUNTS: Final = (_C.GROSS, _C.DEDUCTION, _C.NET)
_HEADING_WITHIN: Final = 40
_MAX_REFERENCE: Final = 100
_SHOWN_ROWS: Final = 200

Row = tuple[int, list[str]]
"""Row or line of the file, counted from 1, and its cells."""


def read_table(rows: Sequence[Row], currency: str) -> Advice:
    """The advice of a table. AdviceUnreadable without known headings, FileRefused with the row that is damaged."""
    place = next((at for at, (_, cells) in enumerate(rows[:_HEADING_WITHIN]) if is_heading(cells)), None)
    if place is None:
        raise AdviceUnreadable(
            Message("advice-no-headings"),
            "\n".join(" | ".join(cells) for _, cells in rows[:_SHOWN_ROWS]),
        )
    return _TableReading(rows[place][1], rows[place + 1 :], currency).advice(rows[:place])


class _TableReading:
    """The rows below one heading."""

    def __init__(self, heading: Sequence[str], rows: Sequence[Row], currency: str) -> None:
        self._heading, self._rows = heading, rows
        self._places: dict[AdviceColumn, list[int]] = {}
        found = [column_of(text) for text in heading]
        resolved = [amount_column(found) if each is _C.AMOUNT else each for each in found]
        for place, column in enumerate(resolved):
            if column is not None:
                self._places.setdefault(column, []).append(place)
        for what in (_C.GROSS, _C.NET):
            if len(self._places.get(what, ())) > 1:
                names = " and ".join(repr(heading[place][:40]) for place in self._places[what])
                raise AdviceUnreadable(Message("advice-two-amounts", names=names), " | ".join(heading))
        amounts = [
            cells[place]
            for _, cells in rows
            for what in _AMOUNTS
            for place in self._places.get(what, ())
            if place < len(cells)
        ]
        self._mark = decimal_mark_of(amounts)[0]
        self._currency = self._stated_currency(currency)
        self._lines: list[AdviceLine] = []
        self._deductions: list[Deduction] = []
        self._total: int | None = None

    def advice(self, above: Sequence[Row]) -> Advice:
        """All rows as one advice."""
        below: list[str] = []
        for number, cells in self._rows:
            try:
                if not self._take(number, cells):
                    below.append(" ".join(cells))
            except (AmountUnreadable, AdviceUnproved) as error:
                raise FileRefused(Message("file-row", row=str(number), what=error.message)) from None
        facts = facts_in([*(": ".join(each for each in cells if each.strip()) for _, cells in above), *below])
        return Advice(
            self._currency, tuple(self._lines), tuple(self._deductions), self._total, facts.number, facts.day,
            facts.payer, facts.account,
        )  # fmt: skip

    def _stated_currency(self, default: str) -> str:
        places = self._places.get(_C.CURRENCY, ())
        said = {cells[p].strip().upper() for _, cells in self._rows for p in places if p < len(cells)} - {""}
        said |= {found for text in self._heading if (found := currency_in(text))}
        known = {each for each in said if known_currency(each)}
        if len(known) > 1:
            raise FileRefused(Message("advice-currencies", currencies=", ".join(sorted(known))))
        return next(iter(known), default)

    def _take(self, number: int, cells: list[str]) -> bool:
        """Whether the row was one of an order, a deduction or the sum."""
        references = tuple(
            dict.fromkeys(
                text[:_MAX_REFERENCE]
                for what in (_C.REFERENCE, _C.DOCUMENT)
                for place in self._places.get(what, ())
                if place < len(cells) and (text := cells[place].strip().lstrip("'#"))
            )
        )
        amounts = {what: self._amount(cells, what) for what in _AMOUNTS}
        if all(each is None for each in amounts.values()):
            if references and not any(map(is_total, references)) and self._is_within(cells):
                raise AmountUnreadable(Message("amount-missing"))
            return False
        words = " ".join(each for each in cells if each.strip() and not looks_like_amount(each))
        names_order = any(any(map(str.isdigit, each)) and not is_total(each) for each in references)
        if not names_order and any(is_total(each) for each in cells if each.strip()):
            self._take_total(amounts)  # a customer's name may begin with such a word, too
        elif not any(any(sign.isdigit() for sign in each) for each in references):
            self._take_deduction(number, amounts, words)
        else:
            self._take_line(number, references, amounts, words)
        return True

    def _is_within(self, cells: Sequence[str]) -> bool:
        return sum(bool(each.strip()) for each in cells) > 1

    def _amount(self, cells: Sequence[str], what: AdviceColumn) -> int | None:
        found: int | None = None
        for place in self._places.get(what, ()):
            if place < len(cells) and (text := cells[place].strip()):
                found = (found or 0) + printed_amount(text, self._mark, self._currency)
        return found

    def _take_total(self, amounts: dict[AdviceColumn, int | None]) -> None:
        stated = amounts[_C.NET] if amounts[_C.NET] is not None else amounts[_C.GROSS]
        if _C.NET not in self._places and amounts[_C.DEDUCTION] is not None and stated is not None:
            stated -= abs(amounts[_C.DEDUCTION] or 0)
        if stated is not None:
            self._total = stated

    def _take_deduction(self, number: int, amounts: dict[AdviceColumn, int | None], words: str) -> None:
        stated = next((amounts[what] for what in (_C.NET, _C.DEDUCTION, _C.GROSS) if amounts[what]), 0) or 0
        kind = deduction_kind_in(words)
        if kind is DeductionKind.OTHER:
            raise AdviceUnproved(Message("advice-no-number"))
        self._deductions.append(Deduction(kind, abs(stated), number))

    def _take_line(
        self, number: int, references: tuple[str, ...], amounts: dict[AdviceColumn, int | None], words: str
    ) -> None:
        gross, net = amounts[_C.GROSS], amounts[_C.NET]
        taken = amounts[_C.DEDUCTION]
        deduction = 0 if taken is None else abs(taken)
        if gross is None and net is not None:
            gross = net + (deduction if net > 0 else -deduction)
        if gross is None:
            raise AmountUnreadable(Message("amount-missing"))
        if gross < 0:
            deduction = -deduction
        if net is not None and taken is None:
            deduction = gross - net
        if net is not None and gross - deduction != net:
            raise AdviceUnproved(Message("advice-net"))
        kinds = {deduction_kind_in(self._heading[place]) for place in self._places.get(_C.DEDUCTION, ())}
        kind = kinds.pop() if len(kinds) == 1 else DeductionKind.OTHER
        self._lines.append(AdviceLine(number, references, gross, deduction, kind, words[:_MAX_REFERENCE]))
