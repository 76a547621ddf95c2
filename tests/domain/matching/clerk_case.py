"""One of the clerk's rules, asked about one order that a posting may pay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paymatch.domain.matching.clerk.case import Case, ClerkRule
from paymatch.domain.matching.evidence import Weigher
from paymatch.domain.matching.find import Finder
from paymatch.domain.matching.lookup.batch import Work
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import OrderFacts, OrderState, PostingFacts, ShopFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.several.hypothesis import single
from paymatch.domain.words.message import Message
from tests.domain.matching.world import paid

OWN, RELATIVE, STRANGER, ANOTHER = "Claire Gotthard", "Peter Gotthard", "Otto Seiler", "Hans Pruschke"
INITIAL, SURNAME, CARRIER = "C. Gotthard", "Gotthard", "DHL Paket GmbH"

Row = tuple[str, list[OrderFacts], PostingFacts, str]
"""What it shows, the orders, the posting, and what is said of the first of the orders: a code with its values."""


def said_of(rule: ClerkRule, orders: Sequence[OrderFacts], given: PostingFacts) -> str:
    """What the rule says of the first order as the likeliest explanation; empty if it does not hold."""
    why = rule(_case(orders, given))
    return " ".join([why.code, *map(str, why.values.values())]) if isinstance(why, Message) else why


def _case(orders: Sequence[OrderFacts], given: PostingFacts) -> Case:
    shop = ShopFacts(open_orders=200)
    prepared = prepare([given], shop)
    (view,) = prepared.views
    view.work = Work()
    weigher = Weigher(shop)
    finder = Finder(MemoryIndex(orders).known_orders(prepared.keys), weigher)
    candidates = finder.candidates(view)
    (candidate,) = (each for each in candidates if each.order.number == orders[0].number)
    known, crowded = finder.known_numbers(view), finder.is_name_crowded(view)
    return Case(view, single(view, weigher.amounts, candidate), candidates, known, crowded=crowded)


def settled(facts: OrderFacts) -> OrderFacts:
    """The order, paid in full."""
    return replace(facts, **paid(facts))


def closed(facts: OrderFacts) -> OrderFacts:
    """The order, cancelled."""
    return replace(facts, state=OrderState.CLOSED)
