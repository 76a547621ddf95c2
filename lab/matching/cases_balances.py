"""Credit balances: too much paid for one order and less for the next, money paid ahead, what is sent back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from lab.matching import phrases
from lab.matching.cases_amounts import numbered
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Payment, money


def _text(minor: int) -> str:
    return money(minor).replace(".", ",")


@case("balance_used", "balance_used_silent")
def balance_used(s: Scene, o: Order) -> list[Payment] | None:
    """Too much for one order, so much less for the customer's next one, with a word about it or without."""
    others = [x for x in s.fellows(o, 3, 40) if x.amount > 2000]
    more = s.rng.choice((500, 1000, 390, 1500))
    if not others or o.rate:
        return None
    other = others[0]
    first = s.pay(o, numbered(s, o), amount=o.amount + more, case="overpaid")
    day = bank_day(max(s.due_to_pay(other), first.day + timedelta(1)))
    words = s.rng.choice([" abzgl. Guthaben {m}", " minus Überzahlung {n}", " Guthaben {m} verrechnet"])
    said = words.format(m=_text(more), n=s.shown(o.number)) if s.label == "balance_used" else ""
    text = f"{s.phrase(phrases.ORDER, other, s.shown(other.number))}{said}"
    other.used = True
    return [first, s.pay(other, text, amount=other.amount - more, day=day, auto="suggest")]


@case("balance_paid_in")
def balance_paid_in(s: Scene, o: Order) -> list[Payment] | None:
    """Money for the customer's account and for no order; the order is paid by itself."""
    round_sum = s.rng.choice((2500, 5000, 10000, 20000))
    if o.rate or round_sum == o.amount:
        return None
    day = bank_day(o.day + timedelta(s.rng.randint(1, 6)))
    words = [
        "Guthaben aufladen",
        "Vorauszahlung Kundenkonto {c}",
        "Guthaben {c}",
        "Einzahlung Kundenkonto",
        "Anzahlung",
    ]
    ahead = s.pay(o, s.rng.choice(words).format(c=o.customer.number), amount=round_sum, day=day, auto="unrelated")
    ahead.pays = []
    return [ahead, s.pay(o, numbered(s, o), day=bank_day(day + timedelta(2)), case="prefix_words")]


@case("balance_sent_back")
def balance_sent_back(s: Scene, o: Order) -> list[Payment]:
    """Too much is paid, and the shop sends back what was too much."""
    more = s.rng.choice((500, 1000, 2000, 390))
    first = s.pay(o, numbered(s, o), amount=o.amount + more, case="overpaid")
    minor = s.booked(o, more)[0]
    back = replace(
        first,
        amount=-minor,
        pays=[(o, -minor)],
        withheld=0,
        day=bank_day(first.day + timedelta(s.rng.randint(3, 15))),
        case=s.label,
        name=o.customer.name,
        booking_text="UEBERWEISUNG",
        end_to_end=f"PMRF{s.rng.randint(10**7, 10**8 - 1)}",
        reference="",
        text=s.rng.choice([f"Überzahlung {o.number}", f"Rückzahlung Guthaben {o.number}", f"Guthaben zu {o.number}"]),
    )
    return [first, back]
