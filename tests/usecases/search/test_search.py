"""The texts that searches read: of older data, under another key, and after a person was erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from paymatch.store.database import Database
from paymatch.store.sealing import PARTY_MARKS, Keyring, Vault
from paymatch.store.search import posting_texts
from paymatch.store.search.posting_texts import account_parts
from paymatch.store.transactions import ShopId
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
