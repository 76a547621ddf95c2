"""A service that the package does not know: headings of its own, in English or German, mapped once by a person."""

# ruff: noqa: E501  # one kind of words per row
from __future__ import annotations

import random
from typing import Final

from tests.usecases.payouts.service_weeks import ALL_KINDS, NamedFile, Service, Story, Week, table, text_of, windows

_HEADINGS: Final = {
    "gross": ("Gross amount", "Bruttobetrag", "Umsatz (EUR)"),
    "fee": ("Processing fee", "Disagio", "Provision"),
    "net": ("Net amount", "Nettobetrag", "Net (EUR)"),
    "kind": ("Transaction type", "Vorgang", "Type"),
    "order": ("Merchant reference", "Bestellnummer", "Order number"),
    "id": ("Transaction ID", "Transaktionsnummer", "Payment ID"),
    "payout_id": ("Settlement ID", "Auszahlungsnummer", "Payout ID"),
    "payout_date": ("Settled on", "Auszahlungsdatum", "Payout date"),
    "time": ("Transaction date", "Buchungsdatum", "Created at"),
}  # fmt: skip
_WORDS: Final = (
    {"sale": "Capture", "refund": "Refund", "chargeback": "Chargeback", "won": "Chargeback reversal", "fee": "Monthly fee",
     "held": "Reserve held", "released": "Reserve release"},
    {"sale": "Verkauf", "refund": "Erstattung", "chargeback": "Rückbuchung", "won": "Rückbuchung gewonnen", "fee": "Grundgebühr",
     "held": "Einbehalt", "released": "Freigabe Einbehalt"},
)  # fmt: skip


def _files(told: Story) -> list[NamedFile]:
    chance = told.chance
    german = chance.random() < 0.5
    heading = {what: chance.choice(names) for what, names in _HEADINGS.items()}
    mark, day_form, words = (",", "%d.%m.%Y", _WORDS[1]) if german else (".", "%Y-%m-%d", _WORDS[0])
    fee_sign = chance.choice([1, -1])
    rows = []
    for week in told.weeks:
        for each in week.happenings:
            gross, fee = (-each.fee, 0) if each.kind == "fee" else (each.minor, each.fee)
            cells = {
                "gross": text_of(gross, mark), "fee": text_of(fee_sign * fee, mark), "net": text_of(each.net, mark),
                "kind": words[each.kind], "order": told.named(each.order), "id": f"T-{each.number:06d}",
                "payout_id": _payout(week), "payout_date": week.sent.strftime(day_form),
                "time": each.at.strftime(day_form),
            }  # fmt: skip
            rows.append({heading[what]: cell for what, cell in cells.items()})
    encoding, separator = (
        chance.choice(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
        ";" if german else chance.choice(",;\t|"),
    )
    keeps_order = chance.random() < 0.5
    return [
        (f"kasse{place}.csv", table(part, random.Random(1), separator=separator, encoding=encoding, keeps_order=keeps_order))
        for place, part in enumerate(windows(rows, chance))
    ]  # fmt: skip


def _payout(week: Week) -> str:
    return f"KW-4711-{week.number:03d}"


def _bank(week: Week, chance: random.Random) -> tuple[str, str]:
    return "Kassenwerk AG", chance.choice([f"Kassenwerk {_payout(week)}", "Auszahlung Kassenwerk"])


KASSENWERK: Final = Service(
    "kassenwerk", "joins debt kept", (*ALL_KINDS, "fee back"), _files, _bank, provider_name="Kassenwerk"
)
