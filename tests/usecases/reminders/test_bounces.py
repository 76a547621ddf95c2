"""Mail that comes back: its state, the order's next mail, the alert; by the mailbox and by a provider's report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from email import message_from_bytes

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.jobs.bounces import BounceReader
from paymatch.outbound.mail.mailbox import Mailbox, MailboxAddress
from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.store.database import Database
from paymatch.store.orders.order_json import Include
from paymatch.store.reminders import early_bounces
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.reminders.bounces import judge, take
from paymatch.usecases.work.alerts import keep_alerts
from paymatch.usecases.work.check import check_shop
from tests.fakes.imap_server import imap_server
from tests.formats.mail.test_delivery_report import report
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

EVA = {"customerEmail": "eva@example.com"}
REASON = "5.1.1 no such user"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    """Two orders of one customer of which one mail has told how to pay."""
    found = new_world(database, payment_information="on")
    found.order("A-1", **EVA)
    found.order("A-2", **EVA)
    found.send()
    assert len(found.door.sent) == 1
    return found


def message_id(world: MailWorld) -> str:
    ((found,),) = world.rows("SELECT DISTINCT message_id FROM mails WHERE shop_id = $1 AND status = 'SENT'")
    return str(found)


def informed(world: MailWorld) -> list[bool]:
    rows = world.rows("SELECT payment_info_at IS NOT NULL FROM orders WHERE shop_id = $1 ORDER BY number")
    return [row[0] for row in rows]


def test_a_report_in_the_mailbox_is_taken_once(world: MailWorld) -> None:
    with imap_server() as server:
        server.add(b"Subject: hello\r\n\r\nHello\r\n", report(message_id=message_id(world)), report(message_id="<x@y>"))
        mailbox = Mailbox(MailboxAddress("127.0.0.1", server.port, "bounces", "secret", "INBOX", tls=False))
        reader = BounceReader(world.database, mailbox, lambda: world.now)
        assert (reader.look(), reader.look()) == (0, 0)
        assert server.seen == {1, 2, 3}
        server.password = "another"
        assert reader.look() == 0
    assert world.mails() == [("A-1", 0, "SENT"), ("A-2", 0, "SENT")]
    told = [row[0] for row in world.rows("SELECT text FROM alerts WHERE shop_id = $1 ORDER BY text")]
    assert told == [
        f"Order {number}: a report that nothing proves says that mail to eva@example.com came back; it names"
        " eva@example.com: 5.1.1 550 5.1.1 <eva@example.com>: no such user"
        for number in ("A-1", "A-2")
    ]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert keep_alerts(tx) == (0, 0), "they were raised at once, and stay"
    assert shown(world) is None
    assert check_shop(world.database, world.shop) == []


def test_attack_a_message_that_cannot_be_read_hides_no_report_behind_it(world: MailWorld) -> None:
    deep = (
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n" + b"Content-Type: message/rfc822\r\n\r\n" * 5_000
    )
    with imap_server() as server:
        server.add(deep, report(message_id=message_id(world)))
        mailbox = Mailbox(MailboxAddress("127.0.0.1", server.port, "bounces", "secret", "INBOX", tls=False))
        reader = BounceReader(world.database, mailbox, lambda: world.now)
        assert (reader.look(), reader.look()) == (0, 0)
        assert server.seen == {1, 2}
    assert world.rows("SELECT kind FROM alerts WHERE shop_id = $1") == [("mail-reported",)] * 2


def test_nobody_writes_to_the_address_until_it_is_another(world: MailWorld) -> None:
    assert take(world.database, Bounce("eva@example.com", REASON, message_id(world), confirmed=True), world.now) == 2
    assert informed(world) == [False, False]
    world.send()
    assert world.held("A-1").startswith("address-refused: ") and len(world.door.sent) == 1
    world.order("A-1", customerEmail="eva@example.org")
    world.send()
    assert [mail.recipient for mail in world.door.sent[1:]] == ["eva@example.org"]
    assert informed(world) == [True, False] and check_shop(world.database, world.shop) == []


def test_a_letter_takes_its_place_where_the_plan_says_so(world: MailWorld) -> None:
    world.set(letters="on")
    world.plan(letters_without_mail="on")
    address = {"firstName": "Erika", "lastName": "Mustermann", "street": "Weg 1", "postCode": "10115", "city": "Berlin",
               "countryCode": "DE"}  # fmt: skip
    world.order("A-1", billing=address, **EVA)
    world.send()
    take(world.database, Bounce("eva@example.com", REASON, message_id(world), confirmed=True), world.now)
    world.send()
    assert world.rows("SELECT order_number, kind, dunning_level FROM letters WHERE shop_id = $1") == [
        ("A-1", "INFORMATION", 0)
    ]


def test_a_reminder_that_came_back_stays_a_reminder_and_may_be_lifted(world: MailWorld) -> None:
    world.statement(date(2026, 3, 17))
    world.go_to("2026-03-18 10:00")
    world.send()
    ((reminder,),) = world.rows("SELECT DISTINCT message_id FROM mails WHERE shop_id = $1 AND dunning_level = 1")
    assert take(world.database, Bounce("eva@example.com", REASON, str(reminder), confirmed=True), world.now) == 2
    assert take(world.database, Bounce("eva@example.com", REASON, str(reminder), confirmed=True), world.now) == 0
    assert world.mails() == [("A-1", 0, "SENT"), ("A-1", 1, "BOUNCED"), ("A-2", 0, "SENT"), ("A-2", 1, "BOUNCED")]
    assert informed(world) == [True, True]
    assert world.rows("SELECT dunning_level FROM orders WHERE shop_id = $1") == [(1,), (1,)]
    assert check_shop(world.database, world.shop) == []
    (mail_id, _) = [row[0] for row in world.rows("SELECT id FROM mails WHERE shop_id = $1 AND status = 'BOUNCED'")]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        reminder_lists.try_again(tx, mail_id)
    assert sorted(status for _, _, status in world.mails()) == ["BOUNCED", "SENT", "SENT", "SENT"]


@dataclass
class Provider(Door):
    """Reports that a mail came back before it has answered that it took it."""

    world: MailWorld | None = None

    def send(self, mail: OutgoingMail) -> str:
        super().send(mail)
        assert self.world is not None
        assert take(self.world.database, Bounce("", REASON, provider_id="P-1"), self.world.now) == 0
        message = str(message_from_bytes(mail.content)["Message-ID"])
        bounce = Bounce("eva@example.com", REASON, message, confirmed=True)
        assert take(self.world.database, bounce, self.world.now) == 0
        return "P-1"


def test_a_report_that_is_faster_than_the_record_of_the_sending_is_kept(database: Database) -> None:
    """Before, it was dropped: the mail stayed SENT, and the customer was written to again."""
    world = new_world(database, payment_information="on")
    world.door = Provider(world=world)
    world.order("A-1", **EVA)
    world.send()
    reader = BounceReader(database, None, lambda: world.now)
    assert world.mails() == [("A-1", 0, "SENT")]
    assert (reader.look(), reader.look()) == (1, 0)
    assert world.mails() == [("A-1", 0, "BOUNCED")] and informed(world) == [False]
    take(database, Bounce("", REASON, "<nobody@shop.example>"), world.now)
    with database.of_all_shops() as tx:
        assert "<nobody@shop.example>" in {each.message_id for each in early_bounces.waiting_bounces(tx)}
    world.now += timedelta(hours=1, minutes=1)
    reader.look()
    with database.of_all_shops() as tx:
        assert early_bounces.waiting_bounces(tx) == [], "what nobody knows within an hour is forgotten"


def shown(world: MailWorld, number: str = "A-1") -> str | None:
    with world.database.of_shop(world.shop) as tx:
        found: str | None = json.loads(orders.read(tx, number, Include())).get("mailProblem")
    return found


def test_an_order_shows_that_its_mail_came_back(world: MailWorld) -> None:
    assert shown(world) is None
    take(world.database, Bounce("eva@example.com", REASON, message_id(world), confirmed=True), world.now)
    assert shown(world) == shown(world, "A-2") == f"mail to eva@example.com did not arrive: {REASON}"
    world.order("A-1", "59.90", **EVA)
    assert shown(world) is not None, "the amount has changed, and the address has not"
    world.order("A-1", "59.90", customerEmail="eva@example.org")
    assert shown(world) is None
    (mail_id,) = [row[0] for row in world.rows("SELECT id FROM mails WHERE shop_id = $1 AND order_number = 'A-2'")]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        reminder_lists.try_again(tx, mail_id)
    assert shown(world, "A-2") is None


def test_an_order_shows_that_its_mail_was_refused(database: Database) -> None:
    world = new_world(database, payment_information="on")
    world.door.failure = MailNotSent("550 no such user", permanent=True)
    world.order("A-1", **EVA)
    world.send()
    assert shown(world) == "mail to eva@example.com did not arrive: 550 no such user"


def test_a_report_about_mail_of_nobody_changes_nothing(world: MailWorld, database: Database) -> None:
    assert take(database, Bounce("eva@example.com", REASON, "<nobody@shop.example>"), world.now) == 0
    assert take(database, Bounce("eva@example.com", REASON), world.now) == 0
    assert world.mails() == [("A-1", 0, "SENT"), ("A-2", 0, "SENT")]


DOUBTFUL = [
    Bounce("mallory@example.net", REASON, "ID"),
    Bounce("eva@example.com.evil.example", REASON, "ID"),
    Bounce("", REASON, "ID"),
    Bounce("eva@example.com", REASON, "ID"),  # complete, with nobody in the envelope: whoever got the mail can write it
    Bounce("eva@example.com", REASON, "ID", written_by="eva@example.com"),
]


@pytest.mark.parametrize("doubtful", DOUBTFUL, ids=["another", "longer", "nobody", "complete", "written by herself"])
def test_attack_a_report_that_nothing_proves_stops_no_reminder_and_goes_to_a_person(
    world: MailWorld, doubtful: Bounce
) -> None:
    bounce = replace(doubtful, message_id=message_id(world))
    assert (take(world.database, bounce, world.now), take(world.database, bounce, world.now)) == (0, 0)
    assert world.mails() == [("A-1", 0, "SENT"), ("A-2", 0, "SENT")]
    assert informed(world) == [True, True] and shown(world) is None
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert keep_alerts(tx) == (0, 0)
    told = world.rows("SELECT kind, text FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL ORDER BY text")
    assert [kind for kind, _ in told] == ["mail-reported"] * 2
    assert told[0][1].startswith("Order A-1: a report that nothing proves says that mail to eva@example.com came back")
    world.statement(date(2026, 3, 17))
    world.go_to("2026-03-18 10:00")
    world.send()
    assert [mail.recipient for mail in world.door.sent[1:]] == ["eva@example.com"], "the reminder goes out all the same"
    assert check_shop(world.database, world.shop) == []


def mail_of(world: MailWorld, number: str) -> str:
    ((found,),) = world.rows("SELECT id FROM mails WHERE shop_id = $1 AND order_number = $2", number)
    return str(found)


def reported(world: MailWorld) -> list[tuple[str, bool]]:
    """The reports that nothing proved: whether each still waits."""
    return world.rows(
        "SELECT named ->> 'order', resolved_at IS NULL FROM alerts WHERE shop_id = $1 AND kind = 'mail-reported'"
        " ORDER BY 1"
    )


def test_a_report_is_confirmed_in_one_step_and_stops_mail_to_the_address(world: MailWorld) -> None:
    bounce = Bounce("eva@example.com", REASON, message_id(world))
    assert take(world.database, bounce, world.now) == 0 and reported(world) == [("A-1", True), ("A-2", True)]
    mail = mail_of(world, "A-1")
    assert judge(world.database, world.shop, mail, world.now, confirmed=True) == {
        "id": mail, "cameBack": True, "alerts": 2,
    }  # fmt: skip
    assert world.mails() == [("A-1", 0, "BOUNCED"), ("A-2", 0, "BOUNCED")]
    assert reported(world) == [("A-1", False), ("A-2", False)]
    assert shown(world) == f"mail to eva@example.com did not arrive: {REASON}"
    world.statement(date(2026, 3, 17))
    world.go_to("2026-03-18 10:00")
    world.send()
    assert len(world.door.sent) == 1 and world.held("A-1").startswith("address-refused: ")
    with pytest.raises(SettingRefused, match="No report about mail"):
        judge(world.database, world.shop, mail, world.now, confirmed=True)
    assert check_shop(world.database, world.shop) == []


def test_a_report_is_dismissed_in_one_step_and_mail_goes_on(world: MailWorld) -> None:
    bounce = Bounce("eva@example.com", REASON, message_id(world))
    take(world.database, bounce, world.now)
    judge(world.database, world.shop, mail_of(world, "A-2"), world.now, confirmed=False)
    assert take(world.database, bounce, world.now) == 0
    assert reported(world) == [("A-1", False), ("A-2", False)], "another such report asks nobody again"
    assert world.mails() == [("A-1", 0, "SENT"), ("A-2", 0, "SENT")] and shown(world) is None
    world.statement(date(2026, 3, 17))
    world.go_to("2026-03-18 10:00")
    world.send()
    assert [mail.recipient for mail in world.door.sent[1:]] == ["eva@example.com"]
    assert check_shop(world.database, world.shop) == []


def test_attack_nothing_is_confirmed_of_which_no_report_waits(world: MailWorld) -> None:
    with pytest.raises(SettingRefused, match="No report about mail"):
        judge(world.database, world.shop, mail_of(world, "A-1"), world.now, confirmed=True)
    with pytest.raises(SettingRefused, match="No report about mail"):
        judge(world.database, world.shop, "", world.now, confirmed=True)
    assert world.mails() == [("A-1", 0, "SENT"), ("A-2", 0, "SENT")]


def test_a_true_report_is_believed_whatever_the_case_of_the_address(world: MailWorld) -> None:
    assert take(world.database, Bounce("<EVA@Example.COM>", REASON, message_id(world), confirmed=True), world.now) == 2


def test_a_provider_names_its_own_mail(world: MailWorld) -> None:
    with world.database.of_shop(world.id) as tx:
        tx.run("UPDATE mails SET provider_id = 'P-7' WHERE shop_id = $1", world.id)
    assert take(world.database, Bounce("mallory@example.net", REASON, provider_id="P-7"), world.now) == 0
    assert take(world.database, Bounce("", REASON, provider_id="P-7"), world.now) == 2
