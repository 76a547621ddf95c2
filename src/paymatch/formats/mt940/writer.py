"""MT940 and MT942 as a German bank writes them (DK annex 3, chapter 8): for demo, sandbox bank and round trips."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from paymatch.domain.money import Currency, digits_of
from paymatch.domain.postings import Posting
from paymatch.formats.german_codes import RETURN_GVC, text_key_extension

LINE_LENGTH: Final = 65
SUBFIELD_LENGTH: Final = 27
_TEXT_CODES: Final = (*range(20, 30), *range(60, 64))
_NOT_SWIFT: Final = re.compile(r"[^A-Za-z0-9/:().,'+ -]")
_NOT_PRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f?]")
_GERMAN: Final = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "ß": "ss",
        "&": "+",
        "_": "-",
        "ł": "l",
        "Ł": "L",
    }
)


class Charset(StrEnum):
    SWIFT = "ascii"  # umlauts written out, everything else outside the SWIFT character set becomes a full stop
    WINDOWS = "cp1252"
    UTF8 = "utf-8"


@dataclass(frozen=True, slots=True)
class EntryToWrite:
    """One :61: with its :86:. `amount_minor` is signed: effect on the account. Empty strings are left out."""

    amount_minor: int
    booking_date: date
    value_date: date | None = None
    bank_reference: str = ""
    reversal: bool = False  # RC or RD
    gvc: str = ""  # 166 for credits, 116 for debits, 159 for reversals and returns, if not given
    booking_text: str = ""
    prima_nota: str = ""
    name: str = ""
    account: str = ""
    bic: str = ""
    ultimate_name: str = ""
    end_to_end_id: str = ""
    instruction_id: str = ""
    mandate_id: str = ""
    creditor_id: str = ""
    purpose: str = ""
    remittance: str = ""
    return_reason: str = ""
    original_amount_minor: int | None = None
    charges_minor: int = 0


@dataclass(frozen=True, slots=True)
class StatementToWrite:
    """One statement; its closing balance is the opening balance and all entries."""

    account: str
    currency: Currency
    opening_minor: int
    opening_date: date
    closing_date: date
    number: int
    entries: tuple[EntryToWrite, ...] = ()
    page: int = 1
    reference: str = "STARTUMSE"


def entry_of(posting: Posting) -> EntryToWrite:
    """The statement entry that says what `posting` says."""
    return EntryToWrite(
        amount_minor=posting.amount_minor,
        booking_date=posting.booking_date,
        value_date=posting.value_date,
        bank_reference=posting.bank_reference,
        reversal=posting.is_return,
        gvc=posting.bank_code if re.fullmatch(r"[0-9]{3}", posting.bank_code) else "",
        booking_text=posting.booking_text,
        name=posting.counterparty_name,
        account=posting.counterparty_iban,
        bic=posting.counterparty_bic,
        ultimate_name=posting.ultimate_name,
        end_to_end_id=posting.original_end_to_end_id if posting.is_return else posting.end_to_end_id,
        mandate_id=posting.mandate_id,
        purpose=posting.purpose,
        remittance=posting.text,
        return_reason=posting.return_reason,
        original_amount_minor=posting.original_amount_minor,
        charges_minor=posting.charges_minor,
    )


def write_mt940(statements: Iterable[StatementToWrite], charset: Charset = Charset.WINDOWS) -> bytes:
    """The bytes of an MT940 file: CRLF, physical lines of at most 65 characters, `-` after every statement."""
    return _encode(_statement, statements, charset)


def write_mt942(statements: Iterable[StatementToWrite], at: datetime, charset: Charset = Charset.WINDOWS) -> bytes:
    """The bytes of an MT942 file (interim report of the moment `at`, aware): no balances, but count and sums."""
    return _encode(lambda statement, clean: _interim(statement, clean, at), statements, charset)


class _Cleaner:
    def __init__(self, charset: Charset) -> None:
        self._charset = charset

    def __call__(self, text: str) -> str:
        if self._charset is Charset.SWIFT:
            plain = unicodedata.normalize("NFKD", text.translate(_GERMAN))
            plain = "".join(character for character in plain if not unicodedata.combining(character))
            return _NOT_SWIFT.sub(".", plain)
        # A question mark opens a subfield and is never literal (DK annex 3).
        plain = _NOT_PRINTABLE.sub(".", text)
        return plain.encode(self._charset, "replace").decode(self._charset).replace("?", ".")


_Write = Callable[[StatementToWrite, _Cleaner], Iterator[str]]


def _encode(write: _Write, statements: Iterable[StatementToWrite], charset: Charset) -> bytes:
    clean = _Cleaner(charset)
    lines = [line for statement in statements for line in write(statement, clean)]
    return "".join(f"{line}\r\n" for line in lines).encode(charset)


def _statement(statement: StatementToWrite, clean: _Cleaner) -> Iterator[str]:
    closing = statement.opening_minor + sum(entry.amount_minor for entry in statement.entries)
    yield from _start(statement, clean)
    yield f":60F:{_balance(statement.opening_minor, statement.opening_date, statement.currency)}"
    for entry in statement.entries:
        yield from _entry(entry, statement.currency, clean)
    yield f":62F:{_balance(closing, statement.closing_date, statement.currency)}"
    yield "-"


def _interim(statement: StatementToWrite, clean: _Cleaner, at: datetime) -> Iterator[str]:
    credits_ = [entry.amount_minor for entry in statement.entries if entry.amount_minor > 0]
    debits = [-entry.amount_minor for entry in statement.entries if entry.amount_minor <= 0]
    yield from _start(statement, clean)
    yield f":34F:{statement.currency}0,"
    yield f":13D:{at:%y%m%d%H%M%z}"
    for entry in statement.entries:
        yield from _entry(entry, statement.currency, clean)
    yield f":90D:{len(debits)}{statement.currency}{_amount(sum(debits), statement.currency)}"
    yield f":90C:{len(credits_)}{statement.currency}{_amount(sum(credits_), statement.currency)}"
    yield "-"


def _start(statement: StatementToWrite, clean: _Cleaner) -> Iterator[str]:
    yield f":20:{clean(statement.reference)}"
    yield f":25:{clean(statement.account)}"
    yield f":28C:{statement.number:05d}/{statement.page:03d}"


def _balance(minor: int, day: date, currency: Currency) -> str:
    return f"{'D' if minor < 0 else 'C'}{day:%y%m%d}{currency}{_amount(minor, currency)}"


def _amount(minor: int, currency: Currency) -> str:
    digits = digits_of(currency)
    whole, fraction = divmod(abs(minor), 10**digits)
    return f"{whole},{fraction:0{digits}d}" if digits else f"{whole},"


def _entry(entry: EntryToWrite, currency: Currency, clean: _Cleaner) -> Iterator[str]:
    value = entry.value_date or entry.booking_date
    positive = entry.amount_minor > 0
    mark = ("RD" if positive else "RC") if entry.reversal else ("C" if positive else "D")
    reference = "KREF+" if entry.instruction_id else "NONREF"
    amount = _amount(entry.amount_minor, currency)
    bank = f"//{clean(entry.bank_reference)}" if entry.bank_reference else ""
    yield f":61:{value:%y%m%d}{entry.booking_date:%m%d}{mark}{amount}NTRF{reference}{bank}"
    if entry.original_amount_minor is not None:
        charges = f"/CHGS/{currency}{_amount(entry.charges_minor, currency)}/" if entry.charges_minor else ""
        yield f"/OCMT/{currency}{_amount(entry.original_amount_minor, currency)}/{charges}"
    yield from _wrap(":86:" + _description(entry, clean))


def _wrap(text: str) -> Iterator[str]:
    """`text` in lines of at most 65 characters. None begins with `:` or `-`: it would look like a tag or the end."""
    start = 0
    while len(text) - start > LINE_LENGTH:
        end = start + LINE_LENGTH
        while text[end] in ":-" and end > start + 1:
            end -= 1
        yield text[start:end]
        start = end
    yield text[start:]


def _description(entry: EntryToWrite, clean: _Cleaner) -> str:
    returned = entry.reversal or bool(entry.return_reason)
    gvc = entry.gvc or ("159" if returned else "166" if entry.amount_minor > 0 else "116")
    parts = [f"?00{clean(entry.booking_text)[:27]}"] if entry.booking_text else []
    parts += [f"?10{clean(entry.prima_nota)[:10]}"] if entry.prima_nota else []
    texts = list(_texts(entry, clean))[: len(_TEXT_CODES)]
    coded = [f"?{code}{text}" for code, text in zip(_TEXT_CODES, texts, strict=False)]
    parts += coded[:10]
    parts += [f"?30{clean(entry.bic)}"] if entry.bic else []
    parts += [f"?31{clean(entry.account)}"] if entry.account else []
    name = clean(entry.name)
    parts += [
        f"?{code}{part}"
        for code, part in ((32, name[:SUBFIELD_LENGTH]), (33, name[SUBFIELD_LENGTH : 2 * SUBFIELD_LENGTH]))
        if part
    ]
    extension = text_key_extension(entry.return_reason) if gvc in RETURN_GVC else ""
    parts += [f"?34{extension}"] if extension else []
    return gvc + ("".join(parts + coded[10:]) or "?00")


def _texts(entry: EntryToWrite, clean: _Cleaner) -> Iterator[str]:
    """The text subfields: every tag begins one of its own, what does not fit goes on in the next."""
    # ABWA is the payer of money in, ABWE the payee of money out; what comes back keeps its roles.
    incoming = (entry.amount_minor > 0) != (entry.reversal or bool(entry.return_reason))
    tags = (
        ("EREF", entry.end_to_end_id),
        ("KREF", entry.instruction_id),
        ("MREF", entry.mandate_id),
        ("CRED", entry.creditor_id),
        ("PURP", entry.purpose),
        ("ABWA" if incoming else "ABWE", entry.ultimate_name),
        ("SVWZ", entry.remittance),
    )
    by_payer = entry.amount_minor >= 0 and not entry.reversal and not entry.return_reason
    closed = by_payer and any(value for _, value in tags)
    for tag, value in tags:
        # SVWZ ends the bank's tags, even where the payer wrote nothing.
        text = f"{tag}+{clean(value)}" if value or (closed and tag == "SVWZ") else ""
        for start in range(0, len(text), SUBFIELD_LENGTH):
            yield text[start : start + SUBFIELD_LENGTH]
