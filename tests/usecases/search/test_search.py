"""The texts that searches read: of older data, under another key, and after a person was erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from paymatch.domain.search.query import read_query
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.sealing import PARTY_MARKS, POSTING_PARTY, Keyring, Vault
from paymatch.store.search import finding, posting_texts
from paymatch.store.search.posting_texts import account_parts
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import order_lists
from paymatch.usecases.search.finding import find
from paymatch.usecases.search.writing import SearchTextsWritten, write_missing
from tests.contract.bank import PAYER, book, entry
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    """A shop."""
    return RefundWorld(database, tmp_path)


def found(world: RefundWorld, text: str, database: Database | None = None) -> tuple[int, int]:
    """How many orders and payments a text finds."""
    with (database or world.database).of_shop(world.client.shop) as tx:
        findings = find(tx, text, 5)
    return findings.order_count, findings.payment_count


def test_older_data_is_found_once_the_job_has_run(world: RefundWorld) -> None:
    shop = ShopId(world.client.shop.id)
    world.paid("A-1")
    world.client.submit("A-2", billing={"lastName": "Iversen", "countryCode": "DE"})
    with world.database.of_shop(world.client.shop) as tx:
        tx.run("DELETE FROM order_search WHERE shop_id = $1", shop)
        tx.run("DELETE FROM posting_search WHERE shop_id = $1", shop)
    assert found(world, "iversen") == (0, 0)
    assert write_missing(world.database, shop, batch=1) == SearchTextsWritten(2, 1, more=False)
    assert found(world, "iversen") == (1, 0)
    assert found(world, PAYER[5:11]) == (1, 1)
    assert write_missing(world.database, shop) == SearchTextsWritten(0, 0, more=False)


def test_a_later_submission_and_an_undone_import_are_followed(world: RefundWorld) -> None:
    world.client.submit("A-1", billing={"lastName": "Iversen", "countryCode": "DE"})
    world.client.submit("A-1", billing={"lastName": "Petersen", "countryCode": "DE"})
    assert [found(world, name)[0] for name in ("iversen", "petersen")] == [0, 1]


def test_parts_of_an_account_are_found_under_an_earlier_key_and_marked_anew(world: RefundWorld) -> None:
    shop = ShopId(world.client.shop.id)
    book(world.client, entry("danke", 2_240))
    rotated = Keyring(("another secret key of many characters", *KEYRING.secrets))
    with world.database.of_shop(world.client.shop) as tx:
        (before,) = tx.rows("SELECT account FROM posting_search WHERE shop_id = $1", shop)[0]
    vault = rotated.vault(shop)
    assert before.startswith(vault.key_ids[1])
    assert [all(mark in before for mark in marks) for marks in vault.mark_lookups(PARTY_MARKS, {PAYER[5:9]})] == [
        False, True,
    ]  # fmt: skip


def test_marks_say_nothing_without_the_key_and_find_each_part() -> None:
    shop, stranger = (Vault(owner, KEYRING.secrets) for owner in ("one", "two"))
    stored = shop.marks(PARTY_MARKS, account_parts(PAYER))
    assert PAYER[4:8] not in stored
    assert stored != stranger.marks(PARTY_MARKS, account_parts(PAYER))
    for place in range(len(PAYER) - 3):
        (marks,) = shop.mark_lookups(PARTY_MARKS, [PAYER[place : place + 4]])
        assert all(mark in stored for mark in marks)
    assert Vault("one", ()).marks(PARTY_MARKS, account_parts(PAYER)) == ""


def test_what_waits_to_be_marked_anew_is_named(world: RefundWorld) -> None:
    shop = ShopId(world.client.shop.id)
    book(world.client, entry("danke", 2_240))
    with world.database.of_shop(world.client.shop) as tx:
        assert posting_texts.without_text(tx, 5) == []
        tx.run("UPDATE posting_search SET account = 'ffffffffAAAA' WHERE shop_id = $1", shop)
        assert len(posting_texts.without_text(tx, 5)) == 1


def test_what_many_rows_have_is_found_in_the_same_order_and_counted_no_further(
    world: RefundWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(9):
        name = {0: "Hans", 4: "Hanns"}.get(place, "Hansen")
        world.client.submit(f"A-{place}", billing={"lastName": name, "countryCode": "DE"})
        world.client.clock.pass_time(seconds=86_400)

    def numbers(text: str, limit: int) -> list[str]:
        with world.database.of_shop(world.client.shop) as tx:
            return [each.order.number for each in find(tx, text, limit).orders]

    shown = [(text, limit, numbers(text, limit)) for text in ("hans", "hansen", "hansem") for limit in (3, 20)]
    assert shown[0][2] == ["A-0", "A-8", "A-7"]
    assert shown[3][2] == ["A-8", "A-7", "A-6", "A-5", "A-3", "A-2", "A-1"]
    assert shown[5][2] == shown[3][2]
    monkeypatch.setattr(finding, "MOST_COUNTED", 5)
    monkeypatch.setattr(finding, "_FIRST_LOOK", 6)
    assert [(text, limit, numbers(text, limit)) for text, limit, _numbers in shown] == shown
    assert [found(world, text)[0] for text in ("hans", "hanns")] == [6, 2]
    with world.database.of_shop(world.client.shop) as tx:
        listed = order_lists.page(tx, text="hansen", asked=AskedPage(2, counts=True))
        assert [order.number for order in listed.rows] == ["A-8", "A-7"]
        assert listed.totals is not None
        assert (listed.totals.is_more, listed.totals.sums) == (True, ())


def test_no_more_accounts_are_opened_than_it_takes(world: RefundWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in range(5):
        book(world.client, entry(f"danke {place}", 2_240))
    opened: list[str] = []
    opens = Vault.open

    def open_and_note(vault: Vault, column: str, stored: str) -> str:
        if column == POSTING_PARTY:
            opened.append(stored)
        return opens(vault, column, stored)

    monkeypatch.setattr(Vault, "open", open_and_note)
    monkeypatch.setattr(finding, "_OPENED_AT_ONCE", 2)
    monkeypatch.setattr(finding, "MOST_PAYMENTS", 2)
    with world.database.of_shop(world.client.shop) as tx:
        assert len(finding.paid_from(tx, read_query(PAYER[5:11]))) == 2
        assert len(opened) == 2
        monkeypatch.setattr(finding, "MOST_PAYMENTS", 5)
        assert len(finding.paid_from(tx, read_query(PAYER[5:11]))) == 5
        assert finding.paid_from(tx, read_query("99999999")) == []
