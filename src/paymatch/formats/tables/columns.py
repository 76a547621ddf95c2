"""Which column of a table is what: by the words of its header and by what its cells hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from paymatch.domain.bank_accounts import has_iban_form, is_iban, is_number_of, same_account
from paymatch.domain.money import CURRENCIES, AmountUnreadable
from paymatch.formats.bank_values import currency_in, looks_like_amount, printed_amount
from paymatch.formats.tables.column_words import words
from paymatch.formats.tables.profiles import CsvField, header_word, mark_word
from paymatch.formats.tables.text import NOTHING, TextRow, plain_cell
from paymatch.formats.tables.values import csv_date, decimal_mark_of

_F = CsvField
_BESIDE: Final = frozenset({"in", "en", "euro", "euros", "utc", "metadata"})
"""Words of headers beside a currency, a time, or the shop's own field at a payment provider (`order_id (metadata)`)."""
_MINUS: Final = re.compile(r"[-−(]")
_NUMBERED: Final = re.compile(r"(.*[a-z]) ?\d{1,2}")
_OR: Final = re.compile(" (?:or|oder|ou|och|og|eller|lub|vagy|ali|ili|sau) ")
_SIDES: Final = frozenset({_F.NAME, _F.PAYER, _F.PAYEE})
_ACCOUNTS: Final = frozenset({_F.IBAN, _F.PAYER_IBAN, _F.PAYEE_IBAN})
_ACCOUNT_DIGITS: Final = re.compile(r"(?:\d\D?){4}")
_OWN_REFERENCE: Final = 8  # characters; what banks number their bookings with is at least as long

Found = dict[CsvField, list[int]]


@dataclass(frozen=True, slots=True)
class TableFile:
    """The rows of a file, and which of them is the header."""

    rows: list[TextRow]
    header: int  # index of the header row; -1 if there is none
    delimiter: str
    own_account: str = ""  # the shop's, as far as a person or a line above the header names it

    @property
    def names(self) -> tuple[str, ...]:
        return self.rows[self.header].cells if self.header >= 0 else ()

    @property
    def body(self) -> list[TextRow]:
        return self.rows[self.header + 1 :]

    def column(self, index: int) -> list[str]:
        """What the cells below a header say; of rows that say no more than one thing none, as they are no entries."""
        cells = (plain_cell(row.cells[index]) for row in self._entries() if index < len(row.cells))
        return [cell for cell in cells if cell]

    def _entries(self) -> Iterator[TextRow]:
        return (row for row in self.body if sum(1 for cell in row.cells if cell.strip()) > 1)

    def is_own(self, index: int, *, at_least: int = 1) -> bool:
        """Whether the column holds the shop's account: the known one in all entries; if none is known, one and the
        same, in so many entries at least, as a single payer may have paid all of few."""
        cells = self.column(index)
        if self.own_account and any(map(_ACCOUNT_DIGITS.search, cells)):
            own = self.own_account
            return all(same_account(cell, own) or is_number_of(cell.strip("'"), own) for cell in cells)
        return _is_one_value(self, index, at_least=at_least)


def iban_in(cell: str) -> str:
    """The IBAN in a cell such as `IBAN: CH93 0076 ...` or `DE53... / Girokonto`; "" if there is none."""
    found = re.search(r"\b[A-Z]{2}\d{2}[A-Z0-9 ]{11,40}", cell)
    if found is None:
        return ""
    spaced = found[0].replace(" ", "")
    return spaced if is_iban(spaced) else found[0].split(" ")[0] if has_iban_form(found[0].split(" ")[0]) else ""


def account_above(rows: list[TextRow], header: int) -> str:
    """The IBAN in the lines above the header, if there is exactly one; else ""."""
    cells = [cell for row in rows[: max(header, 0)] for cell in row.cells]
    accounts = {account for cell in cells if (account := iban_in(cell))}
    return accounts.pop() if len(accounts) == 1 else ""


def field_of(header: str) -> CsvField | None:
    """What a column of this name holds, as far as the word is known.

    `Afsender/Modtager` and `recipient or sender` are the other side, whichever it is; `Verwendungszweck 3` is a text.
    """
    if what := _known_field(header):
        return what
    numbered = _NUMBERED.fullmatch(header_word(header))
    if numbered and words().headers.get(numbered[1]) is _F.TEXT:
        return _F.TEXT
    sides = {_known_field(part) for part in _OR.split(header_word(header.replace("/", " or ")))}
    return _F.NAME if sides <= _SIDES else None


def _known_field(header: str) -> CsvField | None:
    word = header_word(header)
    bare = " ".join(part for part in word.split() if part not in _BESIDE and part.upper() not in CURRENCIES)
    umlauts = re.sub("([aou])e", r"\1", bare)  # Empfaenger
    known = next((what for spelling in (word, bare, umlauts) if (what := words().headers.get(spelling))), None)
    return known or words().joined_headers.get(bare)


def label_of_account(table: TableFile, index: int) -> str:
    """What a column of accounts calls the only one: `Main`, `mBiznes`; "" for a number, or for several accounts."""
    said = set(table.column(index))
    return said.pop() if len(said) == 1 and not any(map(_ACCOUNT_DIGITS.search, said)) else ""


def columns_of(table: TableFile) -> tuple[Found, bool]:
    """The columns of an unknown table, and whether one called IBAN was taken as the account of the statement.

    Words come before content; of several columns of one field the one that says most is taken.
    """
    found = _by_words(table) if table.header >= 0 else {}
    taken = {index for indexes in found.values() for index in indexes}
    found = {what: each for what, each in _by_content(table, taken).items() if not taken & set(each)} | found
    own_account = _is_own_account(found, table)
    if own_account:
        found[_F.ACCOUNT] = found.pop(_F.IBAN)
    _drop_amount_twins(found, table)
    _settle_markers(found, table)
    _read_reference_as_text(found, table)
    if _F.TEXT not in found and _F.TYPE in found:
        found[_F.TEXT] = found.pop(_F.TYPE)
    return found, own_account


def _by_words(table: TableFile) -> Found:
    candidates: Found = {}
    for index, name in enumerate(table.names):
        if header_word(name) == "" and index - 1 in candidates.get(_F.TEXT, ()) and _is_text(table.column(index)):
            candidates[_F.TEXT].append(index)  # the text goes on in columns without a name
            continue
        what = field_of(name)
        cells = table.column(index)
        if what is None or not _can_hold(what, cells):
            continue
        if what in _SIDES and cells and _most(map(has_iban_form, _squeeze(cells)), len(cells)):
            what = _F.IBAN
        if what in _ACCOUNTS and cells and not any(map(_ACCOUNT_DIGITS.search, cells)):
            what = _F.NAME
        if what is _F.MARKER and cells and all(map(looks_like_amount, cells)):
            what = _F.AMOUNT  # Soll/Haben over signed amounts
        candidates.setdefault(what, []).append(index)
    _keep_references(candidates, table)
    _part_own_account(candidates, table)
    named = [index for index in range(len(table.names)) if _is_name(index, table)]
    if named and not any(table.column(index) for side in _SIDES for index in candidates.get(side, ())):
        candidates = {what: indexes for what, indexes in candidates.items() if what not in _SIDES}
        candidates[_F.NAME] = named
    elif _F.NAME in candidates:
        candidates[_F.NAME] += [index for index in named if _names_other_side(index, table)]
    found = {what: indexes if what is _F.TEXT else [_best(indexes, table)] for what, indexes in candidates.items()}
    if _F.BOOKING_DATE in found:
        found[_F.BOOKING_DATE] = [_booked_amount(candidates[_F.BOOKING_DATE], table)]
    _choose_net_amount(found, candidates, table)
    _choose_sides(found, candidates, table)
    if _F.BOOKING_DATE not in found and _F.VALUE_DATE in found:
        found[_F.BOOKING_DATE] = found.pop(_F.VALUE_DATE)
    return found


def _is_name(index: int, table: TableFile) -> bool:
    """Whether an otherwise unknown column is called someone else's name: `Name Gegenseite`, `nume client`,
    `název účtu protistrany`."""
    said = set(header_word(_name(index, table)).split())
    of_others = said.isdisjoint(words().own_side) or _names_other_side(index, table)
    named = of_others and not said.isdisjoint(words().names)
    return named and field_of(_name(index, table)) is None and _is_text(table.column(index))


def _keep_references(candidates: Found, table: TableFile) -> None:
    """Beside a column that is the bank's own number, one called only Reference is what the payer wrote."""
    references = candidates.get(_F.BANK_REFERENCE, [])
    vague = [index for index in references if _is_vague(index, table)]
    if vague and len(vague) < len(references):
        candidates[_F.BANK_REFERENCE] = [index for index in references if index not in vague]
        candidates[_F.TEXT] = sorted({*candidates.get(_F.TEXT, ()), *vague})


def _part_own_account(candidates: Found, table: TableFile) -> None:
    """Of several columns of accounts the one of the known account of the shop is its own."""
    accounts = candidates.get(_F.IBAN, [])
    own = [index for index in accounts if table.own_account and table.is_own(index)]
    if 0 < len(own) < len(accounts):
        candidates[_F.IBAN] = [index for index in accounts if index not in own]
        candidates.setdefault(_F.ACCOUNT, own[:1])


def _is_vague(index: int, table: TableFile) -> bool:
    return header_word(_name(index, table)) in words().vague_references


def _can_hold(what: CsvField, cells: list[str]) -> bool:
    if not cells:
        return True
    if what in {_F.AMOUNT, _F.CREDIT, _F.DEBIT, _F.GROSS}:
        return any(map(looks_like_amount, cells))
    if what in {_F.BOOKING_DATE, _F.VALUE_DATE}:
        return any(csv_date(cell, "dmy") or csv_date(cell, "mdy") for cell in cells)
    return True


def _best(indexes: list[int], table: TableFile) -> int:
    """Of columns for one field: one that names the other side of the payment, one that is not empty, the first."""
    return min(indexes, key=lambda index: (not table.column(index), not _names_other_side(index, table), index))


def _booked_amount(indexes: list[int], table: TableFile) -> int:
    """Of columns of days one that is not empty, and is called the day of the booking, not that of the payment."""
    return min(indexes, key=lambda index: (not table.column(index), not says_booked(_name(index, table)), index))


def says_booked(text: str) -> bool:
    """Whether a header or heading names what is booked: `Buchungstag`, `Gebuchte Umsätze`."""
    return words().booked.search(header_word(text)) is not None


def _names_other_side(index: int, table: TableFile) -> bool:
    return words().other_side.search(header_word(_name(index, table))) is not None


def _name(index: int, table: TableFile) -> str:
    """The header of the column; "" where the header is shorter than the rows."""
    return table.names[index] if index < len(table.names) else ""


def _choose_net_amount(found: Found, candidates: Found, table: TableFile) -> None:
    """Beside a fee the net amount is what moves the balance, and the other one is the gross amount."""
    net = [index for index in candidates.get(_F.AMOUNT, ()) if header_word(table.names[index]) in words().net_headers]
    others = [index for index in candidates.get(_F.AMOUNT, ()) if index not in net]
    if _F.FEE in found and net:
        found[_F.AMOUNT] = net[:1]
        if others:
            found.setdefault(_F.GROSS, others[:1])
    if _F.AMOUNT not in found and _F.GROSS in found:
        found[_F.AMOUNT] = found.pop(_F.GROSS)


def _choose_sides(found: Found, candidates: Found, table: TableFile) -> None:
    """Payer and payee count by the direction of the payment where there are both; one alone is the name."""
    for payer, payee, only in ((_F.PAYER, _F.PAYEE, _F.NAME), (_F.PAYER_IBAN, _F.PAYEE_IBAN, _F.IBAN)):
        if payer in found and payee in found:
            found.pop(only, None)
        elif payer in found or payee in found:
            side = found.pop(payer, None) or found.pop(payee)
            found.setdefault(only, side)
    accounts = [index for index in candidates.get(_F.IBAN, ()) if [index] != found.get(_F.IBAN)]
    if _F.ACCOUNT not in found and (_F.IBAN in found or _F.PAYER_IBAN in found):
        own = next((index for index in accounts if table.is_own(index)), None)
        if own is not None:
            found[_F.ACCOUNT] = [own]


def _is_one_value(table: TableFile, index: int, *, at_least: int = 1) -> bool:
    """Whether all entries, which are the rows with a date, and so many at least, have the same in this column."""
    rows = [row.cells for row in table.body if any(csv_date(cell, "dmy") for cell in row.cells)]
    values = {cells[index].strip() if index < len(cells) else "" for cells in rows}
    return len(rows) >= at_least and len(values) == 1 and values != {""}


def _by_content(table: TableFile, taken: set[int]) -> Found:
    """Columns recognised by their content: dates, amounts, markers, currencies, IBANs; the longest text is the text.

    Without a header several texts cannot be distinguished: all are the text but what is the same in all rows.
    """
    found: Found = {}
    width = max((len(row.cells) for row in table.body), default=0)
    texts: list[tuple[float, int]] = []
    amounts: list[int] = []
    for index in range(width):
        cells = [cell for cell in table.column(index) if cell not in NOTHING]
        if not cells:
            continue
        what = _content_of(cells)
        if what is _F.IBAN and _F.ACCOUNT not in found and table.is_own(index, at_least=2):
            what = _F.ACCOUNT
        if what is _F.TEXT:
            texts.append((sum(map(len, cells)) / len(cells), index))
        elif what is _F.AMOUNT:
            amounts.append(index)
            found.setdefault(what, [index])
        elif what is _F.BOOKING_DATE and what in found:
            found.setdefault(_F.VALUE_DATE, [index])
        elif what is not None:
            found.setdefault(what, [index])
    if len(amounts) > 1 and table.header < 0:
        found |= _amount_and_balance(amounts, table, found.get(_F.MARKER, []))
    if texts:
        longest = max(texts)[1]
        telling = [each for each in texts if not _is_one_value(table, each[1], at_least=2)] or [max(texts)]
        if table.header >= 0:
            found[_F.TEXT] = [longest if longest in taken else max(telling)[1]]
        else:
            found[_F.TEXT] = [index for _, index in telling]
    return found


def _amount_and_balance(indexes: list[int], table: TableFile, markers: list[int]) -> Found:
    """Which of two columns of amounts without a name is the amount, and which the balance that proves it.

    Marks of money in and out beside them are the signs of the amounts.

    Without a proof, and of more than two, all are the amount, and the proposal carries a refusal.
    """
    indexes = [each for each in indexes if len(table.column(each)) > 1] or indexes  # others are of a row above or below
    if len(indexes) != 2:  # of three, debits may lead from balance to balance but for one row without proof
        return {_F.AMOUNT: indexes}
    cells = [[row.cells[index].strip() if index < len(row.cells) else "" for index in indexes] for row in table.body]
    rows = [(row, _sign(source, markers)) for row, source in zip(cells, table.body, strict=True) if all(row)]
    mark, _ = decimal_mark_of(cell for row, _ in rows for cell in row)
    try:
        minors = [([printed_amount(cell, mark, "EUR") for cell in row], sign) for row, sign in rows]
    except AmountUnreadable:
        minors = []
    for tried in (minors, minors[1:], minors[:-1]):  # the first or the last row may be a balance
        pairs = [pair for pair in ((0, 1), (1, 0)) if _leads(tried, *pair)]
        if len(pairs) == 1:
            amount, balance = pairs[0]
            return {_F.AMOUNT: [indexes[amount]], _F.BALANCE: [indexes[balance]]}
    return {_F.AMOUNT: indexes}


def _sign(row: TextRow, markers: list[int]) -> int:
    """-1 where a column of marks says money out."""
    said = (mark_word(row.cells[index].strip()) for index in markers if index < len(row.cells))
    return -1 if any(words().marks.get(mark) == "debit" for mark in said) else 1


def _leads(minors: list[tuple[list[int], int]], amount: int, balance: int) -> bool:
    """Whether the amounts of one column lead from balance to balance in another, oldest or newest row first."""
    steps = list(pairwise((row[balance], sign * row[amount]) for row, sign in minors))
    oldest_first = all(one + moved == other for (one, _), (other, moved) in steps)
    return bool(steps) and (oldest_first or all(other + moved == one for (one, moved), (other, _) in steps))


def _content_of(cells: list[str]) -> CsvField | None:
    def most(tests: Iterable[bool]) -> bool:
        return _most(tests, len(cells))

    if most(csv_date(cell, "dmy") is not None or csv_date(cell, "mdy") is not None for cell in cells):
        return _F.BOOKING_DATE
    if most(map(is_iban, _squeeze(cells))) or most(map(has_iban_form, _squeeze(cells))):
        return _F.IBAN
    if most(looks_like_amount(cell) and bool(re.search(r"[.,]\d\d\b", cell)) for cell in cells):
        return _F.AMOUNT
    if all(mark_word(cell) in words().marks for cell in cells) and not NOTHING.issuperset(cells):
        return _F.MARKER
    if most(bool(re.fullmatch("[A-Z]{3}", cell)) and bool(currency_in(cell)) for cell in cells):
        return _F.CURRENCY
    return _F.TEXT if _is_text(cells) else None


def _is_text(cells: list[str]) -> bool:
    return bool(cells) and _most((any(map(str.isalpha, cell)) for cell in cells), len(cells))


def _most(tests: Iterable[bool], count: int) -> bool:
    return sum(tests) * 10 >= count * 8


def _squeeze(cells: list[str]) -> list[str]:
    return [re.sub(r"[\s'\"]", "", cell) for cell in cells]


def _is_own_account(found: Found, table: TableFile) -> bool:
    """Whether the column called IBAN holds one account in all rows (at least two) and no other column names it.

    Beside the name of the other side it is that side's, unless it is known to be the shop's.
    """
    if _F.IBAN not in found or _F.ACCOUNT in found:
        return False
    index = found[_F.IBAN][0]
    beside_name = any([index - 1] == found.get(side) for side in _SIDES) and table.names
    if _names_other_side(index, table) or (beside_name and not table.own_account):
        return False
    return table.is_own(index, at_least=1 if table.own_account else 2)


def _drop_amount_twins(found: Found, table: TableFile) -> None:
    """A signed amount beside debit and credit says it all; an unsigned one beside them is a detail."""
    if _F.AMOUNT in found and (_F.CREDIT in found or _F.DEBIT in found):
        signed = any("-" in cell or "(" in cell for cell in table.column(found[_F.AMOUNT][0]))
        for what in (_F.CREDIT, _F.DEBIT) if signed else (_F.AMOUNT,):
            found.pop(what, None)


def _settle_markers(found: Found, table: TableFile) -> None:
    """A type that is nothing but Debit or Credit is the sign of amounts that have none; beside signs it is a type."""
    if _F.AMOUNT not in found:
        return
    signed = any(_MINUS.search(cell) for cell in table.column(found[_F.AMOUNT][0]))
    if signed and _F.MARKER in found and field_of(_name(found[_F.MARKER][0], table)) is None:
        found.setdefault(_F.TYPE, found.pop(_F.MARKER))
    if _F.MARKER in found or _F.TYPE not in found or signed:
        return
    types = table.column(found[_F.TYPE][0])
    sides = {words().marks.get(mark_word(cell), "") for cell in types}
    if "debit" in sides and "" not in sides:
        found[_F.MARKER] = found.pop(_F.TYPE)


def _read_reference_as_text(found: Found, table: TableFile) -> None:
    """A column called only Reference is what the payer wrote, unless it looks like the numbers that banks give."""
    index = found.get(_F.BANK_REFERENCE, [-1])[0]
    if index < 0 or not _is_vague(index, table):
        return
    cells = table.column(index)
    found[_F.TEXT] = sorted({*found.get(_F.TEXT, ()), index})
    numbers = all(len(cell) >= _OWN_REFERENCE and " " not in cell and re.search(r"\d", cell) for cell in cells)
    if not numbers or len(cells) != len(table.body) or len(set(cells)) != len(cells):
        del found[_F.BANK_REFERENCE]
