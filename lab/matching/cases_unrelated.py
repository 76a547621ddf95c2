"""What else is booked on a shop's account: it pays no order, however much it looks like it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from lab.matching import names, numbers, phrases
from lab.matching.orders import DAYS, FIRST_DAY
from lab.matching.scene import Scene, bank_day
from lab.matching.values import Payment, chance

WEIGHTS: Final[dict[str, float]] = {
    "decoy_number": 14,
    "decoy_amount": 8,
    "decoy_both": 2,
    "psp_payout": 10,
    "salary": 5,
    "rent": 3,
    "tax": 4,
    "bank_fees": 6,
    "telecom": 6,
    "supplier": 9,
    "donation": 4,
    "private_transfer": 6,
    "loan": 2,
    "supplier_credit": 7,
    "insurance": 3,
    "own_transfer": 3,
    "interest": 2,
    "card_settlement": 4,
    "namesake": 3,
    "supplier_returned": 2,
    "own_cash": 1,
}


def _post(s: Scene, day: date, amount: int, name: str, text: str, **more: str) -> Payment:
    booking = more.pop("booking", "GUTSCHRIFT" if amount > 0 else "UEBERWEISUNG")
    country = s.kind.country if chance(s.rng, 0.85) else "DE"
    p = Payment(
        day,
        amount,
        s.kind.currency,
        name,
        text,
        s.label,
        "unrelated",
        iban=numbers.iban(s.rng, country),
        booking_text=booking,
    )
    if chance(s.rng, 0.4):
        p.end_to_end = s.bank_end_to_end()
    return p


def _near_order_digits(s: Scene) -> str:
    """Digits of an order or invoice number of this shop, alone or inside a longer number."""
    order = s.rng.choice(s.orders)
    digits = "".join(
        c for c in (order.invoice if order.invoice and chance(s.rng, 0.3) else order.number) if c.isdigit()
    )
    return digits if chance(s.rng, 0.6) else f"{s.rng.randint(1, 99)}{digits}{s.rng.randint(0, 9)}"


def _decoy_number(s: Scene, day: date) -> Payment:
    """A supplier's or a public body's credit whose own number looks like an order's; the amount does not fit."""
    n, rng = _near_order_digits(s), s.rng
    text = rng.choice(
        [
            "Gutschrift zu RE {n} Lieferant",
            "Zaehler {n} Abrechnung",
            "Vertrag {n} Erstattung",
            "Versicherung Nr. {n}",
            "Storno Beleg {n}",
            "Kundennr. {n} Guthaben",
            "Aktenzeichen {n}",
            "Bonus Vertragsnr {n}",
            "Policy {n} Beitragsrueckgewaehr",
            "Mitglied {n} Dividende",
        ]
    )
    return _post(s, day, rng.randint(313, 250077), names.company(rng, s.kind.country), text.format(n=n))


def _decoy_amount(s: Scene, day: date) -> Payment:
    """Money that no order is about, of exactly an open order's amount."""
    rng, order = s.rng, s.rng.choice(s.orders)
    return _post(
        s,
        day,
        order.amount,
        s.stranger().name,
        rng.choice(
            ["Provision {m}", "Mieteinnahme {m}", "Rückzahlung Darlehen", "Nebenkosten {m}", "Erstattung Reisekosten"]
        ).format(m=phrases.MONTHS[day.month - 1]),
    )


def _decoy_both(s: Scene, day: date) -> Payment:
    """A refund of a supplier with an order's very number and nearly its amount: only the sender and the words tell."""
    rng, order = s.rng, s.rng.choice(s.orders)
    digits = "".join(c for c in order.number if c.isdigit())
    amount = order.amount + rng.choice([-137, 211, 458])
    return _post(
        s,
        day,
        max(101, amount),
        names.company(rng, s.kind.country),
        f"Gutschrift Nr. {digits} Ihre Reklamation Lieferant {rng.randint(100, 999)}",
    )


def _namesake(s: Scene, day: date) -> Payment:
    """A former employee or a tenant with a customer's name, and another purpose and amount."""
    order = s.rng.choice(s.orders)
    text = s.rng.choice(
        ["Rückzahlung Vorschuss", "Miete Stellplatz", "Geldgeschenk Jubiläum", "Kaution", "Nebenkosten Nachzahlung"]
    )
    return _post(s, day, s.rng.randint(41, 900) * 100 + 37, order.customer.name, text)


def _credit(s: Scene, day: date) -> Payment:
    rng = s.rng
    company = names.company(rng, s.kind.country)
    return {
        "psp_payout": lambda: _post(
            s,
            day,
            rng.randint(20000, 900000),
            rng.choice(
                ["PayPal Europe S.a.r.l.", "Klarna Bank AB", "Mollie B.V.", "Stripe Technology Europe", "Adyen N.V."]
            ),
            rng.choice(
                [
                    f"PAYOUT {rng.randint(10**8, 10**9)} {day:%Y%m%d}",
                    f"Auszahlung {day:%d.%m.%Y} Ref {rng.getrandbits(40):X}",
                    f"PAYPAL {rng.randint(10**9, 10**10)}",
                ]
            ),
        ),
        "donation": lambda: _post(
            s,
            day,
            rng.choice([500, 1000, 2000, 2500, 5000, 10000]),
            s.stranger().name,
            rng.choice(["Spende", "Spende Vereinsheim", "Trinkgeld Team", "Spende Nr. 217 Aktion"]),
        ),
        "private_transfer": lambda: _post(
            s,
            day,
            rng.randint(3, 80) * 100,
            s.stranger().name,
            rng.choice(
                [
                    "Essen 12",
                    "Pizza vom 3.4.",
                    "Kino 2 Karten",
                    "Danke für alles",
                    f"Geburtstag {rng.randint(18, 90)}",
                    "Bar 1 2 3",
                ]
            ),
        ),
        "loan": lambda: _post(
            s, day, rng.randint(50, 400) * 10000, "Kreissparkasse", f"Darlehen {rng.randint(10**9, 10**10)} Auszahlung"
        ),
        "supplier_credit": lambda: _post(
            s,
            day,
            rng.randint(1000, 90000),
            company,
            f"Gutschrift {rng.randint(10000, 99999)} Retoure {rng.randint(1000, 9999)} Kd {rng.randint(10000, 99999)}",
        ),
        "own_transfer": lambda: _post(s, day, rng.randint(10, 300) * 10000, "Eigene Firma Geschäftskonto", "Umbuchung"),
        "own_cash": lambda: _post(s, day, rng.randint(2, 60) * 5000, "", "Bareinzahlung SB", booking="EINZAHLUNG"),
        "interest": lambda: _post(s, day, rng.randint(3, 999), "", f"Habenzinsen {day:%m/%Y}", booking="ABSCHLUSS"),
    }[s.label]()


def _debit(s: Scene, day: date) -> Payment:
    rng, month = s.rng, f"{day:%m/%Y}"
    company, person = names.company(rng, s.kind.country), s.stranger().name
    return {
        "salary": lambda: _post(s, day, -rng.randint(180000, 420000), person, f"Lohn/Gehalt {month}", booking="GEHALT"),
        "rent": lambda: _post(
            s,
            day,
            -rng.choice([120000, 85000, 240000]),
            company,
            f"Miete {month} Lager Vertrag {rng.randint(100000, 999999)}",
            booking="DAUERAUFTRAG",
        ),
        "tax": lambda: _post(
            s,
            day,
            -rng.randint(50000, 900000),
            "Finanzamt",
            f"USt {month} StNr {rng.randint(100, 399)}/{rng.randint(10, 99)}/{rng.randint(10000, 99999)}",
        ),
        "bank_fees": lambda: _post(
            s, day, -rng.randint(150, 3990), "", "Kontofuehrung Abschluss Entgelte", booking="ENTGELT"
        ),
        "telecom": lambda: _post(
            s,
            day,
            -rng.randint(1995, 12995),
            "Telekom Deutschland GmbH",
            f"Festnetz RG {rng.randint(10**8, 10**9)} Kd {rng.randint(10**9, 10**10)}",
            booking="LASTSCHRIFT",
        ),
        "supplier": lambda: _post(
            s,
            day,
            -rng.randint(5000, 700000),
            company,
            f"Rechnung {_near_order_digits(s)} Kunde {rng.randint(1000, 99999)}",
        ),
        "insurance": lambda: _post(
            s,
            day,
            -rng.randint(5000, 90000),
            "Allianz Versicherungs-AG",
            f"Beitrag {rng.randint(10**8, 10**9)} {month}",
            booking="LASTSCHRIFT",
        ),
        "card_settlement": lambda: _post(
            s,
            day,
            -rng.randint(2000, 300000),
            "VISA",
            f"Kartenabrechnung {rng.randint(10**8, 10**9)}",
            booking="LASTSCHRIFT",
        ),
    }[s.label]()


def _supplier_returned(s: Scene, day: date) -> Payment:
    """A transfer to a supplier comes back: a return that gives back no customer's payment."""
    digits = _near_order_digits(s)
    p = _post(
        s, day, s.rng.randint(5000, 90000), names.company(s.rng, s.kind.country), f"RETOURE Rechnung {digits} AC04"
    )
    p.return_reason, p.booking_text = "AC04", "RETOURE"
    return p


def unrelated(s: Scene) -> Payment:
    """One posting that pays no order."""
    s.label = s.rng.choices(list(WEIGHTS), weights=list(WEIGHTS.values()))[0]
    day = bank_day(FIRST_DAY + timedelta(s.rng.randint(1, DAYS + 20)))
    special = {
        "supplier_returned": _supplier_returned,
        "decoy_number": _decoy_number,
        "decoy_amount": _decoy_amount,
        "decoy_both": _decoy_both,
        "namesake": _namesake,
    }
    if s.label in special:
        return special[s.label](s, day)
    credits = (
        "psp_payout",
        "donation",
        "private_transfer",
        "loan",
        "supplier_credit",
        "own_transfer",
        "interest",
        "own_cash",
    )
    return _credit(s, day) if s.label in credits else _debit(s, day)
