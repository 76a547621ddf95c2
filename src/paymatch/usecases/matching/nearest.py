"""Help with a posting that has no candidate: the data read from it and searched for, and the nearest orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.domain.matching.model import PostingFacts
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import Likeness, compare, parse_name
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.matching.text.reading import Number
from paymatch.domain.postings import Posting
from paymatch.store.orders import near_orders
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx

MOST_NEAR: Final = 5
"""The limit, as for candidates' keys."""
_NUMBERS: Final = 6
_SHORTEST_WORD: Final = 3
_LOOKED_THROUGH: Final = 20
_FAR_PERCENT: Final = 25
"""An order with a larger difference would not come to a person's mind by its amount."""


@dataclass(frozen=True, slots=True)
class Near:
    """An order near the posting: its open amount, or for outgoing money its paid amount.

    `difference_minor` is the posting's surplus over that.
    """

    order: ListedOrder
    order_minor: int
    difference_minor: int
    same_name: bool


@dataclass(frozen=True, slots=True)
class Nearest:
    """`numbers` and `names` were read from the posting and searched for without finding an order."""

    numbers: tuple[str, ...]
    names: tuple[str, ...]
    orders: tuple[Near, ...]


def nearest(tx: ShopTx, posting: Posting) -> Nearest:
    """The searched data, and the nearest of the latest orders: by the payer's name first, then by amount.

    For incoming money these are open orders, for outgoing money paid ones.
    """
    view = PostingView(PostingFacts("", posting, posting.amount_minor), None)
    names = tuple(dict.fromkeys(name for name in (posting.counterparty_name, posting.ultimate_name) if name))
    found = near_orders.near(
        tx, amount_minor=posting.amount_minor, currency=posting.currency,
        words=_words(names), limit=_LOOKED_THROUGH,
    )  # fmt: skip
    near = [each for each in (_near(order, posting, names) for order in found) if each is not None]
    near.sort(key=lambda each: (not each.same_name, abs(each.difference_minor), each.order.number))
    return Nearest(_numbers(view), names, tuple(near[:MOST_NEAR]))


def _near(order: ListedOrder, posting: Posting, names: tuple[str, ...]) -> Near | None:
    """The order compared with the posting; None if neither its name nor its amount is near."""
    incoming = posting.amount_minor > 0
    order_minor = order.open_minor if incoming else order.paid_minor
    difference = posting.amount_minor - order_minor if incoming else posting.amount_minor + order_minor
    customer = parse_name(order.customer)
    same_name = any(compare(parse_name(name), customer) >= Likeness.PART for name in names)
    is_near = abs(difference) * 100 <= _FAR_PERCENT * abs(posting.amount_minor)
    return Near(order, order_minor, difference, same_name) if same_name or is_near else None


def _words(names: tuple[str, ...]) -> list[str]:
    """The identifying words of the names, as they may appear in an order: banks write ue for ü, and shops do not."""
    found: list[str] = []
    for name in names:
        identifying = parse_name(name).bag
        words = [word.strip(".,;()").lower() for word in name.split()]
        found += [word for word in words if len(word) >= _SHORTEST_WORD and canonical(flat(word)) in identifying]
    return list(dict.fromkeys(form for word in found for form in (word, _with_umlauts(word))))


def _with_umlauts(word: str) -> str:
    return word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")


def _numbers(view: PostingView) -> tuple[str, ...]:
    """The numbers that were read, each in its longest form, in the original spelling if that is known."""
    text, numbers = view.posting.text, list[Number]()
    for each in sorted(view.numbers, key=lambda one: -len(one.compact)):
        known = any(each.compact in one.compact or _within(each, one) for one in numbers)
        if each.digits and each.context is not Context.DATE and not known:
            numbers.append(each)
    numbers.sort(key=lambda one: one.start)
    found = [text[each.start : each.end].strip() if each.start >= 0 else each.compact for each in numbers]
    return tuple(dict.fromkeys(found))[:_NUMBERS]


def _within(one: Number, other: Number) -> bool:
    """Whether a number was read from a place that the other one covers."""
    return one.start >= 0 and other.start <= one.start and one.end <= other.end
