"""Cases in which the name, or the lack of it, is what a clerk has to go by."""

from __future__ import annotations

from dataclasses import replace

from lab.matching import names, phrases, variants
from lab.matching.scene import Scene, case
from lab.matching.values import Order, Payment, chance


@case("name_only")
def name_only(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, s.phrase(phrases.PLAIN, o, ""))]


@case("empty_text")
def empty(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, "")]


@case("name_variant_only")
def name_variant(s: Scene, o: Order) -> list[Payment]:
    second = names.surname(s.rng, o.customer.country)
    return [
        s.pay(
            o,
            s.phrase(phrases.PLAIN, o, "") if chance(s.rng, 0.7) else "",
            name=variants.name_variant(s.rng, o.customer, second),
        )
    ]


@case("amount_only")
def amount_only(s: Scene, o: Order) -> list[Payment]:
    return [
        s.pay(o, s.phrase(phrases.PLAIN, replace_names(o), ""), payer=s.stranger(o.customer.country), auto="suggest")
    ]


def replace_names(o: Order) -> Order:
    """The order as if its customer had no surname to sign with."""
    return replace(o, customer=replace(o.customer, last=""))


@case("third_party")
def third_party(s: Scene, o: Order) -> list[Payment]:
    """Somebody else pays, with the right number."""
    return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), payer=s.stranger(o.customer.country))]


@case("third_party_name")
def third_party_name(s: Scene, o: Order) -> list[Payment]:
    """Somebody else pays and writes for whom."""
    text = s.rng.choice(
        [
            "für {n}",
            "Bestellung {n}",
            "i.A. {n}",
            "fuer {n} Bestellung",
            "{n}",
            "Rechnung von {n}",
            "pour {n}",
            "voor {n}",
        ]
    )
    return [s.pay(o, text.format(n=o.customer.name), payer=s.stranger(o.customer.country))]


@case("on_behalf")
def on_behalf(s: Scene, o: Order) -> list[Payment]:
    """The bank names an ultimate debtor: a collective account or a bureau pays."""
    payer = s.stranger(o.customer.country)
    return [
        s.pay(o, s.rng.choice(["Onlinekauf", "", "Danke", "i.A. Kunde"]), payer=payer, ultimate=o.customer.name[:70])
    ]


@case("group_pays")
def group_pays(s: Scene, o: Order) -> list[Payment] | None:
    """The parent company's accounts department pays for its daughter, with the number."""
    c = o.customer
    if not c.group:
        return None
    text = s.phrase(phrases.INVOICE if o.invoice else phrases.ORDER, o, o.invoice or o.number)
    return [
        s.pay(
            o,
            f"{text} {c.company}" if chance(s.rng, 0.6) else text,
            name=phrases.bank_name(s.rng, c.group, c.country, person=False),
        )
    ]


@case("spouse_ref", "spouse_no_ref")
def spouse(s: Scene, o: Order) -> list[Payment] | None:
    c = o.customer
    if c.company:
        return None
    payer = replace(c, first=c.spouse)
    if s.label == "spouse_ref":
        return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), payer=payer)]
    return [s.pay(o, s.phrase(phrases.PLAIN, o, ""), payer=payer, auto="suggest")]


@case("child", "child_name")
def child(s: Scene, o: Order) -> list[Payment] | None:
    """A parent pays for the child whose name is on the order, with the number or with the child's first name."""
    c = o.customer
    if c.company:
        return None
    payer = replace(c, first=c.parent)
    if s.label == "child":
        return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)), payer=payer)]
    text = s.rng.choice(
        ["Beitrag {f}", "für {f}", "Ticket {f} {l}", "Anmeldung {f}", "{f}", "Karte für {f}", "Kursgebühr {f} {l}"]
    )
    return [s.pay(o, text.format(f=c.first, l=c.last), payer=payer)]


@case("twin", "twin_ref")
def twin(s: Scene, o: Order) -> list[Payment] | None:
    """Two open orders of one customer and one amount; a payment for one of them, then perhaps the other's.

    Without a number any of the two will do; the clerk marks what is ambiguous.
    """
    others = s.fellows(o, 3, 20)
    if not others:
        return None
    other = others[0]
    other.amount = o.amount  # orders are written at the end, so the story may still set a price
    first = max(s.due_to_pay(o), s.due_to_pay(other))
    out = []
    for order, day in ((o, first), (other, s.due_to_pay(replace(other, day=first, due=None)))):
        if s.label == "twin_ref":
            out.append(s.pay(order, s.phrase(phrases.ORDER, order, s.shown(order.number)), day=day))
        else:
            out.append(s.pay(order, s.phrase(phrases.PLAIN, order, ""), day=day, auto="suggest"))
    other.used = True
    return s.rng.choices([out, out[:1], out[1:]], weights=[55, 15, 30])[0]  # or one of the orders is never paid
