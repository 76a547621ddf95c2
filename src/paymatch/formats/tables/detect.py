"""Which column of an account export is what: known banks by their headers, others by words and by content."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from paymatch.domain.money import CURRENCIES
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import currency_in, has_minus, looks_like_amount, side_in
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.bank_exports import BankExport, bank_exports
from paymatch.formats.tables.column_words import words
from paymatch.formats.tables.columns import TableFile, account_above, columns_of, field_of, label_of_account
from paymatch.formats.tables.layouts import headings_of, known_layout, list_headings
from paymatch.formats.tables.profiles import Columns, CsvField, CsvProfile, header_word, is_place, mark_word, names_all
from paymatch.formats.tables.shapes import without_foreign_edges
from paymatch.formats.tables.text import TextRow, delimiter_of, lines_of, plain_cell, rows_of
from paymatch.formats.tables.values import (
    contradicting_dates,
    csv_date,
    date_order_in_sequence,
    date_order_of,
    decimal_mark_of,
    proven_order,
)
from paymatch.formats.text_decoding import DETECTED, encoding_of

GENERIC: Final = "generic"
_F = CsvField
_SAMPLE: Final = 256 * 1024
_SAMPLE_ROWS: Final = 2000
_HEADER_WITHIN: Final = 60  # rows; the longest preamble seen has 20
_PREVIEW: Final = 10
_MISSING: Final = {(False, True): "what-date", (True, False): "what-amount", (False, False): "what-both"}
"""By whether a table has a date and an amount."""


@dataclass(frozen=True, slots=True)
class CsvProposal:
    """A profile for a file, to be shown with its first rows, corrected where needed, and kept."""

    profile: CsvProfile
    confidence: float  # 1.0: a bank known by its headers; below 0.5: do not import without a look
    preview: tuple[tuple[str, ...], ...]  # header (if any) and first rows
    doubts: tuple[Message, ...]  # what a person should check
    guesses: tuple[Message, ...] = ()  # those of the doubts on which amounts and dates depend
    refusal: Message | None = None  # why the file cannot be read without an answer; None if it can
    is_known: bool = False  # a bank's layout: a statement without a question to a person


def propose_profile(data: bytes, *, remembered_encoding: str = "") -> CsvProposal:
    """How to read the file that begins with `data` (64 KB or more is enough).

    FileRefused if there are no columns, or none that could be date and amount; the text names the columns seen.
    """
    rows, delimiter, encoding = _rows_of(data, remembered_encoding)
    proposal = _known_profile(rows, delimiter) or _generic(rows, delimiter)
    return replace(proposal, profile=replace(proposal.profile, encoding=encoding))


def propose_with(
    data: bytes, columns: Mapping[str, tuple[str, ...]], *, remembered_encoding: str = "", account: str = ""
) -> CsvProposal:
    """Like `propose_profile`, where a person says what some columns hold; a field without columns is left out.

    `account` is the shop's, if it is known: a column of other accounts is the other side's. With too little said the
    proposal carries a refusal. FileRefused only if the file is empty.
    """
    rows, delimiter, encoding = _rows_of(data, remembered_encoding)
    try:
        found = _known_profile(rows, delimiter) or _generic(rows, delimiter, account)
        profile = found.profile
    except FileRefused:
        profile = CsvProfile(GENERIC, (), delimiter)
    said = {**dict(profile.columns), **columns}
    wanted = [name for names in columns.values() for name in names if not is_place(name)]
    with_all = (i for i, row in enumerate(rows[:_HEADER_WITHIN]) if names_all(row.cells, wanted))
    header = next(with_all, 0) if wanted else max(_likely_header(rows), 0) if profile.header else -1
    profile = replace(
        profile, columns=tuple((what, names) for what, names in said.items() if names), header=header >= 0,
        encoding=encoding,
    )  # fmt: skip
    table = TableFile(rows, header, delimiter)
    proposal = _finish_proposal(profile, table, {}, confidence=0.8)
    place = next((column_index(table.names, name) for name in profile.columns_of(_F.ACCOUNT)), None)
    label = label_of_account(table, place) if account and place is not None else ""
    return (
        replace(proposal, profile=replace(proposal.profile, account=account, account_label=label))
        if label
        else proposal
    )


def as_in(data: bytes, profile: CsvProfile) -> CsvProfile:
    """The profile with the order of dates and the sign of debits that the file beginning with `data` proves itself."""
    lines = lines_of(io.BytesIO(_sample(data)), profile.encoding)
    try:
        rows = list(islice(rows_of(lines, profile.delimiter), _SAMPLE_ROWS))
    except FileRefused:
        return profile  # which the reader says with the line
    header = next((i for i, row in enumerate(rows) if profile.is_header(row.cells)), -1)
    table = TableFile(rows, header if profile.header else -1, profile.delimiter)
    order = proven_order(_cells(profile, table, _F.BOOKING_DATE)) if profile.date_order != "ymd" else None
    return replace(
        profile,
        date_order=order or profile.date_order,
        debit_signed=_is_debit_signed(_dated_debits(profile, table)),
    )


def _rows_of(data: bytes, remembered_encoding: str) -> tuple[list[TextRow], str, str]:
    """Rows, delimiter, and encoding ("" where it is detected each time)."""
    sample = _sample(data)
    lines = list(lines_of(io.BytesIO(sample), remembered_encoding))
    if not any(line.strip() for line in lines):
        raise FileRefused(Message("file-line", line="1", what=Message("file-is", what=Message("kind-empty"))))
    encoding = encoding_of(sample, remembered_encoding)[0]
    delimiter = delimiter_of(lines[:_SAMPLE_ROWS])
    rows = list(islice(rows_of(lines, delimiter), _SAMPLE_ROWS))
    return rows, delimiter, "" if encoding in DETECTED else encoding


def _sample(data: bytes) -> bytes:
    """What the file begins with, up to the end of a line."""
    if len(data) < _SAMPLE:
        return data
    sample = data[:_SAMPLE]
    return sample[: sample.rfind(b"\n") + 1] or sample


def _known_profile(rows: list[TextRow], delimiter: str) -> CsvProposal | None:
    for export in bank_exports():
        header = _header_with(rows, export) if export.headers else _headerless(rows, export)
        if header is None:
            continue
        table = TableFile(rows, header, delimiter)
        columns = _present(export, table)
        profile = CsvProfile(export.name, columns, delimiter, header=header >= 0)
        return replace(_finish_proposal(profile, table, export.options, confidence=1.0), is_known=True)
    return None


def is_a_list(headings: Iterable[str]) -> Message:
    """Why a table with these headings is refused, with the way to import orders."""
    named = ", ".join(repr(heading) for heading in headings)
    return Message("table-is-list", headings=named)


def layout_in(data: bytes, profile: CsvProfile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(the layout of the table as a profile remembers it, the headings in it that lists have and statements do not)."""
    try:
        lines = lines_of(io.BytesIO(_sample(data)), profile.encoding)
        rows = list(islice(rows_of(lines, profile.delimiter), _SAMPLE_ROWS))
    except FileRefused:
        return (), ()
    header = next((i for i, row in enumerate(rows) if profile.is_header(row.cells)), -1) if profile.header else -1
    table = TableFile(rows, header, profile.delimiter)
    width = max((len(row.cells) for row in rows), default=0)
    is_free = profile.columns_of(_F.BALANCE) or known_layout(table.names) or _known_profile(rows, profile.delimiter)
    return headings_of(table.names, width), () if is_free else list_headings(table.names, table)


def _header_with(rows: list[TextRow], export: BankExport) -> int | None:
    for index, row in enumerate(rows[:_HEADER_WITHIN]):
        there = {header_word(cell) for cell in row.cells}
        if any(headers <= there for headers in export.headers):
            return index
    return None


def _headerless(rows: list[TextRow], export: BankExport) -> int | None:
    fits = [
        len(row.cells) >= len(export.cells)
        and all(look.fullmatch(cell.strip()) for look, cell in zip(export.cells, row.cells, strict=False))
        for row in rows[:50]
    ]
    return -1 if fits and fits[0] and sum(fits) * 2 > len(fits) else None


def _present(export: BankExport, table: TableFile) -> Columns:
    """The export's columns that the file has, named as the file names them; the first one for single fields."""
    if table.header < 0:
        return tuple((what.value, names) for what, names in export.columns.items())
    present: list[tuple[str, tuple[str, ...]]] = []
    for what, names in export.columns.items():
        found = [
            _key(table.names, index)
            for name in names
            for index, cell in enumerate(table.names)
            if header_word(cell) == header_word(name)
        ]
        if found:
            present.append((what.value, tuple(dict.fromkeys(found)) if what is _F.TEXT else (found[0],)))
    return tuple(present)


def _key(names: tuple[str, ...], index: int) -> str:
    """A column's name, or its place where the name is empty or used twice."""
    name = names[index].strip() if index < len(names) else ""
    same = [other for other in names if header_word(other) == header_word(name)]
    return name if header_word(name) and len(same) == 1 else f"#{index + 1}"


def _generic(rows: list[TextRow], delimiter: str, account: str = "") -> CsvProposal:
    header = _likely_header(rows)
    rows = rows if header >= 0 else without_foreign_edges(rows)
    table = TableFile(rows, header, delimiter, account or account_above(rows, header))
    layout = known_layout(table.names)
    found, own_account = columns_of(table)
    missing = _MISSING.get((_has_date(found), _has_amount(found)))
    if missing:
        raise FileRefused(_why_unreadable(rows, table, missing, has_balance=_F.BALANCE in found))
    names = table.names
    columns = tuple(
        (what.value, tuple(_key(names, index) if header >= 0 else f"#{index + 1}" for index in indexes))
        for what, indexes in found.items()
    )
    profile = CsvProfile(GENERIC, columns, delimiter, header=header >= 0)
    proposal = _finish_proposal(profile, table, {}, confidence=0.8 if header >= 0 else 0.5)
    proposal = replace(proposal, is_known=bool(layout))
    doubt = Message("table-same-account")
    return replace(proposal, doubts=(*proposal.doubts, doubt)) if own_account else proposal


def _why_unreadable(rows: list[TextRow], table: TableFile, missing: str, *, has_balance: bool) -> Message:
    """Why a table without the columns of a statement is refused: it is a list of something else, or not understood."""
    headed = [(table.names, table)] if table.names else [(row.cells, None) for row in rows[:_HEADER_WITHIN]]
    listed = next(filter(None, (list_headings(names, own) for names, own in headed)), ())
    if listed and not has_balance:
        return is_a_list(listed)
    seen = ", ".join(cell.strip() for cell in (table.names or rows[0].cells) if cell.strip())
    none = Message("table-no-column", what=Message(missing), columns=seen[:500])
    return Message("file-line", line=str(rows[0].line), what=none)


def _has_date(found: Mapping[CsvField, list[int]]) -> bool:
    return _F.BOOKING_DATE in found


def _has_amount(found: Mapping[CsvField, list[int]]) -> bool:
    return _F.AMOUNT in found or _F.CREDIT in found or _F.DEBIT in found


def _likely_header(rows: list[TextRow]) -> int:
    """Index of the row with the most header words (at least two, no date and fewer amounts in it); -1 if none."""
    best, score = -1, 1
    for index, row in enumerate(rows[:_HEADER_WITHIN]):
        if any(csv_date(cell, "dmy") for cell in row.cells):
            continue
        named = sum(field_of(cell) is not None for cell in row.cells)
        values = sum(map(looks_like_amount, row.cells))
        if named > score and named > values:
            best, score = index, named
    return best


def _finish_proposal(
    profile: CsvProfile, table: TableFile, options: Mapping[str, object], confidence: float
) -> CsvProposal:
    """The profile with decimal mark, date order, markers, currency and account taken from the file, and the doubts."""
    doubts: list[Message] = []
    amounts = [cell for what in (_F.AMOUNT, _F.CREDIT, _F.DEBIT, _F.GROSS) for cell in _cells(profile, table, what)]
    currency = _currency(profile, table)
    figures = [*amounts, *_cells(profile, table, _F.BALANCE)]
    mark, mark_proven = decimal_mark_of(figures, CURRENCIES.get(currency, 2))
    order, order_proven = date_order_of(_cells(profile, table, _F.BOOKING_DATE) + _cells(profile, table, _F.VALUE_DATE))
    mark_proven = mark_proven or "decimal_mark" in options or not amounts
    order_proven = order_proven or "date_order" in options
    if not mark_proven and any(re.search("[.,]", cell) for cell in amounts):
        doubts.append(Message("table-mark", mark=repr(mark)))
    if not order_proven:
        order = date_order_in_sequence(_cells(profile, table, _F.BOOKING_DATE))
        taken = Message("what-day" if order == "dmy" else "what-month")
        doubts.append(Message("table-order", what=taken))
    profile = replace(
        profile,
        decimal_mark=mark,
        date_order=order,
        currency=currency,
        account="" if profile.columns_of(_F.ACCOUNT) else account_above(table.rows, table.header),
        debit_signed=_is_debit_signed(_dated_debits(profile, table)),
    )
    guesses = tuple(doubts)
    profile = replace(_with_markers(profile, table, doubts), **dict(options))  # type: ignore[arg-type]
    if not profile.columns_of(_F.CURRENCY) and not profile.currency:
        doubts.append(Message("table-currency"))
    if not profile.columns_of(_F.ACCOUNT) and not profile.account:
        doubts.append(Message("table-account"))
    refusal = _refusal(profile, table, amounts) or _contradiction(profile, table, options)
    if refusal:
        doubts.append(refusal)
    first = max(table.header, 0)
    preview = tuple(row.cells for row in table.rows[first : first + _PREVIEW])
    confidence = 0.3 if refusal else confidence - 0.1 * (not mark_proven) - 0.1 * (not order_proven)
    return CsvProposal(profile, round(max(confidence, 0.1), 2), preview, tuple(doubts), guesses, refusal)


def _dated_debits(profile: CsvProfile, table: TableFile) -> list[str]:
    """The debits of entries, which are the rows with a date; a sum below them has none."""
    places = {
        what: column_index(table.names, name)
        for what in (_F.BOOKING_DATE, _F.DEBIT)
        for name in profile.columns_of(what)
    }
    day, debit = places.get(_F.BOOKING_DATE), places.get(_F.DEBIT)
    if day is None or debit is None:
        return []
    rows = (row.cells for row in table.body if max(day, debit) < len(row.cells))
    return [plain_cell(cells[debit]) for cells in rows if csv_date(cells[day], "dmy") or csv_date(cells[day], "mdy")]


def _is_debit_signed(cells: list[str]) -> bool | None:
    """Whether the debit column writes money out with a minus; one on few cells marks what was reversed. None where
    no cell shows it, or as many have one as have none.

    `0,00` and `-`, which some write where money came in, say nothing of it.
    """
    amounts = [cell for cell in cells if re.search("[1-9]", cell)]
    signed = sum(map(has_minus, amounts))
    return None if signed * 2 == len(amounts) else signed * 2 > len(amounts)


def _refusal(profile: CsvProfile, table: TableFile, amounts: Iterable[str]) -> Message | None:
    """Money in and out must differ by a sign, a marker or two named columns; without header by nothing else."""
    if profile.name != GENERIC or profile.columns_of(_F.MARKER) or any(map(_has_sign, amounts)):
        return None
    if profile.header:
        return None if profile.columns_of(_F.DEBIT) else _unknown_marks(table)
    return Message("table-no-direction")


def _has_sign(cell: str) -> bool:
    return (re.search(r"[-−+(]", cell) is not None and re.search(r"\d", cell) is not None) or side_in(cell) != ""


def _unknown_marks(table: TableFile) -> Message | None:
    """Why amounts without sign cannot be read: some rows are called money out (`Lastschrift`) and others not money in,
    or each row has one of two letters, which are no yes and no."""
    for index, name in enumerate(table.names):
        cells = list(map(mark_word, table.column(index)))
        marks = sorted(set(cells))
        out = [mark for mark in marks if len(mark) > 1 and words().marks.get(mark) == "debit"]
        if out and field_of(name) in {None, _F.TYPE}:
            return Message("table-unsigned-out", word=repr(out[0]), column=repr(name.strip()))
        letters = len(marks) == 2 < len(cells) and all(len(mark) == 1 and mark.isalpha() for mark in marks)
        if letters and field_of(name) is None and "n" not in marks:
            first, second = (repr(mark.upper()) for mark in marks)
            return Message("table-unknown-marks", first=first, second=second, column=repr(name.strip()))
    return None


def _contradiction(profile: CsvProfile, table: TableFile, options: Mapping[str, object]) -> Message | None:
    """What the file says in two ways: dates of both orders, two amounts of one name, of none or in two currencies."""
    for what in (_F.BOOKING_DATE, _F.VALUE_DATE):
        found = contradicting_dates(_cells(profile, table, what))
        if found and "date_order" not in options:
            return Message("table-two-orders", day=repr(found[0]), month=repr(found[1]))
    if len(profile.columns_of(_F.AMOUNT)) > 1:
        return Message("table-many-amounts")
    place = next((column_index(table.names, name) for name in profile.columns_of(_F.AMOUNT)), None)
    if place is None or profile.name != GENERIC or not profile.header or place >= len(table.names):
        return None
    for index, name in enumerate(table.names):
        if index != place and _is_same_amount(table.names[place], name) and table.column(index) != table.column(place):
            first, second = (repr(each.strip()) for each in (table.names[place], name))
            return Message("table-two-amounts", first=first, second=second)
    return None


def _is_same_amount(name: str, other: str) -> bool:
    """Whether two headers say the same, but perhaps for a currency: `Amount (USD)` and `Amount (EUR)`."""
    word, another = (
        [part for part in header_word(text).split() if part.upper() not in CURRENCIES] for text in (name, other)
    )
    return word == another


def _cells(profile: CsvProfile, table: TableFile, what: CsvField) -> list[str]:
    return [
        cell
        for name in profile.columns_of(what)
        if (index := column_index(table.names, name)) is not None
        for cell in table.column(index)
    ]


def column_index(names: tuple[str, ...], name: str) -> int | None:
    """Index of the column that a profile names; None if the file does not have it."""
    if is_place(name):
        return int(name[1:]) - 1
    wanted = header_word(name)
    return next((index for index, cell in enumerate(names) if header_word(cell) == wanted), None)


def _currency(profile: CsvProfile, table: TableFile) -> str:
    """A currency that headers (`Betrag (EUR)`), amounts (`£12`) or the lines above the header name; "" if several."""
    if profile.columns_of(_F.CURRENCY):
        return ""
    named = [name for what in (_F.AMOUNT, _F.CREDIT, _F.DEBIT) for name in profile.columns_of(what)]
    places = (column_index(table.names, name) for name in named)
    heads = [table.names[index] for index in places if index is not None and index < len(table.names)]
    sources = (
        heads,
        _cells(profile, table, _F.AMOUNT)[:200],
        [cell for row in table.rows[: max(table.header, 0)] for cell in row.cells],
    )
    for source in sources:
        codes = {code for text in source if (code := currency_in(text))}
        if len(codes) == 1:
            return codes.pop()
    return ""


def _with_markers(profile: CsvProfile, table: TableFile, doubts: list[Message]) -> CsvProfile:
    index = next((column_index(table.names, name) for name in profile.columns_of(_F.MARKER)), None)
    if index is None:
        return profile
    seen = {mark_word(row.cells[index].strip()) for row in table.body if index < len(row.cells)}
    marks = words().marks_of(table.names[index] if index < len(table.names) else "", seen)
    unknown = sorted(word for word in seen if word and word not in marks)
    if unknown:
        doubts.append(Message("table-marks", marks=", ".join(unknown[:5])))
    used = {marks[word] for word in seen if word in marks}
    if unknown and len(used) == 1:  # D beside an unknown mark may be debit, duguje or dobro
        marks = {mark: side for mark, side in marks.items() if not any(mark in pair for pair in words().mark_pairs)}
    blank = ""
    if "" in seen and len(used) == 1 and not unknown:
        blank = "debit" if used == {"credit"} else "credit"
    return replace(
        profile,
        credit_markers=tuple(word for word, side in marks.items() if side == "credit"),
        debit_markers=tuple(word for word, side in marks.items() if side == "debit"),
        blank_marker=blank,
    )
