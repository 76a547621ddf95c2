"""How long a new owner takes from the invitation to the first paid order, by files alone: `python -m lab.new_owner`.

Each pair of an order file and a statement (`owner_files.py`) meets a service that was just installed: an empty data
directory, and the first person whom the operator's command has made. The owner works in Chromium, without a command
line: name and password, the first shop, the seven steps of the set-up, the second factor on the way, until the page of
an order says that it is paid. What the pages take is measured. What a person takes is reckoned by the keystroke-level
model of Card, Moran and Newell (1980), with what it has no figure for.

The exit status is 1 if a pair ends without a paid order or takes longer than the goal.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from PIL import Image
from playwright.sync_api import Error as Stopped
from playwright.sync_api import sync_playwright
from tests.fakes.mail_server import mail_server

from lab.owner_files import IBAN, ORDERS, PAID, Pair, pairs
from lab.pictures import CHROMIUM

GOAL_SECONDS: Final = 300
KEY: Final = 0.28
"""Seconds for a key, of a person who types 40 words a minute."""
POINT: Final = 1.1
PRESS: Final = 0.2
HOME: Final = 0.4
"""Hand from mouse to keyboard or back."""
THINK: Final = 1.35
"""Before each click, and before each field."""
WORDS_A_SECOND: Final = 4.0
"""Reading of what is new on a page: 240 words a minute."""
FILE: Final = 6.0
"""A file found and chosen in the system's dialog."""
PHONE: Final = 15.0
"""The authenticator app opened, the code scanned, six digits read."""
INBOX: Final = 8.0
"""A look whether the test mail has come."""
_READABLE: Final = """part => {
    const lists = [...part.querySelectorAll('select, textarea, svg')].map(one => [one, one.style.display]);
    lists.forEach(([each]) => { each.style.display = 'none' });
    const text = part.innerText;
    lists.forEach(([each, shown]) => { each.style.display = shown });
    return text }"""
"""The text of a part of the page, without the choices of its lists and without codes to be kept."""
SHOP: Final = "Porzellan Nord"
PERSON: Final = "Malte Onken"
EMAIL: Final = "malte@porzellan-nord.example"
PASSWORD: Final = "blaue-tassen-2026!"  # noqa: S105


@dataclass
class Owner:
    """A person at the browser: what they did, and how long it took, step by step."""

    page: Any
    pictures: Path | None = None
    clicks: int = 0
    keys: int = 0
    human: float = 0.0
    measured: float = 0.0
    first_paid: float = 0.0
    """Seconds until the page of the first paid order."""
    steps: list[tuple[str, float, float, int]] = field(default_factory=list)
    """(name, seconds of the person, seconds of the pages, clicks)."""
    _before: tuple[float, float, int] = (0.0, 0.0, 0)
    _seen: set[str] = field(default_factory=set)

    def read(self, place: str) -> None:
        """Reads what was not read before at this place of the page."""
        lines = [line.strip() for line in self.page.locator(place).first.evaluate(_READABLE).splitlines()]
        new = [line for line in lines if line and line not in self._seen]
        self._seen.update(new)
        self.human += sum(len(line.split()) for line in new) / WORDS_A_SECOND

    def type(self, label: str, text: str, within: str = "main") -> None:
        """Fills the field of this label."""
        field_ = self.page.locator(within).get_by_label(label, exact=True).first
        field_.fill(text)
        self.human += THINK + POINT + PRESS + HOME + KEY * len(text) + HOME
        self.clicks, self.keys = self.clicks + 1, self.keys + len(text)

    def choose(self, within: str, path: Path) -> None:
        """Chooses a file."""
        self.page.locator(within).locator("input[type=file]").first.set_input_files(path)
        self.human += THINK + POINT + PRESS + FILE
        self.clicks += 3

    def pick(self, label: str, words: str) -> None:
        """Chooses from a list."""
        self.page.get_by_label(label).first.select_option(label=words)
        self.human += THINK + 2 * (POINT + PRESS)
        self.clicks += 2

    def click(self, name: str, *, role: str = "button", within: str = "body") -> None:
        """Clicks, and waits for the page that comes."""
        begun = time.perf_counter()
        self.page.locator(within).get_by_role(role, name=name).first.click()
        self.page.wait_for_load_state("load")
        self.measured += time.perf_counter() - begun
        self.human += THINK + POINT + PRESS
        self.clicks += 1

    def wait_for(self, place: str, text: str = "") -> None:
        """Waits until this is there."""
        begun = time.perf_counter()
        self.page.locator(place, has_text=text or None).first.wait_for()
        self.measured += time.perf_counter() - begun

    def look(self, name: str) -> None:
        """Keeps a picture of the page for the developer."""
        if self.pictures is not None:
            path = self.pictures / f"{len(list(self.pictures.glob('*.png'))):03d}-{name}.png"
            self.page.screenshot(path=path)
            with Image.open(path) as shown:
                shown.convert("RGB").quantize(128).save(path, optimize=True)

    def done(self, name: str) -> None:
        """Closes a step."""
        human, measured, clicks = self._before
        self.steps.append((name, self.human - human, self.measured - measured, self.clicks - clicks))
        self._before = (self.human, self.measured, self.clicks)


def totp(secret: str) -> str:
    """What an authenticator app shows now (RFC 6238)."""
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at : at + 4])[0] & 0x7FFFFFFF) % 10**6:06d}"


@contextmanager
def installed(port: int, mail_port: int) -> Iterator[str]:
    """A service that was just installed; the link that it prints for the first account (D-140)."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # PostgreSQL's account passes it
        environment = os.environ | {
            "PAYMATCH_DATA_DIR": f"{folder}/data", "PAYMATCH_BASE_URL": f"http://127.0.0.1:{port}",
            "PAYMATCH_EMAIL_URL": f"smtp://127.0.0.1:{mail_port}?starttls=off",
        }  # fmt: skip
        paymatch = [sys.executable, "-m", "paymatch"]
        with Path(f"{folder}/log").open("w") as log:
            served = [*paymatch, "serve", "--port", str(port)]
            service = subprocess.Popen(served, env=environment, stdout=log, stderr=log)
        try:
            _wait_until_it_answers(port)
            yield re.search(r"http\S+/login/first/\S+", Path(f"{folder}/log").read_text("utf-8"))[0]  # type: ignore[index]
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(60)


def _wait_until_it_answers(port: int) -> None:
    for _ in range(600):
        with suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/login")
            return
        time.sleep(0.1)
    raise TimeoutError("the service does not answer")


def begin(owner: Owner, link: str) -> None:
    """Address, name and password, then the first shop."""
    page = owner.page
    page.goto(link)
    owner.read("main")
    owner.look("first-account")
    owner.type("Your e-mail address", EMAIL, "body")
    owner.type("Your name", PERSON, "body")
    owner.type("Password", PASSWORD, "body")
    owner.click("Make the account")
    owner.look("first-shop")
    owner.read("main")
    owner.type("Name of the shop", SHOP)
    owner.click("Create shop")
    owner.done("name, password, shop")


def second_factor(owner: Owner) -> None:
    """The authenticator app, which the first shop asks for; the form that was sent is sent again afterwards."""
    owner.read("main")
    owner.look("second-factor")
    owner.human += PHONE
    owner.type("Authenticator code", totp(owner.page.get_by_label("Authenticator secret").input_value()))
    owner.click("Activate")
    owner.read("main")
    owner.look("recovery-codes")
    owner.click("Continue with what you entered")
    owner.wait_for("#step-account.is-open")
    owner.look("setup")
    owner.done("second factor")


def account(owner: Owner, pair: Pair) -> None:
    """The shop's account; a mistyped IBAN is typed again."""
    owner.read("#step-account")
    owner.type("IBAN or account number", pair.typed_iban)
    owner.click("Add account")
    if pair.typed_iban != IBAN:
        owner.read("#step-account")
        owner.look("wrong-iban")
        owner.type("IBAN or account number", IBAN)
        owner.click("Add account")
    owner.wait_for("#step-orders.is-open")
    owner.done("account")


def orders(owner: Owner, pair: Pair, folder: Path) -> None:
    """The orders of the file, with what it lacks."""
    path = folder / pair.orders[0]
    path.write_bytes(pair.orders[1])
    owner.look("orders")
    owner.read("#step-orders .setup-way")
    owner.choose("#step-orders", path)
    owner.click("Preview the file")
    owner.read("main")
    owner.look("orders-preview")
    if "no days" in pair.name:
        # The payments are of yesterday: the person knows that these orders are older.
        owner.type("Ordered", "1.11.2026" if datetime.now(ZoneInfo("Europe/Berlin")).month > 11 else _month_ago())
    for heading, words in UNKNOWN if pair.name == "unknown headings" else ():
        owner.pick(heading, words)
    if not owner.page.get_by_role("button", name=re.compile("^Import 5 orders")).count():
        owner.click("Update preview", within=".import-columns .buttons")
        owner.read("main")
        owner.look("orders-mended")
    owner.click(f"Import {len(ORDERS)} orders")
    owner.wait_for("#step-statement.is-open")
    owner.done("orders")


UNKNOWN: Final = (
    ("Vorgang", "Order number"), ("Eingang", "Ordered"), ("Besteller", "Customer"), ("Wert", "Amount"),
)  # fmt: skip


def _month_ago() -> str:
    now = datetime.now(ZoneInfo("Europe/Berlin"))
    year, month = (now.year, now.month - 1) if now.month > 1 else (now.year - 1, 12)
    return f"1.{month}.{year}"


def statement(owner: Owner, pair: Pair, folder: Path) -> None:
    """The first statement; that of another account is said to be the shop's own."""
    path = folder / pair.statement[0]
    path.write_bytes(pair.statement[1])
    owner.read("#step-statement")
    owner.look("statement")
    owner.choose("#step-statement", path)
    owner.click("Read the file")
    owner.look("statement-reading")
    owner.wait_for("#step-statement button", "Import these payments")
    owner.read("#step-statement")
    owner.look("statement-read")
    box = owner.page.locator("#step-statement input[name=accept]")
    if box.count():
        box.check()
        owner.human += THINK + POINT + PRESS
        owner.clicks += 1
    owner.click("Import these payments")
    owner.wait_for("#step-sender.is-open")
    owner.read("#step-statement")
    owner.done("statement")


def rest(owner: Owner, folder: Path, sent: list[Any]) -> None:
    """Sender and test mail, logo, an invitation, live."""
    owner.read("#step-sender")
    owner.look("sender")
    owner.type("Address of the sender", "kontakt@porzellan-nord.example", "#step-sender")
    owner.click("Save and send a test mail to me")
    owner.wait_for("#step-look.is-open")
    owner.human += INBOX
    assert any(recipient == EMAIL for _sender, recipient, _message in sent), "the test mail has come"
    owner.done("sender, test mail")
    logo = folder / "logo.png"
    Image.new("RGB", (240, 80), "#1c4f8f").save(logo)
    owner.read("#step-look")
    owner.look("look")
    owner.choose("#step-look", logo)
    owner.click("Save")
    owner.wait_for("#step-team.is-open")
    owner.done("logo")
    owner.read("#step-team")
    owner.look("team")
    owner.type("E-mail address", "ines@porzellan-nord.example", "#step-team")
    owner.click("Invite", within="#step-team")
    owner.wait_for("#step-live.is-open")
    owner.done("invitation")
    owner.read("#step-live")
    owner.look("live")
    owner.click("Go live")
    owner.look("overview")
    owner.done("live")


def paid_order(owner: Owner) -> str:
    """From the step of the statement to the paid orders, to one of them, and back; what its badge says."""
    owner.click(f"{len(PAID)} orders are paid", role="link")
    owner.read("table.rows")
    owner.look("list")
    owner.click(PAID[0].number, role="link")
    owner.wait_for(".order-title .badge")
    state = str(owner.page.locator(".order-title .badge").first.inner_text().strip())
    owner.read(".order-title")
    owner.look("order")
    owner.done("the first paid order")
    owner.first_paid = owner.human + owner.measured
    owner.click("Setup", role="link", within=".side")
    owner.wait_for("#step-sender.is-open")
    return state


def walk(owner: Owner, pair: Pair, link: str, folder: Path, sent: list[Any]) -> str:
    """The whole way of an owner; the state of the order."""
    owner.page.set_default_timeout(20_000)
    try:
        begin(owner, link)
        second_factor(owner)
        account(owner, pair)
        orders(owner, pair, folder)
        statement(owner, pair, folder)
        state = paid_order(owner)
        rest(owner, folder, sent)
    except Exception:
        owner.look("stopped")
        raise
    return state


def main() -> int:
    """1 if a pair ends without a paid order, or after the goal."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--port", type=int, default=8431)
    asked.add_argument("--only", default="", help="a part of the names of the pairs")
    asked.add_argument("--pictures", type=Path, help="folder for a picture of each step")
    wanted = asked.parse_args()
    today, failed = datetime.now(ZoneInfo("Europe/Berlin")).date(), 0
    head = "| pair | to mend | clicks | keys | person | pages | first paid order | all steps | order |"
    print(head, "|---" * 9 + "|", sep="\n", flush=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for number, pair in enumerate(each for each in pairs(today) if wanted.only in each.name):
            pictures = wanted.pictures / f"{number}" if wanted.pictures else None
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
            context = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
            owner = Owner(context.new_page(), pictures)
            try:
                with (
                    tempfile.TemporaryDirectory() as files, mail_server() as mail,
                    installed(wanted.port, mail.port) as link,
                ):  # fmt: skip
                    state = walk(owner, pair, link, Path(files), mail.taken)
            except (Stopped, AssertionError) as stopped:
                state = f"stopped: {str(stopped).splitlines()[0]}"
                print(stopped, file=sys.stderr)
            context.close()
            failed += not _is_good(owner, pair, state)
        browser.close()
    return int(failed > 0)


def _is_good(owner: Owner, pair: Pair, state: str) -> bool:
    """Prints the pair's line, and its steps beside; whether its order is paid within the goal."""
    figures = [str(owner.clicks), str(owner.keys), f"{owner.human:.0f} s", f"{owner.measured:.1f} s"]
    figures += [f"{owner.first_paid:.0f} s", f"{owner.human + owner.measured:.0f} s"]
    print("|", " | ".join([pair.name, pair.fault or "–", *figures, state]), "|", flush=True)
    for name, human, measured, clicks in owner.steps:
        print(f"    {name}: {human:.0f} s + {measured:.1f} s, {clicks} clicks", file=sys.stderr)
    return state == "Paid" and owner.first_paid <= GOAL_SECONDS


if __name__ == "__main__":
    sys.exit(main())
