"""What has to be there before a command can be typed: by the command, on any page.

Each function prepares it, and returns the values for the placeholders of the command.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from threading import Thread
from typing import Final

from paymatch.clock import utc_now
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.store.sealing import TRANSFER_FILE
from paymatch.usecases.advices.advices import list_advices
from paymatch.usecases.advices.mailed import list_senders, take_mail
from paymatch.usecases.customers import notices
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.reminders.reminders import send_due
from tests.contract.test_invoices_and_images import PDF, form, upload
from tests.documents.world import World
from tests.fakes.woocommerce import KEY, SECRET
from tests.usecases.advices.mails import HOST, mail
from tests.usecases.advices.test_advices import CARRIER
from tests.usecases.callbacks.callback_world import World as CallbackWorld
from tests.usecases.callbacks.test_callbacks import deliver
from tests.usecases.conftest import Books, camt, paid
from tests.usecases.refunds.refund_world import status_report
from tests.usecases.reminders.mail_world import Door
from tests.waiting import PATIENCE_SECONDS

Filled = Mapping[str, str]
_ORDER = re.compile(r"\bA-\d{4}\b")
_SPOOLED = "SELECT id FROM letters WHERE shop_id = $1 AND status = 'SPOOLED'"
_REFUSED = "SELECT id FROM mails WHERE shop_id = $1 AND status = 'REFUSED' ORDER BY id DESC"


def _callback(world: World, _text: str) -> Filled:
    return {"CALLBACK_ID": world.client.get("callbacks?limit=1").json[0]["id"]}


def _worker(world: World, _text: str) -> Filled:
    """A worker that sends the next callback, to a receiver that takes it."""
    shop = CallbackWorld(world.database, world.client.shop)

    def send_next() -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        sent = False
        while not sent and time.monotonic() < until:
            shop.now = utc_now()
            sent = bool(deliver(shop))
            time.sleep(0.1)

    Thread(target=send_next, daemon=True).start()
    return {}


def _open_order(world: World, text: str) -> Filled:
    """Each order that is named has something left to pay: it costs twice as much each time."""
    for number in _ORDER.findall(text):
        known = world.client.get(f"order/{number}")
        world.order(number, amount=2 * float(known.json["amount"]) if known.status == 200 else 49.90)
    return {}


def _paid_refund(world: World, text: str) -> Filled:
    """The refund that is named is that of an order that its customer has paid."""
    for reference in re.findall(r"\bR-\d+\b", text):
        number = world.order()
        world.run(f'paymatch simulate "{world.name}" payment {number} --deliver')
        world.refund(number, 10.00, reference)
    return {}


def _refund_without_account(world: World, _text: str) -> Filled:
    """A refund whose customer was not reached, and has to say where to."""
    number = world.order(customerEmail=None)
    assert world.client.post(f"order/{number}/setpaid").status == 200
    refund = world.refund(number, 10.00)
    world.run(f'paymatch jobs run "{world.name}" refund-requests')
    return {"REFUND": refund, "{id}": refund}


def _refund_above_the_limit(world: World, _text: str) -> Filled:
    number = world.order(amount=900.00)
    world.pay(number, 900.00)
    return {"ID...": world.refund(number, 800.00)}


def _transfer_file(world: World, _text: str) -> Filled:
    """An unsent transfer file."""
    number = world.order()
    world.pay(number)
    world.refund(number, 10.00)
    run = json.loads(world.run(f'paymatch refunds run "{world.name}" --date {world.tomorrow} --json').out)
    return {"PM....xml": run["files"][0]["file"]}


def _bank_report(world: World, text: str) -> Filled:
    """The bank's answer to the newest transfer file."""
    _transfer_file(world, text)
    sealed = world.client.rows("SELECT content FROM transfer_files WHERE shop_id = $1 ORDER BY id DESC")[0][0]
    content = world.client.vault.open_bytes(TRANSFER_FILE, sealed)
    (world.folder / "answer.xml").write_bytes(status_report(content, group="ACCP"))
    return {}


def _mailed_advice(world: World, _text: str) -> Filled:
    """An advice that a proved sender has mailed, and the carrier's payment that it explains."""
    books = Books(world.database, world.client.shop, utc_now())
    numbers = [world.order(amount=100.00), world.order(amount=50.00)]
    table = CARRIER
    for old, new in zip(("SW-1001", "SW-1002"), numbers, strict=True):
        table = table.replace(old, new)
    payment = paid(147_00, "Sammelauszahlung", counterparty_name="Kurier Blitz GmbH", booking_date=world.today)
    books.bring(camt(CamtMessage.STATEMENT, payment, days=(world.today, world.today)))
    match_due(books.database, books.shop, books.now)
    take_mail(world.database, mail(books.shop, table), HOST, books.now)
    found = next(each for each in list_advices(world.database, books.shop) if each["state"] == "suggested")
    return {"ADVICE": found["id"], "POSTING": found["postings"][0]}


def _advice_sender(world: World, _text: str) -> Filled:
    """The one whom `confirm` has confirmed."""
    return {"SENDER": list_senders(world.database, world.client.shop)[0]["id"]}


def _letter(world: World, _text: str) -> Filled:
    """A letter that waits for the printer."""
    number = world.order(customerEmail=None)
    assert upload(world.client, form(PDF), number=number).status == 200
    world.run(f'paymatch jobs run "{world.name}" letters')
    return {"LETTER_ID": world.one(_SPOOLED)}


def _what_is_printed(world: World, text: str) -> Filled:
    """The run that is printed again, or a letter for a new one."""
    if "--run" in text:
        return {"RUN_ID": world.one("SELECT id FROM letter_runs WHERE shop_id = $1 ORDER BY id DESC")}
    return _letter(world, text)


def _print_run(world: World, text: str) -> Filled:
    """An unmarked print run."""
    _letter(world, text)
    return {"RUN_ID": json.loads(world.run(f'paymatch letters print "{world.name}" --json').out)["run"]}


def _refused_mail(world: World, _text: str) -> Filled:
    """A mail that the customer's server has refused."""
    world.statements()
    world.set(payment_information="on")
    world.order(customerEmail=f"{world.new_number()}@example.org")
    door = Door(failure=MailNotSent("550 no such user", permanent=True))
    while send_due(world.database, world.client.shop, door, utc_now()):
        pass
    return {"MAIL_ID": world.one(_REFUSED)}


def _wrong_person(world: World, text: str) -> Filled:
    """The recipient has said that the address is not the customer's."""
    number = world.order(customerEmail=text.rsplit(maxsplit=1)[-1])
    with world.database.of_shop(world.client.shop) as tx:
        notices.say_wrong_person(tx, number)
    return {}


def _case_at_the_agency(world: World, text: str) -> Filled:
    """A case to which the agency has given the file number that is named."""
    number = world.order()
    world.run(f'paymatch collection handover "{world.name}" {number} --yes')
    file = re.search(r'"file": "([^"]+)"', text)
    assert file is not None
    (world.folder / "case.json").write_text(json.dumps([{"orderNumber": number, "file": file[1]}]), "utf-8")
    world.run(f'paymatch collection import "{world.name}" case.json')
    token = json.loads(world.run(f'paymatch collection token "{world.name}" --yes --json').out)["token"]
    return {"pm_agcy_...": token}


def _nothing_open(world: World, _text: str) -> Filled:
    """Nothing of the person is open."""
    for number, status in world.client.rows("SELECT number, status FROM orders WHERE shop_id = $1"):
        if status in ("UNPAID", "PAID_PARTIAL"):
            world.pay(number, float(world.client.read(number)["amount"]))
    return {}


def _bookkeeping(world: World, _text: str) -> Filled:
    """The tax adviser's numbers."""
    world.set(datev_consultant="1001", datev_client="1")
    return {}


def _woo_shop(world: World, _text: str) -> Filled:
    """A shop with an order, at the address that is named."""
    world.woo.now = utc_now()
    world.woo.place(1001)
    return {"KEY SECRET": f"{KEY} {SECRET}", "https://shop.example": world.woo.url}


def _empty_installation(world: World, text: str) -> Filled:
    """A backup, a data directory without a database, and from now on the bundled PostgreSQL."""
    name = text.rsplit(maxsplit=1)[-1]
    if not (world.folder / name).exists():
        world.run(f"paymatch backup {name}")
    world.run(f"unset PAYMATCH_DATABASE_URL; export PAYMATCH_DATA_DIR={world.folder.parent / 'restored'}")
    return {}


def _other_database(world: World, text: str) -> Filled:
    """An empty database of one's own; on the way back the one that is left is told."""
    if "bundled" in text:
        world.run("export PAYMATCH_DATABASE_URL=$(cat urls)")
    else:
        bundled = f"unset PAYMATCH_DATABASE_URL; export PAYMATCH_DATA_DIR={world.folder.parent / 'bundled'}"
        world.run(f'if [ -n "$PAYMATCH_DATABASE_URL" ]; then {bundled}; paymatch migrate; fi')
        (world.folder / "urls").write_text(f"{world.spare_url}\n", "utf-8")
    return {}


def _a_paid_order(world: World, _text: str) -> Filled:
    """An order whose payment was matched."""
    world.pay("A-1001")
    return {"ID": "0"}


def _people(world: World, _text: str) -> Filled:
    """The tables of the people who sign in."""
    world.run("paymatch migrate")
    return {}


def _any_refund(world: World, text: str) -> Filled:
    return {"ID": _refund_without_account(world, text)["REFUND"]}


def _customer_of_old(world: World, text: str) -> Filled:
    """A customer with a number, whose order has been open for long."""
    if "K-17" in text:
        world.order("A-1017", customerNumber="K-17", date="02-03-2026")
        world.one("UPDATE orders SET since_date = order_date WHERE shop_id = $1 AND number = 'A-1017' RETURNING number")
    return {}


NEEDS: Final[dict[tuple[str, ...], Callable[[World, str], Filled]]] = {
    ("callbacks", "show"): _callback,
    ("advice", "confirm"): _mailed_advice,
    ("advice", "revoke"): _advice_sender,
    ("callbacks", "resend"): _callback,
    ("callbacks", "test"): _worker,
    ("simulate", "payment"): _open_order,
    ("simulate", "refund"): _paid_refund,
    ("refunds", "set-iban"): _refund_without_account,
    ("refunds", "ask"): _refund_without_account,
    ("refunds", "cancel"): _refund_without_account,
    ("refunds", "release"): _refund_above_the_limit,
    ("refunds", "discard"): _transfer_file,
    ("refunds", "report"): _bank_report,
    ("letters", "print"): _what_is_printed,
    ("letters", "mark-printed"): _print_run,
    ("letters", "undo"): _print_run,
    ("letters", "discard"): _letter,
    ("mail", "show"): _refused_mail,
    ("mail", "again"): _refused_mail,
    ("customer", "resume"): _wrong_person,
    ("customer", "statement"): _customer_of_old,
    ("privacy", "erase"): _nothing_open,
    ("export", "datev"): _bookkeeping,
    ("connector", "add"): _woo_shop,
    ("user", "create"): _people,
    ("restore",): _empty_installation,
    ("move-to",): _other_database,
    ("/collection/reports",): _case_at_the_agency,
    ("/events",): _a_paid_order,
    ("/refunds",): _any_refund,
    ("/refund/",): _refund_without_account,
}
"""By the words behind `paymatch` without SHOP, or by how the path of a call below /api/v2 begins."""


def prepared(world: World, text: str) -> str:
    """The command or call with its placeholders filled, once what it needs is there."""
    words = _words(text)
    for length in (2, 1):
        if (prepare := NEEDS.get(words[:length])) is not None:
            for placeholder, value in prepare(world, text).items():
                text = text.replace(placeholder, value)
            break
    return text


def _words(text: str) -> tuple[str, ...]:
    called = re.search(r"/api/v2(/\w+(?:/(?=\{))?(?:/reports)?)", text)
    if called is not None:
        return (called[1] if called[1] in _PATHS else "",)
    found = re.search(r"(?:^|[\s(|/])paymatch (.*)", text)
    return tuple(word for word in found[1].split() if word != "SHOP") if found else ()


_PATHS = {words[0] for words in NEEDS if words[0].startswith("/")}
