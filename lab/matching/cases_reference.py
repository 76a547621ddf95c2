"""Cases in which a number says what is paid: well written, badly written, or the wrong one."""

from __future__ import annotations

import re

from lab.matching import phrases, variants
from lab.matching.scene import Scene, case
from lab.matching.values import Order, Payment, chance


@case("exact_ref")
def exact(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, o.number if chance(s.rng, 0.7) else s.shown(o.number))]


@case("prefix_words")
def with_words(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(o.number)))]


@case("foreign_words")
def other_language(s: Scene, o: Order) -> list[Payment]:
    others = [w for w in ("de", "nl", "fr", "pl") if w != o.customer.language]
    text = s.rng.choice(
        phrases.ORDER[s.rng.choice(others)]
        + ["payment for order {n}", "order no. {n} thank you", "pago pedido {n}", "ordine n. {n}", "sipariş {n}"]
    )
    return [
        s.pay(
            o,
            text.format(
                n=s.shown(o.number), d=phrases.write_date(s.rng, o.day), c=o.customer.number, l=o.customer.last
            ),
        )
    ]


@case("sep_missing")
def separators_missing(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, s.phrase(phrases.ORDER, o, phrases.separators_gone(o.number, s.rng)))]


@case("digits_spaced")
def digits_spaced(s: Scene, o: Order) -> list[Payment] | None:
    number = o.invoice if o.invoice and chance(s.rng, 0.3) else o.number
    if not re.search(r"\d{4}", number):
        return None
    bank = phrases.INVOICE if number == o.invoice else phrases.ORDER
    return [s.pay(o, s.phrase(bank, o, phrases.digits_apart(number, s.rng)))]


@case("line_wrap")
def wrapped(s: Scene, o: Order) -> list[Payment]:
    """The number lies across the end of a line of 27 or 35; the join adds a space or swallows one."""
    width, how = s.rng.choice([27, 27, 35]), s.rng.choice(["space", "space", "strip"])
    number = s.shown(o.number)
    lead = s.rng.choice(
        [
            "Ich habe bezahlt fuer Bestellung ",
            "Ueberweisung fuer Best.-Nr.: ",
            "Zahlung an den Shop Auftrag: ",
            "Zaplata za zamowienie numer: ",
            "Betaling voor bestelnummer ",
        ]
    )
    cut = s.rng.randint(1, max(1, len(number) - 1))
    text = lead.rjust(width - cut, "x")[-(width - cut) :].lstrip("x") + number
    padding = width - cut - len(text) + len(number)
    text = (
        f"{'Kunde ' + o.customer.number if padding > 12 else ''} {text}"[-(width - cut + len(number)) :]
        if padding > 0
        else text
    )
    text = text.rjust(width - cut + len(number), ".") + s.rng.choice(["", " Danke", f" {o.customer.last}"])
    return [s.pay(o, phrases.wrap(text, width, how).lstrip("."), fixed=True)]


@case("invoice_no")
def invoice(s: Scene, o: Order) -> list[Payment] | None:
    return [s.pay(o, s.phrase(phrases.INVOICE, o, o.invoice))] if o.invoice else None


@case("proforma_no")
def proforma(s: Scene, o: Order) -> list[Payment] | None:
    text = s.rng.choice(["Auftragsbestätigung {n}", "AB {n}", "{n}", "Angebot {n}", "Vorkasse zu {n}", "Proforma {n}"])
    return [s.pay(o, text.format(n=o.proforma))] if o.proforma else None


@case("shipping_no")
def shipping(s: Scene, o: Order) -> list[Payment] | None:
    text = s.rng.choice(["Sendung {n}", "Paket {n}", "{n}", "Sendungsnr. {n}", "Nachnahme {n}"])
    return [s.pay(o, text.format(n=o.shipping))] if o.shipping and o.type != "COD" else None


@case("marketplace_no")
def marketplace(s: Scene, o: Order) -> list[Payment] | None:
    if not o.marketplace:
        return None
    number = o.marketplace if chance(s.rng, 0.7) else o.marketplace.replace("-", s.rng.choice(["", " "]))
    return [s.pay(o, s.phrase(phrases.ORDER, o, number) if chance(s.rng, 0.5) else number)]


@case("user_name")
def user_name(s: Scene, o: Order) -> list[Payment] | None:
    """The marketplace user name; some payers have another's account or add an article."""
    if not o.customer.user_name:
        return None
    text = s.rng.choice(
        ["{u}", "Artikel von {u}", "ebay {u}", "Käufer {u}", "Mitgliedsname {u}", "Username: {u}", "{u} Danke"]
    )
    return [s.pay(o, text.format(u=o.customer.user_name))]


@case("user_name_only")
def user_name_by_other(s: Scene, o: Order) -> list[Payment] | None:
    if not o.customer.user_name:
        return None
    return [s.pay(o, o.customer.user_name, payer=s.stranger(o.customer.country))]


@case("customer_no", "customer_no_many")
def customer_number(s: Scene, o: Order) -> list[Payment]:
    """The customer's number; the clerk finds out whether he has one order open or several of that amount."""
    return [s.pay(o, s.phrase(phrases.CUSTOMER, o, ""))]


@case("customer_and_order")
def customer_and_order(s: Scene, o: Order) -> list[Payment]:
    text = s.rng.choice(
        [
            "Kd {c} Best {n}",
            "Kundennr. {c} / Bestellnr. {n}",
            "{c} {n}",
            "{n} / {c}",
            "Kunde {c}, Auftrag {n}",
            "KD-NR {c} RE {n}",
        ]
    )
    number = o.invoice if o.invoice and chance(s.rng, 0.4) else s.shown(o.number)
    return [s.pay(o, text.format(c=o.customer.number, n=number))]


@case("eref_only")
def end_to_end_only(s: Scene, o: Order) -> list[Payment]:
    number = o.invoice if o.invoice and chance(s.rng, 0.3) else s.shown(o.number)
    return [s.pay(o, s.rng.choice(["", "", "Danke", "Bestellung"]), end_to_end=number[:35])]


@case("service_ref")
def structured(s: Scene, o: Order) -> list[Payment] | None:
    return [s.pay(o, "", reference=o.reference)] if o.reference else None


@case("service_ref_text")
def structured_in_text(s: Scene, o: Order) -> list[Payment] | None:
    if not o.reference:
        return None
    blocks = " ".join(o.reference[i : i + 4] for i in range(0, len(o.reference), 4))
    if o.reference.isdigit():
        blocks = f"{o.reference[:2]} " + " ".join(o.reference[i : i + 5] for i in range(2, 27, 5))
    return [s.pay(o, s.rng.choice([o.reference, blocks, f"Ref. {blocks}", o.reference.lower()]))]


@case("service_ref_partial")
def structured_partly(s: Scene, o: Order) -> list[Payment] | None:
    """The payment slip's reference with less money than it asks for."""
    if not o.reference or o.amount < 2000:
        return None
    return [s.pay(o, "", reference=o.reference, amount=s.rng.choice([o.amount // 2, o.amount // 3, 1000]))]


@case("isr_ref")
def isr(s: Scene, o: Order) -> list[Payment] | None:
    """The old orange slip's reference: the same 27 digits, leading zeros gone, as text."""
    if not o.reference.isdigit():
        return None
    return [
        s.pay(
            o,
            f"ESR {o.reference.lstrip('0')}",
            name=s.rng.choice(["", "POSTSCHALTER", phrases.plain_letters(o.customer.name)]),
            fixed=True,
        )
    ]


@case("short_ref")
def short(s: Scene, o: Order) -> list[Payment] | None:
    digits = re.findall(r"\d+", o.number)[-1]
    kept = digits[-4:] if len(digits) > 4 else digits
    return [s.pay(o, s.phrase(phrases.ORDER, o, kept))] if kept != o.number.lstrip("#") else None


@case("extra_numbers")
def among_others(s: Scene, o: Order) -> list[Payment]:
    c = o.customer
    parts = [s.phrase(phrases.ORDER, o, s.shown(o.number)) if chance(s.rng, 0.6) else s.shown(o.number)]
    parts += [phrases.extra_numbers(s.rng, o.day, c.phone, c.post_code, c.iban) for _ in range(s.rng.choice([1, 1, 2]))]
    near = s.neighbours(o)
    if near and chance(s.rng, 0.3):
        other = "".join(x for x in s.rng.choice(near).number if x.isdigit())
        parts.append(s.rng.choice(["Tel 0171/{n}", "Tel. 0049 89 {n}", "Filiale {n}", "BLZ {n}00"]).format(n=other))
    s.rng.shuffle(parts)
    return [s.pay(o, " ".join(parts))]


@case("date_number")
def number_like_a_date(s: Scene, o: Order) -> list[Payment]:
    """Only digits that are no reference; the name is all there is."""
    c = o.customer
    lead = s.rng.choice(["Bestellung", "Rechnung", "Anmeldung", "Einkauf"])
    return [
        s.pay(
            o,
            f"{lead} {phrases.extra_numbers(s.rng, o.day, c.phone, c.post_code, c.iban)}",
        )
    ]


@case("greeting_noise")
def chatty(s: Scene, o: Order) -> list[Payment]:
    return [s.pay(o, s.phrase(phrases.GREETINGS, o, s.shown(o.number)))]


@case("odd_characters")
def odd(s: Scene, o: Order) -> list[Payment]:
    text = s.rng.choice(
        [
            "Bestellung {n} 😊👍",
            "►► {n} ◄◄",
            "„{n}“",
            "Bestellung\u00a0Nr.\u00a0{n}",
            "?{n}? ¿Bestellung?",
            "*** {n} ***",
            "{n}\u200b Danke ❤",
            "Bestellung ﹟{n}",
            "<{n}>",
        ]
    )
    return [s.pay(o, text.format(n=o.number.lstrip("#")))]


@case("bank_envelope")
def in_envelope(s: Scene, o: Order) -> list[Payment]:
    p = s.pay(o, "", fixed=True)
    inner = s.phrase(phrases.ORDER, o, s.shown(o.number))
    p.text = phrases.envelope(s.rng, inner, p.day, name=p.name, iban=o.customer.iban, country=o.customer.country)
    return [p]


@case("month_word")
def month(s: Scene, o: Order) -> list[Payment]:
    text = s.rng.choice(["Abo {m}", "Beitrag {m} {y}", "{m}", "Abonnement {m}/{y}", "Rechnung {m}", "Abo {m} Kd {c}"])
    return [s.pay(o, text.format(m=phrases.MONTHS[o.day.month - 1], y=o.day.year, c=o.customer.number))]


@case("standing_order")
def standing(s: Scene, o: Order) -> list[Payment]:
    """A standing order set up long ago: always the same text, with an old contract number."""
    return [s.pay(o, f"Dauerauftrag Vertrag {s.rng.randint(100000, 999999)}", booking_text="DAUERAUFTRAGSGUTSCHRIFT")]


@case("typo_wrong", "typo_swap", "typo_missing", "typo_double", "typo_letter", "typo_zeros", "typo_prefix")
def typo(s: Scene, o: Order) -> list[Payment] | None:
    number = o.invoice if o.invoice and chance(s.rng, 0.25) else o.number
    written = variants.misspelt(s.rng, number, s.label.removeprefix("typo_"))
    bank = phrases.INVOICE if number == o.invoice else phrases.ORDER
    return [s.pay(o, s.phrase(bank, o, written))] if written != number else None


@case("typo_hits_other")
def typo_hits_other(s: Scene, o: Order) -> list[Payment] | None:
    """One mistake, and the number is another's order."""
    theirs = {n.number for n in s.neighbours(o)}
    for _ in range(25):
        written = variants.misspelt(s.rng, o.number, s.rng.choice(["wrong", "swap"]))
        if written in theirs:
            return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(written)), auto="suggest")]
    return None


@case("stale_ref", "stale_same_amount")
def stale(s: Scene, o: Order) -> list[Payment] | None:
    """The template of the last transfer was used again: its number is of an order that is paid."""
    due = s.due_to_pay(o)
    old = [a for a, p in s.settled_of[o.customer.number] if p.day < due and a is not o]
    same = [a for a in old if a.amount == o.amount and a.currency == o.currency]
    pick = same if s.label == "stale_same_amount" else [a for a in old if a.amount != o.amount]
    if not pick:
        return None
    return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(pick[-1].number), pick[-1].day), auto="suggest", day=due)]


@case("wrong_number")
def wrong(s: Scene, o: Order) -> list[Payment] | None:
    near = s.neighbours(o)
    if not near:
        return None
    return [s.pay(o, s.phrase(phrases.ORDER, o, s.shown(s.rng.choice(near).number)), auto="suggest")]


@case("item_only")
def item(s: Scene, o: Order) -> list[Payment]:
    text = s.rng.choice(["Artikel {i}", "Art.Nr. {i}", "{i} {a}", "{a}"]).format(i=o.items[0][0], a=o.items[0][1])
    payer = o.customer if chance(s.rng, 0.5) else s.stranger(o.customer.country)
    return [s.pay(o, text, payer=payer, auto="certain" if payer is o.customer else "suggest")]
