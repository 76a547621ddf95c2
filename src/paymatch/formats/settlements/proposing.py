"""Proposed meanings of the columns of an unknown settlement file, by their headings, for a person to confirm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from paymatch.domain.payouts.movements import MovementKind
from paymatch.formats.bank_values import known_currency
from paymatch.formats.settlements.kind_words import kind_by_words
from paymatch.formats.settlements.layouts import SettlementColumn, heading_word, plain_kind, tables_in

_C = SettlementColumn
_WORDS: Final[Mapping[SettlementColumn, tuple[str, ...]]] = {
    _C.GROSS: (
        "gross", "gross amount", "brutto", "bruttobetrag", "umsatz", "total", "betrag brutto",
        "gross transaction amount",
    ),
    _C.FEE: ("fee", "fees", "fee amount", "gebuhr", "gebuhren", "entgelt", "provision", "commission", "charge"),
    _C.NET: ("net", "net amount", "netto", "nettobetrag", "auszahlungsbetrag", "payout amount", "betrag netto"),
    _C.ZONE: ("timezone", "time zone", "zeitzone"),
    _C.CURRENCY: ("currency", "wahrung", "payout currency", "net currency", "gross currency"),
    _C.ORDER: (
        "order", "order number", "order id", "order reference", "merchant reference", "reference", "bestellnummer",
        "bestellung", "auftragsnummer", "referenz", "invoice number", "rechnungsnummer",
    ),
    _C.ID: (
        "transaction id", "id", "transaction", "transaktion", "transaktionsnummer", "transaktions id", "payment id",
        "modification reference", "transaktionscode",
    ),
    _C.PAYMENT: ("psp reference", "original transaction id"),
    _C.PAYOUT_ID: (
        "payout id", "payout", "settlement id", "auszahlung", "auszahlungs id", "auszahlungsnummer", "batch number",
    ),
    _C.PAYOUT_DATE: ("payout date", "settlement date", "auszahlungsdatum"),
    _C.KIND: ("type", "kind", "transaction type", "typ", "art", "transaktionsart", "category", "vorgang"),
    _C.TIME: (
        "date", "transaction date", "transaction creation date", "creation date", "created",
        "created at", "time", "datum", "zeitpunkt", "buchungsdatum", "timestamp",
    ),
    _C.TEXT: ("description", "text", "details", "beschreibung", "verwendungszweck"),
}  # fmt: skip
_PAIRS: Final = (
    (_C.GROSS, ("gross credit", "gross credit gc", "credit", "haben", "gutschrift"), _C.GROSS_DEBIT,
     ("gross debit", "gross debit gc", "debit", "soll", "belastung")),
    (_C.NET, ("net credit", "net credit nc", "haben netto"), _C.NET_DEBIT,
     ("net debit", "net debit nc", "soll netto")),
)  # fmt: skip
"""Columns of what came in and what went out: proposed together, and only where no column has both."""
_PARTS: Final[tuple[tuple[SettlementColumn, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        _C.PAYOUT_DATE,
        ("payout dat", "settlement dat", "settled on", "paid out on", "auszahlungsdat", "valuta", "value dat",
         "abrechnungsdat", "deposit dat"),
        (),
    ),
    (
        _C.PAYOUT_ID,
        ("payout", "settlement", "auszahlung", "abrechnung", "batch", "remittance id", "disbursement"),
        ("dat", "amount", "betrag", "currency", "wahrung", "status", "method", "type", "art"),
    ),
    (
        _C.FEE,
        (
            "fee", "gebuhr", "provision", "commission", "disagio", "entgelt", "kosten", "charge", "cost", "interchange",
            "abzug", "deduction", "kept", "withheld", "einbehalten",
        ),
        ("currency", "wahrung", "rate", "satz", "percent", "type", "art"),
    ),
    (_C.NET, ("net", "netto"), ("currency", "wahrung", "netw")),
    (_C.GROSS, ("gross", "brutto", "umsatz"), ("currency", "wahrung")),
    (_C.CURRENCY, ("currency", "wahrung"), ()),
    (
        _C.KIND,
        ("type", "kind", "art", "vorgang", "category", "kategorie", "event"),
        ("card", "karte", "zahlung", "payment"),
    ),
    (
        _C.ORDER,
        ("order", "bestell", "auftrag", "merchant ref", "handlerref", "shop ref", "reference", "referenz", " ref",
         "invoice", "rechnung"),
        ("dat", "amount", "betrag", "status", "total"),
    ),
    (
        _C.ID,
        ("transaction", "transaktion", "payment", "zahlung", "beleg"),
        ("dat", "type", "art", "amount", "betrag", "time", "status", "method", "weise", "mittel", "currency"),
    ),
    (
        _C.TIME,
        (
            "transaction dat", "transaktionsdat", "buchungsdat", "created", "dat", "time", "zeit", "tag", " day",
            "valuta",
        ),
        ("zone", "betrag"),
    ),
    (_C.TEXT, ("description", "beschreibung", "details", "text", "zweck"), ()),
)  # fmt: skip
"""Parts of headings that no list of words has, with those that exclude them: the surer ones first."""
_WHOLE: Final = ("amount", "betrag", "transaction amount", "transaktionsbetrag")
"""Headings that are the gross amount where fee and net amount are beside them."""
_LEFT: Final = ("paid", "paid out", "ausgezahlt", "auszahlung", "amount paid", "payout")
"""Headings that are the net amount where gross amount and fee are beside them."""
_FEWEST: Final = 3


@dataclass(frozen=True, slots=True)
class SettlementProposal:
    """A reading of an unknown file: its headings, what each may hold, which words of the kind's column mean what."""

    headings: tuple[str, ...]
    columns: Mapping[SettlementColumn, str]
    kinds: Mapping[str, MovementKind]
    words: tuple[str, ...]  # all that the kind's column holds, so far as was read

    @property
    def is_likely(self) -> bool:
        """Whether lists of orders have no such columns: a net amount beside its fee or its payout."""
        return _C.NET in self.columns and bool({_C.FEE, _C.PAYOUT_ID} & self.columns.keys())


def propose_settlement(stream: BinaryIO) -> SettlementProposal | None:
    """The most that the headings of a table say; None if it is no table with amounts. `stream` is put back."""
    best: SettlementProposal | None = None
    for rows in tables_in(stream):
        for place, cells in enumerate(rows):
            columns = _columns(cells)
            if len(columns) >= _FEWEST and (best is None or len(columns) > len(best.columns)):
                below = [row for row in rows[place + 1 :] if len(row) >= len(cells)]
                words = _words(cells, columns, below)
                kinds = {word: kind for word in words if (kind := kind_by_words(plain_kind(word))) is not None}
                best = SettlementProposal(tuple(cells), columns, kinds, words)
    if best is None or not ({_C.GROSS, _C.NET} & best.columns.keys()):
        return None
    return best


def _columns(cells: Sequence[str]) -> dict[SettlementColumn, str]:
    by_word = {heading_word(cell): cell for cell in reversed(cells) if cell.strip()}
    by_word |= {_without_code(word): cell for word, cell in by_word.items()}
    found = {what: _first(by_word, names) for what, names in _WORDS.items()}
    for what, credits, debit, debits in _PAIRS:
        came_in, went_out = _first(by_word, credits), _first(by_word, debits)
        if not found[what] and came_in and went_out:
            found |= {what: came_in, debit: went_out}
    _add_by_parts(found, by_word)
    if not found[_C.GROSS] and found[_C.NET]:
        found[_C.GROSS] = _first(by_word, _WHOLE)
    if found[_C.GROSS] and found[_C.FEE] and not found[_C.NET]:
        found[_C.NET] = _first(by_word, _LEFT)
    return {what: heading for what, heading in found.items() if heading}


def _add_by_parts(found: dict[SettlementColumn, str], by_word: Mapping[str, str]) -> None:
    """What headings say that are none of the usual ones: `Processing Fee`, `Provision (EUR)`, `Settlement Batch`."""
    free = {word: heading for word, heading in by_word.items() if heading not in found.values()}
    for what, parts, excluded in _PARTS:
        if found.get(what):
            continue
        for part in parts:
            fits = [word for word in free if part in f" {word}" and not any(each in word for each in excluded)]
            if fits:
                found[what] = heading = free[fits[0]]
                free = {word: other for word, other in free.items() if other != heading}
                break


def _without_code(word: str) -> str:
    """A heading without the currency that it names: `provision eur` is `provision`."""
    words = word.split()
    return " ".join(words[:-1]) if len(words) > 1 and known_currency(words[-1].upper()) else word


def _first(by_word: Mapping[str, str], names: Sequence[str]) -> str:
    return next((by_word[name] for name in names if name in by_word), "")


def _words(
    cells: Sequence[str], columns: Mapping[SettlementColumn, str], below: Sequence[Sequence[str]]
) -> tuple[str, ...]:
    if _C.KIND not in columns:
        return ()
    place = cells.index(columns[_C.KIND])
    return tuple(dict.fromkeys(row[place].strip() for row in below if row[place].strip()))
