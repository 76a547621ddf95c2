"""The claim list: carriers' and marketplaces' open debts, from booked orders and payouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from paymatch.domain.matching.lookup.keys import MAX_HITS
from paymatch.domain.matching.model import PostingFacts
from paymatch.domain.matching.prepare import PostingView, prepare
from paymatch.domain.matching.several.payouts import LIST_DIGITS
from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.payers import is_collective_name
from paymatch.domain.money import currency_of, digits_of
from paymatch.domain.orders.claims import CollectiveSum, ExplainedPayout, PaidOut, PayoutClaim, claims, explain_payout
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.matching import claims as store
from paymatch.store.matching import matching as match_store
from paymatch.store.matching.claims import CollectiveSumRow
from paymatch.store.statements import posting_documents
from paymatch.store.transactions import ShopTx

MIN_DAYS: Final = 14
PAYOUT_DAYS: Final = 90


@dataclass(frozen=True, slots=True)
class Claims:
    """Orders to claim, and payouts with their explanations."""

    orders: list[PayoutClaim]
    payouts: list[tuple[CollectiveSum, ExplainedPayout]]


def claim_list(database: Database, shop: Shop, today: date, min_days: int = MIN_DAYS) -> Claims:
    """Cash-on-delivery orders shipped `min_days` ago and not paid out, and the payouts of the last 90 days."""
    with database.of_shop(shop) as tx:
        waiting = store.unpaid_on_delivery(tx, today)
        possible = store.possible_payouts(tx, today - timedelta(days=PAYOUT_DAYS), today)
        rows = [row for row in possible if row.collective or _pays_for_many(row.posting)]
        payouts = _payouts(tx, rows)
    compared = [(each, explain_payout(each, 10 ** digits_of(currency_of(each.currency)))) for each in payouts]
    return Claims(claims(waiting, payouts, today, min_days), compared)


def _payouts(tx: ShopTx, rows: Sequence[CollectiveSumRow]) -> list[CollectiveSum]:
    """The postings as payouts, with the orders in their currency; without those that name no order and no number."""
    views = prepare([PostingFacts(row.id, row.posting, row.posting.amount_minor) for row in rows]).views
    found = list(zip(rows, views, strict=True))
    numbers = {row.id: list(row.credits) or _proposed_numbers(tx, row) for row, _ in found}
    orders = match_store.load_orders(tx, sorted({number for each in numbers.values() for number in each}))
    keys = {key for _, view in found for key in view.number_keys}
    hits, _ = match_store.find_orders(tx, keys, MAX_HITS)
    payouts = []
    for row, view in found:
        paid = [orders[number] for number in numbers[row.id] if number in orders]
        paid = [order for order in paid if order.currency == row.posting.currency]
        listed = tuple(PaidOut(o.number, row.credits.get(o.number, o.amount_minor), o.shipping_numbers) for o in paid)
        posting = row.posting
        payout = CollectiveSum(
            row.id, posting.booking_date, posting.counterparty_name, posting.amount_minor, posting.currency
        )
        unknown = _unknown(view, set(hits))
        if listed or unknown:
            withheld = row.withheld_minor if row.status == "matched" else None
            kind = view.fee_kind or FeeKind.DELIVERY_FEE
            payouts.append(
                replace(payout, orders=listed, unknown_numbers=unknown, withheld_minor=withheld, fee_kind=kind)
            )
    return payouts


def _pays_for_many(posting: Posting) -> bool:
    names = (posting.counterparty_name, posting.ultimate_name)
    return any(is_collective_name(parse_name(name)) for name in names if name)


def _proposed_numbers(tx: ShopTx, row: CollectiveSumRow) -> list[str]:
    suggestions = posting_documents.suggestions(tx, row.id)
    return [each.orderNumber for each in suggestions[0]] if suggestions else []


def _unknown(view: PostingView, known: set[int]) -> tuple[str, ...]:
    """Long numbers of the text that are not an order's, nor a part of one."""
    pairs = list(zip(view.numbers, view.number_keys, strict=True))
    places = [(number.start, number.end) for number, key in pairs if key in known]
    found = [
        number.compact
        for number, key in pairs
        if key not in known
        and number.source == "text"
        and number.digits >= LIST_DIGITS
        and not number.joined
        and all(number.end <= start or end <= number.start for start, end in places)
    ]
    return tuple(dict.fromkeys(found))
