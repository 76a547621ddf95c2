"""One payer for several customers: groups, employers, parents; and plans of equal instalments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from lab.matching import names, phrases
from lab.matching.cases_several import listing, together
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Payment, chance


def _others(s: Scene, o: Order, most: int, days: int = 20) -> list[Order]:
    """Free orders of other customers with the order's terms, of about its date."""
    return [
        x
        for x in s.neighbours(o)
        if not x.used
        and not x.cancelled
        and x.type != "COD"
        and (x.currency, x.rate) == (o.currency, o.rate)
        and abs((x.day - o.day).days) <= days
    ][: s.rng.randint(1, most)]


@case("group_many", "group_many_silent")
def group_many(s: Scene, o: Order) -> list[Payment] | None:
    """A parent company pays for its daughters at once; it lists their numbers, or refers to a mail."""
    others = _others(s, o, 4)
    if not others or not o.customer.company:
        return None
    group = sorted([o, *others], key=lambda x: x.day)
    payer = s.stranger(o.customer.country)
    firm = o.customer.group or names.company(s.rng, o.customer.country)
    more: dict[str, Any] = {"payer": payer, "name": phrases.bank_name(s.rng, firm, o.customer.country, person=False)}
    if s.label == "group_many":
        return [together(s, group, listing(s, group, [x.invoice or x.number for x in group]), **more)]
    text = s.rng.choice(["lt. Avis per Mail", "Sammelzahlung", "siehe Aufstellung", "Konzernzahlung"])
    return [together(s, group, text, auto="suggest", **more)]


@case("employer")
def employer(s: Scene, o: Order) -> list[Payment] | None:
    """A firm pays for some of its people and names them."""
    others = [x for x in _others(s, o, 3) if not x.customer.company]
    if not others or o.customer.company:
        return None
    group, country = sorted([o, *others], key=lambda x: x.day), o.customer.country
    people = ", ".join(x.customer.name for x in group)
    text = s.rng.choice(["Teilnahme {p}", "Kosten {p}", "für {p}", "Mitarbeiter {p}"]).format(p=people)
    return [together(s, group, text, auto="suggest", payer=s.stranger(country), name=names.company(s.rng, country))]


@case("siblings")
def siblings(s: Scene, o: Order) -> list[Payment] | None:
    """A parent pays for two children at once and writes their first names."""
    c = o.customer
    family = [x for x in _others(s, o, 60, 40) if x.customer.last == c.last and x.customer.first != c.first]
    if not family or c.company:
        return None
    group = sorted([o, family[0]], key=lambda x: x.day)
    text = s.rng.choice(["Beitrag {a} und {b}", "{a} + {b}", "Karten {a}, {b}"])
    text = text.format(a=group[0].customer.first, b=group[1].customer.first)
    return [together(s, group, text, auto="suggest", name=f"{c.parent} {c.last}")]


@case("instalment_plan", "instalment_plan_silent", "instalment_too_many")
def plan(s: Scene, o: Order) -> list[Payment] | None:
    """Equal instalments each month by a standing order, the last one smaller; some forget to stop."""
    if o.amount < 6000 or o.rate:
        return None
    part = -(-o.amount // s.rng.choice((3, 4, 5, 6)) // 100) * 100
    count = -(-o.amount // part)
    parts = [part] * (count - 1) + [o.amount - part * (count - 1)]
    if s.label == "instalment_too_many":
        parts = [part] * count + [part]
    text = (
        f"Rate {s.shown(o.number)}" if s.label != "instalment_plan_silent" else s.rng.choice(["Rate", "Ratenzahlung"])
    )
    day, found, left = s.due_to_pay(o), [], o.amount
    for each in parts:
        sure = s.label == "instalment_plan" or (s.label == "instalment_too_many" and each <= left)
        found.append(s.pay(o, text, amount=each, day=day, auto="certain" if sure else "suggest"))
        day, left = bank_day(day + timedelta(s.rng.choice((28, 30, 31)))), left - each
    return found if chance(s.rng, 0.85) else found[:-1]
