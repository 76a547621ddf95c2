"""How people and banks write: phrases per language, and what happens to a text between the payer and the statement."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta
from random import Random
from typing import Final

from lab.matching.values import chance

# {n} the number, {d} a date, {c} the customer number, {l} the surname
ORDER: Final[dict[str, list[str]]] = {
    "de": [
        "Bestellung {n}",
        "Bestellung Nr. {n}",
        "Best.Nr. {n}",
        "Bestellnummer {n}",
        "Bestell-Nr.:{n} vom {d}",
        "Auftrag {n}",
        "Ihre Bestellung {n} v. {d}",
        "Auftragsnr. {n} {l}",
        "Order {n}",
        "Vorkasse {n}",
        "Bestellnummer: {n}",
        "Bst. {n}",
        "Danke! Bestellnr {n} vom {d}",
        "Zahlung zu Auftragsnr {n}",
        "bestellung {n}, {l}",
        "Betr.: Bestellung {n}",
        "BestNr{n}",
        "Verwendungszweck: {n}",
        "Zahlungsreferenz: {n}",
        "Onlinebestellung vom {d} Nr {n}",
        "Bestellung{n}",
        "Nr. {n}",
        "Bestell Nr {n} {l}",
        "Ueberweisung Bestellung {n}",
        "Einkauf {n}",
        "best. nr.{n} danke",
        "Bezahlung Bestellung-Nr.: {n}",
    ],
    "ch": [
        "Mitteilungen: Bestellung {n}",
        "Zahlungszweck: {n}",
        "Bestellung {n}",
        "Mitteilungen: {n}",
        "Ihre Rechnung zu Bestellung {n}",
        "Zahlungszweck: Bestellung Nr. {n} vom {d}",
        "Auftrag {n}",
        "Bestellnummer {n}",
        "Besten Dank, Bestellung {n}",
    ],
    "at": [
        "Zahlungsreferenz: {n}",
        "Zahlungsreferenz: Bestellung {n}",
        "Verwendungszweck: Bestellung {n}",
        "Bestellung {n}",
        "Auftrag {n} {l}",
        "Zahlungsreferenz: Best.Nr. {n} vom {d}",
        "Bestellnr. {n}",
        "Ihre Bestellung Nr. {n}",
    ],
    "nl": [
        "bestelling {n}",
        "bestelnr. {n} d.d. {d}",
        "Bestelnummer {n}",
        "order {n}",
        "Kenmerk: {n}",
        "betaling bestelling {n}",
        "ordernr {n} {l}",
        "Betreft: order {n}",
        "Omschrijving: bestelling {n}",
        "klantnr {c} order {n}",
        "Bestelling nr {n}",
    ],
    "fr": [
        "commande {n}",
        "commande no {n}",
        "règlement cde {n}",
        "Commande n° {n} du {d}",
        "cde {n} {l}",
        "paiement commande {n}",
        "CDE N°{n}",
        "Votre commande {n}",
        "no client {c} commande {n}",
        "Achat internet {n}",
    ],
    "pl": [
        "ZAM. {n}",
        "Zapłata za zamówienie nr {n}",
        "zamówienie {n}",
        "Zamówienie nr {n} z dnia {d}",
        "nr zam. {n}",
        "Zam {n} {l}",
        "opłata za zamówienie {n}",
        "ZAMOWIENIE {n}",
        "Płatność za zamówienie: {n}",
    ],
}
INVOICE: Final[dict[str, list[str]]] = {
    "de": [
        "Rechnung {n}",
        "RE {n}",
        "Rg.Nr. {n}",
        "RNr. {n} vom {d}",
        "Rechnungsnr. {n}",
        "Rechnung Nr. {n} v. {d}",
        "{n}",
        "RG {n}",
        "Re-Nr. {n}",
        "Faktura {n}",
        "Rechnungsnummer: {n} Kunde {c}",
        "Ausgl. Rechnung {n}",
        "RECHN.NR {n}",
    ],
    "nl": [
        "factuur {n}",
        "Factuurnummer {n}",
        "fact. {n}",
        "Factuurnr. {n} d.d. {d}",
        "Betaling factuur {n}",
        "fac {n} debnr {c}",
    ],
    "fr": ["facture {n}", "Fact. {n}", "Facture n° {n} du {d}", "règlement facture {n}", "FAC {n}", "RGLT FACT {n}"],
    "pl": [
        "faktura {n}",
        "FV {n}",
        "Faktura nr {n} z dnia {d}",
        "zapłata za FV {n}",
        "f-ra {n}",
        "Zapłata za fakturę {n}",
    ],
}
CUSTOMER: Final[dict[str, list[str]]] = {
    "de": [
        "Kundennummer {c}",
        "Kd-Nr {c}",
        "Kd.Nr. {c}",
        "KN{c} Danke",
        "Kunde {c}",
        "Kundennr.: {c} {l}",
        "{c}",
        "Kd {c}",
        "Knr. {c}",
    ],
    "nl": ["klantnr {c}", "klantnummer {c}", "Debiteurnr. {c}", "klant {c}"],
    "fr": ["no client {c}", "client {c}", "réf. client {c}", "N° client: {c}"],
    "pl": ["nr klienta {c}", "klient {c}", "Numer klienta: {c}"],
}
PLAIN: Final[dict[str, list[str]]] = {
    "de": [
        "Danke",
        "Vielen Dank",
        "Online Shop",
        "Bestellung",
        "Rechnung",
        "Einkauf",
        "Onlinekauf",
        "Bestellung {d}",
        "siehe Bestellung",
        "Ihre Lieferung",
        "Ware",
        "lt. Rechnung",
        "Überweisung",
        "Mit freundlichen Grüßen {l}",
        "Zahlung",
        "wie vereinbart",
        "Vorkasse",
    ],
    "nl": ["Bedankt", "bestelling", "webshop", "factuur", "aankoop", "betaling", "hartelijk dank"],
    "fr": ["Merci", "achat", "commande internet", "règlement facture", "virement", "paiement"],
    "pl": ["Dziękuję", "zakupy", "zamówienie", "zapłata", "przelew", "za towar", "PRZELEW ŚRODKÓW"],
}
GREETINGS: Final[dict[str, list[str]]] = {
    "de": [
        "Hallo, hier die Zahlung für {n}, viele Grüße {l}",
        "Vielen Dank für die schnelle Lieferung! {n}",
        "Bitte schnell versenden!!! {n}",
        "Sehr geehrte Damen und Herren, anbei {n} mfG {l}",
        "{n} Bitte an Nachbarn liefern, bin bis {d} im Urlaub",
        "Geburtstagsgeschenk für Oma {n}",
        "LG aus dem Norden {n} freu mich",
        "{n} bitte Rechnung per Mail, danke und schönes Wochenende",
    ],
    "nl": ["Hallo, hierbij de betaling voor {n}, groetjes {l}", "Graag snel leveren! {n} alvast bedankt"],
    "fr": ["Bonjour, voici le paiement {n} cordialement {l}", "Merci beaucoup pour {n}, bonne journée"],
    "pl": ["Dzień dobry, płatność za {n} pozdrawiam {l}", "Proszę o szybką wysyłkę {n}"],
}
INSTALMENT: Final[dict[str, list[str]]] = {
    "de": ["Rate {i}/{k}", "{i}. Rate", "Rate {i} von {k}", "Teilzahlung {i}", "Ratenzahlung {i}/{k}"],
    "nl": ["termijn {i}/{k}", "deel {i} van {k}"],
    "fr": ["échéance {i}/{k}", "{i}e versement", "acompte {i}"],
    "pl": ["rata {i}/{k}", "rata {i} z {k}"],
}
CASH_DISCOUNT: Final[dict[str, list[str]]] = {
    "de": ["abzgl. {r}% Skonto", "abzügl. {r} % Skonto", "./. {r}% Sk.", "minus Skonto", "-{r}% SKTO", ""],
    "nl": ["minus {r}% korting", "incl. {r}% betalingskorting", ""],
    "fr": ["escompte {r}%", "moins {r}% escompte", ""],
    "pl": ["minus {r}% skonto", ""],
}
MONTHS: Final = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
_SWIFT_EXTRA: Final = {
    "ł": "l",
    "Ł": "L",
    "ß": "ss",
    "ø": "o",
    "Ø": "O",
    "æ": "ae",
    "œ": "oe",
    "°": "o",
    "’": "'",
    "–": "-",
    "€": "EUR",
    "ı": "i",
}
_GERMAN: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "AE", "Ö": "OE", "Ü": "UE"}


def of(bank: dict[str, list[str]], language: str, rng: Random) -> str:
    """A phrase of the language, German where the list has none for it."""
    return rng.choice(bank.get(language) or bank["de"])


def write_date(rng: Random, day: date) -> str:
    return day.strftime(rng.choice(["%d.%m.%Y", "%d.%m.%y", "%d.%m.", "%Y-%m-%d", "%d/%m/%Y", "%d%m%Y"]))


def plain_letters(text: str, german: bool = True) -> str:
    """Without diacritics: ä becomes ae (or a, for banks that only drop the dots), ł becomes l, ß ss."""
    table = _SWIFT_EXTRA | (_GERMAN if german else {})
    text = "".join(table.get(c, c) for c in text)
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def wrap(text: str, width: int, how: str) -> str:
    """What arrives when lines of `width` are joined: `space` adds one between, `strip` loses those at the ends."""
    lines = [text[i : i + width] for i in range(0, len(text), width)]
    return " ".join(lines) if how == "space" else "".join(line.strip() for line in lines)


def digits_apart(text: str, rng: Random) -> str:
    """A number in groups, as people write long ones: 1000 4796, R-2026 / 00 293, 40-01-72-31."""

    def split(match: re.Match[str]) -> str:
        digits = match[0]
        size, between = rng.choice([2, 3, 4]), rng.choice([" ", " ", ".", "-", "/"])
        return between.join(digits[i : i + size] for i in range(0, len(digits), size))

    return re.sub(r"\d{4,}", split, text)


def separators_gone(number: str, rng: Random) -> str:
    """R-2026/00293 as R202600293, R 2026 00293, R2026-00293, r-2026 00293; #1833 as 1833 or Nr1833."""
    kept = number.lstrip("#")
    if not re.search(r"[-/]", kept):
        return rng.choice([kept, f"No{kept}", f".{kept}", f"{kept}."])
    way = rng.choice(["", " ", ".", "_", "-", "first"])
    if way == "first":
        return re.sub(r"[-/]", "", kept, count=1)
    changed = re.sub(r"[-/]", way, kept)
    return changed.lower() if chance(rng, 0.2) else changed


def bank_name(rng: Random, name: str, country: str, person: bool) -> str:
    """The name as the payer's bank sends it: capitals, no umlauts, titles and initials for persons, cut at 70."""
    if person and country == "FR" and chance(rng, 0.5):
        return f"{rng.choice(['M', 'MME', 'M.', 'MR', 'M OU MME'])} {plain_letters(name).upper()}"
    if person and country == "NL" and chance(rng, 0.4):
        return _dutch(rng, name)
    if country == "PL" and chance(rng, 0.5):
        return plain_letters(name).upper()
    roll = rng.random()
    if roll < 0.22:
        return plain_letters(name).upper()
    if roll < 0.30:
        return plain_letters(name)
    if roll < 0.34:
        return name.upper()
    if roll < 0.37 and person:
        return f"{rng.choice(['Dr.', 'Fam.', 'Eheleute', 'Prof. Dr.', 'Dipl.-Ing.'])} {name}"
    return name[:70]


def _dutch(rng: Random, name: str) -> str:
    first, _, last = name.partition(" ")
    title = rng.choice(["Hr ", "Mw ", ""])
    return f"{title}{first[0]}{rng.choice(['.', ''])}{rng.choice(['', 'A.', 'J M '])} {last}" if last else name


def envelope(rng: Random, text: str, day: date, *, name: str, iban: str, country: str) -> str:
    """The text with what a bank of the country puts around it."""
    ref = f"{rng.randint(10**9, 10**10 - 1)}"
    date_text = day.strftime("%d.%m.%Y")
    if country == "NL":
        return rng.choice(
            [
                f"/TRTP/SEPA OVERBOEKING/IBAN/{iban}/BIC/INGBNL2A/NAME/{name}/REMI/{text}/EREF/NOTPROVIDED",
                f"/REMI/USTD//{text}/",
                f"Naam: {name} Omschrijving: {text} IBAN: {iban} Kenmerk: NOTPROVIDED Valutadatum: {day:%d-%m-%Y}",
            ]
        )
    if country == "FR":
        return rng.choice(
            [
                f"VIR SEPA RECU /DE {name} /MOTIF {text} /REF NOTPROVIDED",
                f"VIR INST DE {name} {text}",
                f"VIREMENT RECU {name} REF {ref} {text}",
            ]
        )
    if country == "PL":
        return rng.choice(
            [
                f"PRZELEW PRZYCHODZĄCY {text} NR REF {ref}",
                f"{text} Data transakcji: {day.isoformat()}",
                f"TYTUŁ: {text}",
            ]
        )
    if country == "AT":
        return rng.choice(
            [
                f"Auftraggeber: {name} Zahlungsreferenz: {text} IBAN Auftraggeber: {iban} BIC: GIBAATWWXXX",
                f"Zahlungsreferenz: {text}",
            ]
        )
    if country == "CH":
        return rng.choice(
            [
                f"GUTSCHRIFT AUFTRAGGEBER: {name} MITTEILUNGEN: {text}",
                f"E-FINANCE {date_text} MITTEILUNGEN: {text}",
                f"Mitteilungen: {text} Zahlungsref {ref}",
            ]
        )
    clock = f"{rng.randint(6, 23):02d}.{rng.randint(0, 59):02d}"
    return rng.choice(
        [
            f"EREF+NOTPROVIDED SVWZ+{text}",
            f"SVWZ+{text} DATUM {date_text}, {clock} UHR",
            f"{text} DATUM {date_text}, {clock} UHR1.TAN {rng.randint(100000, 999999)}",
            f"EREF+ZV0{ref} KREF+NONREF SVWZ+{text} ABWA+{name}",
            f"{text} IBAN: {iban} BIC: COBADEFFXXX",
        ]
    )


def extra_numbers(rng: Random, day: date, phone: str, post_code: str, iban: str) -> str:
    """Digits that are no reference: date, phone, tax number, account, post code, TAN."""
    when = day - timedelta(rng.randint(0, 9))
    return rng.choice(
        [
            when.strftime("%d.%m.%Y"),
            when.strftime("%Y%m%d"),
            f"Tel. {phone}",
            f"{rng.randint(4, 400)},{rng.randint(0, 99):02d} EUR",
            f"PLZ {post_code}",
            f"StNr {rng.randint(100, 399)}/{rng.randint(10, 99)}/{rng.randint(10000, 99999)}",
            f"TAN {rng.randint(100000, 999999)}",
            f"Kto {iban[-10:]}",
            f"USt-IdNr DE{rng.randint(10**8, 10**9 - 1)}",
            f"Mandat {rng.randint(10**6, 10**7 - 1)}",
            f"{when.strftime('%d%m%Y')} {rng.randint(10, 23)}:{rng.randint(10, 59)}",
        ]
    )
