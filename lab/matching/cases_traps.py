"""Traps: payments that look decided and are not, or that only a reader who looks at everything decides."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from lab.matching import phrases
from lab.matching.cases_several import group_of, listing, together
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Payment, chance


@case("sum_one_ref")
def sum_one_ref(s: Scene, o: Order) -> list[Payment] | None:
    """Two orders paid at once, and only one of them named: no overpayment of that one."""
    group = group_of(s, o, 1)
    return [together(s, group, s.phrase(phrases.ORDER, o, s.shown(o.number)), auto="suggest")] if group else None


@case("crossed")
def crossed(s: Scene, o: Order) -> list[Payment] | None:
    """Two open orders of one customer: the number of the one with the amount of the other."""
    others = [x for x in s.fellows(o, 2, 15) if x.amount != o.amount]
    if not others:
        return None
    day = max(s.due_to_pay(o), bank_day(others[0].day))
    return [s.pay(o, s.phrase(phrases.ORDER, others[0], s.shown(others[0].number)), auto="suggest", day=day)]


@case("wrong_currency")
def wrong_currency(s: Scene, o: Order) -> list[Payment] | None:
    """The right figure in the wrong currency: 50.00 of the order's euros paid as 50.00 francs, or the reverse."""
    other = s.kind.currency if o.currency == s.kind.second_currency else s.kind.second_currency
    if not other or o.rate:
        return None
    p = s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), auto="suggest")
    p.currency = other
    return [p]


@case("stale_slip")
def stale_slip(s: Scene, o: Order) -> list[Payment] | None:
    """An old payment slip used again: its structured reference is that of a paid order."""
    due = s.due_to_pay(o)
    old = [a for a, p in s.settled_of[o.customer.number] if p.day < due and a.reference and a.amount != o.amount]
    return [s.pay(o, "", reference=old[-1].reference, auto="suggest", day=due)] if old else None


@case("two_numbers_two_orders")
def two_numbers(s: Scene, o: Order) -> list[Payment] | None:
    """The number of this order and, beside it, one of another customer's; name and amount are of this one."""
    near = s.neighbours(o)
    if not near:
        return None
    other = s.rng.choice(near)
    text = f"{s.phrase(phrases.ORDER, o, s.shown(o.number))} {s.rng.choice(['/', 'nicht', 'statt', ''])} {other.number}"
    return [s.pay(o, text)]


@case("bureau_ref", "bureau_plain")
def bureau(s: Scene, o: Order) -> list[Payment]:
    """A bookkeeper pays for one customer after another from one account: knowing the account says nothing."""
    if s.label == "bureau_ref":
        text = f"{s.phrase(phrases.ORDER, o, s.shown(o.number))} Mandant {o.customer.last}"
        return [s.pay(o, text, payer=s.bureau)]
    return [s.pay(o, s.rng.choice(["Zahlung", "lt. Auftrag", "Rechnung"]), payer=s.bureau, auto="suggest")]


@case("typo_year")
def typo_year(s: Scene, o: Order) -> list[Payment] | None:
    """R-2025/00293 for R-2026/00293: the old year, out of habit."""
    if f"{o.day.year}" not in o.number:
        return None
    written = o.number.replace(f"{o.day.year}", f"{o.day.year - 1}")
    return [s.pay(o, s.phrase(phrases.ORDER, o, written))]


@case("number_in_name")
def number_in_name(s: Scene, o: Order) -> list[Payment]:
    """Some front ends put the first line of the text behind the payer's name."""
    return [s.pay(o, "", name=f"{o.customer.name} {s.shown(o.number)}"[:70])]


@case("quantity")
def quantity(s: Scene, o: Order) -> list[Payment]:
    """Small numbers around the order's: pieces, parcels, table, seat."""
    text = s.rng.choice(
        [
            "2x {a} {n}",
            "{n} (3 Stück)",
            "1 von 2 Paketen, {n}",
            "{n} Platz 12 Reihe 4",
            "{n} Gr. 42",
            "Pos. 1-3 aus {n}",
        ]
    )
    return [s.pay(o, text.format(n=s.shown(o.number), a=o.items[0][1].split()[0]))]


@case("donation_added")
def donation_added(s: Scene, o: Order) -> list[Payment]:
    """More than due on purpose."""
    more = s.rng.choice([200, 500, 1000])
    text = f"{s.shown(o.number)} {s.rng.choice(['Rest ist Spende', 'stimmt so', 'inkl. Trinkgeld'])}"
    return [s.pay(o, text, amount=o.amount + more)]


@case("returned_multi")
def returned_multi(s: Scene, o: Order) -> list[Payment] | None:
    """A payment for several orders comes back as a whole."""
    group = group_of(s, o, 2)
    if not group:
        return None
    first = together(s, group, listing(s, group, [s.shown(x.number) for x in group]), case="multi")
    first.end_to_end = first.end_to_end or s.bank_end_to_end()
    back = replace(
        first,
        amount=-first.amount,
        pays=[(x, -part) for x, part in first.pays],
        withheld=-first.withheld,
        day=bank_day(first.day + timedelta(s.rng.randint(1, 8))),
        case=s.label,
        return_reason=s.rng.choice(["AC04", "MD07", "FOCR", "AM05"]),
        booking_text="RETOURE",
    )
    return [first, back]


@case("refund_no_ref")
def refund_no_ref(s: Scene, o: Order) -> list[Payment]:
    """A refund that names nothing but its own number: only payee and amount tell."""
    first = s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), case="exact_ref")
    out = replace(
        first,
        amount=-first.amount,
        pays=[(o, -first.amount)],
        day=bank_day(first.day + timedelta(s.rng.randint(4, 20))),
        case=s.label,
        auto="suggest",
        name=o.customer.name,
        booking_text="UEBERWEISUNG",
        end_to_end=f"PMRF{s.rng.randint(10**7, 10**8 - 1)}",
        reference="",
        text=s.rng.choice(["Gutschrift", "Rückerstattung", "Ihre Retoure", ""]),
    )
    return [first, out]


@case("number_end")
def number_end(s: Scene, o: Order) -> list[Payment] | None:
    """The last digits of a long number and a shortened name; the amount fits."""
    digits = re.findall(r"\d+", o.number)[-1]
    c = o.customer
    if len(digits) < 5 or c.company:
        return None
    return [s.pay(o, f"Best. ..{digits[-3:]}", name=f"{c.first[0]}. {c.last}")]


@case("second_try")
def second_try(s: Scene, o: Order) -> list[Payment] | None:
    """A tenth of the amount by a slip of the point; the payer has it recalled and pays again."""
    if o.amount < 1000:
        return None
    text = s.phrase(phrases.ORDER, o, s.shown(o.number))
    first = s.pay(o, text, amount=o.amount // 10, case="partial")
    first.end_to_end = first.end_to_end or s.bank_end_to_end()
    back = replace(
        first,
        amount=-first.amount,
        pays=[(o, -first.amount)],
        day=bank_day(first.day + timedelta(1)),
        case="returned_debit",
        return_reason="CUST",
        booking_text="RETOURE",
    )
    again = s.pay(o, text if chance(s.rng, 0.7) else "", day=bank_day(first.day + timedelta(3)), name=first.name)
    return [first, back, again]
