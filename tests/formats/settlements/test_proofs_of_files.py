"""A settlement file that its sums do not prove is refused by row; nothing becomes a credit by guess."""

# ruff: noqa: E501  # what was changed in a file beside what is said of it
from __future__ import annotations

from io import BytesIO
from typing import Final

import pytest

from paymatch.domain.payouts.movements import Movement, MovementKind
from paymatch.formats.settlements.layouts import LayoutBroken, SettlementColumn, layouts, parse_layouts
from paymatch.formats.settlements.learnt import MappingRefused, layout_from_json, layout_to_json, learnt_layout
from paymatch.formats.settlements.reader import open_settlement
from paymatch.formats.statement import FileRefused
from tests.formats.corpus_files import corpus_files
from tests.formats.settlements import files
from tests.formats.tables import exports

_C = SettlementColumn

REFUSED: Final = (
    (files.STRIPE_PAYOUTS_RECONCILED.replace("26.84", "26.48"), "row 3: the net amount is not the gross amount less the fee"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("39.05", "39.0.5"), "row 4: '39.0.5' is not an amount"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("2026-11-15 08", "2026-13-15 08"), "row 4: '2026-13-15 08:03:10' is not a date"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("eur,100.00", "xyz,100.00"), "row 9: unknown currency 'XYZ'"),
    (files.PAYPAL_DE.replace('"1.156,86"', '"1.156,68"'), "row 4: the balance does not follow from the row before: a row is missing or an amount is wrong"),
    (files.PAYPAL_DE.replace('"-1,81"', '"1,81"'), "row 2: the net amount is not the gross amount less the fee"),
    (files.PAYPAL_SETTLEMENT.replace('"CR",5877,"EUR"', '"CR",5787,"EUR"'), "row 8: the total of gross credits is 58.77, but its rows add up to 57.87"),
    (files.PAYPAL_SETTLEMENT.replace('"CR",5877,"EUR"', '"",5877,"EUR"'), "row 5: '' is neither CR nor DR"),
    (files.PAYPAL_SETTLEMENT.replace('"SF","JPY",5877', '"SF","JPY",5876'), "row 9: the total of gross credits is 5876, but its rows add up to 5877"),
    (files.PAYPAL_SETTLEMENT.replace('"SC",3', '"SC",4'), "row 10: the section has 3 rows, its count says 4"),
    (files.KLARNA.replace(";1.41;", ";1.42;"), "row 2: total_settlement_amount is 134.01, but its rows add up to 134.00"),
    (files.KLARNA.replace("SALE;2026-11-18T10", "RETURN;2026-11-18T10"), "row 2: total_sale_amount is 158.77, but its rows add up to 58.77"),
    (files.AMAZON_V2.replace("-39,00", "-38,00"), "row 2: the total amount is 109.00, but its rows add up to 110.00"),
    (files.AMAZON_RANGE_DE.replace('"74,80"', '"74,79"'), "row 9: the net amount is not the gross amount less the fee"),
    (files.SHOPIFY.replace("57.24", "60.30"), "row 5: the net amount is not the gross amount less the fee"),
    (files.SUMUP.replace('"57,95"', '"58,77"'), "row 5: the net amount is not the gross amount less the fee"),
    (files.WISE.replace(",1058.77,", ",1058.78,"), "row 3: the balance does not follow from the row before: a row is missing or an amount is wrong"),
    (files.MOLLIE.partition("\n")[0], "the settlement file has no rows"),
)  # fmt: skip


def read(text: str, *learnt: str) -> list[Movement]:
    reading = open_settlement(BytesIO(text.encode()), [layout_from_json(each) for each in learnt])
    assert reading is not None
    return [event for event in reading.events() if isinstance(event, Movement)]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_the_sums_do_not_prove_is_refused_by_row(text: str, reason: str) -> None:
    with pytest.raises(FileRefused) as refusal:
        read(text)
    assert str(refusal.value) == reason


@pytest.mark.parametrize("text", [export.text for export in exports.EXPORTS])
def test_a_table_of_a_bank_is_no_settlement(text: str) -> None:
    reading = open_settlement(BytesIO(text.encode()))
    assert reading is None or reading.layout.provider in {"paypal", "stripe", "wise", "mollie", "klarna"}


@pytest.mark.corpus
def test_bank_files_of_others_are_no_settlements() -> None:
    found = {
        reading.layout.provider
        for file in corpus_files("CSV")
        if (reading := open_settlement(BytesIO(file.data))) is not None
    }
    assert found <= {"paypal", "stripe", "wise"}


def test_an_unknown_layout_is_read_after_one_mapping() -> None:
    assert open_settlement(BytesIO(files.UNKNOWN.encode())) is None
    learnt = layout_to_json(learnt_layout("kassenwerk", "Kassenwerk", _COLUMNS))
    assert [
        (str(each.kind), each.order_reference, each.gross_minor, each.fee_minor, each.payout_id)
        for each in read(files.UNKNOWN, learnt)
    ] == [
        ("sale", "SO-101", 5877, 82, "A-2026-11-18"),
        ("sale", "SO-102", 10000, 200, "A-2026-11-18"),
        ("refund", "SO-101", -2000, 0, "A-2026-11-18"),
    ]
    reading = open_settlement(BytesIO(files.UNKNOWN.encode()), [layout_from_json(learnt)])
    assert reading is not None
    assert len(list(reading.events())) == 3
    assert reading.recognised_as() == "Kassenwerk, settlement, 1 payout"


_COLUMNS: Final = {
    _C.TIME: "Buchung",
    _C.ID: "Beleg",
    _C.ORDER: "Auftrag",
    _C.GROSS: "Brutto",
    _C.FEE: "Disagio",
    _C.NET: "Netto",
    _C.PAYOUT_ID: "Abrechnung",
}
_UNSIGNED: Final = files.UNKNOWN.replace("-20,00", "20,00")


def test_a_column_without_signs_credits_no_order() -> None:
    learnt = layout_to_json(learnt_layout("kassenwerk", "Kassenwerk", _COLUMNS))
    with pytest.raises(FileRefused) as refusal:
        read(_UNSIGNED, learnt)
    assert str(refusal.value) == ("row 2: no sign, kind or balance of the file says that this is money from a customer")


def test_a_person_may_say_that_all_rows_are_sales() -> None:
    learnt = layout_to_json(learnt_layout("kassenwerk", "Kassenwerk", _COLUMNS, has_signs=True))
    assert {each.kind for each in read(_UNSIGNED, learnt)} == {MovementKind.SALE}


def test_words_of_a_person_give_a_column_without_signs_its_direction() -> None:
    text = (
        _UNSIGNED.replace("Buchung;", "Art;Buchung;", 1).replace("\n18", "\nKauf*;18").replace("\n19", "\nRetoure;19")
    )
    words = {"Kauf*": MovementKind.SALE, "Retoure": MovementKind.REFUND}
    learnt = layout_to_json(learnt_layout("kassenwerk", "Kassenwerk", _COLUMNS | {_C.KIND: "Art"}, words))
    assert [(str(each.kind), each.net_minor) for each in read(text, learnt)] == [
        ("sale", 5795),
        ("sale", 9800),
        ("refund", -2000),
    ]
    other = text.replace("Retoure", "Sonstiges")
    assert [str(each.kind) for each in read(other, learnt)] == ["sale", "sale", "adjustment"]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({_C.TIME: "Tag"}, "A settlement needs a column with the gross or the net amount"),
        ({_C.GROSS: "Brutto"}, "A settlement needs a column with the day"),
        (
            {_C.TIME: "Tag", _C.GROSS: "Brutto", _C.FEE: "Disagio"},
            "A settlement with a fee needs columns with the gross and the net amount, which prove it",
        ),
    ],
)
def test_a_mapping_without_amount_or_day_is_refused(columns: dict[SettlementColumn, str], reason: str) -> None:
    with pytest.raises(MappingRefused, match=reason):
        learnt_layout("kassenwerk", "Kassenwerk", columns)


def test_words_need_a_column() -> None:
    with pytest.raises(MappingRefused, match="Words for kinds need a column that has them"):
        learnt_layout("kassenwerk", "Kassenwerk", _COLUMNS, {"Kauf": MovementKind.SALE})


def test_the_shipped_layouts_are_sound() -> None:
    assert len(layouts()) == len({(each.provider, each.report) for each in layouts()})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[layout]]\nprovider = 'a'\nreport = 'b'", "a, b: recognised by `headings` or `marks`"),
        ("[[layout]]\nprovider = 'a'\nreport = 'b'\nlike = 'c'", "no layout above is called 'c'"),
        ("[[layout]]\nprovider = 'a'\nreport = 'b'\nheadings = ['x']\nother_kind = 'gift'", "unknown kinds: gift"),
        ("[[layout]]\nprovider = 'a'", "missing required field `report`"),
    ],
)
def test_a_layout_that_could_never_be_read_is_refused(text: str, reason: str) -> None:
    with pytest.raises(LayoutBroken, match=reason):
        parse_layouts(text)
