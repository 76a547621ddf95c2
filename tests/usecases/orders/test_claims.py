"""The claim list of a shop whose carrier pays out for many parcels at once, by use case and by command."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.domain.orders.fees import FeeKind
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part, Withheld
from paymatch.usecases.orders.claims import claim_list
from tests.usecases.conftest import Books, camt, paid

CARRIER = {"counterparty_name": "DPD Deutschland GmbH", "counterparty_iban": "DE02120300000000202051"}
LATER = date(2026, 4, 1)


def on_delivery(books: Books, number: str, amount: str, parcel: str) -> None:
    books.order(
        number,
        amount,
        type="COD",
        shippingNumbers=[parcel],
        billing={"lastName": f"Kunde{number}", "countryCode": "DE"},
    )


@pytest.fixture
def paid_out(books: Books) -> Books:
    """Two of four parcels are paid out, less a fee; the list also names a parcel that nobody knows."""
    for number, amount, parcel in (
        ("61001", "40.00", "01234567890123"), ("61002", "60.00", "01234567890999"),
        ("61003", "25.00", "01234567899111"), ("=61004", "12.00", "LX252849682DE"),
    ):  # fmt: skip
        on_delivery(books, number, amount, parcel)
    first = paid(9700, "Nachnahme 01234567890123 01234567890999", **CARRIER)
    second = paid(3333, "Nachnahme 98765432109876", **CARRIER)
    books.bring(camt(CamtMessage.STATEMENT, first, second))
    (posting,) = (row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 9700"))
    kept = Withheld(None, FeeKind.DELIVERY_FEE)  # a person confirms once what the carrier keeps (D-84)
    assigning.match(books.database, books.shop, posting, [Part("61001"), Part("61002")], books.now, kept)
    return books


def test_what_is_paid_out_and_what_is_to_be_claimed(paid_out: Books) -> None:
    found = claim_list(paid_out.database, paid_out.shop, LATER)
    assert [(c.order.number, c.order.open_minor, c.days_waiting, c.payer, c.last_payout) for c in found.orders] == [
        ("61003", 2500, 31, "DPD Deutschland GmbH", date(2026, 3, 10)), ("=61004", 1200, 31, "", None),
    ]  # fmt: skip
    payouts = {
        (p.amount_minor, p.decided, tuple(o.number for o in p.orders), p.unknown_numbers): s for p, s in found.payouts
    }
    matched = payouts[9700, True, ("61001", "61002"), ()]
    assert (matched.gross_minor, matched.fee_minor, matched.missing_minor, matched.unexplained_minor) == (
        10000,
        300,
        0,
        0,
    )
    unknown = payouts[3333, False, (), ("98765432109876",)]
    assert unknown.unexplained_minor == 3333
    assert len(payouts) == 2
    paid_out.sound()


def test_not_before_their_time(paid_out: Books) -> None:
    assert claim_list(paid_out.database, paid_out.shop, LATER, min_days=32).orders == []
    assert claim_list(paid_out.database, paid_out.shop, date(2026, 3, 14)).orders == []


def test_by_command(paid_out: Books, module_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", module_url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path))
    words = ["claims", str(paid_out.shop.id), "--date", "2026-04-01"]
    shown = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert shown["orders"][0] == {
        "orderNumber": "61003", "shippingNumber": "01234567899111", "orderDate": "2026-03-01",
        "shippedDate": "2026-03-01", "amount": "25.00", "currency": "EUR", "daysWaiting": 31,
        "carrier": "DPD Deutschland GmbH", "lastPayout": "2026-03-10",
    }  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(CliRunner().invoke(app, [*words, "--csv"]).stdout)))
    assert [row["orderNumber"] for row in rows] == ["61003", "'=61004"]
    assert "DPD Deutschland GmbH" in CliRunner().invoke(app, words).stdout
    assert CliRunner().invoke(app, ["claims", "nobody"]).exit_code == 1
