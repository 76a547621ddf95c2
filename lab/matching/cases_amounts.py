"""Cases in which the number is right and the amount is not quite."""

from __future__ import annotations

from datetime import timedelta

from lab.matching import phrases, variants
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Payment, chance


def numbered(s: Scene, o: Order) -> str:
    if o.invoice and chance(s.rng, 0.3):
        return s.phrase(phrases.INVOICE, o, o.invoice)
    return s.phrase(phrases.ORDER, o, s.shown(o.number))


@case("overpaid")
def overpaid(s: Scene, o: Order) -> list[Payment]:
    more = s.rng.choice([1000, 500, o.amount, 100, 2000, 390])
    return [s.pay(o, numbered(s, o), amount=o.amount + more)]


@case("rounded_up")
def rounded(s: Scene, o: Order) -> list[Payment] | None:
    step = s.rng.choice([100, 500, 1000])
    up = -(-o.amount // step) * step
    return [s.pay(o, numbered(s, o), amount=up)] if 0 < up - o.amount <= max(100, o.amount // 10) else None


@case("off_cents")
def off_cents(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, numbered(s, o), amount=o.amount + s.rng.choice([-1, 1, -2, 5, -5, -10, 9, -50, 23]))]


@case("amount_swap")
def amount_swap(s: Scene, o: Order) -> list[Payment] | None:
    """Two digits of the amount exchanged: 47.90 for 74.90."""
    wrong = variants.amount_swapped(s.rng, o.amount)
    return [s.pay(o, numbered(s, o), amount=wrong)] if wrong not in (0, o.amount) else None


@case("cash_discount")
def cash_discount(s: Scene, o: Order) -> list[Payment]:
    rate = s.rng.choice([2, 2, 3])
    words = phrases.of(phrases.CASH_DISCOUNT, o.customer.language, s.rng).format(r=rate)
    day = bank_day(o.day + timedelta(s.rng.randint(2, 10)))
    p = s.pay(o, f"{numbered(s, o)} {words}".strip(), amount=o.amount - round(o.amount * rate / 100), day=day)
    if rate * 10 <= s.kind.cash_discount:
        s.credit_in_full(p, [o])
    return [p]


@case("fee_deducted")
def fee(s: Scene, o: Order) -> list[Payment] | None:
    """The banks on the way have taken a fixed fee (SHA, OUR not honoured)."""
    taken = s.rng.choice([150, 250, 500, 750, 1000, 1200, 1250, 1500, 2000])
    if o.amount < taken * 2:
        return None
    p = s.pay(
        o,
        f"{numbered(s, o)} {s.rng.choice(['', 'SHA', 'incl. OUR/SHA', 'Spesen SHA'])}".strip(),
        amount=o.amount - taken,
    )
    if chance(s.rng, 0.5):
        p.charges = (p.pays and s.booked(o, taken)[0]) or 0
        p.instructed, p.instructed_currency = s.booked(o, o.amount)[0], p.currency
    if p.charges or taken <= s.kind.fee_tolerance:
        s.credit_in_full(p, [o])
    return [p]


@case("foreign")
def foreign(s: Scene, o: Order) -> list[Payment] | None:
    """An order in a currency without an account, at the payer's bank's rate, a little beside the shop's."""
    if not o.rate:
        return None
    rate = o.rate * (1 + s.rng.choice([0, 0, s.rng.uniform(-0.015, 0.015)]))
    p = s.pay(o, numbered(s, o))
    p.amount = round(o.amount / rate)
    p.pays = [(o, p.amount)]
    if chance(s.rng, 0.6):
        p.instructed, p.instructed_currency, p.rate = o.amount, o.currency, f"{rate:.5f}"
    return [p]


@case("reminder_fee")
def reminder_fee(s: Scene, o: Order) -> list[Payment]:
    """A late payer adds the fee of the reminder."""
    day = bank_day((o.due or o.day + timedelta(10)) + timedelta(s.rng.randint(8, 30)))
    text = s.rng.choice(["{t} inkl. Mahngebühr", "{t} + Mahnung", "{t} Mahnung", "{t}"]).format(t=numbered(s, o))
    return [s.pay(o, text, amount=o.amount + s.rng.choice([250, 300, 500, 1000]), day=day)]


@case("shipping_left_out")
def without_shipping(s: Scene, o: Order) -> list[Payment] | None:
    return [s.pay(o, numbered(s, o), amount=o.amount - s.rng.choice([390, 490, 495, 590]))] if o.amount > 2000 else None
