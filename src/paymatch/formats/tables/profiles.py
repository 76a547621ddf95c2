"""How the columns of an account export map to what a bank says: a profile, kept as JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any


class CsvField(StrEnum):
    """What a column can hold. `text` and `name` may have several columns, every other one."""

    BOOKING_DATE = "booking_date"
    VALUE_DATE = "value_date"
    AMOUNT = "amount"  # signed, or with a marker
    CREDIT = "credit"
    DEBIT = "debit"
    MARKER = "marker"  # S/H, Soll/Haben, D/C, Af/Bij, credit/debit
    GROSS = "gross"  # before `fee`; `amount` is then the net amount
    FEE = "fee"
    CURRENCY = "currency"
    NAME = "name"
    PAYER = "payer"  # name for money in, where payer and payee have a column each
    PAYEE = "payee"
    ULTIMATE_NAME = "ultimate_name"
    IBAN = "iban"
    PAYER_IBAN = "payer_iban"  # account of the other side for money in, where payer and payee have a column each
    PAYEE_IBAN = "payee_iban"
    BIC = "bic"
    TEXT = "text"
    STRUCTURED_REFERENCE = "structured_reference"
    END_TO_END_ID = "end_to_end_id"
    MANDATE = "mandate"
    CREDITOR_ID = "creditor_id"
    BANK_REFERENCE = "bank_reference"
    BATCH_ID = "batch_id"
    RETURN_REASON = "return_reason"
    ORIGINAL_AMOUNT = "original_amount"
    ORIGINAL_CURRENCY = "original_currency"
    BALANCE = "balance"
    TYPE = "type"
    STATUS = "status"
    EFFECT = "effect"  # PayPal: `Memo` rows do not touch the balance
    ACCOUNT = "account"


Columns = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class CsvProfile:
    """How to read one bank's CSV. A column is named by its header, or by its place as `#1`, `#2` ..."""

    name: str
    columns: Columns  # (field, columns)
    delimiter: str = ";"
    encoding: str = ""  # "" to detect: BOM, strict UTF-8, windows-1252
    header: bool = True
    decimal_mark: str = ","
    date_order: str = "dmy"  # dmy, mdy, ymd
    currency: str = ""  # where no column and no header says it; "" takes the account's
    account: str = ""  # where no column and no line above the header says it
    account_label: str = ""  # what a column of accounts calls `account`: its name at the bank
    credit_markers: tuple[str, ...] = ()
    debit_markers: tuple[str, ...] = ()
    blank_marker: str = ""  # what a row without marker is: "credit", "debit", or "" for unreadable
    debit_signed: bool | None = None  # the debit column writes money out with a minus; None: not known yet
    fee_apart: bool = False  # the fee is taken beside the amount, not out of it
    positive_is_debit: bool = False  # card statements: a payment without sign is money out
    headings: tuple[str, ...] = ()  # of the table for which a person confirmed it; () if that was not noted yet

    def columns_of(self, what: CsvField) -> tuple[str, ...]:
        return dict(self.columns).get(what.value, ())

    def is_header(self, cells: Iterable[str]) -> bool:
        """Whether a row of these cells has the header of every column."""
        return names_all(cells, [name for _, names in self.columns for name in names])

    def to_json(self) -> str:
        """The profile as JSON, to be kept with the account."""
        return json.dumps(asdict(self) | {"columns": {what: list(names) for what, names in self.columns}})

    @classmethod
    def from_json(cls, text: str) -> CsvProfile:
        """The profile of `to_json`; ValueError if the text is none."""
        values = json.loads(text)
        if not isinstance(values, dict) or not isinstance(values.get("columns"), dict) or "name" not in values:
            raise ValueError("this is not a CSV profile")
        unknown = set(values) - {entry.name for entry in fields(cls)}
        wrong = set(values["columns"]) - {what.value for what in CsvField}
        if unknown or wrong:
            raise ValueError(f"unknown in a CSV profile: {', '.join(sorted(unknown | wrong))}")
        return cls(**{key: _plain(value) for key, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, tuple(names)) for key, names in value.items())
    return tuple(value) if isinstance(value, list) else value


def is_place(name: str) -> bool:
    """Whether a profile names a column by its place: `#3` is the third; `#Data` is a header of some banks."""
    return name[:1] == "#" and name[1:].isdigit()


def names_all(cells: Iterable[str], names: Iterable[str]) -> bool:
    """Whether a row of these cells is a header of all the columns; one that is named by its place is in each."""
    return {header_word(name) for name in names if not is_place(name)} <= {header_word(cell) for cell in cells}


@lru_cache(maxsize=4096)
def mark_word(text: str) -> str:
    """A mark of money in or out for comparison: lower case, accents gone; punctuation counts: `+`, `S`, `débit`."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))


@lru_cache(maxsize=4096)
def header_word(text: str) -> str:
    """A header for comparison: lower case, accents and punctuation gone: `Betrag (€)` is `betrag eur`.

    Greek and Cyrillic letters stay what they are.
    """
    plain = (
        text.replace("€", " eur ")
        .replace("ß", "ss")
        .replace("£", " gbp ")
        .replace("ł", "l")
        .replace("ø", "o")
        .replace("Ø", "o")
        .replace("æ", "ae")
        .replace("Æ", "ae")
    )
    plain = unicodedata.normalize("NFKD", plain.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"[^\W_]+", plain))
