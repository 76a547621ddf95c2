"""Exchange: an order's amounts in a posting's currency and back, by the bank's word or the order's rate (D-35)."""

from __future__ import annotations

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.weigh.amounts import charges_of, is_near_rate
from paymatch.domain.money import Currency
from paymatch.domain.orders.exchange import UNUSUAL_PERCENT, minor_at_inverse_rate, minor_at_rate
from paymatch.domain.postings import Posting
from paymatch.domain.words.message import Message


def no_rate(posting_currency: str, order_currency: str) -> str:
    """That no rate is known, in words."""
    return Message("no-rate", posting=posting_currency, order=order_currency)


def instructed_minor(posting: Posting, minor: int, currency: str) -> int | None:
    """What the payer has instructed for `minor` of the posting, in minor units of `currency`, unsigned.

    None if the bank does not say. Of a part of the posting it is that part.
    """
    if posting.instructed_currency != currency or not posting.instructed_amount_minor or not posting.amount_minor:
        return None
    return _share(abs(posting.instructed_amount_minor), abs(minor), abs(posting.amount_minor))


def in_posting_currency(posting: Posting, order: OrderFacts, order_minor: int) -> int | None:
    """`order_minor` of the order's currency in the posting's; None if no rate is known.

    What the bank says was instructed goes before the order's exchangeRate, which has one direction (D-85).
    """
    if posting.instructed_currency == order.currency and posting.instructed_amount_minor:
        return _share(order_minor, abs(posting.amount_minor), abs(posting.instructed_amount_minor))
    rate = order.exchange_rate
    if not rate or rate <= 0:
        return None
    return minor_at_rate(order_minor, Currency(order.currency), rate, posting.currency)


def is_rate_inverted(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> bool:
    """True if `minor` of the posting fits the order only if its rate is read the other way round (D-85).

    What was sent before the bank's charges counts as well as what arrived.
    """
    rate = order.exchange_rate
    if order.currency in (posting.currency, posting.instructed_currency) or not rate or rate <= 0:
        return False
    own, base = Currency(order.currency), open_minor if open_minor > 0 else order.amount_minor
    asked = minor_at_rate(base, own, rate, posting.currency)
    inverse = minor_at_inverse_rate(base, own, rate, posting.currency)
    sums = (abs(minor), abs(minor) + charges_of(posting))
    return any(is_near_rate(sent, inverse) for sent in sums) and not is_near_rate(abs(minor), asked)


def is_far_from_rate(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> bool:
    """True if the bank's word pays the order, and what arrived is over a tenth less than its rate asks for."""
    rate = order.exchange_rate
    sent = instructed_minor(posting, minor, order.currency)
    if sent is None or order.currency == posting.currency or not rate or rate <= 0:
        return False
    asked = minor_at_rate(
        min(sent, open_minor) if open_minor > 0 else sent, Currency(order.currency), rate, posting.currency
    )
    return abs(minor) * 100 < asked * (100 - UNUSUAL_PERCENT)


def in_order_currency(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> int | None:
    """What `minor` of the posting (signed) pays of the order, in the order's currency; None if no rate is known.

    It is all that is open where only the exchange explains the difference.
    """
    if order.currency == posting.currency:
        return minor
    due = open_minor if open_minor > 0 else order.amount_minor
    here = in_posting_currency(posting, order, due)
    if here is None:
        return None
    sign = 1 if minor > 0 else -1
    sent = instructed_minor(posting, minor, order.currency)
    if sent is not None:
        return sign * (due if abs(minor) == here else sent)
    if here <= 0 or is_near_rate(abs(minor), here):
        return sign * due
    return sign * _share(due, abs(minor), here)


def _share(minor: int, part: int, whole: int) -> int:
    """`minor` * `part` / `whole`, halves rounded up."""
    return (2 * minor * part + whole) // (2 * whole)
