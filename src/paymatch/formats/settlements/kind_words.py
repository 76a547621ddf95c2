"""Usual words for the kinds of a settlement's rows, in English and German."""

from __future__ import annotations

from typing import Final

from paymatch.domain.payouts.movements import MovementKind

_K = MovementKind
_KINDS: Final = (
    (_K.CARRIED_OVER, ("balance transfer", "balancetransfer", "carried over", "ubertrag")),
    (
        _K.CHARGEBACK_REVERSED,
        (
            "chargeback reversal",
            "chargeback reversed",
            "chargeback won",
            "dispute won",
            "dispute reversal",
            "second presentment",
            "representment",
            "ruckbuchung gewonnen",
        ),
    ),
    (_K.CHARGEBACK, ("chargeback", "dispute", "ruckbuchung", "rucklastschrift")),
    (
        _K.REFUND,
        (
            "refund",
            "erstattung",
            "ruckzahlung",
            "gutschrift",
            "return",
            "retoure",
            "storno",
            "ruckgabe",
            "reversal",
            "credit note",
        ),
    ),
    (_K.RESERVE_RELEASED, ("reserve release", "release", "freigabe", "reserve auf")),
    (_K.RESERVE_HELD, ("reserve", "holdback", "hold", "einbehalt", "rucklage")),
    (_K.PAYOUT, ("payout", "withdrawal", "auszahlung", "transfer", "disbursement", "uberweisung")),
    (_K.FEE, ("fee", "gebuhr", "entgelt", "provision", "commission", "werbung", "advertising", "subscription")),
    (
        _K.SALE,
        (
            "sale",
            "payment",
            "charge",
            "capture",
            "zahlung",
            "verkauf",
            "order",
            "bestellung",
            "settled",
            "umsatz",
            "purchase",
            "kauf",
            "einzug",
            "transaction",
            "transaktion",
        ),
    ),
)


def kind_by_words(plain: str) -> MovementKind | None:
    """The kind that words usually mean, which are written as `heading_word` gives them; None if they say nothing."""
    return next((kind for kind, names in _KINDS if any(name in plain for name in names)), None)
