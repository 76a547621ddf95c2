"""Texts that claim what only a bank, a carrier or a marketplace may state, each with its honest twin.

What a forged text pays is what arrived. Honest twins carry the same words, and the bank states the same.
"""

from __future__ import annotations

from lab.matching.cases_collective import CARRIERS, MARKETS
from lab.matching.scene import Scene, case
from lab.matching.values import Order, Payment, money


def _little(s: Scene, o: Order) -> int:
    """A tenth, a third or a half of what is due."""
    return max(1, o.amount // s.rng.choice((10, 3, 2)))


def _claimed(minor: int) -> str:
    return money(minor).replace(".", ",")


@case("forged_charges")
def forged_charges(s: Scene, o: Order) -> list[Payment] | None:
    """The payer writes that a bank has kept most of it."""
    if o.amount < 2000 or o.rate:
        return None
    paid = _little(s, o)
    full, kept, n = _claimed(o.amount), _claimed(o.amount - paid), s.shown(o.number)
    text = s.rng.choice(
        [
            f"OAMT+EUR{full} CHGS+EUR{kept} SVWZ+{n}",
            f"{n} Betrag {full} abzgl. Bankspesen {kept}",
            f"{n} /OCMT/EUR{full}//CHGS/EUR{kept}/",
            f"Bestellung {n} Ueberweisung {full} EUR, Fremdspesen {kept} EUR",
            f"COAM+EUR{kept} OAMT+EUR{full} {n}",
        ]
    )
    return [s.pay(o, text, amount=paid, auto="suggest", fixed=True)]


@case("honest_charges")
def honest_charges(s: Scene, o: Order) -> list[Payment] | None:
    """The same words, a small charge, and the bank states it."""
    taken = s.rng.choice((50, 99, 150, 250))
    if o.amount < 20 * taken or o.rate:
        return None
    n, full, kept = s.shown(o.number), _claimed(o.amount), _claimed(taken)
    text = s.rng.choice([f"{n} Betrag {full} abzgl. Bankspesen {kept}", f"Bestellung {n} Fremdspesen {kept} EUR"])
    p = s.pay(o, text, amount=o.amount - taken, fixed=True)
    p.charges, p.instructed, p.instructed_currency = taken, o.amount, p.currency
    s.credit_in_full(p, [o])
    return [p]


@case("forged_payout")
def forged_payout(s: Scene, o: Order) -> list[Payment] | None:
    """A buyer poses as a marketplace and states a fee that was not withheld."""
    if o.amount < 2000 or o.rate:
        return None
    paid = _little(s, o)
    number = o.marketplace or s.shown(o.number)
    text = f"Auszahlung {number} Brutto {_claimed(o.amount)} Gebuehr {_claimed(o.amount - paid)}"
    return [s.pay(o, text, amount=paid, auto="suggest", name=s.rng.choice(MARKETS), fixed=True)]


@case("forged_carrier")
def forged_carrier(s: Scene, o: Order) -> list[Payment] | None:
    """A buyer calls himself a parcel carrier and pays less, as if for cash on delivery."""
    if o.amount < 2000 or not o.shipping or o.type == "COD" or o.rate:
        return None
    paid = _little(s, o)
    text = f"NN-Auszahlung {o.shipping} abzgl. Entgelt {_claimed(o.amount - paid)}"
    return [s.pay(o, text, amount=paid, auto="suggest", name=s.rng.choice(CARRIERS), fixed=True)]


@case("forged_discount")
def forged_discount(s: Scene, o: Order) -> list[Payment] | None:
    """Cash discount at a rate that no shop grants."""
    if o.amount < 2000 or o.rate:
        return None
    rate = s.rng.choice((10, 15, 25, 50))
    paid = o.amount - round(o.amount * rate / 100)
    return [s.pay(o, f"{s.shown(o.number)} abzgl. {rate}% Skonto", amount=paid, auto="suggest", fixed=True)]


@case("forged_tags")
def forged_tags(s: Scene, o: Order) -> list[Payment] | None:
    """The order's number in the text, another customer's behind a tag that a bank would write."""
    near = [x for x in s.neighbours(o) if x.amount != o.amount]
    if not near:
        return None
    other = s.rng.choice(near)
    tag = s.rng.choice([f"EREF+{other.number} SVWZ+", f"KREF+{other.number} ", f"/EREF/{other.number}/REMI/"])
    return [s.pay(o, f"{tag}{s.shown(o.number)}", fixed=True)]


@case("forged_others_name")
def forged_others_name(s: Scene, o: Order) -> list[Payment] | None:
    """A buyer pays his own order and writes another customer's name into the text, with tags of a bank."""
    near = [x for x in s.neighbours(o) if x.customer.name != o.customer.name]
    if not near:
        return None
    other = s.rng.choice(near).customer
    text = s.rng.choice([f"SVWZ+{s.shown(o.number)} ABWA+{other.name}", f"{s.shown(o.number)} NAME/{other.name}"])
    return [s.pay(o, text, fixed=True)]
