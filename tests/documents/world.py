"""The installation in which a page is tried: its shops, what lies in its folder, and who it talks to."""

from __future__ import annotations

import json
import os
import re
import shutil
from calendar import monthrange
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from paymatch.api import Api, ApiConfig
from paymatch.clock import utc_now
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.contract.bank import ACCOUNT, book, entry
from tests.contract.client import LONG_WAIT, Clock, ShopClient
from tests.contract.test_invoices_and_images import png
from tests.documents.pages import ROOT, Kind, Piece
from tests.documents.shell import Ran, Shell, shell
from tests.fakes.fints_bank import FintsBank, fints_server
from tests.fakes.mail_server import mail_server
from tests.fakes.receivers import Receiver, answering, plain, receiver
from tests.fakes.woocommerce import WooShop, woo_shop
from tests.front.service import service
from tests.keys import KEYRING, SECRET_KEY
from tests.usecases.conftest import camt, paid
from tests.warm import stand_in

SHOP: Final = "SHOP"
"""The shop of most pages has the very name that they use."""
WRITTEN: Final = date(2026, 11, 1)
"""The month in which the documents were written: their days move on with the months that have passed since."""
BILLING: Final = {
    "firstName": "Anna", "lastName": "Beispiel", "street": "Heidestr. 17", "postCode": "51147", "city": "Köln",
    "countryCode": "DE",
}  # fmt: skip
_DAY = re.compile(r"\b(20\d\d)-(\d\d)(-\d\d)?\b")


@dataclass
class World:
    """A page's installation."""

    shell: Shell
    url: str
    database: Database
    woo: WooShop
    receiver: Receiver
    fints: str
    spare_url: str
    name: str = SHOP
    clients: dict[str, ShopClient] = field(default_factory=dict)
    count: int = 0

    @property
    def folder(self) -> Path:
        """Where the commands are typed."""
        return self.shell.folder

    @property
    def client(self) -> ShopClient:
        """The shop that the command at hand is about, at the present moment."""
        found = self.clients[self.name]
        found.clock.now = utc_now()
        return found

    @property
    def tomorrow(self) -> date:
        """The day on which refunds of today are due."""
        return self.today + timedelta(days=1)

    @property
    def today(self) -> date:
        """The day of that shop."""
        return self.client.shop.today(utc_now())

    def run(self, text: str) -> Ran:
        """Types a command that prepares something."""
        ran = self.shell.run(text)
        assert ran.code == 0, (text, ran)
        return ran

    def set(self, **settings: str) -> None:
        """Settings of the shop."""
        self.client.change(**settings)

    def new_number(self) -> str:
        """A number that no order has yet."""
        self.count += 1
        return f"W-{7000 + self.count}"

    def order(self, number: str = "", amount: float = 49.90, **more: Any) -> str:
        """An order of Anna's, new or changed, as it is submitted; its number."""
        number = number or self.new_number()
        body = {"date": f"{self.today:%d-%m-%Y}", "customerEmail": "anna@example.org", "billing": BILLING, **more}
        self.client.submit(number, amount=amount, **body)
        return number

    def pay(self, number: str, amount: float = 49.90) -> None:
        """The order is paid by a statement of today."""
        paying = entry(f"Bestellung {number}", round(amount * 100), booking_date=self.today)
        assert book(self.client, paying).matched == 1

    def statements(self) -> None:
        """The bank's statements reach to today."""
        book(self.client, entry("Kontoführung", -100, booking_date=self.today, name="Bank"))

    def refund(self, number: str, amount: float, reference: str = "") -> str:
        """A refund that is planned for tomorrow by the shop's clock; its id."""
        words = f'"{self.name}" {number} {amount:.2f} --reference {reference or number} --json'
        return str(json.loads(self.run(f"paymatch refunds create {words}").out)["id"])

    def one(self, statement: str, *params: Any) -> str:
        """The first value of a question about the shop, whose id is $1; nothing if there is no row."""
        rows = self.client.rows(statement, *params)
        return str(rows[0][0]) if rows else ""


def moved(text: str, today: date) -> str:
    """The text with its days as many months later as have passed since it was written."""
    months = (today.year - WRITTEN.year) * 12 + today.month - WRITTEN.month

    def later(found: re.Match[str]) -> str:
        year, before = divmod(int(found[1]) * 12 + int(found[2]) - 1 + months, 12)
        if not found[3]:
            return f"{year}-{before + 1:02}"
        return f"{year}-{before + 1:02}-{min(int(found[3][1:]), monthrange(year, before + 1)[1]):02}"

    return _DAY.sub(later, text)


def _files(folder: Path) -> None:
    """What the pages call by name: every one of them is there."""
    (folder / "logo.png").write_bytes(png())
    (folder / "code.txt").write_text("a-code-of-ours\n", "utf-8")
    (folder / "words.txt").write_text("Please pay {{ open }} for {{ order }}.\n", "utf-8")
    (folder / "advice.csv").write_text("Order number,Amount\nA-1003,20.00\nA-1004,30.00\nTotal,50.00\n", "utf-8")
    (folder / "old.csv").write_text(
        "orderNumber,externalReference,amount,currency,plannedDate\nA-1001,OLD-1,5.00,EUR,2026-01-05\n", "utf-8"
    )
    (folder / "export.csv").write_text(
        "Buchungstag;Valuta;Name;Wofür;Notiz;Summe\n02.03.2026;02.03.2026;Eva Muster;Bestellung;A-1001;19,90\n",
        "cp1252",
    )
    (folder / "statement.xml").write_bytes(camt(CamtMessage.STATEMENT, paid(1990, "A-1001")))
    (folder / "file").write_bytes(camt(CamtMessage.STATEMENT, paid(4990, "A-1001"), number=2))
    (folder / "letters").mkdir()
    (folder / "more").mkdir()
    shutil.copy(min((ROOT / "src/paymatch/scenarios").glob("*.yaml")), folder / "more")


def _environment(folder: Path, url: str, address: str, tools: Path) -> dict[str, str]:
    """What a shell of this installation has."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("PAYMATCH_")}
    return given | {
        "PATH": f"{tools}:{given['PATH']}", "HOME": str(tools), "CURL_HOME": str(tools), "COLUMNS": "200",
        "PYTHONUTF8": "1", "PAYMATCH_DATABASE_URL": url, "PAYMATCH_DATA_DIR": str(folder.parent / "data"),
        "PAYMATCH_SECRET_KEY": SECRET_KEY, "PAYMATCH_BASE_URL": address,
        "PAYMATCH_CALLBACK_ALLOW_PRIVATE": "1", "PAYMATCH_FINTS_PRODUCT_ID": "0123456789ABCDEF",
        "PAYMATCH_FINTS_PIN": "12345", "API": f"{address}/api/v2",
    }  # fmt: skip


def _add_shop(world: World, name: str, api: Api, *, sandbox: bool) -> None:
    made = shops.create(world.database, name, utc_now(), ibans=[ACCOUNT], sandbox=sandbox)
    world.clients[name] = ShopClient(api, world.database, Clock(utc_now()), made.shop, made.api_key)
    world.name = name
    world.set(callback_ports=f"{world.woo.port},{world.receiver.port}", mail_from="post@shop.example")


def _named_shops(page: Sequence[Piece]) -> list[str]:
    """The shops that a page takes for granted."""
    text = "\n".join(each.text for each in page if each.kind is Kind.COMMAND)
    made = set(re.findall(r'shop create "([^"]+)"', text))
    return [name for name in (SHOP, *dict.fromkeys(re.findall(r'"(My [^"]*shop)"', text))) if name not in made]


@contextmanager
def world_of(page: Sequence[Piece], url: str, spare: str, folder: Path, door: Path) -> Iterator[World]:
    """The installation of a page on the database `url`; `spare` is an empty one, `door` that of the warm paymatch."""
    tools, here = folder / "tools", folder / "here"
    tools.mkdir(parents=True)
    (here / ".venv/bin").mkdir(parents=True)
    stand_in(tools, door)
    stand_in(here / ".venv/bin", door)
    (tools / ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n", "utf-8")
    _files(here)
    with ExitStack() as stack:
        address = "https://pay.example.com"
        if any(each.kind is Kind.COMMAND and "curl" in each.words for each in page):
            address = f"http://127.0.0.1:{stack.enter_context(service(url, folder)).port}"
        database = Database(url, size=2, keyring=KEYRING)
        stack.callback(database.close)
        bank = FintsBank(ACCOUNT, camt=[camt(CamtMessage.INTRADAY, paid(1990, "A"))])
        mail = stack.enter_context(mail_server())
        world = World(
            stack.enter_context(shell(here, _environment(here, url, address, tools))), address, database,
            stack.enter_context(woo_shop()), stack.enter_context(receiver(answering(plain(200)))),
            stack.enter_context(fints_server(bank)), spare,
        )  # fmt: skip
        config = ApiConfig(("x-service-api-key",), utc_now, 1000, import_wait_seconds=LONG_WAIT)
        api = Api(database, DirectoryFiles(folder / "data" / "files"), config)
        sandbox = any(each.kind is Kind.COMMAND and each.words[1:2] in (["clock"], ["simulate"]) for each in page)
        for name in reversed(_named_shops(page)):
            _add_shop(world, name, api, sandbox=sandbox)
            for number in ("A-1001", "A-1002"):
                world.order(number)
        world.run(f"export KEY={world.client.key} PAYMATCH_EMAIL_URL='smtp://127.0.0.1:{mail.port}?starttls=off'")
        yield world
