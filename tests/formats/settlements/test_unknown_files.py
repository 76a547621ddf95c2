"""Files of unknown services: proposed by headings and by what the cells are, and rows that only add up the others."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.domain.payouts.movements import Movement
from paymatch.formats.settlements.layouts import recognise_settlement
from paymatch.formats.settlements.learnt import learnt_layout
from paymatch.formats.settlements.proposing import propose_settlement
from paymatch.formats.settlements.reader import SettlementReading
from paymatch.formats.statement import FileRefused
from tests.formats.settlements.unknown_files import FILES, READ


def _proposed(text: str, *, has_signs: bool = False) -> list[tuple[Any, ...]]:
    """What the proposal reads, with no word of a person."""
    proposal = propose_settlement(io.BytesIO(text.encode()))
    assert proposal is not None
    layout = learnt_layout("x", "X", proposal.columns, proposal.kinds, has_signs=has_signs)
    found = recognise_settlement(io.BytesIO(text.encode()), (layout,))
    assert found is not None
    events = SettlementReading(io.BytesIO(text.encode()), found, "EUR").events()
    return [
        (str(each.kind), each.order_reference, each.gross_minor, each.fee_minor, each.currency, each.payout_id)
        for each in events
        if isinstance(each, Movement)
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_file_of_an_unknown_service_is_proposed_as_it_is(name: str) -> None:
    assert _proposed(FILES[name]) == READ[name]


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from(sorted(FILES)), chance=st.randoms(use_true_random=False))
def test_the_order_of_columns_says_nothing(name: str, chance: Any) -> None:
    separator = max(",;", key=FILES[name].partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(FILES[name]), delimiter=separator))
    places = chance.sample(range(len(rows[0])), len(rows[0]))
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows([row[place] for place in places] for row in rows)
    for read, wanted in zip(_proposed(out.getvalue()), READ[name], strict=True):
        assert (read[0], *read[2:5]) == (wanted[0], *wanted[2:5])


HEADING = "Datum;Bestellnummer;Typ;Brutto;Gebühr;Netto;Auszahlungsnummer\n"
ROWS = "18.11.2026;SO-101;Verkauf;58,77;-0,82;57,95;A-47110\n19.11.2026;SO-102;Erstattung;-20,00;0,00;-20,00;A-47110\n"
BOOKED = [("sale", "SO-101", 5877, 82, "EUR", "A-47110"), ("refund", "SO-102", -2000, 0, "EUR", "A-47110")]


@pytest.mark.parametrize(
    "total", [";;Summe;38,77;-0,82;37,95;\n", "Gesamt:;;;38,77;-0,82;37,95;\n", "TOTAL;;;;;37,95;\n"]
)
def test_a_row_that_adds_up_the_others_is_no_movement(total: str) -> None:
    assert _proposed(HEADING + ROWS + total) == BOOKED


@pytest.mark.parametrize("total", [";;Summe;38,77;-0,82;37,96;\n", "Gesamt:;;;38,78;;;\n"])
def test_a_total_that_is_wrong_by_a_cent_is_refused(total: str) -> None:
    with pytest.raises(FileRefused, match="row 4: "):
        _proposed(HEADING + ROWS + total)


@pytest.mark.parametrize("word", ["Summe", "Total", "Gesamt"])
def test_an_order_that_is_called_a_total_is_still_a_sale(word: str) -> None:
    forged = f"20.11.2026;{word};Verkauf;38,77;-0,82;37,95;A-47110\n"
    assert _proposed(HEADING + ROWS + forged) == [*BOOKED, ("sale", word, 3877, 82, "EUR", "A-47110")]
