"""What goes when its period is over: payers, customers, and all of a deleted shop, with a certificate."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest

from paymatch.domain.privacy.person import PersonRefused
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import statements as statement_store
from paymatch.usecases.advices.advices import import_advice, list_advices
from paymatch.usecases.audit import check_chain
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.privacy import periods, plan
from paymatch.usecases.shops import shops
from tests.usecases.conftest import camt, paid
from tests.usecases.privacy.test_erasing import (
    BERND,
    EMAIL,
    HERS,
    IBAN,
    NAME,
    OTHER_IBAN,
    STATEMENT,
    World,
    books_of,
    live,
    world,
)

assert world


def after(world: World, days: int) -> World:
    return dataclasses.replace(
        world, books=dataclasses.replace(world.books, now=world.books.now + timedelta(days=days))
    )


def run(world: World) -> periods.Gone:
    return periods.forget_people(world.books.database, world.books.shop, world.files, world.books.now, batch=2)


def change(world: World, **settings: str) -> None:
    with world.books.database.of_shop(world.books.shop) as tx:
        shops.change(tx, {name.replace("_", "-"): value for name, value in settings.items()})


def test_payers_go_after_two_years_and_statements_still_book_nothing(world: World) -> None:
    live(world)
    before = books_of(world)
    assert run(after(world, 720)) == periods.Gone()
    assert run(after(world, 732)) == periods.Gone("3 payers forgotten")
    assert run(after(world, 739)) == periods.Gone("1 payer forgotten"), "the refund was booked a week later"
    assert {place for place in world.found(OTHER_IBAN) if "/" not in place} == set(), "bank files are kept as they are"
    assert "statement_lines.facts" not in world.found(NAME, IBAN)
    assert "orders.doc" in world.found(EMAIL)
    assert books_of(world) == before
    assert world.books.bring(STATEMENT.replace(b"<MsgId>", b"<MsgId>y")).new == 0
    world.books.sound()


def test_advices_go_with_the_payers_and_what_they_decided_stays(world: World) -> None:
    books = world.books
    books.order("AV-1", "100.00")
    books.order("AV-2", "50.00")
    text = b"Payer: Kurier Blitz GmbH\nOrder;Amount\nAV-1;100,00\nAV-2;50,00\nTotal;150,00\n"
    import_advice(books.database, books.shop, BytesIO(text), "a.csv", books.now, StatementChannel.COMMAND_LINE)
    books.bring(camt(CamtMessage.STATEMENT, paid(150_00, "collected", counterparty_name="Kurier Blitz GmbH")))
    match_due(books.database, books.shop, books.now)
    assert books.status("AV-1") == "PAID"
    change(world, keep_payer_days="forever")
    assert "advice" not in run(after(world, 740)).words
    assert len(list_advices(books.database, books.shop)) == 1
    change(world, keep_payer_days="730")
    assert "advice" not in run(after(world, 729)).words
    assert "1 advice forgotten" in run(after(world, 740)).words.replace("1 payer, ", "")
    assert list_advices(books.database, books.shop) == []
    assert (books.status("AV-1"), books.status("AV-2")) == ("PAID", "PAID")
    assert books.rows("SELECT 1 FROM advised_postings WHERE shop_id = $1") == []


def test_nothing_waits_for_a_job_that_has_nobody_to_forget(world: World) -> None:
    with world.books.database.of_shop(world.books.shop) as tx:
        statement_store.lock_imports(tx)  # an import; reminders wait for it
        assert run(world) == periods.Gone("")


def test_customers_go_after_ten_years_with_their_invoices(world: World) -> None:
    live(world)
    world.books.order("B-9", "5.00", **BERND)
    world.run("UPDATE orders SET updated_at = %s", world.books.now)
    assert run(after(world, 3650)).words == "4 payers forgotten"
    assert run(after(world, 3670)) == periods.Gone("3 customers forgotten")
    assert world.found(EMAIL, "Eichenweg 3") == {
        "orders.doc", "order_search.words", "alerts.named", "api_requests.sent",
    }, "an order that is open keeps its customer; alerts and requests have periods of their own"  # fmt: skip
    assert list((world.folder / "files").rglob("*.pdf")) == []
    world.books.sound()


def test_periods_are_settings_within_the_law(world: World) -> None:
    rows = {row["data"]: row["kept"] for row in plan.plan(world.books.database, world.books.shop)}
    assert rows["who paid: names, accounts and texts of postings"] == "730 days after the booking (keep-payer-days)"
    assert rows["remittance advices"] == "730 days after they came (keep-payer-days)"
    change(world, keep_payer_days="forever", keep_order_years="forever")
    live(world)
    assert run(after(world, 9000)) == periods.Gone()
    with pytest.raises(SettingRefused, match="years from 8 on"):
        change(world, keep_order_years="7")


def deleted(world: World) -> Shop:
    change(world, status="deleted")
    with world.books.database.of_shop(world.books.shop) as tx:
        found = shop_store.load(tx)
    assert found is not None
    return found


def test_deleted_shop_goes_after_its_period_with_a_certificate(world: World) -> None:
    live(world)
    database, shop = world.books.database, deleted(world)
    with database.of_shop(shop) as tx:
        at = tx.clock()
    assert periods.purge(database, shop, world.files, world.folders, at + timedelta(days=29)) == periods.Gone()
    with pytest.raises(PersonRefused, match="has not been deleted"):
        periods.certificate(database, shop)
    gone = periods.purge(database, shop, world.files, world.folders, at + timedelta(days=31))
    assert gone.words.startswith("all data of the shop deleted: ")
    assert world.found(*HERS, OTHER_IBAN, "Bernd Beispiel") == set()
    assert world.books.rows("SELECT count(*) FROM orders WHERE shop_id = $1") == [(0,)]
    chain = check_chain(database, shop)
    assert (chain.fault, chain.entries - chain.erased) == ("", 1)
    told = periods.certificate(database, shop)
    assert (told["rows"]["orders"], told["rows"]["postings"], told["rows"]["files"]) == (3, 4, 3)
    assert periods.as_pdf(told).startswith(b"%PDF")
    assert periods.purge(database, shop, world.files, world.folders, at + timedelta(days=32)) == periods.Gone()
    assert list(Path(world.folder).rglob("*.xml")) == []


def test_shop_that_came_back_keeps_all(world: World) -> None:
    live(world)
    deleted(world)
    world.books.shop = dataclasses.replace(world.books.shop, status="deleted")  # type: ignore[arg-type]
    change(world, status="active")
    with world.books.database.of_shop(world.books.shop) as tx:
        shop = shop_store.present(tx)
    late = world.books.now + timedelta(days=9999)
    assert periods.purge(world.books.database, shop, world.files, world.folders, late) == periods.Gone()
