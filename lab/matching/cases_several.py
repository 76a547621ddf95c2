"""Cases with several orders in one payment, or several payments for one order."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

from lab.matching import phrases, variants
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Payment, chance


def together(s: Scene, group: list[Order], text: str, *, rate: int = 0, **more: Any) -> Payment:
    """One payment for a group, each order less `rate` per mille of cash discount."""
    last = group[-1]
    parts = [s.booked(o, o.amount - round(o.amount * rate / 1000))[0] for o in group]
    day = more.pop("day", None) or max(s.due_to_pay(last), bank_day(last.day + timedelta(1)))
    payment = s.pay(group[0], text, day=day, **more)
    payment.amount, payment.pays = sum(parts), list(zip(group, parts, strict=True))
    if 0 < rate <= s.kind.cash_discount:
        s.credit_in_full(payment, group)
    for o in group:
        o.used = True
    return payment


def group_of(s: Scene, o: Order, most: int = 3) -> list[Order]:
    more = s.fellows(o, s.rng.randint(1, most))
    return [o, *more] if more else []


def listing(s: Scene, group: list[Order], numbers: list[str]) -> str:
    between = s.rng.choice([" ", ", ", " u. ", " + ", "/", ";", " und ", ","])
    lead = s.rng.choice(["", "", "Bestellungen ", "Rechnungen ", "Best. ", "RG ", "Re.", "Orders "])
    return lead + between.join(numbers)


@case("multi")
def multi(s: Scene, o: Order) -> list[Payment] | None:
    group = group_of(s, o, 4 if s.kind.companies > 0.5 else 2)
    if not group:
        return None
    as_invoice = all(x.invoice for x in group) and chance(s.rng, 0.6)
    numbers = [x.invoice if as_invoice else s.shown(x.number) for x in group]
    if group[-1].invoice and chance(s.rng, 0.15):
        numbers[-1] = group[-1].invoice  # one by its invoice, the others by their order
    return [together(s, group, listing(s, group, numbers))]


@case("multi_typo")
def multi_typo(s: Scene, o: Order) -> list[Payment] | None:
    """Several numbers, one of them misspelt; the sum says which was meant."""
    group = group_of(s, o)
    if not group:
        return None
    written = [x.number for x in group]
    written[-1] = variants.misspelt(s.rng, written[-1], s.rng.choice(["wrong", "swap", "missing"]))
    return [together(s, group, listing(s, group, written))] if written[-1] != group[-1].number else None


@case("multi_suffix")
def multi_suffix(s: Scene, o: Order) -> list[Payment] | None:
    group = group_of(s, o)
    text = variants.suffixes([x.number for x in group]) if group else ""
    return (
        [together(s, group, s.rng.choice(["", "Bestellungen ", "Rg. "]) + text)]
        if "/" in text and " " not in text
        else None
    )


@case("multi_range")
def multi_range(s: Scene, o: Order) -> list[Payment] | None:
    """`1833-1836`: the customer's orders between two numbers, of which he may not have all."""
    group = group_of(s, o)
    pattern = re.sub(r"\d+$", "", o.number)
    if not group or any(re.sub(r"\d+$", "", x.number) != pattern for x in group):
        return None
    text = s.rng.choice(["{a}-{b}", "Nr. {a} bis {b}", "{a} - {b}", "Bestellungen {a}–{b}"])
    return [together(s, group, text.format(a=group[0].number.lstrip("#"), b=group[-1].number.lstrip("#")))]


@case("sum_no_ref")
def sum_no_ref(s: Scene, o: Order) -> list[Payment] | None:
    group = group_of(s, o, 2)
    if not group:
        return None
    text = s.rng.choice(
        [
            "",
            "lt. Avis",
            "offene Posten",
            "alle offenen Rechnungen",
            "Danke",
            "Sammelzahlung",
            f"Kd {o.customer.number}",
        ]
    )
    return [together(s, group, text, auto="suggest")]


@case("multi_one_paid")
def multi_one_paid(s: Scene, o: Order) -> list[Payment] | None:
    """He lists an order that he has already paid, but the sum is without it."""
    old = [a for a, p in s.settled_of[o.customer.number] if p.day < o.day]
    group = [o, *s.fellows(o, 1)]
    if not old:
        return None
    numbers = [s.shown(x.number) for x in (old[-1], *group)]
    return [together(s, group, listing(s, group, numbers))]


@case("multi_cash_discount")
def multi_cash_discount(s: Scene, o: Order) -> list[Payment] | None:
    group, rate = group_of(s, o, 3), s.rng.choice([2, 3])
    if not group:
        return None
    text = listing(s, group, [x.invoice or x.number for x in group])
    words = phrases.of(phrases.CASH_DISCOUNT, o.customer.language, s.rng).format(r=rate)
    return [
        together(
            s,
            group,
            f"{text} {words}".strip(),
            rate=rate * 10,
            day=bank_day(group[-1].day + timedelta(s.rng.randint(1, 8))),
        )
    ]


@case("remittance_list")
def remittance_list(s: Scene, o: Order) -> list[Payment] | None:
    """An accounts department's list: number, date and amount of each invoice."""
    group = group_of(s, o, 5)
    if not group:
        return None
    style = s.rng.choice(["{n} {a}", "{n} v.{d} {a} EUR", "RE{n}/{d}/{a}", "{n} EUR {a};"])
    parts = [
        style.format(n=x.invoice or x.number, d=x.day.strftime("%d.%m.%y"), a=f"{x.amount // 100},{x.amount % 100:02d}")
        for x in group
    ]
    payment = together(s, group, s.rng.choice(["Avis ", "", "ZAHLUNG LT AVIS "]) + " ".join(parts))
    payment.text = s.rng.choice(["Avis ", "", "ZAHLUNG LT AVIS "]) + " ".join(parts)  # longer than one line of 140
    return [payment]


@case("credit_note")
def credit_note(s: Scene, o: Order) -> list[Payment] | None:
    """An invoice less a credit note that only the text mentions."""
    if o.amount < 20000:
        return None
    less = round(o.amount * s.rng.choice([0.05, 0.1, 0.2]))
    text = f"{o.invoice or o.number} abzgl. GS {s.rng.randint(1000, 9999)} {less // 100},{less % 100:02d}"
    return [s.pay(o, text, amount=o.amount - less)]


def _split(amount: int, count: int) -> list[int]:
    part = amount // count
    return [part] * (count - 1) + [amount - part * (count - 1)]


@case("instalments", "partial_no_ref")
def instalments(s: Scene, o: Order) -> list[Payment] | None:
    """Two to four payments that add up, with `Rate 1/3`; some never come to their end."""
    if o.amount < 3000:
        return None
    count = s.rng.choice([2, 3, 3, 4])
    day, out = s.due_to_pay(o), []
    for i, part in enumerate(_split(o.amount, count), 1):
        words = phrases.of(phrases.INSTALMENT, o.customer.language, s.rng).format(i=i, k=count)
        with_number = s.label == "instalments"
        text = f"{s.phrase(phrases.ORDER, o, s.shown(o.number))} {words}" if with_number else words
        out.append(s.pay(o, text, amount=part, day=day, auto="certain" if with_number else "suggest"))
        day = bank_day(day + timedelta(s.rng.choice([7, 14, 30])))
    return out if chance(s.rng, 0.8) else out[:-1]


@case("two_halves")
def two_halves(s: Scene, o: Order) -> list[Payment] | None:
    """Husband and wife, or two friends, pay half each with the number."""
    if o.amount < 2000:
        return None
    parts, day = _split(o.amount, 2), s.due_to_pay(o)
    other = (
        replace(o.customer, first=o.customer.spouse, company="")
        if chance(s.rng, 0.5)
        else s.stranger(o.customer.country)
    )
    return [
        s.pay(
            o, s.phrase(phrases.ORDER, o, s.shown(o.number)), amount=part, payer=payer, day=bank_day(day + timedelta(i))
        )
        for i, (part, payer) in enumerate(zip(parts, (o.customer, other), strict=True))
    ]


@case("partial")
def partial(s: Scene, o: Order) -> list[Payment] | None:
    """Less than due, with the number, and nothing after it."""
    if o.amount < 1500:
        return None
    part = s.rng.choice([o.amount // 2, o.amount // 3 // 100 * 100 + 100, round(o.amount * 0.8 / 100) * 100])
    return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), amount=part)]


@case("rest_payment")
def rest(s: Scene, o: Order) -> list[Payment] | None:
    """A payment of too little, then the rest; the second often without a number."""
    if o.amount < 2500:
        return None
    first = o.amount - s.rng.choice([390, 490, 500, 1000])
    day = s.due_to_pay(o)
    later = bank_day(day + timedelta(s.rng.randint(3, 15)))
    text = s.rng.choice(
        [f"Rest {s.shown(o.number)}", f"Restbetrag Bestellung {s.shown(o.number)}", "Restzahlung", "fehlender Betrag"]
    )
    known = any(c.isdigit() for c in text)
    return [
        s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), amount=first, day=day),
        s.pay(o, text, amount=o.amount - first, day=later, auto="certain" if known else "suggest"),
    ]
