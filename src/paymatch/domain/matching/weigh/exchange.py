"""Exchange: an order's amounts in the currency of a posting and back, by the bank's word or the order's rate (D-35)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.weigh.amounts import charges_of, is_near_rate
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.postings import Posting
from paymatch.domain.words.said import Said


def no_rate(posting_currency: str, order_currency: str) -> str:
    """That no rate is known, in words."""
    return Said("no-rate", posting=posting_currency, order=order_currency)


def instructed(posting: Posting, minor: int, currency: str) -> int | None:
    """What the payer has instructed for `minor` of the posting, in minor units of `currency`, unsigned.

    None if the bank does not say. Of a part of the posting it is that part.
    """
    if posting.instructed_currency != currency or not posting.instructed_amount_minor or not posting.amount_minor:
        return None
    return _share(abs(posting.instructed_amount_minor), abs(minor), abs(posting.amount_minor))


def in_posting_currency(posting: Posting, order: OrderFacts, order_minor: int, near_minor: int) -> int | None:
    """`order_minor` of the order's currency in the posting's; None if no rate is known.

    What the bank says was instructed goes before the order's exchangeRate. The API document does not say which way
    that is meant; the reading nearer to `near_minor` counts.
    """
    if posting.instructed_currency == order.currency and posting.instructed_amount_minor:
        return _share(order_minor, abs(posting.amount_minor), abs(posting.instructed_amount_minor))
    readings = _readings(posting, order, order_minor, near_minor)
    return readings[0] if readings else None


def _readings(posting: Posting, order: OrderFacts, order_minor: int, near_minor: int) -> list[int]:
    """`order_minor` in the posting's currency by the order's rate, read both ways; nearer to `near_minor` first."""
    rate = order.exchange_rate
    if not rate or rate <= 0:
        return []
    scaled = Decimal(order_minor).scaleb(digits_of(posting.currency) - digits_of(Currency(order.currency)))
    readings = [int(reading.to_integral_value(ROUND_HALF_UP)) for reading in (scaled / rate, scaled * rate)]
    return sorted(readings, key=lambda value: abs(value - near_minor))


def is_rate_unclear(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> bool:
    """True if the order's rate, read the one way or the other, makes `minor` of the posting pay different amounts.

    Both readings count where the second explains what was sent before charges, or where the amount fits neither and
    they are less than a factor of two apart.
    """
    if order.currency in (posting.currency, posting.instructed_currency):
        return False
    paid = abs(minor)
    readings = _readings(posting, order, open_minor if open_minor > 0 else order.amount_minor, paid)
    if not readings or paid == readings[0] or is_near_rate(paid, readings[1]):
        return False
    nearer, other = readings
    charges = charges_of(posting)
    if charges and is_near_rate(paid + charges, other):
        return True
    return not is_near_rate(paid, nearer) and max(readings) < 2 * min(readings)


def in_order_currency(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> int | None:
    """What `minor` of the posting (signed) pays of the order, in the order's currency; None if no rate is known.

    It is all that is open where only the exchange explains the difference.
    """
    if order.currency == posting.currency:
        return minor
    due = open_minor if open_minor > 0 else order.amount_minor
    here = in_posting_currency(posting, order, due, abs(minor))
    if here is None:
        return None
    sign = 1 if minor > 0 else -1
    sent = instructed(posting, minor, order.currency)
    if sent is not None:
        return sign * (due if abs(minor) == here else sent)
    if here <= 0 or is_near_rate(abs(minor), here):
        return sign * due
    return sign * _share(due, abs(minor), here)


def _share(minor: int, part: int, whole: int) -> int:
    """`minor` * `part` / `whole`, halves rounded up."""
    return (2 * minor * part + whole) // (2 * whole)
