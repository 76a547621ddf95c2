"""Cash: opening balance, postings and closing balance per account and month, and the purpose of each posting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, Final

import msgspec

from paymatch.domain.calendar import last_bank_day
from paymatch.domain.postings import PostingStatus
from paymatch.domain.reports.asked import PeriodQuery, month_end
from paymatch.store.messages import recall
from paymatch.store.reports import cash as store
from paymatch.store.transactions import ShopTx

Row = dict[str, Any]
_NOT_AN_ORDER: Final = "not an order payment"
_DECODE: Final = msgspec.json.Decoder().decode


def months(tx: ShopTx, asked: PeriodQuery) -> list[Row]:
    """A row per account and whole month of the period: opening + in + out + missing = closing.

    `missing` is the part of the bank's balances without postings: statements that were never imported. It is None
    where the statements do not reach the end of the month. Balances are None before the first statement.
    """
    whole = asked.months()
    ends = [min(month_end(month), asked.as_of) for month in whole]
    accounts = store.accounts(tx)
    boundaries = [whole[0] - timedelta(days=1), *ends]
    balances = store.balances(tx, asked.as_of, accounts, boundaries)
    known = store.known_days(tx, asked.as_of)
    sums = {(row.account, row.currency, row.month): row for row in store.sums(tx, asked.as_of, whole[0], ends[-1])}
    found = []
    for account, currency in accounts:
        first, known_to = known.get((account, currency), (date.max, None))
        at = [balances[account, currency, day] for day in boundaries]
        for place, month in enumerate(whole):
            row, end = sums.get((account, currency, month)), ends[place]
            opens, closes = at[place : place + 2] if first <= end else (None, None)
            if row is None and opens is None and closes is None:
                continue
            is_whole = known_to is not None and known_to >= last_bank_day(end)
            named = {"month": month, "account": account, "currency": currency, "knownTo": known_to}
            found.append(named | _month(row, opens, closes, is_whole=is_whole))
    return found


def _month(sums: Any, opens: int | None, closes: int | None, *, is_whole: bool) -> Row:
    """A month of an account. A figure of 0 that may rise once all statements are there is unknown."""
    minor = {key: getattr(sums, f"{key}_minor") if sums else 0 for key in _SUMS}
    booked = minor["in"] + minor["out"]
    opening = opens if opens is not None or closes is None else closes - booked
    closing = closes if closes is not None or opening is None else opening + booked
    missing = closing - opening - booked if opening is not None and closing is not None else None
    return {
        "opening": opening,
        "missing": missing if is_whole or missing else None,
        "closing": closing,
        "postings": sums.postings if sums else 0,
        **minor,
    }


def known_to(tx: ShopTx, day: date) -> date | None:
    """The last day covered by the statements of all accounts in the shop's currency; None without any statement."""
    days = [last for (_, currency), (_, last) in store.known_days(tx, day).items() if currency == tx.shop.currency]
    return min(days, default=None)


_SUMS: Final = ("in", "out", "orders", "refunds", "aside", "open")


def postings(tx: ShopTx, asked: PeriodQuery, after: tuple[date, str] | None, limit: int | None) -> Iterator[Row]:
    """Each posting of the period with its purpose, by booking date."""
    for row in store.postings(
        tx, asked.as_of, asked.first, asked.last, after=after, limit=limit
    ):  # fmt: skip
        yield _explain_posting(row)


def postings_by_id(tx: ShopTx, ids: Sequence[str]) -> dict[str, Row]:
    """Id -> present posting with its purpose; removed ones are left out."""
    return {row.id: _explain_posting(row) for row in store.postings_by_id(tx, ids)}


def unexplained_postings(
    tx: ShopTx, asked: PeriodQuery, after: tuple[date, str] | None, limit: int | None
) -> Iterator[Row]:
    """The postings of the period with an unexplained part."""
    for row in store.postings(tx, asked.as_of, asked.first, asked.last, unexplained=True, after=after, limit=limit):
        yield _explain_posting(row)


def _explain_posting(row: Any) -> Row:
    """A posting: amount = for orders + refunds + set aside + open; `orders` with amount, fee and its kind."""
    status, aside_reason, orders_minor, refunds_minor = (
        row.status,
        row.aside_reason,
        row.orders_minor,
        row.refunds_minor,
    )
    rest_minor = row.amount_minor - orders_minor - refunds_minor
    is_aside = status == PostingStatus.IGNORED or aside_reason != ""
    if is_aside:
        state, reason = "set aside", aside_reason or _NOT_AN_ORDER
    elif status != PostingStatus.MATCHED:
        state, reason = "open", recall(row.held_back, row.held_back_message)
    else:
        state, reason = (
            "refund" if refunds_minor and not orders_minor else "matched",
            recall(row.held_back, row.held_back_message),
        )
    return {
        "id": row.id,
        "bookingDate": row.booking_date,
        "account": row.account,
        "originator": row.originator,
        "text": row.text,
        "amount": row.amount_minor,
        "currency": row.currency,
        "state": state,
        "orders": [] if row.parts == "[]" else [tuple(part[:4]) for part in _DECODE(row.parts)],
        "fee": row.withheld_minor,
        "forOrders": orders_minor,
        "forRefunds": refunds_minor,
        "aside": rest_minor if is_aside else 0,
        "open": 0 if is_aside else rest_minor,
        "reason": reason,
        "byHand": row.by_hand,
        "_day": row.booking_date,
        "_id": row.id,
    }
