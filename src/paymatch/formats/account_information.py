"""Files from a provider of account information: read as statements like any other (D-130).

The final statement ends with the last complete day. Later bookings are announced, as in camt.052.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import BinaryIO, Final

import msgspec

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency, printed_amount
from paymatch.formats.statement import (
    Balance,
    Detail,
    Entry,
    EntryStatus,
    FileRefused,
    Party,
    StatementEnd,
    StatementEvent,
    StatementHead,
    UnreadableEntry,
)

PROVIDERS: Final = ("enable-banking",)
"""Providers by the names of their statements in the books."""

INTRADAY: Final = " today"
"""What the name of a format has behind the provider's where a statement shows days that are not complete yet."""

MAX_BYTES: Final = 64 * 1024 * 1024
_RAW: Final = 4000
_HEAD: Final = 200  # characters that contain the first field
_BLANKS: Final = re.compile(r"\s")
_CODE: Final = re.compile(r"[A-Z]{4}/[A-Z]{4}(?:/[A-Z]{4})?")


class ReportedParty(msgspec.Struct, frozen=True, omit_defaults=True):
    """A side of a payment, as the bank states it."""

    name: str = ""
    account: str = ""
    bic: str = ""


_NOBODY: Final = ReportedParty()


class ReportedTransaction(msgspec.Struct, frozen=True, omit_defaults=True):
    """A booked entry. `amount` is a decimal text; `code` is the ISO 20022 bank transaction code, "" for another one.

    `known_as`: the reference under which it is booked, where the bank has changed its own.
    """

    amount: str
    currency: str
    is_credit: bool
    reference: str = ""
    known_as: str = ""
    booking_date: str = ""
    value_date: str = ""
    debtor: ReportedParty = _NOBODY
    creditor: ReportedParty = _NOBODY
    remittance: tuple[str, ...] = ()
    creditor_reference: str = ""
    code: str = ""
    booking_text: str = ""


class ReportedBalance(msgspec.Struct, frozen=True, omit_defaults=True):
    """A balance by its ISO 20022 code; `day` "": the bank does not say of when."""

    code: str
    amount: str
    currency: str
    day: str = ""


class AccountReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything of an account between two days. `complete_until` is the last day whose bookings are all there."""

    account_information: str  # the provider; the first field, which identifies the file
    account: str
    currency: str
    first_date: date
    complete_until: date
    owner_name: str = ""
    transactions: tuple[ReportedTransaction, ...] = ()
    balances: tuple[ReportedBalance, ...] = ()


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(AccountReport)


def write_report(report: AccountReport) -> bytes:
    """The report as a file: the same bytes for the same content."""
    return msgspec.json.format(_ENCODER.encode(report), indent=1)


def is_report(provider: str, text: str) -> bool:
    """Whether a file that begins with this text is a report by the provider."""
    return "".join(text[:_HEAD].split()).startswith(f'{{"account_information":"{provider}"')


def read_report(stream: BinaryIO) -> Iterator[StatementEvent]:
    """The statement of the complete days, and one of later bookings if there are any. FileRefused."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileRefused(Message("file-too-many-bytes", bytes=MAX_BYTES))
    try:
        report = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FileRefused(Message("file-report-unreadable", what=str(error))) from None
    entries = [_entry(each, report, place) for place, each in enumerate(report.transactions)]
    later = [each for each in entries if isinstance(each, Entry) and _day(each) > report.complete_until]
    announced = {each.position for each in later}
    yield _head(report, "", report.first_date, report.complete_until)
    yield from (each for each in entries if each.position not in announced)
    yield StatementEnd(balances=_closing(report))
    if later:
        yield _head(report, INTRADAY, min(map(_day, later)), max(map(_day, later)))
        yield from later
        yield StatementEnd()


def _head(report: AccountReport, suffix: str, first: date, last: date) -> StatementHead:
    return StatementHead(
        format=report.account_information + suffix,
        version="",
        account=_BLANKS.sub("", report.account),
        currency=report.currency if known_currency(report.currency) else "",
        from_date=first,
        to_date=last,
        owner_name=report.owner_name,
    )


def _entry(said: ReportedTransaction, report: AccountReport, place: int) -> Entry | UnreadableEntry:
    raw = msgspec.json.encode(said).decode()[:_RAW]
    try:
        minor = _amount(said, report.currency)
    except AmountUnreadable as error:
        return UnreadableEntry(place, 0, error.message, raw)
    booking, value = _date(said.booking_date), _date(said.value_date)
    if booking is None and value is None:
        return UnreadableEntry(place, 0, Message("day-none", text=repr(said.booking_date[:20])), raw)
    reference = said.known_as or said.reference
    code = said.code if _CODE.fullmatch(said.code) else ""
    return Entry(
        amount_minor=minor,
        currency=said.currency,
        status=EntryStatus.BOOKED,
        booking_date=booking,
        value_date=value,
        position=place,
        line=0,
        bank_reference=reference,
        domain_code=code,
        booking_text=said.booking_text,
        details=(
            Detail(
                amount_minor=minor,
                currency=said.currency,
                bank_reference=reference,
                debtor=_party(said.debtor),
                creditor=_party(said.creditor),
                remittance_lines=said.remittance,
                structured_references=(("other", said.creditor_reference),) if said.creditor_reference else (),
            ),
        ),
    )


def _party(said: ReportedParty) -> Party:
    return Party(said.name, BankWord(_BLANKS.sub("", said.account)), said.bic)


def _amount(said: ReportedTransaction, currency: str) -> int:
    """The sign is that of the indicator; an amount with a minus that is called a credit is none that we know."""
    if not known_currency(said.currency):
        raise AmountUnreadable(Message("amount-currency", currency=repr(said.currency[:10])))
    if said.currency != currency:
        raise AmountUnreadable(Message("amount-other-currency", currency=said.currency, other=currency))
    minor = printed_amount(said.amount, ".", said.currency)
    if minor < 0 and said.is_credit:
        raise AmountUnreadable(Message("amount-none", text=repr(said.amount[:40])))
    return abs(minor) if said.is_credit else -abs(minor)


def _closing(report: AccountReport) -> tuple[Balance, ...]:
    """The closing balance of the last complete day, if the bank gives one of that day."""
    return tuple(_balances(report.balances, report.complete_until))[:1]


def _balances(said: Sequence[ReportedBalance], wanted: date) -> Iterator[Balance]:
    for each in said:
        day = _date(each.day)
        if each.code != "CLBD" or day != wanted or not known_currency(each.currency):
            continue
        try:
            yield Balance("CLBD", printed_amount(each.amount, ".", each.currency), each.currency, day)
        except AmountUnreadable:
            continue


def _day(entry: Entry) -> date:
    found = entry.booking_date or entry.value_date
    assert found is not None, "an entry has a date"
    return found


def _date(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1980 <= found.year <= 2099 else None
