"""What customers type into notes, names and titles changes nothing that a settlement file says of money."""

# ruff: noqa: E501  # texts as people type them
from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.domain.payouts.movements import Movement
from paymatch.formats.settlements.layouts import heading_word
from paymatch.formats.settlements.reader import open_settlement
from paymatch.formats.statement import FileRefused
from tests.formats.settlements import files

TYPED: Final = {"description", "note", "name", "item title", "subject", "beschreibung", "consumer name", "payer name"}
"""Headings of what customers and shops write."""
FILES: Final = {
    "stripe": files.STRIPE_PAYOUTS_RECONCILED,
    "paypal": files.PAYPAL_DE.replace('"Guthaben"', '"Hinweis","Guthaben"').replace('","1.0', '","Danke","1.0')
    .replace('","1.1', '","Danke","1.1').replace('","998', '","Danke","998').replace('","984', '","Danke","984')
    .replace('","484', '","Danke","484').replace('","464', '","Danke","464'),
    "mollie": files.MOLLIE,
    "sumup": files.SUMUP,
}  # fmt: skip
FORGED: Final = (
    "SO-104", "Order SO-104 paid in full", "=HYPERLINK(\"http://x\";\"SO-104\")", "+49 170 1234567", "@SUM(A1:A9)", "-58,77",
    "Summe", "Gesamt: 58,77", "Withheld transaction fees MOL-2026-0012345", "Chargeback fee", "Rückzahlung", "payout po_1",
    "Auszahlung SUMUP PID1283966 PAYOUT 251126", "SUMUP PID1", "S\u200bO-1\u200d04", "\u202eSO-104\u202c", "SO\u2011104",
    "ＳＯ-１０４", "SO-١٠٤", "O" * 5000, "a\x07b\x1b[31m", "\ufeff", "EREF+SO-104 SVWZ+OAMT+500,00", "58.77;EUR;SO-104",
    'x","58.77","EUR","SO-104', "x\ty\tz", "x\ny", "\n18.11.2026;SO-104;58,77\n", '"', '""', "\\\"", "'",
    '\r\n"18.11.2026","10:12:44","Europe/Berlin","M","PayPal Express-Zahlung","Abgeschlossen","EUR","58,77","0,00","58,77","7ZZ","","SO-104","x","1.056,96","Haben"\r\n',
)  # fmt: skip


def _movements(text: str) -> list[Movement]:
    reading = open_settlement(io.BytesIO(text.encode("utf-8", "surrogatepass")))
    assert reading is not None
    return [replace(each, text="", row=0) for each in reading.events() if isinstance(each, Movement)]


def _written(name: str, forged: str, place: int, *, is_quoted: bool = True) -> str:
    """The file with `forged` in the cells for texts of one row; unless quoted, as a careless program writes it."""
    rows = list(csv.reader(io.StringIO(FILES[name])))
    places = [at for at, heading in enumerate(rows[0]) if heading_word(heading) in TYPED]
    assert places
    of_customers = [at for at, row in enumerate(rows) if at and not any("Withheld" in cell for cell in row)]
    chosen = of_customers[place % len(of_customers)]
    for at in places:
        rows[chosen][at] = forged
    out = io.StringIO()
    if is_quoted:
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
        return out.getvalue()
    quoted = [['"' + cell.replace('"', '""') + '"' for cell in each] for each in rows]
    for at in places:
        quoted[chosen][at] = forged
    return "".join(",".join(each) + "\n" for each in quoted)


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(sorted(FILES)), place=st.integers(0, 5),
    forged=st.one_of(st.sampled_from(FORGED), st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=40)),
)  # fmt: skip
def test_a_typed_text_changes_no_movement(name: str, place: int, forged: str) -> None:
    assert _movements(_written(name, forged, place)) == _movements(FILES[name])


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(sorted(FILES)), place=st.integers(0, 5), forged=st.sampled_from(FORGED))
def test_a_typed_text_that_breaks_out_of_its_cell_is_refused_or_changes_nothing(
    name: str, place: int, forged: str
) -> None:
    honest = _movements(FILES[name])
    try:
        read = _movements(_written(name, forged, place, is_quoted=False))
    except FileRefused:
        return
    assert read == honest


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_files_are_read_as_they_are(name: str) -> None:
    assert len(_movements(FILES[name])) > 2
