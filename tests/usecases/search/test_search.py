"""The texts that searches read: of older data, under another key, and after a person was erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from paymatch.domain.search.query import read_query
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.sealing import PARTY_MARKS, POSTING_PARTY, Keyring, Vault
from paymatch.store.search import finding, posting_texts, segments
from paymatch.store.search.finding import Wanted
from paymatch.store.search.posting_texts import account_parts
from paymatch.store.statements.posting_queue import QueueFilter
from paymatch.store.transactions import ShopId
from paymatch.usecases.matching import queue
from paymatch.usecases.orders import order_lists
from paymatch.usecases.search import finding as finding_everything
from paymatch.usecases.search import matches
from paymatch.usecases.search.finding import find
from paymatch.usecases.search.writing import SearchTextsWritten, gather_segments, write_missing
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
    monkeypatch.setattr(matches, "LISTED", Wanted(0, 1, 5))
    monkeypatch.setattr(finding_everything, "MOST_COUNTED", 5)
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
    monkeypatch.setattr(finding, "MOST_PAYMENTS", 2)
    with world.database.of_shop(world.client.shop) as tx:
        assert len(finding.paid_from(tx, read_query(PAYER[5:11]))) == 2
        assert len(opened) == 2
        monkeypatch.setattr(finding, "MOST_PAYMENTS", 5)
        assert len(finding.paid_from(tx, read_query(PAYER[5:11]))) == 5
        assert finding.paid_from(tx, read_query("99999999")) == []


NAMES = ("Marie Iversen", "Anna Müller", "Anna Mueler", "Hans Gerda", "Jörg Rößler", "Anna Iversen", "Ida Xander")
WORDINGS = (
    "marie iversen", "müller anna", "Iverson", "Mulier Anna", "Marei Iverson", "Gerde", "an", "x", "xa", "a", "9", "10",
    "A-3", "a3", "22,40", "22.40 EUR", "24", "Roessler", "jorg", "danke 3", "vielen Dank", "A 3 danke", "nothing",
    "B0", "Anna Müller danke ich sehr und schreibe einen langen Text, den es so bei keiner Bestellung gibt " * 2,
    PAYER, PAYER[4:12], PAYER[-4:], "0124",
)  # fmt: skip


def answers(world: RefundWorld) -> dict[str, list[object]]:
    """What each wording finds: in the dialog, in the list of orders, in the list of postings that wait."""
    found: dict[str, list[object]] = {}
    for text in WORDINGS:
        with world.database.of_shop(world.client.shop) as tx:
            everything = find(tx, text, 5)
            orders = order_lists.find_orders(tx, text=text)
            rows, _next = queue.list_postings(tx, QueueFilter("open", text), limit=50)
        found[text] = [
            [(each.order.number, each.is_near) for each in everything.orders], everything.order_count,
            [(each.id, each.is_near) for each in everything.payments], everything.payment_count,
            [each.number for each in orders], [row["id"] for row in rows],
        ]  # fmt: skip
    return found


def gathered_rows(world: RefundWorld) -> list[int]:
    """The segments of the orders, by number."""
    rows = world.client.rows("SELECT segment FROM order_search WHERE shop_id = $1 ORDER BY order_number")
    return [row[0] for row in rows]


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of two rows, of which one is read first."""
    monkeypatch.setattr(segments, "MOST_ROWS", 2)
    monkeypatch.setattr(segments, "_FIRST_READ", 1)


@pytest.mark.usefixtures("small_segments")
def test_the_same_is_found_in_segments_as_row_by_row(world: RefundWorld) -> None:
    shop = ShopId(world.client.shop.id)
    for place, name in enumerate(NAMES):
        first, last = name.split()
        billing = {"firstName": first, "lastName": last, "postCode": f"{10_000 + place}", "countryCode": "DE"}
        world.client.submit(f"A-{place}", amount=20 + place, billing=billing)
        book(world.client, entry(f"vielen danke {place}", 2_240 + 20 * place, name=f"{last} {first}"))
        world.client.clock.pass_time(seconds=86_400 * (place % 3))
    before = answers(world)
    assert [before[text][0] for text in ("marie iversen", "Iverson", "a3")] == [
        [("A-0", False)], [("A-5", True), ("A-0", True)], [("A-3", False)],
    ]  # fmt: skip
    assert gather_segments(world.database, shop) == 12
    assert sorted(gathered_rows(world)) == [0, 1, 1, 2, 2, 3, 3]
    assert answers(world) == before
    assert gather_segments(world.database, shop) == 0


@pytest.mark.usefixtures("small_segments")
def test_a_changed_order_leaves_its_segment_which_is_dissolved_once_few_are_left(world: RefundWorld) -> None:
    shop = ShopId(world.client.shop.id)
    for place in range(2):
        world.client.submit(f"A-{place}", billing={"lastName": "Iversen", "countryCode": "DE"})
    gather_segments(world.database, shop)
    assert gathered_rows(world) == [1, 1]
    world.client.submit("A-1", billing={"lastName": "Petersen", "countryCode": "DE"})
    assert gathered_rows(world) == [1, 0]
    assert [found(world, name)[0] for name in ("iversen", "petersen", "Petersem")] == [1, 1, 1]
    world.client.submit("A-0", billing={"lastName": "Petersen", "countryCode": "DE"})
    assert gather_segments(world.database, shop) == 2
    assert world.client.rows("SELECT segment FROM search_segments WHERE shop_id = $1") == [(1,)]
    assert [found(world, name)[0] for name in ("iversen", "petersen")] == [0, 2]


@pytest.mark.usefixtures("small_segments")
def test_a_row_that_another_transaction_writes_is_gathered_later(world: RefundWorld) -> None:
    shop = ShopId(world.client.shop.id)
    for place in range(3):
        world.client.submit(f"A-{place}", billing={"lastName": "Iversen", "countryCode": "DE"})
    with world.database.of_shop(world.client.shop) as tx:
        tx.run("UPDATE order_search SET words = ' PETERSEN ' WHERE shop_id = $1 AND order_number = 'A-0'", shop)
        assert gather_segments(world.database, shop) == 2
    assert gathered_rows(world) == [0, 1, 1]
    assert found(world, "petersen") == (1, 0)


def test_orders_that_wait_for_money_come_first_behind_the_one_that_was_named(world: RefundWorld) -> None:
    for number in ("A-1", "A-2", "A-3"):
        world.client.submit(number, billing={"lastName": "Iversen", "countryCode": "DE"}, shippingNumbers=["A-1 A-2"])
        world.client.clock.pass_time(seconds=86_400)
    world.client.post("order/A-3/setpaid")
    shown = []
    for text in ("iversen", "A-3", "Iverson"):
        with world.database.of_shop(world.client.shop) as tx:
            shown.append([each.order.number for each in find(tx, text, 5).orders])
    assert shown == [["A-2", "A-1", "A-3"], ["A-3"], ["A-2", "A-1", "A-3"]]
