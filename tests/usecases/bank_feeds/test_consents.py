"""Account information: consents, reads, overlap with files, and each way in which a feed breaks (D-130)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from paymatch.domain.bank_feeds.consents import (
    READS_A_DAY,
    ConsentMoveRefused,
    ConsentStatus,
    complete_until,
    read_from,
    reminder_due,
)
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.outbound.account_information.provider import ConsentNotGiven
from paymatch.outbound.mail.folder import NullMail
from paymatch.store.bank_feeds import consents as store
from paymatch.store.database import Database
from paymatch.usecases.bank_feeds import consents as use
from paymatch.usecases.bank_feeds.connections import register_account
from paymatch.usecases.bank_feeds.feeds import account_feeds
from paymatch.usecases.reminders.reminders import terms_of
from tests.contract.bank import ACCOUNT
from tests.contract.client import new_shop
from tests.fakes.ebics_bank import EbicsBank
from tests.fakes.enable_banking import AccountAtBank, key_of_shop
from tests.usecases.bank_feeds.consent_world import OWNER, ConsentWorld
from tests.usecases.bank_feeds.ebics_world import EbicsWorld, bank_keys

SECOND = "DE02120300000000202051"


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[ConsentWorld]:
    with capture_logs():
        yield ConsentWorld.new(database, tmp_path)


def test_an_order_is_paid_by_a_transaction_that_was_read(world: ConsentWorld) -> None:
    world.books.client.submit("4711", amount=100)
    world.account.book("100.00", world.today, "Bestellung 4711")
    world.account.book("50.00", world.today, "vorgemerkt", status="PDNG")
    row = world.active()
    assert (row.status, row.valid_until) == (ConsentStatus.ACTIVE, world.now + timedelta(days=180))
    assert (world.turn().accounts, world.postings()) == (1, [(10_000, "INTRADAY", "E00001")])
    assert world.books.client.get("order/4711").json["paymentStatus"] == "PAID"
    world.at(9, days=1)
    assert world.postings() == [(10_000, "FINAL", "E00001")]
    with world.books.database.of_shop(world.shop, at=world.now) as tx:
        (feed,) = account_feeds(tx, world.today)
    assert (feed.channel, feed.last_fed_at, feed.is_late) == ("account-information", world.now, False)
    assert world.alerts() == []
    world.books.check()


def test_what_files_have_shown_is_not_booked_twice(world: ConsentWorld) -> None:
    said = {"counterparty_name": "Eva Muster", "counterparty_iban": "DE75512108001245126199"}
    lines = [("12.30", 1_230, "Bestellung 1"), ("19.90", 1_990, "Rechnung"), ("19.90", 1_990, "Rechnung")]
    postings = [world.books.posting(minor, remittance_lines=(text,), **said) for _, minor, text in lines]
    world.books.camt(*(WrittenEntry((each,)) for each in postings))
    for amount, _, text in lines:
        world.account.book(amount, world.today, text)
    world.account.book("7.00", world.today, "nur gelesen")
    world.active()
    world.turn()
    world.at(9, days=1)
    assert sorted(minor for minor, *_ in world.postings()) == [700, 1_230, 1_990, 1_990]
    world.books.camt(*(WrittenEntry((each,)) for each in postings), again=True)
    assert len(world.postings()) == 4


@pytest.mark.parametrize("renumbered", [False, True])
def test_changed_references_book_nothing_twice_and_equal_payments_count(world: ConsentWorld, renumbered: bool) -> None:
    day = world.today
    for _ in range(2):
        world.account.book("19.90", day, "Rechnung")
    world.active()
    world.at(9, days=1)
    assert len(world.postings()) == 2
    if renumbered:
        for number, each in enumerate(world.account.transactions):
            each["entry_reference"] = f"NEU{number}"
    else:
        world.account.book("19.90", day, "Rechnung")  # a third one, which the bank adds a day later
    world.at(9, days=1)
    world.at(9, days=1)
    assert len(world.postings()) == (2 if renumbered else 3)


def test_at_most_four_reads_a_day_whoever_asks(world: ConsentWorld) -> None:
    world.active()
    world.at(4, days=1)
    for hour in range(5, 23):
        world.at(hour, 40)
    assert world.alerts() == []
    today = [since for account, since in world.bank.reads if account == ACCOUNT]
    assert len(today) == READS_A_DAY
    with pytest.raises(SettingRefused, match="was read 4 times today"):
        world.fetch_now()
    world.at(9, days=1)
    world.books.clock.pass_time(minutes=1)
    assert world.fetch_now().accounts == 1
    world.account.book("1.00", world.today)
    world.bank.reads.clear()
    for hour in range(10, 23):
        world.at(hour)
        if len(world.bank.reads) < 2:
            world.fetch_now()
    assert len(world.bank.reads) == READS_A_DAY - 2
    assert (world.row().failures, world.alerts()) == (0, [])


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_a_lost_consent_is_an_alert_within_the_hour_and_once(world: ConsentWorld, how: str) -> None:
    world.active()
    world.turn()
    if how == "expired":
        world.at(8, days=179)
        world.renew()
        world.turn()
        world.books.clock.now += timedelta(days=180)
    else:
        world.bank.revoke()
    lost = world.now
    while world.row().status is not ConsentStatus.LOST:
        world.later(minutes=5)
    assert world.now - lost < timedelta(hours=1)
    (said,) = world.alerts()
    assert "hands out no more statements" in said
    assert store_session(world) == ""
    world.at(9, days=5)
    assert world.alerts() == [said]
    with pytest.raises(ConsentMoveRefused):
        world.fetch_now()
    world.account.book("8.00", lost.date(), "meanwhile")
    world.renew()
    assert world.turn().accounts == 1
    assert world.alerts() == []
    assert [minor for minor, *_ in world.postings()] == [800]


def store_session(world: ConsentWorld) -> str:
    with world.books.database.of_shop(world.shop) as tx:
        return store.session(tx, world.name).session


def test_a_closed_provider_is_reported_once_and_what_was_missed_comes_after(world: ConsentWorld) -> None:
    world.active()
    world.turn()
    world.bank.fault = "closed"
    for _ in range(3):
        world.at(5, days=1)
        for _ in range(10):
            world.later(minutes=90)
        world.alerts()
    assert len(world.alerts()) == 1
    assert "times in a row" in world.alerts()[0]
    world.account.book("5.00", world.today - timedelta(days=2), "meanwhile")
    world.bank.fault = ""
    world.at(9, days=1)
    assert (world.alerts(), len(world.alerts(with_resolved=True))) == ([], 1)
    assert [minor for minor, *_ in world.postings()] == [500]


@pytest.mark.parametrize("fault", ["broken", "loops", "limit"])
def test_a_read_that_fails_books_nothing_and_the_next_one_everything(world: ConsentWorld, fault: str) -> None:
    for number in range(7):
        world.account.book(f"{number + 1}.00", world.today, f"Zahlung {number}")
    world.active()
    world.bank.fault = fault
    assert world.turn().accounts == 0
    for _ in range(20):
        world.later(minutes=15)
    assert len(world.bank.reads) <= READS_A_DAY
    assert (world.postings(), world.row().failures > 0) == ([], True)
    world.bank.fault = ""
    world.at(9, days=1)
    assert len(world.postings()) == 7
    assert world.row().failures == 0


def test_pages_that_come_twice_book_each_payment_once(world: ConsentWorld) -> None:
    for number in range(7):
        world.account.book("3.00", world.today, f"Zahlung {number}")
    world.bank.fault = "repeats"
    world.active()
    world.turn()
    assert len(world.postings()) == 7


def test_an_account_that_is_gone_leaves_the_others(world: ConsentWorld) -> None:
    other = AccountAtBank(SECOND)
    world.bank.accounts.append(other)
    world.active()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, [ACCOUNT, SECOND], "09:00")
    world.turn()
    other.is_gone = True
    world.account.book("4.00", world.today, "weiter")
    world.at(9, days=1)
    (said,) = world.alerts()
    assert SECOND in said
    assert [minor for minor, *_ in world.postings()] == [400]
    world.bank.accounts.remove(other)
    world.renew()
    world.turn()
    assert len(world.alerts(with_resolved=True)) == 1
    with world.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, [ACCOUNT], "09:00")
    assert world.alerts() == []


def test_what_a_person_does_not_want_read_stays_so_after_a_renewal(world: ConsentWorld) -> None:
    world.bank.accounts.append(AccountAtBank(SECOND))
    world.active()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, [SECOND], "09:00")
    world.renew()
    assert {each.account: each.is_read for each in world.accounts()} == {ACCOUNT: False, SECOND: True}


def test_an_account_that_ebics_reads_is_read_by_a_consent_only_if_a_person_says_so(world: ConsentWorld) -> None:
    direct = EbicsWorld(world.books, EbicsBank(bank_keys(), clock=lambda: world.now, iban=ACCOUNT))
    direct.active(sends=False)
    world.active()  # any bank may say that an account of this number is there
    assert [each.is_read for each in world.accounts()] == [False]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, [ACCOUNT], "09:00")
    assert world.turn().accounts == 1


def test_of_pots_under_one_number_the_one_in_the_account_s_currency_is_read(world: ConsentWorld) -> None:
    world.account.book("5.00", world.today, "Bestellung")
    world.bank.accounts[:] = [AccountAtBank(ACCOUNT, "GBP"), world.account, AccountAtBank(ACCOUNT, "USD")]
    world.active()
    world.turn()
    assert [each.currency for each in world.accounts()] == ["EUR"]
    assert [minor for minor, *_ in world.postings()] == [500]
    world.bank.accounts[:] = [AccountAtBank(SECOND, "XXX")]
    world.renew()
    assert {each.account: each.currency for each in world.accounts()} == {ACCOUNT: "EUR", SECOND: "EUR"}


def test_another_account_s_transactions_are_not_booked(world: ConsentWorld) -> None:
    world.active()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        register_account(tx, SECOND, "EUR")
    world.account.book("9.00", world.today, "fremd", creditor_account={"iban": SECOND})
    assert world.turn().accounts == 0
    assert (world.postings(), world.row().failures) == ([], 1)
    world.account.book("8.00", world.today, "eigen", creditor_account={"iban": ACCOUNT})
    world.at(9, days=1)
    assert sorted(minor for minor, *_ in world.postings()) == [800, 900]


def test_text_that_cannot_be_kept_fails_the_read_and_leaves_other_consents(world: ConsentWorld) -> None:
    other = AccountAtBank(SECOND)
    other.book("3.00", world.today, "weiter")
    broken = world.account.book("4.00", world.today, "x\ud800")
    world.active()
    own, world.bank.accounts[:] = world.bank.accounts[:], [other]
    world.active()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, [SECOND], "09:00")
    world.bank.accounts[:] = own
    assert world.turn().accounts == 1
    assert [minor for minor, *_ in world.postings()] == [300]
    broken["remittance_information"] = ["x\0y"]
    world.at(9, days=1)
    assert sorted(minor for minor, *_ in world.postings()) == [300, 400]


def test_a_return_counts_once_for_one_person_in_one_shop_and_in_time(world: ConsentWorld) -> None:
    address = world.bank.give(world.begin())
    stranger = world.books.database.acting_as(type(OWNER)(OWNER.kind, "other@shop.example"))
    other = new_shop(world.books.client.api, world.books.database, world.books.clock)
    with pytest.raises(ConsentNotGiven, match="is not known here"):
        world.come_back(address, stranger)
    with pytest.raises(ConsentNotGiven, match="is not known here"):
        world.come_back(address.replace("state=", "state=x"))
    own, world.books.client = world.books.client, other
    with pytest.raises(ConsentNotGiven, match="is not known here"):
        world.come_back(address)
    world.books.client = own
    assert (world.row().status, world.bank.sessions) == (ConsentStatus.PENDING, {})
    assert world.come_back(address).status is ConsentStatus.ACTIVE
    with pytest.raises(ConsentNotGiven):
        world.come_back(address)
    late = world.bank.give(world.begin())
    world.books.clock.pass_time(minutes=61)
    with pytest.raises(ConsentNotGiven, match="is not known here"):
        world.come_back(late)
    denied = world.bank.deny(world.begin())
    with pytest.raises(ConsentNotGiven, match="access_denied"):
        world.come_back(denied)
    assert len(world.bank.sessions) == 1


def test_the_key_is_sealed_and_a_bad_one_is_refused(world: ConsentWorld) -> None:
    (row,) = world.books.client.rows("SELECT private_key FROM account_information_keys WHERE shop_id = $1")
    assert row[0].startswith("~1.")
    world.active()
    (row,) = world.books.client.rows("SELECT session FROM bank_consents WHERE shop_id = $1")
    assert row[0].startswith("~1.")
    with world.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(SettingRefused):
        use.set_key(tx, "enable-banking", "x", key_of_shop().private_key[:-200], world.gateway)
    with world.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(SettingRefused):
        use.set_use(tx, world.name, [SECOND], "09:00")
    with world.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(SettingRefused, match="4 times of day"):
        use.set_use(tx, world.name, [ACCOUNT], "01:00 02:00 03:00 04:00 05:00")
    use.remove(world.database, world.shop, world.name, world.gateway, world.now)
    assert {each["status"] for each in world.bank.sessions.values()} == {"CLOSED"}
    assert world.books.client.rows("SELECT id FROM bank_consents WHERE shop_id = $1") == []


def test_reminders_wait_for_the_last_complete_day(world: ConsentWorld) -> None:
    world.active()
    world.at(4, days=1)  # before the bank has booked the day before
    with world.books.database.of_shop(world.shop, at=world.now) as tx:
        assert terms_of(tx).bank.covered_until == {"EUR": world.today - timedelta(days=2)}
    world.at(9)
    with world.books.database.of_shop(world.shop, at=world.now) as tx:
        assert terms_of(tx).bank.covered_until == {"EUR": world.today - timedelta(days=1)}


def test_when_owners_are_told() -> None:
    end, told = date(2026, 9, 1), None
    sent: list[tuple[int, int]] = []
    for left in range(40, -3, -1):
        if (due := reminder_due(end, end - timedelta(days=left), told)) is not None:
            told, sent = due, [*sent, (left, due)]
    assert sent == [(30, 30), (14, 14), (7, 7), (1, 1)]
    assert reminder_due(end, end - timedelta(days=5), None) == 7
    assert reminder_due(end, end - timedelta(days=5), 7) is None


def test_what_is_complete_and_from_when_is_read() -> None:
    day = date(2026, 3, 10)
    assert complete_until(datetime(2026, 3, 10, 5, 59, tzinfo=UTC)) == date(2026, 3, 8)
    assert complete_until(datetime(2026, 3, 10, 6, 0, tzinfo=UTC)) == date(2026, 3, 9)
    assert read_from(None, None, day) == day - timedelta(days=89)
    assert read_from(date(2026, 3, 9), date(2026, 3, 9), day) == date(2026, 3, 2)
    assert read_from(date(2026, 3, 9), day, day) == date(2026, 3, 9)
    assert read_from(date(2025, 3, 9), day, day) == day - timedelta(days=89)


def test_the_mail_door_without_people_sends_nothing(world: ConsentWorld) -> None:
    from paymatch.usecases.bank_feeds.consent_mails import OwnerMail, remind_owners

    world.active()
    world.books.clock.now += timedelta(days=170)
    way = OwnerMail(NullMail(), "paymatch@pay.example.com", "https://pay.example.com")
    assert remind_owners(world.books.database, world.shop, way, world.now) == 0
    assert world.row().reminded == 14
