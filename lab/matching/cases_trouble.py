"""Cases of money that comes twice, too early, for nothing, or goes back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from lab.matching import phrases
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Payment, chance

REASONS: Final = ["AC01", "AC04", "AC06", "AM04", "AM05", "MD06", "MD07", "MS02", "MS03", "RR04", "FOCR", "CUST"]


def numbered(s: Scene, o: Order) -> str:
    return s.phrase(phrases.ORDER, o, s.shown(o.number))


@case("duplicate")
def duplicate(s: Scene, o: Order) -> list[Payment]:
    """Paid, and paid again some days later, often with the same words."""
    text = numbered(s, o)
    first = s.pay(o, text, case="exact_ref")
    again = s.pay(
        o,
        text if chance(s.rng, 0.7) else numbered(s, o),
        day=bank_day(first.day + timedelta(s.rng.randint(0, 12))),
        name=first.name,
    )
    return [first, again]


@case("cancelled")
def cancelled(s: Scene, o: Order) -> list[Payment]:
    """The order was cancelled; the customer pays it nevertheless."""
    o.cancelled = True
    return [s.pay(o, numbered(s, o))]


@case("paid_by_other")
def paid_by_other(s: Scene, o: Order) -> list[Payment]:
    """Husband and wife both pay, each with the number."""
    first = s.pay(o, numbered(s, o), case="exact_ref")
    wife = replace(o.customer, first=o.customer.spouse, company="")
    return [first, s.pay(o, numbered(s, o), payer=wife, day=bank_day(first.day + timedelta(s.rng.randint(1, 9))))]


@case("too_early")
def too_early(s: Scene, o: Order) -> list[Payment]:
    """Paid at the counter's word, days before the shop has written the order."""
    return [s.pay(o, numbered(s, o), day=bank_day(o.day - timedelta(s.rng.randint(1, 3))))]


@case("returned_debit")
def returned(s: Scene, o: Order) -> list[Payment]:
    """A payment that was booked and goes back: recall, or a mistake of the payer's, undone by his bank."""
    first = s.pay(o, numbered(s, o), case="exact_ref")
    first.end_to_end = first.end_to_end or s.bank_end_to_end()
    reason = s.rng.choice(REASONS)
    back = replace(
        first,
        amount=-first.amount,
        pays=[(o, -first.amount)],
        day=bank_day(first.day + timedelta(s.rng.randint(1, 10))),
        case=s.label,
        return_reason=reason,
        booking_text="RETOURE",
        text=s.rng.choice(
            [
                f"RETOURE {first.text}",
                first.text,
                f"SEPA-Rueckueberweisung {reason} {first.text}",
                f"Return/Recall {first.text}",
            ]
        )[:140],
    )
    if chance(s.rng, 0.3):
        back.end_to_end = ""
    return [first, back]


@case("chargeback")
def chargeback(s: Scene, o: Order) -> list[Payment]:
    """A direct debit comes back with fees: more goes out than came in; the fee is not the order's."""
    first = s.pay(o, numbered(s, o), case="direct_debit", booking_text="LASTSCHRIFTEINZUG")
    first.end_to_end = o.number.lstrip("#")[:35]
    fee = s.rng.choice([0, 300, 385, 500, 811])
    back = replace(
        first,
        amount=-first.amount - fee,
        pays=[(o, -first.amount)],
        day=bank_day(first.day + timedelta(s.rng.randint(2, 15))),
        case=s.label,
        return_reason=s.rng.choice(["MD06", "AM04", "AC04", "MS03"]),
        booking_text="RUECKLASTSCHRIFT",
        charges=fee,
        text=f"Ruecklastschrift {first.text}"[:140],
        instructed=first.amount,
        instructed_currency=first.currency,
    )
    return [first, back]


def _refund(s: Scene, o: Order) -> tuple[Payment, Payment]:
    first = s.pay(o, numbered(s, o), case="exact_ref")
    part = first.amount if chance(s.rng, 0.6) else max(1, round(first.amount * s.rng.uniform(0.2, 0.8)))
    words = s.rng.choice(
        ["Erstattung Bestellung {n}", "Gutschrift zu {n}", "RUECKZAHLUNG {n}", "Refund {n}", "Retoure {n}"]
    )
    out = replace(
        first,
        amount=-part,
        pays=[(o, -part)],
        day=bank_day(first.day + timedelta(s.rng.randint(3, 25))),
        case="refund_out",
        booking_text="UEBERWEISUNG",
        end_to_end=f"PMRF{s.rng.randint(10**7, 10**8 - 1)}",
        reference="",
        text=words.format(n=s.shown(o.number)),
        name=o.customer.name,
        ultimate="",
    )
    return first, out


@case("refund_out")
def refund_out(s: Scene, o: Order) -> list[Payment]:
    return list(_refund(s, o))


@case("refund_returned")
def refund_returned(s: Scene, o: Order) -> list[Payment]:
    """Our refund could not be delivered and comes back as a credit: no payment of the customer."""
    first, out = _refund(s, o)
    back = replace(
        out,
        amount=-out.amount,
        pays=[(o, -out.amount)],
        day=bank_day(out.day + timedelta(s.rng.randint(1, 5))),
        case=s.label,
        return_reason=s.rng.choice(["AC01", "AC04", "AC06"]),
        booking_text="RETOURE",
        text=f"RETOURE {out.text}",
    )
    return [first, out, back]
