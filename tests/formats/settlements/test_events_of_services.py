"""What rows of one event say together, whichever report or program wrote them."""

# ruff: noqa: E501  # rows as the services write them
from __future__ import annotations

import csv
import io
import re

import pytest

from tests.formats.settlements import files
from tests.formats.settlements.test_settlements import movements, payouts, rows

SUMUP_CHARGEBACK = files.SUMUP + (
    '25.11.2026 10:00:00,TAAA1,Rückbuchung,Erfolgreich,VISA,4242,Order SO-101,"-58,77",EUR,,,"0,00",,,\n'
    '26.11.2026 05:00:00,TAAA1,Auszahlung,Ausgezahlt,,,,"-58,77",EUR,,,"0,00","-58,77",26.11.2026,SUMUP PID1 PAYOUT 27\n'
)


def test_a_chargeback_and_its_row_of_the_payout_are_one() -> None:
    given_back = [row for row in rows(SUMUP_CHARGEBACK) if row[2] < 0]
    assert given_back == [("chargeback", "", -5877, 0, -5877)]
    assert [(each.payout_id, each.net_minor) for each in payouts(SUMUP_CHARGEBACK)] == [
        ("SUMUP PID1283966 PAYOUT 251126", 5795),
        ("SUMUP PID1 PAYOUT 27", -5877),
    ]


def test_the_fee_of_a_dispute_stays_in_the_payout_that_it_lowers() -> None:
    later = (
        files.KLARNA_BELOW_ZERO.replace("0.00;0.00;20.00;", "0.00;15.00;20.00;").replace(
            ";5.00;20.00;0.00;25.00;", ";5.00;35.00;0.00;40.00;"
        )
        + "FEE;2026-11-25T10:00:00Z;987654322;KL7Q2W;c504;8e93;SO-101;-15.00;EUR;;DISPUTE_FEE\n"
    )
    assert [(each.payout_id, each.net_minor, each.rest_minor) for each in payouts(files.KLARNA, later)] == [
        ("987654321", 13401, 0),
        ("987654322", -3500, 0),
    ]


def test_a_reserve_is_one_in_both_reports_of_amazon() -> None:
    zeros = '"0",' * 12
    reserve = (
        f'"24.11.2026 10:30:00 UTC","81021822748","other-transaction","","","Current Reserve Amount","","","","","","","",'
        f'{zeros}"-10,00","-10,00"\n'
    )
    found = [(row[0], row[4]) for row in rows(files.AMAZON_RANGE_DE + reserve)]
    assert ("reserve held", -1000) in found


def resaved(text: str) -> str:
    """The table as a German spreadsheet writes it: semicolons, and commas in amounts."""
    out = io.StringIO()
    table = csv.writer(out, delimiter=";")
    for row in csv.reader(io.StringIO(text)):
        table.writerow([re.sub(r"^(-?\d+)\.(\d\d)$", r"\1,\2", cell) for cell in row])
    return out.getvalue()


@pytest.mark.parametrize(
    "text",
    [files.STRIPE_PAYOUTS_RECONCILED, files.STRIPE_ACTIVITY, files.STRIPE_PAYOUTS, files.MOLLIE, files.SHOPIFY,
     files.SUMUP_API, files.WISE],
    ids=["stripe", "activity", "payouts", "mollie", "shopify", "sumup", "wise"],
)  # fmt: skip
def test_a_file_that_a_spreadsheet_has_saved_again_says_the_same(text: str) -> None:
    assert rows(resaved(text)) == rows(text)
    said = [(each.kind, each.at, each.original_minor, each.payout_id) for each in movements(text)]
    assert [(each.kind, each.at, each.original_minor, each.payout_id) for each in movements(resaved(text))] == said
