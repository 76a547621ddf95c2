"""One row of an account export: its entry, or why it is not one."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Final, Literal

from paymatch.domain.bank_accounts import polish_iban
from paymatch.domain.money import AmountUnreadable
from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import currency_in, has_minus, known_currency, printed_amount, side_in
from paymatch.formats.statement import Charge, Detail, Entry, EntryStatus, FileRefused, Party
from paymatch.formats.tables.column_signals import ColumnSignals, said_in
from paymatch.formats.tables.column_words import words
from paymatch.formats.tables.columns import says_booked
from paymatch.formats.tables.detect import column_index
from paymatch.formats.tables.profiles import CsvField, CsvProfile, header_word, mark_word
from paymatch.formats.tables.shapes import DECIDING, RowEnds
from paymatch.formats.tables.text import NOTHING, TextRow, plain_cell
from paymatch.formats.tables.values import Yearless, csv_date, is_pointed

_F = CsvField
_LIKE_A_DATE: Final = re.compile(
    r"\d{1,4}[-/. ]\s?\d{1,2}[-/. ]\s?\d{1,4}|\b\d{8}\b|\d{1,2}[-/. ]\s?[^\W\d_]{2}|[^\W\d_]{3}[-/. ]\s?\d{1,2}[, ]"
)
_OTHER_ORDER: Final = {"dmy": "mdy", "mdy": "dmy"}
_NOT: Final = frozenset({"nicht", "not", "non", "no", "niet"})
_NUMBER: Final = re.compile(r"\d+")
_OF_PAYMENTS: Final = (_F.NAME, _F.PAYER, _F.PAYEE, _F.IBAN, _F.PAYER_IBAN, _F.PAYEE_IBAN)
_BankColumn = Literal[
    CsvField.IBAN, CsvField.PAYER_IBAN, CsvField.PAYEE_IBAN, CsvField.BATCH_ID, CsvField.RETURN_REASON,
]  # fmt: skip
_AMOUNTS: Final = (_F.AMOUNT, _F.CREDIT, _F.DEBIT)
_ACCOUNTS: Final = (_F.IBAN, _F.PAYER_IBAN, _F.PAYEE_IBAN)
_BESIDE_TOTALS: Final = (_F.CURRENCY, _F.MARKER, _F.ACCOUNT)
_LONGEST_CODE: Final = 2  # characters of a code beside a total: AS, K2
_SHOWN: Final = 40
_COMPACT_DATE: Final = 8  # characters of 20260231


class NoEntry(ValueError):
    """The row has no date: a total or remark below the entries, or a damaged row between them."""


class RowLeftOut(ValueError):
    """The row is a balance, a sum or the header once more."""


class SectionBegins(ValueError):
    """The row is a heading: `Vorgemerkte Umsätze`, or what ends that part of the table."""


class RowUnreadable(UnreadableValue):
    """The row is an entry that cannot be read; the text says why."""


class RowReader:
    def __init__(self, profile: CsvProfile, names: tuple[str, ...], period: list[date], default_currency: str) -> None:
        self.names = names
        self.default_currency = default_currency
        self._profile = profile
        self._period = period
        self._previous: date | None = None
        self._pending_part = False
        self._order_proven = False  # that the day, or the month, comes first
        self._ends = RowEnds()
        self._signed_debits: bool | None = None  # whether amounts that are called money out have a minus
        self._indexes = {
            CsvField(what): [index for name in keys if (index := column_index(names, name)) is not None]
            for what, keys in profile.columns
        }
        self._headed_currency = self._currency_of_header()

    def _currency_of_header(self) -> str:
        """The currency that the headers of the amounts name (`Betrag (EUR)`), if it is one."""
        indexes = [index for what in _AMOUNTS for index in self._indexes.get(what, ()) if index < len(self.names)]
        codes = {currency_in(self.names[index]) for index in indexes} - {""}
        return codes.pop() if len(codes) == 1 else ""

    def account_and_currency(self, row: TextRow) -> tuple[str, str]:
        """Account and currency of the row; the profile's or the default where it has no such columns."""
        said_account = self._one(row, _F.ACCOUNT)
        is_label = said_account == self._profile.account_label
        account = self._profile.account if is_label else re.sub(r"[\s\"']", "", said_account) or self._profile.account
        said = (currency_in(cell) for cell in self._amount_cells(row))
        currency = self._one(row, _F.CURRENCY).upper() or next((code for code in said if code), "")
        if not known_currency(currency):
            currency = self._profile.currency or self.default_currency
        return account, currency

    def begins_entry(self, row: TextRow) -> bool:
        """Whether the row has the beginning of an entry: a date in its date column, or an amount and a date elsewhere,
        as it may end before the one or the other."""
        said = self._one(row, _F.BOOKING_DATE)
        begun = csv_date(said, self._profile.date_order) is not None or header_word(said) in words().pending
        return begun or self.has_entry_elsewhere(row)

    def is_damaged(self, row: TextRow) -> bool:
        """Whether a row without date is an entry: it has an amount, and either something like a date where the date
        should be (31.02.2026, 20 Brumaire 2026), or nothing there, but an account of the other side."""
        said = self._one(row, _F.BOOKING_DATE)
        meant = _is_like_a_date(said) if said else self._names_an_account(row)
        return meant and bool(self._amount_cells(row))

    def _names_an_account(self, row: TextRow) -> bool:
        return any(any(map(str.isdigit, self._one(row, what))) for what in _ACCOUNTS)

    def has_entry_elsewhere(self, row: TextRow) -> bool:
        """Whether a row without date has an amount, and a date in another column than the one that was taken for it."""
        dates = (csv_date(cell, self._profile.date_order) for cell in row.cells)
        return bool(self._amount_cells(row)) and any(isinstance(day, date) for day in dates)

    def is_detail(self, row: TextRow) -> bool:
        """Whether a row without date only details the one before (Swiss collective bookings)."""
        return not self._one(row, _F.BOOKING_DATE) and not self._amount_cells(row)

    def entry(self, row: TextRow) -> tuple[Entry, str, int | None]:
        """The entry of a row (its position is for the caller), its account, and the balance after it if given.

        NoEntry if the row has no date, RowUnreadable if its amount, currency or year cannot be read, RowLeftOut if it
        is none, SectionBegins if it is a heading.
        """
        if row.swallows:
            raise RowUnreadable(Message("row-swallows"))
        self._check_heading(row)
        text = self._one(row, _F.BOOKING_DATE)
        read = csv_date(text, self._profile.date_order)
        self._check_order(row, text, read)
        self._check_total(row, dated=read is not None)
        pending = self._pending_part or (header_word(text) in words().pending if text else self._is_open_or_void(row))
        cells = self._amount_cells(row)
        account, currency = self.account_and_currency(row)
        if read is None and not pending:
            raise NoEntry  # `Kontostand;...;1.234,56` is a total below; in the middle it becomes an error row
        if not cells:
            raise RowUnreadable(Message("row-no-amount"))
        said_currency = self._one(row, _F.CURRENCY)
        if said_currency and not known_currency(said_currency.upper()):
            raise RowUnreadable(Message("amount-currency", currency=repr(said_currency[:10])))
        if any(currency_in(cell) not in {"", currency} for cell in cells):
            raise RowUnreadable(Message("row-currency", amount=repr(cells[0][:_SHOWN]), currency=currency))
        if self._headed_currency not in {"", currency}:
            raise RowUnreadable(Message("row-headed", headed=self._headed_currency, currency=currency))
        self._check_end(row, currency)
        minor = self._amount(row, currency)
        fee = self._fee(row, currency)
        if self._profile.fee_apart:
            minor -= fee
        value = self._full(csv_date(self._one(row, _F.VALUE_DATE), self._profile.date_order), None)
        booking = self._full(read, value)
        if booking is None and not pending:
            raise RowUnreadable(Message("row-year", text=repr(text)))
        self._previous = booking or self._previous
        charges = self._charges(row, minor, fee, currency)
        entry = self._entry(row, minor, currency, (booking, value), self._status(row, pending=pending), charges)
        return entry, account, self._balance(row, currency)

    def _check_order(self, row: TextRow, text: str, read: date | Yearless | None) -> None:
        """FileRefused if a date has the day where months were read, and no date above proves that this was right."""
        other = _OTHER_ORDER.get(self._profile.date_order)
        if other is None or not text or self._order_proven:
            return
        turned = csv_date(text, other)
        if read is None and turned is not None and not is_pointed(text):
            taken = Message("what-day" if other == "mdy" else "what-month-first")
            raise FileRefused(
                Message(
                    "file-line",
                    line=str(row.line),
                    what=Message("table-turned-order", text=repr(text[:_SHOWN]), what=taken),
                )
            )
        self._order_proven = read is not None and (turned is None or is_pointed(text))

    def begin_below(self, above: list[TextRow]) -> None:
        """Takes the headings above the header."""
        for row in above:
            with suppress(SectionBegins):
                self._check_heading(row)

    def _check_heading(self, row: TextRow) -> None:
        """SectionBegins where entries below are pending (`Vorgemerkte Umsätze`), and where they are booked again."""
        if row.cells.count("") < len(row.cells) - 1 or not row.cells[0].strip():
            return
        said = header_word(row.cells[0])
        pending = said in words().pending
        if pending or (self._pending_part and says_booked(said) and said.split()[0] not in _NOT):
            self._pending_part = pending
            raise SectionBegins

    def _is_open_or_void(self, row: TextRow) -> bool:
        status = header_word(self._one(row, _F.STATUS))
        return status in words().pending or status in words().void

    def _check_total(self, row: TextRow, *, dated: bool) -> None:
        """RowLeftOut if all words of the row say that it is a balance or a sum: `Endsaldo`, `Endsaldo am 31.03.2026`.

        RowUnreadable for a dated row that says `Total` and nothing else, as a payment might.
        """
        if row.cells == self.names:
            raise RowLeftOut
        if any(self._one(row, what) for what in _OF_PAYMENTS):
            return
        beside = {index for what in _BESIDE_TOTALS for index in self._indexes.get(what, ())}
        others = (cell for index, cell in enumerate(row.cells) if index not in beside)
        plain = [header_word(cell) for cell in others if csv_date(cell, self._profile.date_order) is None]
        cells = [cell.split() for cell in plain if len(cell) > _LONGEST_CODE]
        known = words()
        said = [" ".join(word for word in cell if word.isalpha() and word not in known.total_days) for cell in cells]
        said = [text if text in known.totals else _without_side(text) for text in said]
        if any(said) and all(text in known.totals or text in known.vague_totals for text in said if text):
            if dated and not known.totals & set(said):
                raise RowUnreadable(Message("row-sum"))
            raise RowLeftOut

    def _one(self, row: TextRow, what: CsvField) -> str:
        for index in self._indexes.get(what, ()):
            cell = plain_cell(row.cells[index]) if index < len(row.cells) else ""
            if cell and (cell not in NOTHING or what is _F.MARKER):
                return cell
        return ""

    def _amount_cells(self, row: TextRow) -> list[str]:
        return [cell for what in _AMOUNTS if (cell := self._one(row, what))]

    def _amount(self, row: TextRow, currency: str) -> int:
        mark = self._profile.decimal_mark
        try:
            if amount := self._one(row, _F.AMOUNT):
                return self._marked_amount(row, printed_amount(amount, mark, currency), amount)
            credit, debit = self._one(row, _F.CREDIT), self._one(row, _F.DEBIT)
            got = _in_column(credit, "credit", printed_amount(credit, mark, currency)) if credit else 0
            paid = _in_column(debit, "debit", printed_amount(debit, mark, currency)) if debit else 0
        except AmountUnreadable as error:
            raise RowUnreadable(error.message) from error
        if got and paid:
            raise RowUnreadable(Message("row-both"))
        return got if got else self._debit_effect(paid, debit) if paid else 0

    def _debit_effect(self, minor: int, cell: str) -> int:
        """The effect of an amount in the debit column, whose first one decides where nothing did before."""
        if side_in(cell):
            return -minor
        signed, first = self._profile.debit_signed, self._signed_debits
        if signed is None:
            self._signed_debits = signed = has_minus(cell) if first is None else first
            if has_minus(cell) != signed:
                raise RowUnreadable(Message("row-some-minus", amount=repr(cell[:_SHOWN])))
        return minor if signed else -minor

    def _check_end(self, row: TextRow, currency: str) -> None:
        """RowUnreadable if the file ends here in a cell that decides, and what it says may go on: 12,3 of 12,34."""
        index = len(row.cells) - 1
        if not (row.ended or row.closed):
            what = next((each for each in DECIDING if index in self._indexes.get(each, ())), None)
            if what and not self._ends.is_whole(what, row.cells[index], self._profile.decimal_mark, currency):
                raise RowUnreadable(Message("row-cut"))
        self._ends.learn(row.cells[index])

    def _marked_amount(self, row: TextRow, minor: int, text: str) -> int:
        profile = self._profile
        if not profile.columns_of(_F.MARKER):
            unsigned = not re.search(r"[-−+(]", text)
            return -minor if profile.positive_is_debit and unsigned else minor
        marker = mark_word(self._one(row, _F.MARKER))
        side = "credit" if marker in profile.credit_markers else "debit" if marker in profile.debit_markers else ""
        side = side or (profile.blank_marker if not marker else "")
        if not side:
            raise RowUnreadable(Message("row-marker", marker=repr(marker)))
        minus = has_minus(text)
        if side_in(text) not in {"", side} or (minus and "(" in text and side == "credit"):
            raise RowUnreadable(Message("row-mark-contradicts", amount=repr(text[:_SHOWN]), mark=repr(marker)))
        if side == "credit":
            return -abs(minor) if minus else abs(minor)
        if self._signed_debits not in {None, minus} and minor:
            raise RowUnreadable(Message("row-some-minus", amount=repr(text[:_SHOWN])))
        self._signed_debits = minus if minor else self._signed_debits
        return -abs(minor)

    def _full(self, read: date | Yearless | None, near: date | None) -> date | None:
        if not isinstance(read, Yearless):
            return read
        if near is None and self._period:
            choices = [day for day in (read.near(edge) for edge in self._period) if day]
            inside = [day for day in choices if min(self._period) <= day <= max(self._period)]
            return next(iter(inside or choices), None)
        anchor = near or self._previous
        return read.near(anchor) if anchor else None

    def _status(self, row: TextRow, *, pending: bool) -> EntryStatus:
        status, effect = header_word(self._one(row, _F.STATUS)), header_word(self._one(row, _F.EFFECT))
        if status in words().void or effect == "memo":
            return EntryStatus.INFORMATION
        return EntryStatus.PENDING if pending or status in words().pending else EntryStatus.BOOKED

    def _balance(self, row: TextRow, currency: str) -> int | None:
        try:
            cell = self._one(row, _F.BALANCE)
            return printed_amount(cell, self._profile.decimal_mark, currency) if cell else None
        except AmountUnreadable:
            return None

    def _entry(
        self,
        row: TextRow,
        minor: int,
        currency: str,
        dates: tuple[date | None, date | None],
        status: EntryStatus,
        charges: tuple[Charge, ...],
    ) -> Entry:
        said = self._signals_of(row, paid_in=minor >= 0)
        reference = self._one(row, _F.BANK_REFERENCE) or said.bank_reference
        return Entry(
            amount_minor=minor,
            currency=currency,
            status=status,
            booking_date=dates[0],
            value_date=dates[1],
            position=0,
            line=row.line,
            bank_reference=reference,
            booking_text=self._one(row, _F.TYPE),
            charges=charges,
            details=(self._detail(row, minor, currency, said, reference),),
        )

    def _fee(self, row: TextRow, currency: str) -> int:
        try:
            cell = self._one(row, _F.FEE)
            return printed_amount(cell, self._profile.decimal_mark, currency) if cell else 0
        except AmountUnreadable as error:
            raise RowUnreadable(Message("file-fee", what=error.message)) from error

    def _charges(self, row: TextRow, minor: int, fee: int, currency: str) -> tuple[Charge, ...]:
        """The fee, positive when taken: some write it with a minus, so the gross amount decides where there is one."""
        if not fee:
            return ()
        gross, code = self._other_amount(row, currency)
        taken = gross - minor if gross is not None and code == currency else fee if self._profile.fee_apart else -fee
        return (Charge(taken, currency, included=True),)

    def _detail(self, row: TextRow, minor: int, currency: str, said: ColumnSignals, reference: str) -> Detail:
        incoming = minor >= 0
        booking_text = self._one(row, _F.TYPE)
        name = self._one(row, _F.NAME) or self._one(row, _F.PAYER if incoming else _F.PAYEE) or said.name
        party = Party(
            name=name,
            account=self._party_account(row, incoming=incoming) or BankWord(said.account),
            bic=self._one(row, _F.BIC) or said.bic,
            ultimate_name=self._one(row, _F.ULTIMATE_NAME) or said.ultimate_name,
        )
        gross, gross_currency = self._other_amount(row, currency)
        structured = self._one(row, _F.STRUCTURED_REFERENCE)
        end_to_end_id = self._one(row, _F.END_TO_END_ID) or said.end_to_end_id
        reason = self._bank(row, _F.RETURN_REASON)
        plain = header_word(booking_text).replace("ue", "u")  # RUECKLASTSCHRIFT
        returned = bool(reason) or any(word in plain for word in words().returns)
        creditor_id = self._one(row, _F.CREDITOR_ID)
        return Detail(
            amount_minor=minor,
            currency=currency,
            end_to_end_id=end_to_end_id,
            mandate_id=self._one(row, _F.MANDATE) or said.mandate_id,
            payment_information_id=self._bank(row, _F.BATCH_ID),
            bank_reference=reference,
            instructed_amount_minor=gross,
            instructed_currency=BankWord(gross_currency),
            debtor=party if incoming else Party(),
            creditor=Party() if incoming else party,
            remittance_lines=said.lines,
            structured_references=(("", structured),) if structured else (),
            returned=returned,
            return_reason=reason,
            return_text=booking_text if returned else "",
            original_end_to_end_id=end_to_end_id if returned else "",
            additional_info=f"CRED {creditor_id}" if creditor_id else "",
        )

    def _bank(self, row: TextRow, what: _BankColumn) -> BankWord:
        """A cell of the bank: mypy refuses a column that a payer may write to (D-80)."""
        return BankWord(self._one(row, what))

    def _party_account(self, row: TextRow, *, incoming: bool) -> BankWord:
        cell = self._bank(row, _F.IBAN) or self._bank(row, _F.PAYER_IBAN if incoming else _F.PAYEE_IBAN)
        account = re.sub(r"[\s']", "", cell)
        return BankWord(polish_iban(account) or account)

    def _other_amount(self, row: TextRow, currency: str) -> tuple[int | None, str]:
        """Gross amount (before the fee), or the original amount: in another currency, or of what was returned."""
        original = self._one(row, _F.ORIGINAL_CURRENCY) if _F.ORIGINAL_CURRENCY in self._indexes else currency
        for what, code in ((_F.GROSS, currency), (_F.ORIGINAL_AMOUNT, original)):
            cell = self._one(row, what)
            if cell and known_currency(code):
                try:
                    return printed_amount(cell, self._profile.decimal_mark, code), code
                except AmountUnreadable:
                    return None, ""
        return None, ""

    def _signals_of(self, row: TextRow, *, paid_in: bool) -> ColumnSignals:
        cells = [row.cells[index] for index in self._indexes.get(_F.TEXT, ()) if index < len(row.cells)]
        lines = tuple(
            line.strip() for cell in cells for line in plain_cell(cell).splitlines() if line.strip() not in NOTHING
        )
        return said_in(lines, paid_in=paid_in)


def _without_side(text: str) -> str:
    """The words of a total without its side: `summe` of `summe haben`."""
    kinds = words().headers
    bare = " ".join(word for word in text.split() if kinds.get(word) not in {_F.DEBIT, _F.CREDIT})
    return bare or text


def _in_column(cell: str, side: str, minor: int) -> int:
    """The amount of a debit or credit column; a word after it (`12,00 S`) that says the same is not a second sign.

    RowUnreadable if the word says the other side.
    """
    said = side_in(cell)
    if said not in {"", side}:
        raise RowUnreadable(Message("row-other-side", amount=repr(cell[:_SHOWN])))
    return abs(minor) if said else minor


def _is_like_a_date(text: str) -> bool:
    """Whether a text might be meant as a date: `31.02.2026`, `30 Brumaire 2026`, but not `12 bookings`."""
    found = _LIKE_A_DATE.search(text)
    return found is not None and (len(found[0]) == _COMPACT_DATE or len(_NUMBER.findall(text)) > 1)
