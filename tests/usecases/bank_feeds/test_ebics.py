"""EBICS from the first key to the statement in the books, against the simulated bank (D-103, D-104)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paymatch.domain.bank_feeds.ebics import EbicsMoveRefused, EbicsStatus, next_fetch_at
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.refunds.refunds import RefundRefused
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import SettingRefused
from paymatch.outbound.ebics.failures import EbicsFailed
from paymatch.outbound.ebics.keys import SubscriberKeys
from paymatch.store.database import Database
from paymatch.usecases.bank_feeds import connections as use
from paymatch.usecases.bank_feeds.connections import BankAccess, BankUse
from paymatch.usecases.refunds import transfer_files
from paymatch.usecases.refunds.withdrawing import hand_out
from paymatch.usecases.shops import shops
from tests.contract.bank import ACCOUNT
from tests.contract.client import START
from tests.keys import KEYRING
from tests.length import some
from tests.usecases.bank_feeds.ebics_world import BankDoor, EbicsWorld, ProcessKilled
from tests.usecases.bank_feeds.feed_year import live_through
from tests.usecases.refunds.refund_world import status_report, texts


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=6)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> EbicsWorld:
    return EbicsWorld.new(database, tmp_path)


def test_a_subscriber_is_initialised_and_statements_come_by_themselves(world: EbicsWorld) -> None:
    made = world.begin()
    assert (made.status, world.log()) == (EbicsStatus.NEW, [])
    sent = use.send_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    assert sent.status is EbicsStatus.SUBMITTED
    world.later(minutes=31)  # the bank is asked, and has not read the letter
    assert (world.row().status, world.row().failures) == (EbicsStatus.SUBMITTED, 0)
    world.bank.active = True
    world.later(minutes=31)
    assert world.row().status is EbicsStatus.TO_COMPARE
    assert world.alerts() == [
        "Hausbank has activated EBICS. Compare the fingerprints of its keys, then the exchange begins"
    ]
    world.confirm()
    assert world.alerts() == []
    world.books.client.submit("SO-1", amount=100)
    world.bank.put("camt.053", ("day.xml", world.statement((10_000, "Bestellung SO-1", ""))))
    world.later(minutes=5)
    row = world.row()
    assert (row.fetches, row.accounts) == (("camt.053", "camt.052", "camt.054", "pain.002"), (ACCOUNT,))
    assert row.transfer_level == "E"
    assert world.books.client.get("order/SO-1").json["paymentStatus"] == "PAID"
    channels = world.books.client.rows("SELECT channel FROM imports WHERE shop_id = $1")
    assert [each[0] for each in channels] == ["ebics"]
    assert row.next_fetch_at == next_fetch_at(row.fetch_times, world.now, "Europe/Berlin")
    assert [(each.order_type, each.outcome) for each in world.log()] == [
        ("INI", "done"), ("HIA", "done"), ("HPB", "refused"), ("HPB", "done"), ("HTD", "done"), ("HAA", "done"),
        ("BTD", "done"), ("BTD", "nothing"), ("BTD", "nothing"), ("BTD", "nothing"), ("BTD", "nothing"),
    ]  # fmt: skip
    assert all(each.ended_at for each in world.log())
    kept = world.books.client.rows("SELECT length(content), imported_at IS NULL FROM ebics_files WHERE shop_id = $1")
    assert [tuple(each) for each in kept] == [(0, False)]


def test_keys_lie_sealed(database: Database, module_url: str, tmp_path: Path) -> None:
    sealed = Database(module_url, size=2, keyring=KEYRING)
    world = EbicsWorld.new(sealed, tmp_path)
    world.begin()
    (row,) = world.books.client.rows("SELECT keys FROM ebics_connections WHERE shop_id = $1")
    assert row[0].startswith("~1.") and "PRIVATE" not in row[0]
    use.send_keys(sealed, world.shop, world.name, world.gateway(), world.now)
    assert set(world.bank.subscriber) == {"A006", "X002", "E002"}
    sealed.close()


def test_other_fingerprints_are_refused_and_the_honest_ones_work(world: EbicsWorld) -> None:
    world.begin()
    use.send_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    with pytest.raises(EbicsMoveRefused, match="has not activated"):
        world.confirm()
    world.bank.active = True
    honest = world.bank.public.fingerprints
    man_in_the_middle = SubscriberKeys.generate("EVIL", START, 2048)
    world.bank.keys, true_keys = man_in_the_middle, world.bank.keys
    use.fetch_bank_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    with world.books.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(SettingRefused, match="X002"):
        use.confirm(tx, world.name, honest)
    assert (world.row().status, world.row().bank_keys) == (EbicsStatus.TO_COMPARE, "")
    world.turn()
    assert sorted(each.order_type for each in world.log()) == ["HIA", "HPB", "INI"]
    world.bank.keys = true_keys
    use.fetch_bank_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    with pytest.raises(SettingRefused, match="E002"):
        world.confirm(E002="")
    assert world.confirm().status is EbicsStatus.ACTIVE


def test_sending_keys_that_broke_goes_on(world: EbicsWorld) -> None:
    world.begin()
    door = BankDoor(world.bank, dies_after=2)  # HEV, then INI
    with pytest.raises(ProcessKilled):
        use.send_keys(world.books.database, world.shop, world.name, world.gateway(door), world.now)
    assert world.row().status is EbicsStatus.NEW
    assert "A006" in world.bank.subscriber
    sent = use.send_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    assert sent.status is EbicsStatus.SUBMITTED


def test_a_released_refund_leaves_once_and_the_report_settles_it(world: EbicsWorld, tmp_path: Path) -> None:
    world.active()
    refund = world.released("SO-2")
    world.turn()
    (order,) = world.bank.orders
    assert (order.data, order.service, order.approval) == (world.books.contents()[0], "pain.001", False)
    assert (world.upload().status, world.upload().order_number) == (UploadStatus.ACCEPTED, "N001")
    assert ("BTU", "done", "N001") in [(each.order_type, each.outcome, each.number) for each in world.log()]
    world.turn()
    world.later(days=1)
    assert len(world.bank.orders) == 1
    assert transfer_files.write_out(world.books.database, world.shop, tmp_path / "out", world.now) == []
    name = world.upload().message_id
    with world.books.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(RefundRefused, match="EBICS"):
        transfer_files.download(tx, name)
    with pytest.raises(RefundRefused, match="has left by EBICS"):
        transfer_files.discard(world.books.database, world.shop, name, tmp_path / "out", world.now)
    report = status_report(order.data, (world.books.end_to_end(refund), "ACSC", ""))
    world.bank.put("pain.002", ("psr.xml", report))
    world.fetch_now()
    assert world.books.status(refund) == "PROCESSED"
    world.books.check()


@pytest.mark.parametrize(("takes", "service", "asked"), [(True, "SCI", ["INST"]), (False, "SCT", [])])
def test_a_refund_leaves_at_once_where_the_bank_offers_it(
    world: EbicsWorld, takes: bool, service: str, asked: list[str]
) -> None:
    world.bank.takes_instant = takes
    world.active()
    world.books.client.change(transfer_speed="instant")
    world.released("SO-2")
    world.turn()
    (order,) = world.bank.orders
    assert (order.service_name, texts(order.data, "LclInstrm/Cd")) == (service, asked)


@pytest.mark.parametrize(
    ("options", "setting", "service", "approval"),
    [
        (("VOI", ""), "off", "SCT", False),
        (("VOI", "VOO"), "off", "SCT//VOO", False),
        (("VOI", ""), "single", "SCT//VOI", True),
        (("VOI",), "off", "SCT//VOI", True),  # the user may send in no other way
        (("",), "on", "SCT", False),
    ],
)
def test_a_file_of_one_transfer_skips_the_payee_check_where_the_bank_lets_it(
    world: EbicsWorld, options: tuple[str, ...], setting: str, service: str, approval: bool
) -> None:
    world.bank.options = options
    world.active()
    world.books.client.change(payee_check=setting)
    world.released("SO-2")
    world.turn()
    (order,) = world.bank.orders
    assert (order.service_name, order.approval) == (service, approval)


def test_two_transfers_are_not_checked_as_one(world: EbicsWorld) -> None:
    world.bank.options = ("VOI", "")
    world.bank.takes_instant = True
    world.active()
    world.books.client.change(payee_check="single", transfer_speed="instant")
    for number in ("SO-2", "SO-3"):
        world.books.paid(number)
        world.books.file(number, 40)
    world.books.pass_days(1)
    world.books.run()
    world.turn()
    assert [(each.service_name, each.approval) for each in world.bank.orders] == [("SCI", False)]


def test_what_waits_for_a_person_does_not_leave(world: EbicsWorld) -> None:
    """D-37 comes before an upload: only what a run has put into a file is sent."""
    world.active()
    world.books.paid("SO-3", minor=90_000, amount=900)
    refund = world.books.file("SO-3", 800)
    world.books.pass_days(1)
    assert world.books.run().files == ()
    world.turn()
    assert world.bank.orders == []
    world.books.release(refund)
    world.books.run()
    world.turn()
    assert len(world.bank.orders) == 1


def test_sending_that_is_switched_on_waits_for_a_day(world: EbicsWorld, tmp_path: Path) -> None:
    """D-58: who takes over an owner's session cannot send at once; the file goes to the folder meanwhile."""
    world.active(sends=False)
    world.books.paid("SO-4")
    world.books.file("SO-4", 40)
    acting = world.books.database.acting_as(Actor(ActorKind.PERSON, "eva@example.org"))
    wanted = BankUse(["camt.053"], [ACCOUNT], "06:30", True)
    with acting.of_shop(world.shop, at=world.now) as tx:
        row = use.set_use(tx, world.name, wanted)
        waits = row.sends_from
        assert waits is not None
        assert waits == world.now + timedelta(days=1)
    world.books.clock.now = waits - timedelta(minutes=1)
    world.books.run()
    world.turn()
    assert world.bank.orders == []
    assert len(transfer_files.write_out(world.books.database, world.shop, tmp_path / "out", world.now)) == 1
    world.books.clock.now = waits + timedelta(minutes=1)
    world.turn()
    assert world.bank.orders == []  # that file has its way
    world.released("SO-5")
    world.turn()
    assert len(world.bank.orders) == 1


def test_class_t_waits_in_the_bank(database: Database, tmp_path: Path) -> None:
    world = EbicsWorld.new(database, tmp_path, level="T")
    world.active()
    world.released("SO-6")
    world.turn()
    assert [each.approval for each in world.bank.orders] == [True]
    upload = world.upload()
    assert upload.status is UploadStatus.WAITING
    assert world.alerts() == [f"Transfer file {upload.message_id} waits in the bank: approve it in your online banking"]
    world.bank.protocol.append(("ORDER_HAC_FINAL_POS", upload.order_number))
    world.later(hours=6)
    assert world.upload().status is UploadStatus.ACCEPTED
    assert world.alerts() == []


def settled_once(world: EbicsWorld) -> None:
    """The next processes go on: the bank has the file once, or it is uncertain and nothing is sent again."""
    for _ in range(4):
        world.later(hours=2)
    if world.bank.orders:
        assert (len(world.bank.orders), world.upload().status) == (1, UploadStatus.ACCEPTED)
        assert world.alerts() == []
    else:  # it died between the record of the last message and the message
        assert world.upload().status is UploadStatus.UNCERTAIN
        assert "It is not sent again" in world.alerts()[0]


@pytest.mark.parametrize("message", some(range(1, 8), 3))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_that_dies_at_any_message_never_sends_twice(
    database: Database, tmp_path: Path, message: int, moment: str
) -> None:
    world = EbicsWorld.new(database, tmp_path)
    world.active()
    world.released("SO-7")
    door = BankDoor(world.bank)
    setattr(door, f"dies_{moment}", message)
    try:
        world.turn(door)
    except ProcessKilled:
        assert message <= 2 or door.sent >= message
    settled_once(world)


@pytest.mark.parametrize("boundary", some(range(1, 60, 5), 4))
def test_a_process_that_dies_at_any_commit_never_sends_twice(
    database: Database, module_url: str, tmp_path: Path, boundary: int
) -> None:
    world = EbicsWorld.new(database, tmp_path)
    world.active()
    world.released("SO-8")
    door = BankDoor(world.bank)
    dying = world.dying(module_url, door, boundary)
    try:
        world.turn(door, dying)
    except ProcessKilled:
        pass
    finally:
        dying.close()
    settled_once(world)


def test_an_upload_that_broke_waits_for_the_banks_word(world: EbicsWorld, tmp_path: Path) -> None:
    world.active()
    world.released("SO-9")
    world.bank.drops["Transfer"] = 2
    world.turn()
    assert (world.upload().status, len(world.bank.orders)) == (UploadStatus.UNCERTAIN, 1)
    name = world.upload().message_id
    assert world.alerts() == [
        f"The connection broke while transfer file {name} was sent. It is not sent again: the bank's protocol or a"
        " status report decides"
    ]
    with pytest.raises(RefundRefused, match="has left by EBICS"):
        transfer_files.discard(world.books.database, world.shop, name, tmp_path / "out", world.now)
    with world.books.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(SettingRefused):
        use.send_again(tx, world.upload().file_id)
    world.later(hours=2)
    assert (world.upload().status, len(world.bank.orders)) == (UploadStatus.ACCEPTED, 1)


def test_an_upload_that_the_bank_never_got_is_given_up_by_a_person_only(world: EbicsWorld, tmp_path: Path) -> None:
    world.active()
    refund = world.released("SO-10")
    world.bank.loses["Transfer"] = 2
    world.turn()
    name = world.upload().message_id
    assert (world.upload().status, world.bank.orders) == (UploadStatus.UNCERTAIN, [])
    for _ in range(3):
        world.later(days=1)
    assert (world.upload().status, world.bank.orders) == (UploadStatus.UNCERTAIN, [])
    transfer_files.discard(world.books.database, world.shop, name, tmp_path / "out", world.now)
    assert (world.upload().status, world.books.status(refund)) == (UploadStatus.WITHDRAWN, "NEW")
    world.books.release(refund)
    world.books.run()
    world.turn()
    assert len(world.bank.orders) == 1


def test_a_refused_file_is_sent_again_or_discarded_by_a_person(world: EbicsWorld, tmp_path: Path) -> None:
    world.active()
    world.released("SO-11")
    world.bank.refuses = "091303"
    world.turn()
    assert world.upload().status is UploadStatus.REFUSED
    assert "above the user's limit" in world.alerts()[0]
    world.later(days=1)
    assert world.bank.orders == []
    world.bank.refuses = ""
    with world.books.database.of_shop(world.shop, at=world.now) as tx:
        use.send_again(tx, world.upload().file_id)
    world.turn()
    assert (len(world.bank.orders), world.alerts()) == (1, [])


def test_a_file_is_taken_from_ebics_while_the_bank_does_not_have_it(world: EbicsWorld, tmp_path: Path) -> None:
    world.active()
    world.released("SO-12")
    (name,) = [row[0] for row in world.books.client.rows("SELECT message_id FROM transfer_files WHERE shop_id = $1")]
    with world.books.database.of_shop(world.shop, at=world.now) as tx:
        hand_out(tx, name)
        assert transfer_files.download(tx, name) == world.books.contents()[0]
    world.turn()
    assert world.bank.orders == []


def test_new_keys_of_the_bank_stop_everything_until_a_person_compares(world: EbicsWorld) -> None:
    world.active()
    world.released("SO-13")
    world.bank.change_keys()
    world.bank.put("camt.053", ("day.xml", world.statement((100, "x", ""))))
    world.turn()
    assert (world.row().status, world.bank.orders) == (EbicsStatus.TO_COMPARE, [])
    assert world.alerts() == [
        "Hausbank has changed its EBICS keys. Nothing is fetched or sent until a person has compared the new"
        " fingerprints"
    ]
    world.later(days=1)
    assert world.bank.orders == []
    world.confirm()
    world.turn()
    assert (len(world.bank.orders), world.bank.waiting["camt.053"]) == (1, [])


def test_a_forged_answer_is_not_believed_and_an_honest_one_is(world: EbicsWorld) -> None:
    world.active(sends=False)
    world.bank.put("camt.053", ("day.xml", world.statement((100, "x", ""))))
    world.bank.corrupts["Initialisation"] = 1
    world.fetch_now()
    assert (world.row().failures, world.bank.receipts[-1:]) == (1, ["HAA 0"] if world.bank.receipts else [])
    assert world.books.client.rows("SELECT 1 FROM imports WHERE shop_id = $1") == []
    world.later(minutes=2)
    assert (world.row().failures, len(world.books.client.rows("SELECT 1 FROM imports WHERE shop_id = $1"))) == (0, 1)


def test_a_feed_that_fails_is_reported_once_within_a_bank_day(world: EbicsWorld) -> None:
    world.active(sends=False)
    world.bank.loses["Initialisation"] = 1000
    seen = []
    for _ in range(30):
        world.later(hours=2)
        seen.append(world.alerts())
    told = [found for found in seen if found]
    assert len(told[0]) == 1 and "EBICS with Hausbank has failed" in told[0][0]
    with world.books.database.of_shop(world.books.client.id) as tx:
        opened = tx.value("SELECT count(*) FROM alerts WHERE shop_id = $1 AND kind = 'ebics'", world.books.client.id)
    assert opened == 1
    world.bank.loses.clear()
    world.later(hours=3)
    assert world.alerts() == []


def test_a_worker_that_does_not_run_is_a_silent_feed(world: EbicsWorld) -> None:
    world.active(sends=False)
    world.books.pass_days(3)
    assert world.alerts() == [
        "Hausbank has not been asked by EBICS since 2026-03-02. Check whether the worker is running"
    ]


def test_a_bad_file_waits_for_a_person_and_leaves_the_others(world: EbicsWorld) -> None:
    world.active(sends=False)
    world.books.client.submit("SO-14", amount=100)
    world.bank.put(
        "camt.053", ("bad.xml", b"<nonsense/>"), ("good.xml", world.statement((10_000, "Bestellung SO-14", "")))
    )
    world.fetch_now()
    assert world.books.client.get("order/SO-14").json["paymentStatus"] == "PAID"
    (told,) = world.alerts()
    assert "which came by EBICS, was not imported" in told
    assert world.bank.waiting["camt.053"] == []


def test_keys_are_changed_and_a_change_that_broke_is_settled(world: EbicsWorld) -> None:
    world.active(sends=False)
    before = world.bank.subscriber["A006"]
    use.change_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    assert world.bank.subscriber["A006"] != before
    world.bank.put("camt.053", ("day.xml", world.statement((100, "x", ""))))
    world.fetch_now()
    assert world.row().failures == 0
    second = world.bank.subscriber["A006"]
    world.bank.drops["Transfer"] = 2  # the bank has the new keys, and we do not know
    with pytest.raises(EbicsFailed):
        use.change_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    assert world.bank.subscriber["A006"] != second
    world.fetch_now()
    assert (world.row().failures, world.row().status) == (0, EbicsStatus.ACTIVE)
    third = world.bank.subscriber["A006"]
    world.bank.loses["Initialisation"] = 2  # the bank has not got them
    with pytest.raises(EbicsFailed):
        use.change_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    world.later(hours=1)
    world.fetch_now()
    assert (world.row().failures, world.bank.subscriber["A006"]) == (0, third)


def test_a_suspended_user_sends_nothing_and_is_removed(world: EbicsWorld) -> None:
    world.active()
    use.suspend(world.books.database, world.shop, world.name, world.gateway(), world.now)
    assert (world.row().status, world.row().sends_from, world.bank.active) == (EbicsStatus.SUSPENDED, None, False)
    with pytest.raises(EbicsMoveRefused, match="begin with new keys"):
        use.change_keys(world.books.database, world.shop, world.name, world.gateway(), world.now)
    world.books.paid("SO-15")
    world.books.file("SO-15", 40)
    world.books.pass_days(1)
    (file,) = world.books.run().files
    assert file.ebics_connection == ""
    with world.books.database.of_shop(world.shop) as tx:
        use.remove(tx, world.name)
        assert use.list_connections(tx) == []


def test_what_does_not_fit_is_refused(world: EbicsWorld) -> None:
    def refused(**more: str) -> str:
        given: dict[str, Any] = {
            "bank_name": "B", "url": "https://b.example/ebics", "host_id": "H", "partner_id": "P", "user_id": "U",
        } | more  # fmt: skip
        with pytest.raises(SettingRefused) as caught:
            use.begin(world.books.database, world.shop, BankAccess(**given), world.now)
        return caught.value.parameter or ""

    assert refused(url="http://b.example/") == "url"
    assert refused(url="b.example") == "url"
    assert refused(host_id="a b") == "host"
    assert refused(partner_id="") == "partner"
    assert refused(user_id="ü") == "user"
    assert refused(bank_name=" ") == "bank"
    world.begin()
    assert refused(host_id="PMBANK", partner_id="KUNDE01", user_id="USER01") == "user"
    sandbox = shops.create(world.books.database, "Sandbox", world.now, sandbox=True).shop
    with pytest.raises(SettingRefused, match="sandbox"):
        use.begin(world.books.database, sandbox, BankAccess("B", "https://b.example/", "H", "P", "U"), world.now)


def test_every_gap_is_reported_within_a_bank_day_and_none_twice(world: EbicsWorld) -> None:
    """`python -m lab.feed_year` lives through twenty, which takes minutes."""
    live_through(world, 3)
