"""Payers whose names and words are not in Latin letters."""

from __future__ import annotations

from lab.matching import phrases
from lab.matching.rare_names import romanised
from lab.matching.scene import Scene, case
from lab.matching.values import Order, Payment

_WORDS = (
    "Заказ № {n}", "Оплата заказа {n}", "замовлення {n}", "παραγγελία {n}", "Πληρωμή {n}", "sipariş no {n}",
    "đơn hàng {n}",
    "objednávka č. {n}", "订单 {n}", "注文 {n}", "طلب {n}", "הזמנה {n}", "rendelés {n}", "pasūtījums {n}",
)  # fmt: skip


@case("other_words")
def other_words(s: Scene, o: Order) -> list[Payment]:
    """The number among words of another alphabet."""
    return [s.pay(o, s.rng.choice(_WORDS).format(n=s.shown(o.number)), fixed=True)]


@case("roman_name_only")
def roman_name_only(s: Scene, o: Order) -> list[Payment]:
    """Only the name, as the payer's bank writes it."""
    return [s.pay(o, s.phrase(phrases.PLAIN, o, ""), name=romanised(s.rng, o.customer.name).upper())]


@case("roman_name_turned")
def roman_name_turned(s: Scene, o: Order) -> list[Payment]:
    """The name in Latin letters, the surname first, with the number."""
    first, last = romanised(s.rng, o.customer.first), romanised(s.rng, o.customer.last)
    name = f"{last} {first}" if not o.customer.company else o.customer.company
    return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), name=name)]
