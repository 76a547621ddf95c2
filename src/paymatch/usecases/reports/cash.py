"""Cash: opening balance, postings and closing balance per account and month, and what each posting was for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

import msgspec

from paymatch.domain.postings import PostingStatus
from paymatch.domain.reports.asked import Asked, month_end
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.reports import cash as store

Row = dict[str, Any]
_NOT_AN_ORDER: Final = "not an order payment"


def months(tx: Tx, shop: Shop, asked: Asked) -> list[Row]:
    """A row per account and whole month of the period: opening + in + out + missing = closing.

    `missing` is what the bank's balances say beyond the postings: statements that were never imported.
    """
    shop_id = ShopId(shop.id)
    whole = asked.months()
    ends = [min(month_end(month), asked.as_of) for month in whole]
    accounts = store.accounts(tx, shop_id)
    boundaries = [whole[0] - timedelta(days=1), *ends]
    balances = store.balances(tx, shop_id, asked.as_of, accounts, boundaries)
    sums = {
        (row.account, row.currency, row.month): row for row in store.sums(tx, shop_id, asked.as_of, whole[0], ends[-1])
    }
    found = []
    for account, currency in accounts:
        at = [balances[account, currency, day] for day in boundaries]
        for place, month in enumerate(whole):
            row = sums.get((account, currency, month))
            if row is not None or at[place] is not None:
                found.append(_month(account, currency, month, row, at[place], at[place + 1]))
    return found


def _month(account: str, currency: str, month: date, sums: Any, opens: int | None, closes: int | None) -> Row:
    """A month of an account. Without any balance from the bank it is reckoned from 0."""
    minor = {key: getattr(sums, f"{key}_minor") if sums else 0 for key in _SUMS}
    booked = minor["in"] + minor["out"]
    opening = opens if opens is not None else (closes - booked if closes is not None else 0)
    closing = closes if closes is not None else opening + booked
    return {
        "month": month,
        "account": account,
        "currency": currency,
        "opening": opening,
        "missing": closing - opening - booked,
        "closing": closing,
        "postings": sums.postings if sums else 0,
        **minor,
    }


_SUMS: Final = ("in", "out", "orders", "refunds", "aside", "open")


def postings(tx: Tx, shop: Shop, asked: Asked, after: tuple[date, str] | None, limit: int | None) -> Iterator[Row]:
    """Each posting of the period with what it was for, by booking date."""
    for row in store.postings(
        tx, ShopId(shop.id), asked.as_of, asked.first, asked.last, after=after, limit=limit
    ):  # fmt: skip
        yield _explained(row)


def unexplained(tx: Tx, shop: Shop, asked: Asked, after: tuple[date, str] | None, limit: int | None) -> Iterator[Row]:
    """The postings of the period of which a part is explained by nothing."""
    for row in store.postings(
        tx, ShopId(shop.id), asked.as_of, asked.first, asked.last, unexplained=True, after=after, limit=limit
    ):
        yield _explained(row)


def _explained(row: Mapping[str, Any]) -> Row:
    """A posting: amount = for orders + refunds + set aside + open; `orders` with amount, fee and its kind."""
    is_aside = row["status"] == PostingStatus.IGNORED or row["aside_reason"] != ""
    is_open = row["rest_minor"] and not is_aside
    return {
        "id": row["id"],
        "bookingDate": row["booking_date"],
        "account": row["account"],
        "originator": row["originator"],
        "text": row["text"],
        "amount": row["amount_minor"],
        "currency": row["currency"],
        "state": _state(row, is_aside=is_aside),
        "orders": [tuple(part[:4]) for part in msgspec.json.decode(row["parts"])],
        "fee": row["withheld_minor"],
        "forOrders": row["orders_minor"],
        "forRefunds": row["refunds_minor"],
        "aside": row["rest_minor"] if is_aside else 0,
        "open": row["rest_minor"] if is_open else 0,
        "reason": _reason(row, is_aside=is_aside),
        "byHand": row["by_hand"],
        "_day": row["booking_date"],
        "_id": row["id"],
    }


def _state(row: Mapping[str, Any], *, is_aside: bool) -> str:
    if is_aside:
        return "set aside"
    if row["status"] != PostingStatus.MATCHED:
        return "open"
    return "refund" if row["refunds_minor"] and not row["orders_minor"] else "matched"


def _reason(row: Mapping[str, Any], *, is_aside: bool) -> str:
    if is_aside:
        return str(row["aside_reason"]) or _NOT_AN_ORDER
    return str(row["held_back"])
