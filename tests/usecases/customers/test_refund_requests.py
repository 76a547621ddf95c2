"""Customers are asked for the bank details of refunds: once, reminded three times, and then it is a person's turn."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from paymatch.clock import utc_now
from paymatch.domain.customers.refund_requests import ACCOUNT_REASONS, asked_again_at, is_given_up, wants_details
from paymatch.domain.refunds.refunds import RefundRefused, RefundStatus, RefundUnknown
from paymatch.formats.mail.message import plain_text
from paymatch.outbound.http import NullHttp
from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.store.customers import refund_requests as store
from paymatch.store.database import Database
from paymatch.usecases.customers import refund_requests
from paymatch.usecases.work import alerts
from paymatch.usecases.work.sandbox_clock import hold_due_work, move
from tests.contract.bank import pay
from tests.contract.client import START, Clock
from tests.keys import KEYRING
from tests.languages import WANTED
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld, status_report
from tests.usecases.reminders.mail_world import Door

BASE = "https://pay.shop.example"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


class Asking(RefundWorld):
    """A shop that asks its customers by mail."""

    def __init__(self, database: Database, folder: Path) -> None:
        super().__init__(database, folder, clock=Clock())
        self.door = Door()
        self.client.change(mail_from="post@shop.example", mail_name="Shop", reply_to="help@shop.example")

    def cod(self, number: str, **more: object) -> str:
        """A refund of an order that was paid in cash: no account is known. Its id."""
        more = {"customerEmail": "erika@example.com", "language": "fr", "type": "COD", "amount": 30} | more
        self.client.submit(number, **more)
        pay(self.client, number, 3_000, account="")
        return self.file(number, 30)

    def ask(self, base: str = BASE) -> list[EmailMessage]:
        """The mails sent now."""
        before = len(self.door.sent)
        while refund_requests.send_due(self.database, self.client.shop, self.door, base, self.clock.now):
            pass
        return [message_from_bytes(mail.content, policy=policy.default) for mail in self.door.sent[before:]]

    def due(self) -> bool:
        """Whether the worker would find the shop."""
        with self.database.of_all_shops() as tx:
            return self.client.id in store.shops_with_due(tx, self.clock.now)

    def alerts(self) -> list[tuple[str, str]]:
        """(kind, text) of the open alerts about bank details."""
        found = alerts.list_alerts(self.database, self.client.shop)
        return [(row["kind"], row["text"]) for row in found if row["kind"] == "bank-details"]


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Asking:
    return Asking(database, tmp_path)


def test_a_refund_without_details_from_the_first_mail_to_the_transfer(world: Asking) -> None:
    refund_id = world.cod("D-1")
    assert world.due()
    (first,) = world.ask()
    assert first["Subject"] == "Vos coordonnées bancaires pour le remboursement de la commande D-1"
    assert (first["From"], first["To"]) == ("Shop <post@shop.example>", "Muster <erika@example.com>")
    assert first["Reply-To"] == "help@shop.example"
    text = plain_text(world.door.sent[0].content)
    assert text.startswith(
        "Bonjour Muster,\n\nNous souhaitons vous rembourser 30,00\u00a0€ pour la commande D-1 du 1er\u00a0mars"
    )
    link = next(line for line in text.split("\n") if line.startswith(BASE))
    begun = world.clock.now
    assert (world.ask(), world.due()) == ([], False)
    for days in (3, 10, 30):
        world.clock.now = begun + timedelta(days=days, seconds=-1)
        assert (world.ask(), world.due()) == ([], False)
        world.clock.now = begun + timedelta(days=days)
        assert world.due()
        (reminder,) = world.ask()
        assert reminder["Subject"].startswith("Rappel : vos coordonnées bancaires")
        assert link in plain_text(world.door.sent[-1].content)
    assert world.alerts() == []
    world.pass_days(3)
    world.set_iban(refund_id)
    assert (world.status(refund_id), world.due()) == ("NEW", False)
    world.pass_days(7)
    assert world.ask() == []
    assert world.run().files == ()  # no statement shows the account: a person looks at it first (D-37)
    world.release(refund_id)
    assert (len(world.run().files), world.status(refund_id)) == (1, "IN_PROCESS")
    world.debit(3_000, world.end_to_end(refund_id), account=ERIKA)
    assert world.status(refund_id) == "PROCESSED"
    assert world.alerts() == []


def test_who_never_answers_becomes_a_person_s_matter(world: Asking) -> None:
    refund_id = world.cod("D-2")
    for days in (0, 3, 7, 20):
        world.pass_days(days)
        assert len(world.ask()) == 1
    world.pass_days(7)
    assert world.ask() == []
    text = (
        "Refund R-D-2 of order D-2 has no usable bank details: the customer was asked four times and has not given any"
    )
    assert world.alerts() == [("bank-details", text)]
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        assert alerts.keep_alerts(tx)[1] == 0  # its cause is still there
    world.set_iban(refund_id)
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        alerts.keep_alerts(tx)
    assert world.alerts() == []


def test_a_refused_account_is_asked_about_anew(world: Asking) -> None:
    world.paid("D-3", 10_000, amount=100)
    world.client.submit("D-3", amount=100, customerEmail="erika@example.com", language="en")
    refund_id = world.file("D-3", 10)
    assert world.ask() == []
    world.pass_days(1)
    world.run()
    world.report(status_report(world.contents()[-1], (world.end_to_end(refund_id), "RJCT", "AC04")))
    assert world.status(refund_id) == "ERROR"
    (mail,) = world.ask()
    assert mail["Subject"] == "Your bank details for the refund of order D-3"
    assert "your bank rejected the transfer to the account that we have" in plain_text(
        world.door.sent[-1].content
    ).replace("\n", " ")
    world.set_iban(refund_id, ERIKA)
    world.release(refund_id)
    world.run()
    world.report(status_report(world.contents()[-1], (world.end_to_end(refund_id), "RJCT", "AC01")))
    assert len(world.ask()) == 1  # another account, another question
    places = world.client.rows("SELECT account_version, place FROM refund_requests WHERE shop_id = $1 ORDER BY 1")
    assert places == [(1, 0), (2, 0)]


def test_other_reasons_of_a_bank_are_no_question_to_the_customer(world: Asking) -> None:
    world.paid("D-4", 10_000, amount=100)
    world.client.submit("D-4", amount=100, customerEmail="erika@example.com")
    refund_id = world.file("D-4", 10)
    world.pass_days(1)
    world.run()
    world.report(status_report(world.contents()[-1], (world.end_to_end(refund_id), "RJCT", "AM04")))
    assert (world.status(refund_id), world.due(), world.ask(), world.alerts()) == ("ERROR", False, [], [])


def test_a_process_that_dies_sends_the_same_mail_again(world: Asking) -> None:
    world.cod("D-5")

    class Killed(BaseException):
        """Simulates a process that ends here."""

    class Dying(Door):
        def send(self, mail: OutgoingMail) -> str:
            super().send(mail)
            raise Killed

    world.door = Dying()
    with pytest.raises(Killed):
        world.ask()
    (lost,) = world.door.sent
    world.door = Door()
    (again,) = world.ask()
    assert again["Message-ID"] == message_from_bytes(lost.content)["Message-ID"]
    assert world.door.sent[0].content == lost.content
    assert world.client.rows("SELECT count(*) FROM refund_requests WHERE shop_id = $1") == [(1,)]


def test_a_mail_that_fails_is_tried_again_and_one_that_is_refused_is_not(world: Asking) -> None:
    world.cod("D-6")
    world.door.failure = MailNotSent("busy", permanent=False)
    assert world.ask() == []
    world.door.failure = None
    assert world.ask() == []
    world.clock.pass_time(minutes=15)
    assert len(world.ask()) == 1
    world.pass_days(3)
    world.door.failure = MailNotSent("550 no such user", permanent=True)
    assert world.ask() == []
    text = (
        "Refund R-D-6 of order D-6 has no usable bank details: the mail to the customer was refused: 550 no such user"
    )
    assert world.alerts() == [("bank-details", text)]


@pytest.mark.parametrize(("settings", "order", "base", "why"), [
    ({"refund_requests": "off"}, {}, BASE, "refund-requests is off"),
    ({"mail_from": ""}, {}, BASE, "the shop has no address for mail (mail-from)"),
    ({}, {}, "", "the address of the service is unknown (PAYMATCH_BASE_URL)"),
    ({}, {"customerEmail": None}, BASE, "the order has no customerEmail"),
])  # fmt: skip
def test_where_nobody_can_be_asked_a_person_is_told_at_once(
    world: Asking, settings: dict[str, str], order: dict[str, object], base: str, why: str
) -> None:
    refund_id = world.cod("D-7", **order)
    world.client.change(**settings or {"language": "de"})
    assert world.ask(base) == []
    assert world.alerts() == [("bank-details", f"Refund R-D-7 of order D-7 has no usable bank details: {why}")]
    world.client.change(refund_requests="on", mail_from="post@shop.example")
    world.client.submit("D-7", amount=30, type="COD", customerEmail="erika@example.com")
    assert world.ask() == []
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        refund_requests.ask(tx, refund_id)
        with pytest.raises(RefundRefused):
            refund_requests.ask(tx, refund_id)
        with pytest.raises(RefundUnknown):
            refund_requests.ask(tx, "rf_unknown")
    assert len(world.ask()) == 1


def test_the_shop_names_the_account_by_api(world: Asking) -> None:
    refund_id = world.cod("D-10")
    target, body = f"refund/{refund_id}/account", {"iban": "AT61 1904 3002 3457 3201", "accountHolder": "Erika Müller"}
    for wrong, text in (
        (b"", "Missing body"), ({"iban": ERIKA}, "Missing parameter accountHolder"),
        ({"iban": "  ", "accountHolder": "E"}, "Missing parameter iban"),
        (body | {"iban": "DE00"}, "'DE00' is not a valid IBAN: Invalid characters in IBAN DE00"),
        (body | {"accountHolder": "x" * 141}, "The name of the account holder is too long (max 140)"),
    ):  # fmt: skip
        with world.client.unchanged():
            assert world.client.post(target, wrong).error == (400, text)
    assert world.client.post("refund/rf_unknown/account", b"").error == (404, "Refund 'rf_unknown' not found")
    reply = world.client.post(target, body)
    assert (reply.status, reply.json["status"]) == (200, "NEW")
    account = world.client.rows("SELECT holder, iban_given FROM refunds WHERE shop_id = $1")
    assert (account, world.due()) == ([("Erika Müller", True)], False)
    world.cancel(refund_id)
    assert world.client.post(target, body).error == (
        400, "Could not change the account of the refund (status CANCELLED)",
    )  # fmt: skip


def test_nobody_is_asked_once_the_refund_is_cancelled(world: Asking) -> None:
    refund_id = world.cod("D-8")
    world.cancel(refund_id)
    assert (world.due(), world.ask(), world.alerts()) == (False, [], [])


def test_the_clock_of_a_sandbox_shop_stops_for_each_mail(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path, clock=Clock(), sandbox=True, start=START)
    world.client.submit("D-9", amount=30, type="COD", customerEmail="erika@example.com")
    pay(world.client, "D-9", 3_000, account="")
    world.file("D-9", 30)
    with capture_logs(), hold_due_work(database, world.client.shop, utc_now):
        move(database, world.client.shop, START + timedelta(days=45), NullHttp(), utc_now)
    asked = world.client.rows(
        "SELECT place, status, finished_at FROM refund_requests WHERE shop_id = $1 ORDER BY place"
    )
    assert asked == [(place, "KEPT", START + timedelta(days=days)) for place, days in enumerate((0, 3, 10, 30))]
    found = {row["kind"] for row in alerts.list_alerts(database, world.client.shop)}
    assert "bank-details" in found


def test_what_is_wanted_of_a_customer() -> None:
    wanted = {(status, code) for status in RefundStatus for code in ("", "AC04", "AM04") if wants_details(status, code)}
    assert wanted == {
        *((RefundStatus.BANKDETAILS_MISSING, code) for code in ("", "AC04", "AM04")),
        (RefundStatus.RETURNED, "AC04"), (RefundStatus.ERROR, "AC04"),
    }  # fmt: skip
    assert "AM04" not in ACCOUNT_REASONS
    assert [(asked_again_at(START, place) - START).days for place in range(4)] == [3, 10, 30, 37]
    assert [is_given_up(place) for place in range(5)] == [False, False, False, False, True]


def test_a_customer_is_asked_in_the_language_of_the_order(world: Asking) -> None:
    for place, language in enumerate(WANTED):
        world.cod(f"L-{place}", language=language or None)
    said = {mail["Subject"].rsplit("-", 1)[-1]: mail["Content-Language"] for mail in world.ask()}
    assert said == {str(place): meant for place, meant in enumerate(WANTED.values())}
