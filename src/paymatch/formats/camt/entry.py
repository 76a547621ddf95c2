"""Entries of a camt message: Ntry (ISO 20022 camt.052/053/054, versions .01 to .13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, Final

from lxml import etree
from msgspec.structs import replace

from paymatch.domain.words.message import Message
from paymatch.formats.camt.amounts import AMOUNT_DETAILS, amounts_of, charges_of
from paymatch.formats.camt.detail import read_detail
from paymatch.formats.camt.plan import ElementPlan, Texts, bank_word
from paymatch.formats.camt.values import (
    CODES,
    FIRST_YEAR,
    FLAGS,
    LAST_YEAR,
    SIGNS,
    ValueUnreadable,
    amount_if_readable,
    amount_of,
    count_of,
    day_of,
    gvc_of,
    joined_code,
)
from paymatch.formats.statement import Entry, EntryStatus

_STATUS: Final = {status.value: status for status in EntryStatus}

_ENTRY: Final = ElementPlan(
    {
        "amount": "Amt",
        "currency": "Amt/@Ccy",
        "direction": "CdtDbtInd",
        "status": ("Sts", "Sts/Cd", "Sts/Prtry"),
        "reversal": "RvslInd",
        "booking date": ("BookgDt/Dt", "BookgDt/DtTm", "BookgDt"),
        "value date": ("ValDt/Dt", "ValDt/DtTm", "ValDt"),
        "reference": "NtryRef",
        "bank reference": "AcctSvcrRef",
        "info": "AddtlNtryInf",
        **CODES,
        **AMOUNT_DETAILS,
    },
    {
        "batches": ("NtryDtls/Btch", "Btch"),  # the latter in version .01, as of the details
        "details": ("NtryDtls/TxDtls", "TxDtls"),
        "charges": "Chrgs",
        "other amounts": "AmtDtls",
    },
)
_BATCH: Final = ElementPlan(
    {
        "message": "MsgId",
        "payment information": "PmtInfId",
        "count": "NbOfTxs",
        "total": "TtlAmt",
        "currency": "TtlAmt/@Ccy",
    }
)


def read_entry(
    element: etree._Element, position: int, line: int, day_of_statement: Callable[[], date], *, final: bool = False
) -> Entry:
    """The entry; ValueUnreadable if its amount, sign, status or a date is not certain.

    `day_of_statement` is asked where a booked entry has no day of its own. In a `final` statement (camt.053) an entry
    without a status is booked: the message shows booked entries by definition.
    """
    texts, groups = _ENTRY.read(element)
    currency = texts["currency"]
    minor = amount_of(texts["amount"], currency, "Amt")
    direction = texts["direction"]
    if direction not in SIGNS:
        raise ValueUnreadable(Message("camt-direction", element="CdtDbtInd", text=repr(direction)))
    sign = SIGNS[direction]
    status = EntryStatus.BOOKED if final and not texts["status"] else _STATUS.get(texts["status"])
    if status is None:
        raise ValueUnreadable(Message("camt-status", text=repr(texts["status"])))
    if texts["reversal"] not in FLAGS:
        raise ValueUnreadable(Message("camt-reversal", text=repr(texts["reversal"])))
    booking_date, value_date = _days(texts, status, day_of_statement)
    rare = amounts_of(texts) if "other amounts" in groups else {}
    if "charges" in groups:
        rare["charges"] = charges_of(groups["charges"])
    if "batches" in groups:
        rare |= _batch(groups["batches"])
    return Entry(
        sign * minor,
        currency,
        status,
        booking_date,
        value_date,
        position,
        line,
        FLAGS[texts["reversal"]],
        texts["reference"],
        texts["bank reference"],
        domain_code=joined_code(texts["domain"], texts["family"], texts["sub-family"]),
        proprietary_code=texts["proprietary"],
        gvc=gvc_of(bank_word(texts, "proprietary"), texts["issuer"]),
        booking_text=texts["info"],
        additional_info=texts["info"],
        details=tuple([read_detail(detail, sign, currency) for detail in groups.get("details", ())]),
        **rare,
    )


def with_other_sign(entry: Entry) -> Entry:
    """The entry with the signs of its amount and of its details turned."""
    details = (
        replace(detail, amount_minor=None if detail.amount_minor is None else -detail.amount_minor)
        for detail in entry.details
    )
    return replace(entry, amount_minor=-entry.amount_minor, details=tuple(details))


def _days(texts: Texts, status: EntryStatus, day_of_statement: Callable[[], date]) -> tuple[date | None, date | None]:
    """Booking date and value date."""
    booking_date, value_date = day_of(texts["booking date"]), day_of(texts["value date"])
    if booking_date is None and value_date is None and status is EntryStatus.BOOKED:
        booking_date = day_of_statement()
    day = booking_date or value_date
    if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueUnreadable(Message("day-far", element="BookgDt, ValDt", day=str(day)))  # as in the other formats
    return booking_date, value_date


def _batch(elements: Iterable[etree._Element]) -> dict[str, Any]:
    """What is said of the whole batch; of several parts the names of the first and the number of all payments."""
    said = [_BATCH.read(element)[0] for element in elements]
    first = said[0]
    known = [count for texts in said if (count := count_of(texts["count"])) is not None]
    return {
        "batch_message_id": first["message"],
        "batch_payment_information_id": first["payment information"],
        "batch_count": sum(known) if known else None,
        "batch_total_minor": amount_if_readable(first["total"], first["currency"]),
    }
