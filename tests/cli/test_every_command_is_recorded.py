"""Every command of the code's own list: it reads, or it is run here and its changes are in the audit log."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image
from typer.testing import CliRunner

from paymatch.cli.loading import load
from paymatch.cli.main import COMMANDS, app
from paymatch.clock import utc_now
from paymatch.domain.matching.learn import ENOUGH
from paymatch.domain.shops.audit import INSTALLATION, HasChain
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.advices.mailed import take_mail
from paymatch.usecases.audit import last_entries
from paymatch.usecases.customers import notices
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.matching import aliases
from paymatch.usecases.orders import synchronisation
from paymatch.usecases.reminders.bounces import take
from paymatch.usecases.shops import shops
from paymatch.usecases.work.alerts import keep_alerts
from tests.cli.conftest import Run
from tests.cli.test_keys import NEW
from tests.contract.audit_entries import NAMED, fields_of, told
from tests.databases import new_database
from tests.fakes.ebics_bank import EbicsBank, serve
from tests.keys import KEYRING, SECRET_KEY
from tests.usecases.advices.mails import HOST, mail
from tests.usecases.bank_feeds.ebics_world import bank_keys
from tests.usecases.conftest import ACCOUNT, DAY, Books, camt, paid
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.refunds.refund_world import status_report, texts
from tests.usecases.reminders.mail_world import MailWorld


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


OTHER: Final = "DE02120300000000202051"
READS: Final = _names(
    "check, doctor, version, shop list, shop show, key list, user list, order list, order search, order show,"
    " order imports,"
    " ordersync list, statement list, statement unread, statement check, statement layouts,"
    " account list, bank list, postings, payouts, advice list, advice show, advice senders,"
    " refunds list, reminders preview, reminders list, collection list, collection show, collection rates, mail list,"
    " mail show, letters list, letters runs, letters show, callbacks list, callbacks show, claims, fees, report,"
    " export, learning show, learning try, rules list, rules preview, alerts, audit verify, audit list, audit export,"
    " privacy plan, privacy certificate, keys status, jobs list, connector list, connector show, bank ebics letter,"
    " bank ebics status"
)
WORK: Final = _names(
    "serve, worker, migrate, distribute, demo, watch, bank fetch, reminders run, mail again, mail test, callbacks test,"
    " callbacks resend, jobs run, clock, simulate, scenario, refunds ask, customer link, customer statement,"
    " letters print, letters again, connector test, connector run, connector again, bank ebics fetch"
)
"""Runs what is due, sends something or plays in a sandbox: changes nothing that a person decides by."""
AT_A_BANK: Final = _names(
    "bank account-information key, bank account-information banks, bank account-information begin,"
    " bank account-information renew, bank account-information finish, bank account-information use,"
    " bank account-information status, bank account-information fetch, bank account-information remove"
)
"""Talks to a bank: tests/usecases/bank_feeds does so with a simulated one."""
STORIES: Final = {
    "settings": {
        "shop set": "settings-changed",
        "shop brand": "settings-changed",
        "shop secret show": "credentials-shown",
        "callbacks rotate-secret": "credentials-rotated",
        "key create": "key-created",
        "key roll": "key-rolled",
        "key revoke": "key-revoked",
        "reminders plan": "settings-changed",
        "reminders text": "settings-changed",
        "rules add": "rule-made",
        "rules switch": "rule-switched",
        "rules delete": "rule-deleted",
    },
    "orders": {
        "order cancel": "order-marked",
        "order import": "orders-imported",
        "order undo": "orders-import-undone",
        "order setpaid": "order-marked",
        "order setunpaid": "order-marked",
        "ordersync undo": "synchronisation-undone",
        "customer revoke": "link-revoked",
        "customer resume": "wrong-person-lifted",
        "callbacks resume": "callbacks-resumed",
    },
    "bank": {
        "account add": "account-added",
        "account confirm": "account-confirmed",
        "account remove": "account-removed",
        "bank add": "bank-connection-added",
        "bank remove": "bank-connection-removed",
        "statement import": "statement-imported",
        "statement undo": "import-undone",
        "advice import": "advice-imported",
        "advice undo": "advice-undone",
        "advice confirm": "advice-sender-confirmed",
        "advice revoke": "advice-sender-revoked",
        "statement mapping": "settings-changed",
        "statement forget": "settings-changed",
        "statement resolve": "statement-imported",
        "alert resolve": "alert-resolved",
        "close": "month-closed",
        "replay": "replay-begun",
    },
    "ebics": {
        "bank ebics begin": "ebics-begun",
        "bank ebics keys": "ebics-keys-sent",
        "bank ebics activate": "ebics-bank-keys-fetched",
        "bank ebics confirm": "ebics-bank-keys-confirmed",
        "bank ebics use": "ebics-changed",
        "bank ebics send": "ebics-uploaded",
        "bank ebics change-keys": "ebics-keys-replaced",
        "bank ebics suspend": "ebics-suspended",
        "bank ebics remove": "ebics-removed",
    },
    "connectors": {
        "connector add": "connector-added",
        "connector start": "connector-changed",
        "connector pause": "connector-changed",
        "connector set": "connector-changed",
        "connector keys": "connector-changed",
        "connector remove": "connector-removed",
    },
    "matching": {
        "match": "posting-matched",
        "unmatch": "posting-unmatched",
        "ignore": "posting-decided",
        "unignore": "posting-decided",
        "set-aside": "posting-decided",
        "review": "posting-matched",
        "learning accept": "rules-accepted",
        "learning reset": "learning-reset",
        "learning take-back": "alias-taken-back",
    },
    "refunds": {
        "refunds create": "refund-filed",
        "refunds set-iban": "refund-account-set",
        "refunds speed": "refund-speed-set",
        "refunds release": "refund-released",
        "refunds run": "transfer-file-made",
        "refunds discard": "transfer-file-discarded",
        "refunds report": "bank-report-imported",
        "refunds cancel": "refund-cancelled",
        "refunds import": "refund-taken-over",
    },
    "collection": {
        "collection agency": "collection-agency-set",
        "collection token": "collection-agency-set",
        "collection add-rate": "base-rate-added",
        "collection handover": "order-handed-over",
        "collection import": "collection-reported",
        "collection withdraw": "order-withdrawn",
    },
    "letters": {
        "letters undo": "letters-undone",
        "letters mark-printed": "letters-printed",
        "letters discard": "letter-discarded",
        "mail bounce": "alert-resolved",
    },
    "privacy": {
        "privacy export": "person-exported",
        "privacy erase": "person-erased",
        "privacy replay": "person-erased",
    },
    "installation": {
        "shop create": "shop-created",
        "user create": "person-created",
        "user disable": "person-disabled",
        "user reset": "person-reset",
        "keys rotate": "secret-key-rotated",
        "backup": "backup-made",
        "restore": "backup-restored",
        "move-to": "database-moved",
    },
}
"""Story -> its commands, each with the action that it records."""
RUN_HERE: Final = {command: entry for commands in STORIES.values() for command, entry in commands.items()}


def names_of(name: str, command: Any) -> Iterator[str]:
    """The command, or all in its group."""
    inner = getattr(command, "commands", None)
    if not inner:
        yield name
    for each, found in (inner or {}).items():
        yield from names_of(f"{name} {each}", found)


def test_every_command_is_in_one_list() -> None:
    found = [each for name, entry in COMMANDS.items() for each in names_of(name, load(name, entry))]
    assert sorted(found) == sorted([*READS, *WORK, *AT_A_BANK, *RUN_HERE])


def process(program: Path, *words: str) -> tuple[int, str, str]:
    """(exit code, what was printed, errors) of a process that runs the command."""
    done = subprocess.run([str(program), *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@dataclass
class Commands:
    """Runs commands, and asserts after each that its action is in the audit log as a command's."""

    run: Run
    books: Books
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    program: Path
    ran: set[str] = field(default_factory=set)
    given: str = ""
    """The content of standard input."""

    def __call__(self, command: str, *words: str) -> Any:
        """`done("order setpaid", "SO-1")` runs it on the shop; the JSON it prints."""
        return self.told(command, lambda: self.run(*command.split(), "Shop", *words, given=self.given))

    def everywhere(self, command: str, *words: str, chain: HasChain = INSTALLATION) -> Any:
        """The same for a command that is given no shop."""
        return self.told(command, lambda: self.run(*command.split(), *words), chain)

    def apart(self, command: str, *words: str) -> None:
        """The same in a process of its own: Django is configured once in each."""

        self.told(command, lambda: process(self.program, *command.split(), *words), INSTALLATION)

    def told(self, command: str, call: Callable[[], Any], chain: HasChain | None = None) -> Any:
        """Asserts that all changes by `call` are in the audit log, in the given chain: by default the shop's."""
        chain = chain or self.books.shop
        before = len(last_entries(self.books.database, chain, "", 1000))
        with told(self.books.database, ShopId(self.books.shop.id), command):
            code, printed, said = call()
        assert code == 0, (command, said)
        self.recorded(command, self.books.database, chain, before)
        return printed

    def recorded(self, command: str, database: Database, chain: HasChain = INSTALLATION, before: int = 0) -> None:
        """The action of the command is among those since `before`, all of which are a command's."""
        rows = last_entries(database, chain, "", 1000)
        new = rows[: len(rows) - before]
        assert RUN_HERE[command] in {row["action"] for row in new}, (command, new)
        assert {row["actorKind"] for row in new} == {"command"}, command
        assert fields_of(new) <= NAMED, command
        self.ran.add(command)

    def file(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def id(self, table: str, condition: str = "true") -> str:
        (row,) = self.books.rows(f"SELECT id::text FROM {table} WHERE shop_id = $1 AND {condition}")
        return str(row[0])

    def mail_world(self) -> MailWorld:
        """The shop as one that writes to its customers, in the present."""
        return MailWorld(self.books.database, ShopId(self.books.shop.id), utc_now())


@pytest.fixture
def done(run: Run, books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_program: Path) -> Commands:
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PAYMATCH_BASE_URL", "https://pay.example.com")
    return Commands(run, books, tmp_path, monkeypatch, warm_program)


@pytest.mark.parametrize("story", STORIES)
def test_what_a_command_changes_stands_in_the_audit_log(
    story: str, done: Commands, migrated_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if story == "installation":
        _installation(done, migrated_url, monkeypatch)
    else:
        _PLAYED[story](done)
    assert done.ran == set(STORIES[story])


def _settings(done: Commands) -> None:
    done("shop set", "tolerance=0.50")
    done("reminders plan", "opens=08:00")
    words = done.file("words.txt", "Please pay {{ order }}.")
    done("reminders text", "1", "en", "--subject", "Order {{ order }}", "--body", words)
    Image.new("RGB", (64, 32), "teal").save(done.folder / "logo.png")
    done("shop brand", "--logo", str(done.folder / "logo.png"))
    done("shop secret show")
    done("callbacks rotate-secret", "--yes")
    done("key create", "--label", "probe")
    key = next(row["id"] for row in done.run("key", "list", "Shop")[1] if row["label"] == "probe")
    done("key roll", key)
    done("key revoke", key, "--yes")
    rule = done("rules add", "--iban", "DE75512108001245126199", "--set-aside", "loan")["id"]
    done("rules switch", rule, "--off")
    done("rules delete", rule, "--yes")


def _orders(done: Commands) -> None:
    books = done.books
    for number in ("SO-1", "SO-2", "SO-3"):
        books.order(number, "12.00", customerEmail="eva@example.org")
    done("order setpaid", "SO-2")
    done("order setunpaid", "SO-2")
    done("order cancel", "SO-3", "--yes")
    done("order import", done.file("orders.csv", "Order number,Customer,Amount\nSO-9,Max Muster,12.00\n"))
    done("order undo", done.id("order_imports"), "--yes")
    books.rows("UPDATE orders SET created_at = '2026-01-01' WHERE shop_id = $1 RETURNING number")
    with books.database.of_shop(books.shop) as tx:
        synced = synchronisation.synchronise(tx, ["SO-1"])
    done("ordersync undo", synced.id)
    assert done.run("customer", "link", "Shop", "SO-1")[0] == 0
    status, _, error = done.run("customer", "statement", "Shop", "--order", "SO-1", "--customer", "K-1")
    assert (status, error.strip()) == (1, "Error: Name the customer by --customer or by --order")
    assert done.run("customer", "statement", "Shop", "--order", "SO-1", "-o", done.file("statement.pdf", ""))[0] == 0
    done("customer revoke", "SO-1", "--yes")
    with books.database.of_shop(books.shop) as tx:
        notices.say_wrong_person(tx, "SO-1")
    done("customer resume", "eva@example.org")
    books.rows("UPDATE shops SET callbacks_paused_at = now() WHERE shop_id = $1 RETURNING name")
    done("callbacks resume")


def _bank(done: Commands) -> None:
    file = done.file("bank.xml", camt(CamtMessage.STATEMENT, paid(1200, "who knows")))
    done("statement import", file)
    done("statement undo", done.id("imports"), "--yes")
    done("advice import", done.file("advice.csv", "Order number,Amount\nA-1,12.00\nTotal,12.00\n"))
    done("advice undo", done.id("advices"), "--yes")
    table = done.file("x.csv", "Wann;Wieviel;Wer\n10.03.2026;1,00;Eva\n11.03.2026;x,y;Max\n")
    columns = ["--set", "booking_date=Wann", "--set", "amount=Wieviel", "--set", "name=Wer"]
    done("statement mapping", table, *columns, "--account", ACCOUNT, "--save")
    assert done.run("statement", "import", "Shop", table, "--account", ACCOUNT)[0] == 0
    (unread,) = done.run("statement", "unread", "Shop")[1]
    typed = ["--amount", "2.50", "--date", "2026-03-11", "--text", "b"]
    done("statement resolve", unread["importId"], str(unread["line"]), *typed)
    done("statement forget", ACCOUNT)
    foreign = done.file("other.xml", camt(CamtMessage.STATEMENT, paid(100, "x"), account=OTHER))
    assert done.run("statement", "import", "Shop", foreign)[0] == 0
    done("account confirm", OTHER)
    done("bank add", "--account", OTHER, "--bank-code", "12030000", "--server", "https://bank.example.org/fints",
         "--user", "eva")  # fmt: skip
    done("bank remove", OTHER, "--yes")
    done("account add", "DE75512108001245126199")
    done("account remove", "DE75512108001245126199", "--yes")
    done("statement import", file)
    later = DAY + timedelta(days=3)
    done.books.bring(
        camt(CamtMessage.STATEMENT, paid(1, "B", booking_date=later), opening=5, number=9, days=(later, later))
    )
    with done.books.database.of_shop(done.books.shop, at=done.books.now) as tx:
        keep_alerts(tx)
    (gap,) = [each["id"] for each in done.run("alerts", "Shop")[1] if each["kind"] == "statement-gap"]
    done("alert resolve", gap)
    done("close", f"{DAY:%Y-%m}", "--yes")
    content = mail(done.books.shop, "Order number,Amount\nA-1,12.00\nTotal,12.00\n")
    take_mail(done.books.database, content, HOST, done.books.now)
    (posting,) = done.books.rows("SELECT posting_id FROM advised_postings WHERE shop_id = $1")
    done("advice confirm", done.id("advices"), posting[0], "--yes")
    done("advice revoke", done.id("advice_senders"), "--yes")
    orders = done.file("orders.csv", "Order number;Date;Customer;Amount\nA-1;2026-03-09;Eva Muster;12.00\n")
    done("replay", "--orders", orders, "--statements", file)


def _ebics(done: Commands) -> None:
    done.monkeypatch.setenv("PAYMATCH_CALLBACK_ALLOW_PRIVATE", "1")
    bank = EbicsBank(bank_keys(), clock=utc_now, iban=ACCOUNT)
    with serve(bank) as url:
        wanted = ["--url", url, "--bank", "Hausbank", "--host", "PMBANK", "--partner", "KUNDE01", "--user", "USER01"]
        bank.loses["ebicsUnsecuredRequest"] = 99
        assert done.run("bank", "ebics", "begin", "Shop", *wanted)[0] == 1
        bank.loses.clear()
        done("bank ebics keys")
        done("bank ebics remove", "--yes")
        bank.subscriber.clear()
        done("bank ebics begin", *wanted)
        bank.active = True
        done("bank ebics activate")
        prints = {str(use): text for use, text in bank.public.fingerprints.items()}
        done("bank ebics confirm", "--x002", prints["X002"], "--e002", prints["E002"])
        assert done.run("bank", "ebics", "fetch", "Shop")[0] == 0
        done("bank ebics use", "--send", "on")
        _transfer_file(done)
        bank.refuses = "091303"
        assert done.run("bank", "ebics", "send", "Shop")[0] == 0
        bank.refuses = ""
        (file,) = done.books.rows("SELECT file_id FROM ebics_uploads WHERE shop_id = $1")
        done("bank ebics send", "--again", file[0])
        assert len(bank.orders) == 1
        done("bank ebics change-keys")
        done("bank ebics suspend", "--yes")


def in_weeks() -> str:
    """A day that is always to come: commands read the clock of the machine."""
    return f"{utc_now() + timedelta(weeks=13):%Y-%m-%d}"


def _transfer_file(done: Commands) -> None:
    """A refund that a run has put into a file."""
    done.books.order("SO-1", "12.00")
    done.books.bring(camt(CamtMessage.STATEMENT, paid(1200, "SO-1")))
    assert done.run("match", "Shop", done.id("postings"), "SO-1", "--yes")[0] == 0
    refund = done.run("refunds", "create", "Shop", "SO-1", "2.00")[1]["id"]
    assert done.run("refunds", "release", "Shop", refund, "--yes")[0] == 0
    assert done.run("refunds", "run", "Shop", "--date", in_weeks())[0] == 0


def _matching(done: Commands) -> None:
    for number in ("SO-471101", "SO-471102"):
        done.books.order(number, "30.00")
    done.books.bring(camt(CamtMessage.STATEMENT, paid(3000, "Muster")))
    posting = done.id("postings")
    done("set-aside", posting, "--reason", "asks the bank")
    done("unignore", posting)
    done("match", posting, "SO-471101", "--yes")
    with done.books.database.of_shop(done.books.shop) as tx:
        (alias,) = aliases.list_aliases(tx)
    done("learning take-back", alias.id)
    done("unmatch", posting)
    done.told("review", _review)
    done("unmatch", posting)
    done("ignore", posting)
    more = [paid(100 + place, "a gift") for place in range(ENOUGH)]
    done.books.bring(camt(CamtMessage.STATEMENT, *more, number=2))
    for (each,) in done.books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor < 200"):
        done("ignore", each)
    done("learning accept")
    done("learning reset", "--yes")


def _review() -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["review", "Shop"], input="1")
    return result.exit_code, result.stdout, result.stderr


def _refunds(done: Commands) -> None:
    done.books.order("SO-1", "12.00")
    done.books.bring(camt(CamtMessage.STATEMENT, paid(1200, "SO-1")))
    assert done.run("match", "Shop", done.id("postings"), "SO-1", "--yes")[0] == 0
    done("refunds create", "SO-1", "2.00", "--reference", "R-1")
    refund = done.run("refunds", "list", "Shop")[1][0]["id"]
    done("refunds set-iban", refund, "AT611904300234573201", "--holder", "Eva Muster")
    done("refunds speed", refund, "instant")
    done("refunds release", refund, "--yes")
    (file,) = done("refunds run", "--date", in_weeks())["files"]
    done("refunds discard", file["file"], "--yes")
    done("refunds release", refund, "--yes")
    (file,) = done("refunds run", "--date", in_weeks())["files"]
    content = Path(file["path"]).read_bytes()
    refused = status_report(content, (texts(content, "EndToEndId")[0], "RJCT", "AC04"))
    done("refunds report", done.file("answer.xml", refused))
    done("refunds cancel", refund, "--yes")
    head = "orderNumber,externalReference,amount,currency,plannedDate"
    done("refunds import", done.file("old.csv", f"{head}\nSO-1,OLD-1,1.00,EUR,2024-05-02\n"))


def _collection(done: Commands) -> None:
    for number in ("SO-1", "SO-2"):
        done.books.order(number, "12.00", type="INVOICE")
    done("collection agency", "name=Agency Ltd", "channel=folder")
    done("collection token", "--yes")
    done("collection add-rate", "2027-01-01", "1.27")
    done("collection handover", "SO-1", "--yes")
    done("collection handover", "SO-2", "--yes")
    done("collection import", done.file("report.csv", "orderNumber;file;status\nSO-1;F-1;ACCEPTED\n"))
    done("collection withdraw", "SO-2")


def _letters(done: Commands) -> None:
    world = done.mail_world()
    world.set(street="Beispielweg", house_number="12", postcode="10115", city="Berlin", mail_from="a@example.org",
              payment_information="on", letters="on")  # fmt: skip
    world.plan(letters_without_mail="on")
    day = f"{world.shop.today(world.now):%d-%m-%Y}"
    for number in ("A-1", "A-2"):
        world.order(number, date=day, dueDate=day, customerEmail=None, billing=ADDRESS)
    world.send()
    work_due(world.database, world.shop, LetterGateways(), world.now)
    printed = done.run("letters", "print", "Shop", "--to", str(done.folder))[1]
    done("letters undo", printed["run"])
    done("letters discard", done.id("letters", "order_number = 'A-2'"))
    done("letters mark-printed", done.run("letters", "print", "Shop", "--to", str(done.folder))[1]["run"])
    world.order("A-3", date=day, dueDate=day, customerEmail="eva@example.org")
    world.send()
    mail, message_id = done.books.rows("SELECT id, message_id FROM mails WHERE shop_id = $1 AND order_number = 'A-3'")[
        0
    ]
    take(world.database, Bounce("eva@example.org", "5.1.1 no such user", message_id), world.now)
    done("mail bounce", mail, "--confirm")


def _privacy(done: Commands) -> None:
    eva = {
        "customerEmail": "eva@example.org",
        "billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"},
    }
    since = f"{utc_now():%Y-%m-%d}"  # of before the erasure: a day may end in between
    done.books.order("A-1", "10.00", **eva)
    done("privacy export", "--email", "eva@example.org")
    done("privacy erase", "--email", "eva@example.org", "--yes", "--although-open")
    done.books.order("A-1", "10.00", **eva)  # as a backup of before brings it back
    shop = done.books.shop
    assert done.everywhere("privacy replay", "--since", since, chain=shop)["erasedAgain"] == 1


def _installation(done: Commands, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = done.run("shop", "create", "Teehaus")[1]
    other = shops.find(done.books.database, made["shop"])
    done.recorded("shop create", done.books.database, other)
    assert process(done.program, "migrate")[0] == 0  # the tables of the merchant area too
    done.apart("user create", "jana@example.org", "--staff")
    done.apart("user disable", "jana@example.org", "--yes")
    done.apart("user reset", "jana@example.org", "--yes")
    done.everywhere("backup", str(done.folder / "backup.zip"))
    with new_database(url, "template0") as restored, new_database(url, "template0") as moved:
        monkeypatch.setenv("PAYMATCH_DATABASE_URL", restored)
        monkeypatch.setenv("PAYMATCH_DATA_DIR", str(done.folder / "restored"))
        assert done.run("restore", str(done.folder / "backup.zip"))[0] == 0
        _recorded_there(done, "restore", restored)
        assert done.run("move-to", moved, "--yes")[0] == 0
        _recorded_there(done, "move-to", moved)
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", url)
    monkeypatch.setenv("PAYMATCH_SECRET_KEY", NEW)
    monkeypatch.setenv("PAYMATCH_SECRET_KEYS_OLD", SECRET_KEY)
    entries = len(last_entries(done.books.database, INSTALLATION, "", 1000))
    assert done.run("keys", "rotate")[0] == 0  # reseals the shops' values: the action is the installation's
    done.recorded("keys rotate", done.books.database, before=entries)


def _recorded_there(done: Commands, command: str, url: str) -> None:
    database = Database(url, size=1, keyring=KEYRING)
    done.recorded(command, database)
    database.close()


def _connectors(done: Commands) -> None:
    done.given = "ck_1\ncs_1\n"
    done("connector add", "woocommerce", "--url", "https://shop.example")
    done.given = "ck_2\ncs_2\n"
    done("connector keys", "woocommerce")
    done("connector start", "woocommerce")
    done("connector set", "woocommerce", "poll-minutes=30", "number-prefix=W-", "paid-status=completed")
    done("connector pause", "woocommerce")
    done("connector remove", "woocommerce", "--yes")


_PLAYED: Final[dict[str, Callable[[Commands], None]]] = {
    "settings": _settings,
    "orders": _orders,
    "bank": _bank,
    "connectors": _connectors,
    "ebics": _ebics,
    "matching": _matching,
    "refunds": _refunds,
    "collection": _collection,
    "letters": _letters,
    "privacy": _privacy,
}
