"""Usual words for the kinds of a settlement's rows, in the languages of the services' exports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from paymatch.domain.payouts.movements import MovementKind

_K = MovementKind
_FEES: Final = (
    "fee", "fees", "gebuhr", "entgelt", "provision", "commission", "subscription", "advertising", "werbung",
    "werbekosten", "disagio", "surcharge", "frais", "commissione", "commissioni", "tariffa",
    "tariffe", "costi", "comision", "comisiones", "tarifa", "gastos", "kosten", "vergoeding", "tarief", "provisie",
    "opłata", "opłaty", "prowizja", "comissao", "taxa", "avgift", "gebyr", "poplatek",
)  # fmt: skip
"""Words, or ends of German and Dutch compounds, for what the service keeps."""
_PLURALS: Final = ("", "s", "n", "e", "en")
_SHIPPING: Final = ("versand", "verzend", "shipping", "postage")
"""Beginnings of costs that the customer pays."""
_COMPOUND: Final = 5
"""Letters of a word that may end a compound; `coffee` is not a fee."""
_CONNECTORS: Final = frozenset(
    (
        "de", "des", "du", "d", "sur", "pour", "di", "del", "della", "dello", "per", "su", "van", "voor", "von", "fur",
        "fuer", "for", "on", "of", "za", "od",
    )
)  # fmt: skip
"""What follows these explains the noun before: `frais de remboursement` are a fee."""
_GIVES_BACK: Final = (
    "refund", "erstattung", "ruckzahlung", "gutschrift", "ruckerstattung", "return", "retoure", "storno", "ruckgabe",
    "reversal", "reversed", "credit note", "remboursement", "rimborso", "reembolso", "devolucion", "terugbetaling",
    "retour", "zwrot", "retur", "aterbetalning", "refusion", "vraceni", "estorno",
)  # fmt: skip
_KINDS: Final = (
    (
        _K.CARRIED_OVER,
        ("balance transfer", "balancetransfer", "carried over", "ubertrag", "report de solde", "riporto"),
    ),
    (
        _K.CHARGEBACK_REVERSED,
        (
            "chargeback reversal", "chargeback reversed", "chargeback won", "dispute won", "dispute reversal",
            "dispute reversed", "second presentment", "representment", "ruckbuchung gewonnen", "ruckbuchung storniert",
            "storno ruckbuchung", "litige gagne", "annulation de la retrofacturation",
        ),
    ),
    (
        _K.CHARGEBACK,
        (
            "chargeback", "dispute", "ruckbuchung", "rucklastschrift", "retrofacturation", "litige", "contestation",
            "contestazione", "contracargo", "disputa", "terugboeking", "obciazenie zwrotne",
        ),
    ),
    (_K.REFUND, _GIVES_BACK),
    (_K.SALE, ("invoice payout", "order payout")),
    (
        _K.RESERVE_RELEASED,
        ("reserve release", "release", "freigabe", "reserve auf", "rilascio", "liberacion", "vrijgave"),
    ),
    (_K.RESERVE_HELD, ("reserve", "holdback", "hold", "einbehalt", "rucklage", "retenue", "riserva", "reserva")),
    (
        _K.PAYOUT,
        (
            "payout", "withdrawal", "auszahlung", "transfer", "disbursement", "uberweisung", "versement", "virement",
            "accredito", "bonifico", "transferencia", "desembolso", "uitbetaling", "wypłata",
            "utbetalning", "udbetaling",
        ),
    ),
    (
        _K.SALE,
        (
            "sale", "payment", "charge", "capture", "zahlung", "verkauf", "order", "bestellung", "settled", "umsatz",
            "purchase", "kauf", "einzug", "transaction", "transaktion", "vente", "paiement", "encaissement", "commande",
            "vendita", "pagamento", "acquisto", "ordine", "incasso", "venta", "pago", "pedido", "cobro", "verkoop",
            "betaling", "aankoop", "bestelling", "sprzedaz", "płatnosc", "zamowienie", "betalning", "salg", "prodej",
        ),
    ),
)  # fmt: skip
_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def spaced(word: str) -> str:
    """A word of a program in several (`Chargeback Reversed`); brackets explain what is before them."""
    return _INNER_CAPITAL.sub(" ", word).replace("(", " for ")


def kind_by_words(plain: str) -> MovementKind | None:
    """The kind that words usually mean, which are written as `heading_word` gives them; None if they say nothing.

    A fee for a refund or a chargeback is a fee: it moves no order. A fee that is refunded has the sign alone to say
    so, and is left open.
    """
    if is_of_fee(plain):
        gives_back = any(name in plain for name in _GIVES_BACK)
        return None if gives_back and not _is_fee(_head(plain.split())) else _K.FEE
    return next((kind for kind, names in _KINDS if any(name in plain for name in names)), None)


def is_of_fee(plain: str) -> bool:
    """Whether words, written as `heading_word` gives them, speak of a fee: such a row moves no order."""
    return any(_is_fee(word) or _gives_fee_back(word) for word in plain.split())


def _gives_fee_back(word: str) -> bool:
    """Whether a compound is of a fee that is refunded: `Gebührenerstattung`."""
    return any(len(fee) >= _COMPOUND and word.startswith(fee) for fee in _FEES) and any(
        name in word for name in _GIVES_BACK
    )


def _head(words: Sequence[str]) -> str:
    """The noun that the others explain: the last one before `of`, `for`, `de`."""
    end = next((place for place, word in enumerate(words) if place and word in _CONNECTORS), len(words))
    return words[end - 1]


def _is_fee(word: str) -> bool:
    if word.startswith(_SHIPPING):
        return False
    return any(
        word == name + ending or (len(name) >= _COMPOUND and word.endswith(name + ending))
        for name in _FEES
        for ending in _PLURALS
    )
