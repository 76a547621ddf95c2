"""A settlement file that its sums do not prove is refused by row; nothing becomes a credit by guess."""

# ruff: noqa: E501  # what was changed in a file beside what is said of it
from __future__ import annotations

import csv
import io
import re
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
    (files.STRIPE_PAYOUTS_RECONCILED[:900], "row 7: the row ends after 4 of 15 columns: a cell is missing, or the file is cut"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("charge,ch_1b,Order", 'charge,ch_1b,"Order'), "row 3: a quotation mark is not closed, or is within a cell"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("ch_1a,Tea,", "ch_1a,Tea,12.00,"), "row 2: the row has 16 cells, but there are 15 headings: a cell is too much"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("charge_id", "net"), "row 1: two columns are called 'net': delete the one that does not count"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("ch_1b,Order", "ch_1b,Or\0er"), "row 3: the row has a zero byte: the file is damaged"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("Won", "W" * 200_000), "row 7: a cell has more than 131072 characters"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("2026-11-15 08", "9999-12-31 08"), "row 4: '9999-12-31 08:03:10' is not a date"),
    (files.STRIPE_PAYOUTS_RECONCILED.replace("100.00,0.10,99.90", "100.00,0.10,"), "row 9: the amount is missing"),
    (files.AMAZON_RANGE_DE.replace('"0","-13,20","0","0","0","74,80"', '"-13,20","0","0","0","74,80"'), "row 9: the row ends after 26 of 27 columns: a cell is missing, or the file is cut"),
    (files.WISE.replace(",58.77,EUR", ",57.19,EUR").replace("1058.77,,,,Mila Kora,,,,,,,,0.00", "1058.77,,,,Mila Kora,,,,,,,,-1.58"), "row 3: the fee is below zero, and no gross amount proves it"),
    (files.PAYPAL_SETTLEMENT.partition('"SF"')[0], "row 7: the count of the section (SC) is missing: the file is cut"),
    (files.PAYPAL_SETTLEMENT.replace('"Transaction Event Code"', '"Event"'), "row 4: the heading Transaction Event Code is missing"),
    (files.PAYPAL_SETTLEMENT.replace('"DR",181,"EUR"', '"DR","XXX","EUR"'), "row 5: 'XXX' is not an amount in minor units"),
    (files.PAYPAL_SETTLEMENT.replace('"SB","7AB3"', '"SB",""'), "row 6: the transaction ID is missing"),
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
    with pytest.raises(FileRefused, match="row 4: the kind 'Sonstiges' is unknown, and no sign says"):
        read(text.replace("Retoure", "Sonstiges"), learnt)
    signed = text.replace("Retoure", "Sonstiges").replace(";20,00;0,00;20,00", ";-20,00;0,00;-20,00")
    assert [str(each.kind) for each in read(signed, learnt)] == ["sale", "sale", "adjustment"]


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


def test_text_of_a_spreadsheet_and_without_end_enters_as_text() -> None:
    long = "ch_" + "9" * 300
    text = files.STRIPE_PAYOUTS_RECONCILED.replace("ch_1a,Tea", "ch_1a,=HYPERLINK(\x1b)").replace("ch_1c", long)
    first, _, third, *_ = read(text)
    assert (first.text, first.order_reference) == ("=HYPERLINK( )", "SO-101")
    assert (len(third.payment_id), third.payment_id[:150]) == (200, long[:150])
    assert read(text.replace(long, f"{long}8"))[2].payment_id != third.payment_id


def test_cells_that_spreadsheet_programs_leave_out_are_not_missing() -> None:
    whole = files.STRIPE_PAYOUTS_RECONCILED
    shortened = "\n".join(line.rstrip(",") for line in whole.splitlines())
    assert read(shortened) == read(whole)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "cp1252"])
def test_encodings_of_one_file_say_the_same(encoding: str) -> None:
    reading = open_settlement(BytesIO(files.PAYPAL_DE.removeprefix("\ufeff").encode(encoding)))
    assert reading is not None
    assert list(reading.events()) == read(files.PAYPAL_DE)


def test_days_that_a_spreadsheet_program_wrote_anew_are_read_as_the_file_shows() -> None:
    american = re.sub(r"2026-(\d\d)-(\d\d)", r"\1/\2/2026", files.STRIPE_PAYOUTS_RECONCILED)
    assert read(american) == read(files.STRIPE_PAYOUTS_RECONCILED)


def test_kinds_that_nothing_explains_are_noted_with_their_row() -> None:
    text = files.STRIPE_PAYOUTS_RECONCILED.replace(",charge,ch_1c,", ",novelty,ch_1c,").replace(",fee,,", ",,,")
    reading = open_settlement(BytesIO(text.encode()))
    assert reading is not None
    assert [str(event.kind) for event in reading.events() if isinstance(event, Movement) and event.row in (4, 8)] == [
        "adjustment", "adjustment",
    ]  # fmt: skip
    assert [str(note) for note in reading.proving.notes()] == [
        "the kind 'novelty' (first in row 4) is unknown: its rows move no order, only the account at the provider",
        "nothing says of what kind rows are (first row 8): they move no order, only the account at the provider",
    ]


def test_a_payment_that_a_file_repeats_is_one_and_a_refund_is_two() -> None:
    *_, charge = files.SHOPIFY.splitlines(keepends=True)
    refund = files.SHOPIFY.splitlines(keepends=True)[2]
    ids = [each.provider_id for each in read(f"{files.SHOPIFY}{charge}{refund}")]
    assert ids[-2] == ids[-3]
    assert ids[-1] not in ids[:-1]


LACKING: Final = {
    "stripe": files.STRIPE_PAYOUTS_RECONCILED, "paypal": files.PAYPAL_DE, "mollie": files.MOLLIE,
    "shopify": files.SHOPIFY, "sumup": files.SUMUP, "wise": files.WISE, "amazon": files.AMAZON_RANGE_EN,
}  # fmt: skip


def _read(text: str) -> list[tuple[MovementKind, int, int]] | None:
    """Kind, gross amount and fee of each row; None for a file that is no settlement or is refused."""
    reading = open_settlement(BytesIO(text.encode()))
    try:
        events = [] if reading is None else [each for each in reading.events() if isinstance(each, Movement)]
    except FileRefused:
        return None
    return [(each.kind, each.gross_minor, each.fee_minor) for each in events] or None


@pytest.mark.parametrize("name", LACKING)
def test_a_file_that_lacks_any_one_column_invents_no_row(name: str) -> None:
    rows = list(csv.reader(io.StringIO(LACKING[name])))
    honest = _read(LACKING[name])
    assert honest is not None
    for place in range(max(map(len, rows))):
        out = io.StringIO()
        writer = csv.writer(out, quoting=csv.QUOTE_ALL)
        writer.writerows([cell for at, cell in enumerate(row) if at != place] for row in rows)
        read = _read(out.getvalue())
        if read is not None:
            assert len(read) == len(honest), rows[0][place]
            for found, wanted in zip(read, honest, strict=True):
                assert found == wanted or found[0] is MovementKind.ADJUSTMENT, rows[0][place]


@pytest.mark.parametrize("name", LACKING)
def test_a_file_that_is_cut_after_any_row_invents_no_row(name: str) -> None:
    lines = LACKING[name].splitlines(keepends=True)
    honest = _read(LACKING[name]) or []
    for end in range(len(lines)):
        assert set(_read("".join(lines[:end])) or []) <= set(honest)


def test_failed_payments_are_not_taken_for_others_where_no_column_tells() -> None:
    without = files.SUMUP.replace("Status", "Zustand")
    reading = open_settlement(BytesIO(without.encode()))
    assert reading is not None
    with pytest.raises(FileRefused, match="row 1: no column says which payments were made: export the file with"):
        list(reading.events())
    assert _read(files.SUMUP) is not None


SUMUP_HEAD = "id,type,amount,date,currency,fee,status,reference,transaction_code\n"
SUMUP_SALE = "1,PAYOUT,57.95,2026-11-24,EUR,0.82,SUCCESSFUL,SUMUP PID1 PAYOUT 251124,TAAA1\n"
SUMUP_WON = "2,PAYOUT,73.77,2026-11-24,EUR,{},SUCCESSFUL,SUMUP PID1 PAYOUT 251124,TAAA2\n"


def test_a_fee_below_zero_was_given_back_where_the_file_writes_kept_fees_without_a_minus() -> None:
    sale, won = read(SUMUP_HEAD + SUMUP_SALE + SUMUP_WON.format("-15.00"))
    assert (sale.gross_minor, sale.fee_minor, sale.net_minor) == (5877, 82, 5795)
    assert (won.gross_minor, won.fee_minor, won.net_minor) == (5877, -1500, 7377)


@pytest.mark.parametrize(
    "text",
    [
        SUMUP_HEAD + SUMUP_WON.format("-15.00"),
        SUMUP_HEAD + SUMUP_SALE.replace("0.82", "0.00") + SUMUP_WON.format("-15.00"),
        SUMUP_HEAD + (SUMUP_SALE.replace("0.82", "-0.82") * 2) + SUMUP_WON.format("15.00"),
    ],
)
def test_a_fee_below_zero_may_be_a_kept_one_where_no_other_fee_shows_how_they_are_written(text: str) -> None:
    with pytest.raises(FileRefused, match=r"row [23]: the fee is below zero"):
        read(text)


PAYMENT_IDS = (
    (
        "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,charge_id,payment_intent_id,automatic_payout_id\n"
        "txn_1,2026-11-18 09:00:00,eur,58.77,0.35,58.42,charge,ch_1,ch_1,pi_1,po_1\n"
        "txn_2,2026-11-19 09:00:00,eur,-58.77,15.00,-73.77,dispute,dp_1,,pi_1,po_1\n"
        "txn_3,2026-11-20 09:00:00,eur,58.77,-15.00,73.77,dispute_reversal,dp_1,,,po_1\n",
        [("ch_1", "pi_1"), ("pi_1", "dp_1"), ()],
    ),
    (
        SUMUP_HEAD + SUMUP_SALE
        + "3,REFUND_DEDUCTION,20.00,2026-11-24,EUR,0.00,SUCCESSFUL,TAAA1,TBBB7\n",
        [("TAAA1",), ("TBBB7", "TAAA1")],
    ),
    (
        files.MOLLIE.partition("\n")[0]
        + '\n"2026-11-18 10:12:44","klarna","EUR","58.77","Paid","cpt_1","Original payment: tr_7Uh - Order SO-101","","","","EUR","58.77","1.2611.01","0.00"'
        + '\n"2026-11-19 10:12:44","refund","EUR","-58.77","Refunded","re_2","Refund tr_7Uh","","","","EUR","-58.77","1.2611.01","0.00"\n',
        [("cpt_1", "tr_7Uh"), ("tr_7Uh", "re_2")],
    ),
)  # fmt: skip


@pytest.mark.parametrize(("text", "ids"), PAYMENT_IDS)
def test_rows_keep_two_ids_of_their_payment(text: str, ids: list[tuple[str, ...]]) -> None:
    assert [each.payment_ids for each in read(text)] == ids


def test_a_sale_at_paypal_has_its_own_code_and_the_one_that_it_refers_to() -> None:
    text = files.PAYPAL_SETTLEMENT.replace('"SO-101","","","T0006"', '"SO-101","9AUTH","TXN","T0006"')
    assert text != files.PAYPAL_SETTLEMENT
    assert read(text)[0].payment_ids == ("7AB12345CD678901E", "9AUTH")
