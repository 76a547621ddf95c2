"""Fees, cash in, matching methods, days until paid, effect of reminders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.calendar import last_bank_day
from paymatch.domain.reports.asked import PeriodQuery, begin_of, month_end
from paymatch.domain.reports.evidence import AUTOMATIC, TOGETHER, MatchedBy, matched_by
from paymatch.store.reports import closings, exports
from paymatch.store.reports import figures as store
from paymatch.store.reports import set_paid as set_paid_amounts
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import cash, receivables

Row = dict[str, Any]
_TENTH: Final = Decimal("0.1")


def fees(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """Each payer's fees from the period's payments, the largest sums first."""
    return [
        {
            "payer": row.payer,
            "kind": row.kind,
            "postings": row.postings,
            "orders": row.orders,
            "credited": row.credited_minor,
            "fee": row.fee_minor,
            "share": _percent(row.fee_minor, row.credited_minor),
            "currency": row.currency,
        }
        for row in store.fees(tx, asked.first, asked.last)
    ]


def cash_in(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """Customers' payments per day, week or month of the period; steps without payments are left out."""
    sums: dict[tuple[date, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in store.payments(tx, asked.first, asked.last):
        into = sums[begin_of(row.booking_date, asked.step), row.currency]
        into[0] += row.postings
        into[1] += row.amount_minor
        into[2] += row.matched_minor
    return [
        {
            "date": day,
            "postings": count,
            "amount": minor,
            "matched": matched,
            "open": minor - matched,
            "currency": currency,
        }
        for (day, currency), (count, minor, matched) in sorted(sums.items())
    ]


def set_paid(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """The debts of orders that were set paid in the period, by day; negative where that was undone."""
    return [
        {
            "date": row.day, "number": row.order_number, "customer": customer, "account": row.account,
            "amount": row.amount_minor, "currency": row.currency, "reason": row.reason, "by": row.set_by,
        }
        for row, customer in set_paid_amounts.list_set_paid(tx, asked.first, asked.last)
    ]  # fmt: skip


def matches_by_way(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """Payments of the period by their combination of evidence; unused combinations are left out."""
    counts: dict[tuple[MatchedBy, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in store.matches_by_way(tx, asked.first, asked.last):
        into = counts[(_WAYS[row.way],) if row.way in _WAYS else matched_by(row.matched_by)]
        into[0] += row.postings
        into[1] += row.undone
    whole, order = sum(count for count, _ in counts.values()), list(MatchedBy)
    return [
        {
            "by": TOGETHER.join(ways),
            "postings": count,
            "share": _percent(count, whole),
            "undone": undone,
            "automatic": ways[0] in AUTOMATIC,
        }
        for ways, (count, undone) in sorted(counts.items(), key=lambda each: [order.index(way) for way in each[0]])
    ]


_WAYS: Final = {"person": MatchedBy.PERSON, "open": MatchedBy.OPEN}


@dataclass(frozen=True, slots=True)
class PaidInMonth:
    """Orders whose last payment came in a month, their days until it, and until when payments were known."""

    orders: int = 0
    mean: Decimal | None = None
    median: Decimal | None = None
    known_to: date | None = None


class _Closed(msgspec.Struct):
    """These figures in a closed month's summary; None in months that an earlier version closed."""

    paid: PaidInMonth | None = None


def dso(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """A row per month of the period, in the shop's currency.

    `dso` is the usual one: the open amount at the month's end, divided by the month's sales, times its days. `knownTo`:
    the last day covered by statements, at most the month's end. A closed month keeps its figures (D-133).
    """
    months = asked.months()
    ends = [min(month_end(month), asked.as_of) for month in months]
    paid = _paid_by_month(tx, months, ends, asked.as_of)
    sold = exports.sales_by_month(tx, ends[-1], tx.shop.currency)
    ages = receivables.ageings(tx, ends)
    found = []
    for month, end in zip(months, ends, strict=True):
        still = sum(row["open"] for row in ages[end] if row["currency"] == tx.shop.currency)
        sales, days = sold.get(month, 0), paid[month]
        found.append(
            {
                "month": month,
                "paidOrders": days.orders,
                "meanDays": days.mean,
                "medianDays": days.median,
                "sales": sales,
                "open": still,
                "dso": _tenth(Decimal(still * ((end - month).days + 1)) / sales) if sales > 0 else None,
                "knownTo": days.known_to,
                "isPartlyKnown": days.known_to is not None and days.known_to < last_bank_day(end),
                "currency": tx.shop.currency,
            }
        )
    return found


def paid_in_month(tx: ShopTx, asked: PeriodQuery) -> PaidInMonth:
    """The present figures of the period's first month, for the summary of a closed month."""
    return _paid_now(tx, [asked.first], [min(asked.last, asked.as_of)], asked.as_of)[asked.first]


def _paid_by_month(tx: ShopTx, months: Sequence[date], ends: Sequence[date], as_of: date) -> dict[date, PaidInMonth]:
    """Month -> its figures: closed months as closed, others as known now."""
    return _paid_now(tx, months, ends, as_of) | _kept_at_closing(tx)


def _kept_at_closing(tx: ShopTx) -> dict[date, PaidInMonth]:
    found = {}
    for month, summary in closings.summaries(tx).items():
        kept = msgspec.json.decode(summary, type=_Closed).paid
        if kept is not None:
            found[month] = kept
    return found


def _paid_now(tx: ShopTx, months: Sequence[date], ends: Sequence[date], as_of: date) -> dict[date, PaidInMonth]:
    rows, known_to = store.days_until_paid(tx, months[0], ends[-1]), cash.known_to(tx, as_of)
    found = {}
    for month, end in zip(months, ends, strict=True):
        row, until = rows.get(month), known_to and min(known_to, end)
        found[month] = (
            PaidInMonth(row.orders, _tenth(row.mean), _tenth(row.median), until) if row else PaidInMonth(known_to=until)
        )
    return found


def days_until_paid(tx: ShopTx, asked: PeriodQuery) -> Row | None:
    """Orders that were paid in the month of the period, and the mean days since they were ordered; None without any."""
    closed = _kept_at_closing(tx).get(asked.first) if asked.last == month_end(asked.first) else None
    if closed is not None:
        return {"orders": closed.orders, "mean": closed.mean} if closed.mean is not None else None
    orders, mean = store.mean_days_until_paid(tx, asked.first, asked.last)
    return {"orders": orders, "mean": _tenth(mean)} if mean is not None else None


def reminders(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """A row per dunning level of the reminders that were sent in the period."""
    return [
        {
            "dunningLevel": row.dunning_level,
            "sent": row.sent,
            "paid7": row.paid7,
            "paid14": row.paid14,
            "paid30": row.paid30,
            "share14": _percent(row.paid14, row.sent),
            "open": row.open,
        }
        for row in store.reminders(tx, asked.first, asked.last)
    ]


def _percent(part: int, whole: int) -> Decimal | None:
    """`part` of `whole` in per cent with one decimal; None of nothing."""
    return _tenth(Decimal(100 * part) / whole) if whole else None


def _tenth(value: Decimal) -> Decimal:
    return value.quantize(_TENTH, ROUND_HALF_UP)
