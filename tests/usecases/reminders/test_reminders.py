"""Reminders on their way: decided at the last moment, sent outside of transactions, recorded once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from email import message_from_bytes, policy

import pytest

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.mail.message import plain_text
from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.store.database import Database
from paymatch.store.reminders import reminders as store
from paymatch.store.sandbox.sandbox import next_due
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.reminders.reminders import BATCH, FAILED, LOOKED_AT_AGAIN, MAILS_AT_ONCE, send_due
from paymatch.usecases.shops import shops
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.languages import WANTED
from tests.usecases.reminders.mail_world import START, Door, MailWorld, new_world

SENT = [("A-1001", 1, "SENT")]


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    return new_world(database)


@pytest.fixture
def due(world: MailWorld) -> MailWorld:
    """An order whose first reminder is due on Monday, 16 March, and whole bank data until Friday."""
    world.order("A-1001")
    world.statement(date(2026, 3, 13))
    world.send()
    world.go_to("2026-03-16 10:00")
    return world


def test_a_reminder_is_sent_and_recorded(due: MailWorld) -> None:
    assert due.send() == 1
    (mail,) = due.door.sent
    assert (mail.sender, mail.recipient) == ("post@shop.example", "a-1001@example.com")
    assert due.mails() == SENT
    assert due.rows("SELECT order_number, dunning_level, fee_minor, email FROM reminders WHERE shop_id = $1") == [
        ("A-1001", 1, 0, True)
    ]
    ((level, informed),) = due.rows("SELECT dunning_level, payment_info_at FROM orders WHERE shop_id = $1")
    assert (level, informed) == (1, due.now)
    with due.database.of_shop(due.id) as tx:
        looked_at = next_due(tx, levels=0, sends_callbacks=False).mail
    assert looked_at == due.now.replace(hour=8, day=30, minute=0) - timedelta(hours=1)
    assert due.send() == 0
    assert due.rows("SELECT count(*) FROM events WHERE shop_id = $1") == [(0,)]
    assert check_shop(due.database, due.shop) == []


def test_nothing_is_planned_for_shops_that_send_nothing(database: Database) -> None:
    world = new_world(database, reminders="off")
    world.order("A-1001")
    assert world.rows("SELECT count(*) FROM reminder_dues WHERE shop_id = $1") == [(0,)]
    world.set(reminders="on")
    assert world.rows("SELECT count(*) FROM reminder_dues WHERE shop_id = $1") == [(1,)]


def test_mail_needs_an_address_that_it_is_from(database: Database) -> None:
    new = shops.create(database, "No sender", START)
    with database.of_shop(ShopId(new.shop.id)) as tx:
        with pytest.raises(SettingRefused, match=r"a sender \(mail-from\) is needed"):
            shops.change(tx, {"reminders": "on"})
        shops.change(tx, {"payment-information": "on", "mail-from": "a@b.example"})
        tx.shop = replace(new.shop, payment_information=True)
        with pytest.raises(SettingRefused, match=r"a sender \(mail-from\) is needed"):
            shops.change(tx, {"mail-from": ""})
        for text in ("Shop <a@b.example>", "a@b.example\nBcc: c@d.example"):
            with pytest.raises(SettingRefused, match="a plain e-mail address is expected"):
                shops.change(tx, {"reply-to": text})
        with pytest.raises(SettingRefused, match="printable"):
            shops.change(tx, {"mail-name": "Shop\r\nBcc: c@d.example"})


@pytest.mark.parametrize("change", ["paid", "cancelled", "stopped", "address", "plan", "off", "paused", "amount"])
def test_what_was_planned_is_decided_again_when_it_is_sent(due: MailWorld, change: str) -> None:
    with due.database.of_shop(due.shop, at=due.now) as tx:
        match change:
            case "paid":
                orders.set_paid(tx, "A-1001")
            case "cancelled":
                orders.cancel(tx, "A-1001")
    match change:
        case "stopped":
            due.order("A-1001", stopReminder=True)
        case "address":
            due.order("A-1001", customerEmail="new@example.com")
        case "plan":
            due.plan(levels="9")
        case "off":
            due.set(reminders="off")
        case "paused":
            due.set(status="paused")
        case "amount":
            due.order("A-1001", "12.34")
    due.send()
    if change == "address":
        assert [mail.recipient for mail in due.door.sent] == ["new@example.com"]
    elif change == "amount":
        assert "12,34\u00a0€" in plain_text(due.door.sent[0].content)
    else:
        assert (due.door.sent, due.mails()) == ([], [])


def test_a_new_amount_is_told_once(world: MailWorld) -> None:
    world.set(payment_information="on")
    world.order("A-1", language="fr")
    world.send()
    for amount in ("49.90", "60.00", "60.00"):
        world.order("A-1", amount, language="fr")
        world.send()
    assert world.mails() == [("A-1", 0, "SENT"), ("A-1", 0, "SENT")]
    told = " ".join(plain_text(world.door.sent[1].content).split())
    assert "Le montant de votre commande A-1 du 2 mars 2026 est désormais de 60,00 €." in told
    assert "Montant dû : 60,00 €" in told
    world.go_to("2026-03-17 10:00")  # eight days after the due date
    world.statement(date(2026, 3, 16))
    world.order("A-1", "55.00", language="fr")
    world.door.failure = MailNotSent("later", permanent=False)
    world.send()
    world.door.failure = None
    world.order("A-1", "60.00", language="fr")  # as the customer knows it: the correction is not needed any more
    world.send()
    assert [mail.id for mail in world.door.sent[2:]] and world.mails() == [
        ("A-1", 0, "SENT"), ("A-1", 0, "SENT"), ("A-1", 0, "WITHDRAWN"), ("A-1", 1, "SENT"),
    ]  # fmt: skip
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.set_paid(tx, "A-1")
    world.order("A-1", "61.00", language="fr")
    world.send()
    assert len(world.door.sent) == 3
    assert check_shop(world.database, world.shop) == []


@pytest.mark.parametrize("reminded", [True, False])
def test_the_last_mail_before_an_order_lapses_says_so(world: MailWorld, reminded: bool) -> None:
    world.set(payment_information="on", reminders="on" if reminded else "off", lapse_after="8")
    world.order("A-1", language="en")
    world.order("A-2", language="en", type="INVOICE")
    world.send()
    for day in (16, 30):
        world.go_to(f"2026-03-{day} 10:00")
        world.statement(date(2026, 3, day - 3))
        world.send()
    warned = [
        (message_from_bytes(mail.content, policy=policy.default)["Subject"], text)
        for mail in world.door.sent
        if "cancel" in (text := " ".join(plain_text(mail.content).split()))
    ]
    cancelled, subject = ("7 April", "Last payment reminder") if reminded else ("10 March", "How to pay")
    ((found, text),) = warned
    assert found == f"{subject} for your order A-1"
    assert f"we will cancel the order, on {cancelled} 2026 at the earliest." in text
    assert f"Please pay by: {cancelled} 2026" in text  # and not the usual ten days, which end later


def test_what_changes_while_the_door_is_open_is_right_afterwards(due: MailWorld) -> None:
    """The order is paid while its reminder is on its way: the reminder was sent, and no further one is planned."""

    class Slow(Door):
        def send(self, mail: OutgoingMail) -> str:
            with due.database.of_shop(due.shop, at=due.now) as tx:
                orders.set_paid(tx, "A-1001")
            return super().send(mail)

    due.door = Slow()
    due.send()
    assert (due.mails(), due.held("A-1001")) == (SENT, "settled: the order is PAID")
    assert due.rows("SELECT due_at FROM reminder_dues WHERE shop_id = $1") == [(None,)]


def test_a_process_that_dies_after_sending_sends_the_same_mail_again(due: MailWorld) -> None:
    class Dying(Door):
        def send(self, mail: OutgoingMail) -> str:
            super().send(mail)
            raise KeyboardInterrupt

    due.door = Dying()
    with pytest.raises(KeyboardInterrupt):
        due.send()
    first = due.door.sent
    due.door = Door()
    assert due.send() == 0  # it is claimed still
    due.expire_claims()
    due.send()
    ids = [message_from_bytes(mail.content)["Message-ID"] for mail in (*first, *due.door.sent)]
    assert len(ids) == 2 and len(set(ids)) == 1
    assert due.mails() == SENT
    assert due.rows("SELECT count(*) FROM reminders WHERE shop_id = $1") == [(1,)]


def test_an_order_that_cannot_be_read_keeps_no_claim(due: MailWorld) -> None:
    due.rows("UPDATE orders SET doc = '{' WHERE shop_id = $1 RETURNING 1")
    assert due.send() == 1  # it is dealt with: left to a person, and looked at again a day later
    assert due.held("A-1001") == FAILED
    due.now += LOOKED_AT_AGAIN
    assert due.send() == 1
    assert due.rows("SELECT claimed_until FROM reminder_dues WHERE shop_id = $1") == [(None,)]
    assert [each["kind"] for each in list_alerts(due.database, due.shop)] == [AlertKind.ITEM_FAILED]


def test_a_mail_whose_reason_has_gone_is_withdrawn(due: MailWorld) -> None:
    class Dying(Door):
        def send(self, mail: OutgoingMail) -> str:
            raise KeyboardInterrupt

    due.door = Dying()
    with pytest.raises(KeyboardInterrupt):
        due.send()
    with due.database.of_shop(due.shop, at=due.now) as tx:
        orders.cancel(tx, "A-1001")
    due.door = Door()
    due.expire_claims()
    due.send()
    assert (due.door.sent, due.mails()) == ([], [("A-1001", 1, "WITHDRAWN")])


def test_many_workers_send_each_mail_once(world: MailWorld) -> None:
    numbers = [f"A-{1000 + place}" for place in range(BATCH + 20)]
    for number in numbers:
        world.order(number)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 10:00")
    workers = [threading.Thread(target=world.send) for _ in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    world.send()
    assert sorted(mail.recipient for mail in world.door.sent) == [f"{number.lower()}@example.com" for number in numbers]
    assert world.rows("SELECT count(*) FROM reminders WHERE shop_id = $1") == [(len(numbers),)]


@dataclass
class Canceller(Door):
    """Cancels the last order while the first mail goes out."""

    world: MailWorld | None = None

    def send(self, mail: OutgoingMail) -> str:
        if not self.sent:
            assert self.world is not None
            with self.world.database.of_shop(self.world.shop, at=self.world.now) as tx:
                orders.cancel(tx, f"A-{1000 + MAILS_AT_ONCE + 4}")
        return super().send(mail)


def test_few_mails_lie_between_a_decision_and_its_sending(world: MailWorld) -> None:
    for place in range(MAILS_AT_ONCE + 5):
        world.order(f"A-{1000 + place}")
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 10:00")
    world.door = Canceller(world=world)
    assert send_due(world.database, world.shop, world.door, world.now) == MAILS_AT_ONCE + 5
    assert len(world.door.sent) == MAILS_AT_ONCE + 4
    assert send_due(world.database, world.shop, world.door, world.now) == 0
    assert world.held(f"A-{1000 + MAILS_AT_ONCE + 4}").startswith("settled")


def test_trouble_with_the_server_is_tried_again_and_told(due: MailWorld) -> None:
    due.door.failure = MailNotSent("450 mailbox busy", permanent=False)
    for attempt in range(1, 4):
        due.send()
        assert due.rows("SELECT status, attempts, error FROM mails WHERE shop_id = $1") == [
            ("PENDING", attempt, "450 mailbox busy")
        ]
        assert due.send() == 0
        due.now += timedelta(hours=(0.25, 1, 4)[attempt - 1])
    with due.database.of_shop(due.shop) as tx:
        assert [alert.kind for alert in reminder_lists.mail_alerts(tx)] == [AlertKind.MAIL_DELAYED]
    due.door.failure = None
    due.go_to("2026-03-17 10:00")
    due.statement(date(2026, 3, 16))
    due.send()
    assert due.mails() == SENT
    assert due.rows("SELECT dunning_level, sent_date FROM reminders WHERE shop_id = $1") == [(1, date(2026, 3, 17))]


def test_an_address_that_is_refused_is_left_alone_until_it_changes(due: MailWorld) -> None:
    due.door.failure = MailNotSent("550 no such user", permanent=True)
    due.send()
    assert due.mails() == [("A-1001", 1, "REFUSED")]
    assert due.rows("SELECT dunning_level, payment_info_at FROM orders WHERE shop_id = $1") == [(0, None)]
    with due.database.of_shop(due.shop, at=due.now) as tx:
        assert keep_alerts(tx) == (0, 0)  # it was raised at once
    assert due.rows("SELECT kind FROM alerts WHERE shop_id = $1") == [("mail-refused",)]
    due.door.failure = None
    due.order("A-1001", "50.00")
    due.send()
    assert due.held("A-1001").startswith("address-refused: ")
    due.order("A-1001", "50.00", customerEmail="new@example.com")
    due.send()
    assert due.mails() == [("A-1001", 1, "REFUSED"), ("A-1001", 1, "SENT")]


def test_a_refused_mail_is_tried_again_when_a_person_asks_for_it(due: MailWorld) -> None:
    due.door.failure = MailNotSent("554 blocked", permanent=True)
    due.send()
    ((mail_id,),) = due.rows("SELECT id FROM mails WHERE shop_id = $1")
    due.door.failure = None
    with due.database.of_shop(due.shop, at=due.now) as tx:
        reminder_lists.try_again(tx, mail_id)
    due.send()
    assert due.mails() == [("A-1001", 1, "SENT"), ("A-1001", 1, "WITHDRAWN")]
    with due.database.of_shop(due.shop, at=due.now) as tx, pytest.raises(SettingRefused, match="Only refused mail"):
        reminder_lists.try_again(tx, mail_id)


def test_statements_with_a_gap_hold_reminders_back(due: MailWorld) -> None:
    due.statement(date(2026, 3, 12), -500)  # 13 March does not begin where 12 March ends
    due.send()
    assert due.held("A-1001") == "statements: the statements of 2026-03-13 are incomplete"
    assert due.door.sent == []


def test_a_payment_that_was_imported_but_not_matched_yet_holds_reminders_back(due: MailWorld) -> None:
    due.rows("UPDATE postings SET rematch_at = now() WHERE shop_id = $1 RETURNING id")
    due.statement(date(2026, 3, 16), 0, (100, "x"))
    due.rows("UPDATE postings SET rematch_at = created_at WHERE shop_id = $1 RETURNING id")
    due.send()
    assert due.held("A-1001") == "matching: postings wait to be matched"
    assert due.door.sent == []


def test_orders_that_nobody_looked_at_are_found(world: MailWorld) -> None:
    world.order("A-1001")
    world.rows("DELETE FROM reminder_dues WHERE shop_id = $1 RETURNING order_number")
    with world.database.of_shop(world.id) as tx:
        assert (store.look_at_forgotten(tx), store.look_at_forgotten(tx)) == (1, 0)


def test_mail_at_an_exchange_rate_asks_for_the_shops_currency(world: MailWorld) -> None:  # D-85
    world.set(payment_information="on")
    world.order("A-1001", "33.33", currency="USD", exchangeRate=0.9155)
    world.statement(date(2026, 3, 27))
    world.send()
    world.go_to("2026-03-30 10:00")  # three weeks after the due date, and the first reminder was sent elsewhere
    world.rows("UPDATE orders SET dunning_level = 1 WHERE shop_id = $1 RETURNING number")
    world.send()
    with world.database.of_shop(world.shop) as tx:
        mails = reminder_lists.list_mails(tx)
        reminder, information = (" ".join(mail["text"].split()) for mail in mails)
    assert "Bitte überweisen Sie 36,41 € bis zum 12. März 2026." in information
    assert "Offener Betrag: 36,41 € " in reminder
    assert "USD" not in information + reminder


def test_the_preview_says_who_gets_what_and_who_does_not(due: MailWorld) -> None:
    due.order("A-1002", type="COD")
    due.order("A-1003", dueDate="30-04-2026")
    due.order("A-1004", customerEmail="")
    before = due.rows("SELECT * FROM reminder_dues WHERE shop_id = $1 ORDER BY order_number")
    rows = list(reminder_lists.preview(due.database, due.shop, date(2026, 4, 1), due.now))
    assert [(row["orderNumber"], row["mail"], str(row["at"]), row["fee"], row["reason"]) for row in rows] == [
        ("A-1001", "reminder 1", "2026-03-16 11:00:00+01:00", "0.00", ""),
        ("A-1001", "reminder 2", "2026-03-30 09:00:00+02:00", "2.50", ""),
        ("A-1002", "", "", "", "not-managed"),
        ("A-1003", "reminder 1", "2026-05-07 09:00:00+02:00", "0.00", "later"),
        ("A-1004", "", "", "", "no-address"),
    ]
    assert due.rows("SELECT * FROM reminder_dues WHERE shop_id = $1 ORDER BY order_number") == before
    due.set(reminders="off")
    as_if_on = reminder_lists.preview(due.database, due.shop, date(2026, 3, 17), due.now, as_if_on=True)
    assert [row["mail"] for row in as_if_on if row["orderNumber"] == "A-1001"] == ["reminder 1"]


@pytest.mark.parametrize(
    ("amount", "paid", "reason"),
    [
        ("100.00", 9901, "below-minimum"),
        ("100.00", 9900, ""),
        ("0.50", 0, ""),
        ("0.50", 1, "below-minimum"),
    ],
)
def test_nobody_is_reminded_of_less_than_the_minimum(  # D-84
    world: MailWorld, amount: str, paid: int, reason: str
) -> None:
    world.order("A-1009", amount)
    world.go_to("2026-03-17 09:00")
    world.statement(date(2026, 3, 16), 0, *([(paid, "Teilzahlung A-1009")] if paid else []))
    match_due(world.database, world.shop, world.now)
    if reason and world.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'"):
        ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'")
        match(world.database, world.shop, posting, [Part("A-1009")], world.now)
    rows = list(reminder_lists.preview(world.database, world.shop, date(2026, 3, 17), world.now))
    assert [row["reason"] for row in rows if row["orderNumber"] == "A-1009"] == [reason]
    world.send()
    sent = world.rows("SELECT dunning_level FROM reminders WHERE shop_id = $1 AND order_number = 'A-1009'")
    assert len(sent) == (0 if reason else 1)


def test_the_preview_of_some_begins_with_what_is_due_first(due: MailWorld) -> None:
    due.order("A-0001", dueDate="30-04-2026")
    due.order("A-1002", type="COD")
    for number, due_at in (("A-0001", "2026-05-07 09:00"), ("A-1001", "2026-03-16 11:00"), ("A-1002", None)):
        with due.database.of_shop(due.id) as tx:
            put = "UPDATE reminder_dues SET due_at = $3::timestamptz WHERE shop_id = $1 AND order_number = $2"
            assert tx.run(put, due.id, number, due_at) == 1
    seen = [
        sorted({row["orderNumber"] for row in rows})
        for most in (1, 2, 3)
        for rows in [reminder_lists.preview_soonest(due.database, due.shop, date(2026, 4, 1), due.now, most)]
    ]
    assert seen == [["A-1001"], ["A-0001", "A-1001"], ["A-0001", "A-1001", "A-1002"]]
    whole = list(reminder_lists.preview(due.database, due.shop, date(2026, 4, 1), due.now))
    assert list(reminder_lists.preview_soonest(due.database, due.shop, date(2026, 4, 1), due.now, 9)) == whole


def test_the_preview_says_every_reason(due: MailWorld) -> None:
    due.order("A-1002", type="COD", customerEmail="")
    due.order("A-1003", stopReminder=True)
    due.set(reminders="off")
    due.go_to("2026-03-18 10:00")
    rows = reminder_lists.preview(due.database, due.shop, date(2026, 3, 18), due.now)
    old = "the statements in EUR reach to 2026-03-13, needed is 2026-03-17"
    assert {row["orderNumber"]: ([each["reason"] for each in row["reasons"]], row["text"]) for row in rows} == {
        "A-1001": (
            ["off", "statements"],
            f"the shop sends no reminders; {old}",
        ),
        "A-1002": (
            ["not-managed", "no-address", "off", "statements"],
            f"orders of type COD get no mail; the order has no customerEmail; the shop sends no reminders; {old}",
        ),
        "A-1003": (
            ["off", "stopped", "statements"],
            f"the shop sends no reminders; stopReminder is set; {old}",
        ),
    }


def test_the_preview_of_later_days_says_what_will_hold_a_reminder_back(due: MailWorld) -> None:
    due.rows("UPDATE bank_accounts SET confirmed = false WHERE shop_id = $1 RETURNING 1")
    due.order("A-1001", dueDate="23-03-2026")
    (row,) = reminder_lists.preview(due.database, due.shop, date(2026, 4, 1), due.now)
    assert (row["mail"], row["reasons"]) == (
        "",
        [
            {
                "reason": "no-account",
                "text": "the shop has no confirmed bank account in EUR",
                "named": {"currency": "EUR"},
            }
        ],
    )


def test_the_preview_says_at_night_what_holds_a_reminder_back_in_the_morning(due: MailWorld) -> None:
    """On the 18th the statement that is there no longer reaches far enough: before nine o'clock as after it."""
    found = []
    for moment in ("2026-03-18 02:00", "2026-03-18 10:00"):
        due.go_to(moment)
        (row,) = reminder_lists.preview(due.database, due.shop, date(2026, 3, 18), due.now)
        found.append((row["mail"], row["at"], row["reason"]))
    assert found == [("", "", "statements")] * 2


def test_another_shop_sees_nothing(due: MailWorld, database: Database) -> None:
    due.send()
    other = new_world(database)
    assert other.mails() == []
    with database.of_shop(other.shop) as tx:
        assert reminder_lists.sent_reminders(tx) == [] and reminder_lists.list_mails(tx) == []
        ((mail_id,),) = due.rows("SELECT id FROM mails WHERE shop_id = $1")
        with pytest.raises(SettingRefused, match="has no mail"):
            reminder_lists.show_mail(tx, mail_id)


def test_mail_that_is_only_kept_raises_an_alert(due: MailWorld) -> None:
    due.door = Door(delivers=False)
    due.send()
    assert due.mails() == [("A-1001", 1, "KEPT")]
    with due.database.of_shop(due.shop) as tx:
        (alert,) = reminder_lists.mail_alerts(tx)
        assert (alert.kind, shop_store.load(tx) is not None) == (AlertKind.MAIL_KEPT, True)


def move_account(world: MailWorld, iban: str) -> None:
    """The shop's account and its statements are those of another one, of whose bank nothing is known."""
    world.rows("UPDATE bank_accounts SET account = $2, bic = '' WHERE shop_id = $1 RETURNING 1", iban)
    world.rows("UPDATE statements SET account = $2 WHERE shop_id = $1 RETURNING 1", iban)


def test_a_mail_goes_without_a_code_that_cannot_be_made(due: MailWorld) -> None:
    """Banks want the BIC in the code of a Swiss account, and this one has none."""
    move_account(due, "CH9300762011623852957")
    assert (due.send(), due.mails()) == (1, SENT)
    assert "CH93 0076 2011 6238 5295 7" in plain_text(due.door.sent[0].content).replace("\u00a0", " ")


def test_a_qr_iban_that_was_stored_before_it_was_refused_asks_nobody_to_pay_to_it(due: MailWorld) -> None:
    """It takes payments with a QRR reference only: the mails wait until the account's IBAN is registered as well."""
    move_account(due, "CH4431999123000889012")
    assert (due.send(), due.mails()) == (1, [])
    assert due.held("A-1001") == "no-account: the shop has no confirmed bank account in EUR"


def test_a_mail_is_in_the_language_of_the_order(world: MailWorld) -> None:
    world.set(payment_information="on")
    for place, language in enumerate(WANTED):
        world.order(f"L-{place}", language=language or None)
    world.send()
    said = [message_from_bytes(mail.content, policy=policy.default) for mail in world.door.sent]
    assert {mail["To"].addresses[0].username: mail["Content-Language"] for mail in said} == {
        f"l-{place}": meant for place, meant in enumerate(WANTED.values())
    }
