"""A customer whom no mail reaches is asked for the bank details of a refund by letter, once (D-52)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pikepdf
import pytest
import zxingcpp

from paymatch.store.database import Database
from paymatch.usecases.customers.links import follow
from paymatch.usecases.letters import printing
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.shops import dunning_plans
from paymatch.usecases.work import alerts
from tests.formats.letters.looks import page
from tests.keys import KEYRING
from tests.usecases.customers.test_refund_requests import BASE, Asking
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.refunds.refund_world import ERIKA


@pytest.fixture
def shop(migrated_url: str, tmp_path: Path) -> Iterator[Asking]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    found = Asking(database, tmp_path / "files")
    found.client.change(letters="on")
    with database.of_shop(found.client.shop) as tx:
        dunning_plans.change_plan(tx, {"letters-without-mail": "on"})
    yield found
    database.close()


def write(shop: Asking) -> list[tuple[str, str]]:
    """(kind, status) of all letters, once what is due is written."""
    while work_due(shop.database, shop.client.shop, LetterGateways(base=BASE), shop.clock.now):
        pass
    rows = shop.client.rows("SELECT kind, status FROM letters WHERE shop_id = $1 ORDER BY id")
    return [(row[0], row[1]) for row in rows]


def test_asked_by_letter_then_a_person_is_told(shop: Asking, tmp_path: Path) -> None:
    shop.cod("A-1", customerEmail=None, billing=ADDRESS)
    assert (shop.ask(), write(shop)) == ([], [("REFUND_ACCOUNT", "SPOOLED")])
    with shop.database.of_shop(shop.client.shop, at=shop.clock.now) as tx:
        run = printing.begin_run(tx)
        assert run is not None
        pdf = printing.run_files(tx, run).pdf
    with pikepdf.open(io.BytesIO(pdf)) as whole:
        assert len(whole.pages) == 1
    (code,) = zxingcpp.read_barcodes(page(tmp_path, pdf, dpi=150))
    assert code.text.startswith(f"{BASE}/p/")
    found = follow(shop.database, code.text.rpartition("/")[2], shop.clock.now)
    assert found is not None
    assert found[1] == "A-1"
    shop.clock.now += timedelta(days=21)
    assert (shop.ask(), len(write(shop))) == ([], 1)
    texts = [
        row["text"] for row in alerts.list_alerts(shop.database, shop.client.shop) if row["kind"] == "bank-details"
    ]
    assert [text.rpartition(": ")[2] for text in texts] == ["the customer was asked by letter and has not given any"]


def test_details_that_came_meanwhile_withdraw_the_letter(shop: Asking) -> None:
    refund = shop.cod("A-1", customerEmail=None, billing=ADDRESS)
    shop.ask()
    write(shop)
    shop.set_iban(refund, ERIKA)
    with shop.database.of_shop(shop.client.shop, at=shop.clock.now) as tx:
        assert printing.begin_run(tx) is None
    assert write(shop) == [("REFUND_ACCOUNT", "WITHDRAWN")]
