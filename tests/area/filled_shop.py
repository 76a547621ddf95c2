"""A shop in which every page of the merchant area has something to show: what it is, and what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.service import Service
from paymatch.domain.bank_feeds.consents import ConsentStatus
from paymatch.domain.bank_feeds.fints import DialogueStatus
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message, Sum
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpAnswer, HttpCall, NullHttp
from paymatch.outbound.mail.opening import open_mail
from paymatch.store.bank_feeds import consents, fints
from paymatch.store.bank_feeds.consents import BankConsent
from paymatch.store.connectors import orders as connector_orders
from paymatch.store.connectors import writes
from paymatch.store.orders import orders
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.store.work import alerts
from paymatch.usecases import callbacks
from paymatch.usecases.bank_feeds import connections as ebics
from paymatch.usecases.bank_feeds.connections import BankAccess
from paymatch.usecases.collection import cases
from paymatch.usecases.connectors import connectors
from paymatch.usecases.orders import synchronisation
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import bank_connections as fints_connections
from tests.area.conftest import Person
from tests.contract.bank import ACCOUNT, book, entry
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld
from tests.waiting import wait_until

CARRIER: Final = {"name": "DPD Deutschland GmbH", "account": "DE02120300000000202051"}
_WRITE: Final = writes.Write("", "", 0, PaymentStatus.PAID, 0, "", frozenset(), 0, 0, "EUR")
TABLE: Final = b"Buchungstag;Verwendungszweck;Betrag;Rest\n10.03.2026;SO-1;19,90;5,00\n"
_SETTINGS: Final = {
    "mail_from": "shop@example.org", "payment_information": "on", "callback_url": "https://shop.example/hook",
    "callbacks": "on", "refund_limit": "10.00", "refund_four_eyes": "50.00",
}  # fmt: skip


def fill(world: RefundWorld, service: Service, owner: Person) -> None:
    """Orders, payments to decide and decided, refunds, mail, callbacks, files, keys; each in several states."""
    world.client.change(**_SETTINGS)
    _refunds(world)
    _orders(world)
    _postings(world)
    _mail(world, service)
    _callbacks(world, service)
    _decisions(world, owner)
    _collection(world)
    _connector(world)
    _bank(world)
    _synchronisation(world)
    _alerts(world)
    for name, content in (("bank.csv", TABLE), ("torn.sta", b":20:STARTUMS")):
        owner.post("bank", {"action": "upload", "files": [SimpleUploadedFile(name, content)]})
    owner.post("new-order", {"number": "H-1", "type": "INVOICE", "customer": "Eva Muster", "amount": "31.20"})
    table = b"Order number,Customer,Amount,Due\nH-2,Eva Muster,12.50,\nH-3,Emil Docht,12O.00,\n"
    owner.post("import-orders", {"file": SimpleUploadedFile("orders.csv", table)})
    for place in (1, 2):  # they wait for their payments
        advice = f"Order,Amount\nX-{place},{place}01.00\nX-{place}0,500.00\nTotal,{place + 5}01.00\n"
        owner.post("bank/advices", {"files": [SimpleUploadedFile(f"advice-{place}.csv", advice.encode())]})
    wait_until(  # a process of its own looks at the table
        lambda: b"/bank/question/" in owner.get("bank").content, lambda: "the uploaded table was not looked at"
    )


def _orders(world: RefundWorld) -> None:
    people = [("Erika", "Mustermann"), ("Jens", "Beispiel"), ("Theodora-Sophie", "von und zu Musterhausen")]
    for place in range(1, 13):
        first, last = people[place % 3]
        more: dict[str, Any] = {"customerEmail": "jens@example.org"} if place % 2 else {}
        world.client.submit(
            f"10{place:03}", amount=49.9 + place, type="INVOICE" if place % 3 else "PREPAYMENT",
            billing={"firstName": first, "lastName": last, "countryCode": "DE"},
            date="01-01-2026" if place == 5 else "01-03-2026", **more,
        )  # fmt: skip
    world.client.submit("61001", amount=100, type="COD", shippingNumbers=["01234567890123"])


def _postings(world: RefundWorld) -> None:
    """Two are matched; of the others one has two candidates, one none, one is a payout, one goes out."""
    for number in ("30001", "30002"):
        world.client.submit(number, amount=30)
    book(
        world.client,
        entry("Bestellung 10001", 5_090, name="Jens Beispiel"),
        entry("Bestellung 10002", 2_000, name="Theodora-Sophie von und zu Musterhausen"),
        entry("Muster", 3_000),
        entry("Muster die zweite, mit einem Text, der so lang ist wie das, was Kunden manchmal schreiben", 3_000),
        entry("Spende", 777, name="Unbekannt"),
        entry("Nachnahme 01234567890123", 7_000, **CARRIER),
        entry("Miete", -50_000, name="Hausverwaltung"),
    )


def _refunds(world: RefundWorld) -> None:
    for number in ("A-1", "A-2", "A-3"):
        world.paid(number)
    world.file("A-1", 60)
    world.file("A-2", 5, accountHolder="Erika Mustermann", iban=ERIKA)
    world.pass_days(1)
    world.run()
    world.file("A-3", 7, plannedDate="09-03-2026")


def _mail(world: RefundWorld, service: Service) -> None:
    door = open_mail(service.settings)
    send_due(service.database, world.client.shop, door, world.clock())
    door.close()


def _callbacks(world: RefundWorld, service: Service) -> None:
    def answer(_call: HttpCall) -> HttpAnswer:
        return HttpAnswer(503, b"back soon", truncated=False, retry_after=None, elapsed_seconds=0.038, address="")

    with world.client.database.of_shop(world.client.shop, at=world.clock()) as tx:
        callbacks.send_test(tx)
        shops.create_key(tx, scope="read")
    world.clock.pass_time(minutes=1)
    Worker(service.database, NullHttp(answer), world.clock).drain()


def _decisions(world: RefundWorld, owner: Person) -> None:
    """One posting is set aside with a comment, one is booked by hand."""
    ids = dict(world.client.rows("SELECT remittance, id FROM postings WHERE shop_id = $1"))
    owner.post(f"postings/{ids['Spende']}", {"do": "comment", "said": "Asked the customer."})
    owner.post(f"postings/{ids['Miete']}", {"do": "aside", "how": "ignore", "reason": "Rent"})
    owner.post(f"postings/{ids['Spende']}", {"do": "aside", "reason": "Waits for the customer's answer"})
    for name, reason in (("Hausverwaltung Nord", "Rent"), ("Finanzamt Mitte", "Tax")):
        rule = {"do": "make", "action": "set-aside", "name": name, "reason": reason}
        owner.post("postings/rules/new", rule)


def _collection(world: RefundWorld) -> None:
    """One order is with the agency."""
    with world.client.database.of_shop(world.client.shop, at=world.clock()) as tx:
        cases.set_agency(tx, {"name": "Nordwest Inkasso GmbH"})
        cases.hand_over(tx, "10005")


def _bank(world: RefundWorld) -> None:
    """A bank is about to be connected by EBICS, another one by account information."""
    access = BankAccess("Hausbank", "https://ebics.bank.example/", "HOST", "PARTNER", "USER")
    ebics.begin(world.client.database, world.client.shop, access, world.clock(), key_bits=2048)
    at = world.clock()
    begun = BankConsent(
        "ai1", "enable-banking", "Hausbank", "DE", True, ConsentStatus.PENDING, None, None, ("06:30",), at, None, 0,
        None, "", None, None, "", None, at,
    )  # fmt: skip
    row = ConnectionRow(ACCOUNT, "37040044", "https://fints.bank.example/", "12345")
    fints_connections.add(world.client.database, world.client.shop, row)
    with world.client.database.of_shop(world.client.shop, at=at) as tx:
        consents.add(tx, begun)
        fints.begin(tx, "fd_1", [ACCOUNT], "", "clerk@example.org", at, at)
        fints.finish(tx, "fd_1", DialogueStatus.REFUSED, at, Message("fints-locked"))


def _connector(world: RefundWorld) -> None:
    """A shop system is connected; one of its orders was refused."""
    at, problem = world.clock(), Message("connector-order-unreadable", what="total")
    with world.client.database.of_shop(world.client.shop, at=at) as tx:
        url = {"url": "https://woo.example"}
        row = connectors.add(tx, "woocommerce", ("ck_1", "cs_1"), url)
        connector_orders.set_problem(tx, row.name, "77", "77", problem, at)
        connector_orders.set_taken(tx, row.name, "78", "10005", "on-hold", at)
        write = replace(_WRITE, external_id="78", order_number="10005")
        writes.record_write(tx, row.name, write, "processing", ["processing"], at)


def _synchronisation(world: RefundWorld) -> None:
    """The shop has left two of its open orders out of its list; one of them has come back since."""
    shop, client = world.client.shop, world.client
    for number in ("71001", "71002"):
        client.submit(number, amount=88)
    world.clock.pass_time(seconds=1)  # a call closes what was there before it
    at = world.clock()
    with client.database.of_shop(shop, at=at) as tx:
        known = [number for number in orders.open_numbers(tx, at) if not number.startswith("71")]
        synchronisation.synchronise(tx, known)
    client.submit("71002", amount=88)


def _alerts(world: RefundWorld) -> None:
    """Three are open, one of them about an order of a shop system that was not taken; one has closed by itself."""
    at, shop = world.clock(), world.client.id
    [(posting,)] = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND remittance = 'Spende'")
    account, day = "DE02120300000000202051", at.date()
    announced = Message("alert-never-confirmed", account=account, amount=Sum(777, "EUR"), who="Unbekannt", day=day)
    refused = Message("alert-connector-orders", name="woocommerce", count=1, order="77", problem="total")
    failed = Message("alert-item-failed", item="the mail of order 10005", error="ValueError: no such template")
    silent = Message("alert-silent-feed", account=account, day=day)
    with world.client.database.of_shop(shop) as tx:
        alerts.add(tx, AlertKind.NEVER_CONFIRMED, posting, announced, at)
        alerts.add(tx, AlertKind.CONNECTOR_ORDERS, f"woocommerce {at:%Y-%m-%dT%H:%M:%S}", refused, at)
        alerts.add(tx, AlertKind.ITEM_FAILED, "the mail of order 10005", failed, at)
        alerts.add(tx, AlertKind.SILENT_FEED, f"{account} {day}", silent, at)
        alerts.resolve_about(tx, f"{account} {day}", at)
