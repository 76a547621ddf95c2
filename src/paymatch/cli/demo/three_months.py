"""The demo: makes the shop, lets it live for three months, shows what happened, and goes on serving."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from paymatch.cli.context import database_of_command
from paymatch.cli.demo.after_sales import events_by_day, send_refund_now
from paymatch.cli.demo.customers import bank_story
from paymatch.cli.demo.life import OWNER, ZONE, Life
from paymatch.cli.demo.orders import CHF, DAYS, DemoOrder, demo_orders
from paymatch.cli.demo.people import decide_postings, hire_team, make_mistakes, owner_link
from paymatch.cli.demo.receiver import CallbackListener
from paymatch.cli.demo.service import Client, DemoFailed, serve, wait_for_port
from paymatch.cli.demo.show import show_results, show_where_next
from paymatch.cli.demo.swiss_account import SWISS_IBAN, weekly_files
from paymatch.cli.demo.walk import follow_one_order
from paymatch.cli.terminal import wide_console
from paymatch.clock import utc_now
from paymatch.domain.calendar import minus_bank_days, next_bank_day, plus_bank_days
from paymatch.settings import default_data_dir, make_data_dir
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts

SHOP_IBAN: Final = "DE89370400440532013000"
SHOP_NAME: Final = "Teehaus Windmühle"
BULK: Final = 100
"""Orders per call; docs/api.md recommends at most 100."""

_MORNING_HOUR: Final = 10
_MONDAY: Final = 0
_UNDECIDED_BANK_DAYS: Final = 5
"""How long the clerk was away when the story ends."""

_INFORMED_BANK_DAYS: Final = 15
"""For how long the shop has been sending payment information."""

_SETTINGS: Final = {
    "callbacks": "on",
    "reminders": "on",
    "mail_from": "shop@windmuehle.example",
    "mail_name": SHOP_NAME,
    "street": "Am Deich",
    "house_number": "12",
    "postcode": "25836",
    "city": "Garding",
    "contact_email": "hallo@windmuehle.example",
    "contact_phone": "04862 5550142",
    "imprint_url": "https://windmuehle.example/impressum",
    "privacy_url": "https://windmuehle.example/datenschutz",
}


def run_demo(port: int, *, once: bool) -> None:
    """Shows the whole job in a shop of its own; then serves until it is stopped, unless `once`. DemoFailed."""
    signal.signal(signal.SIGTERM, _leave)
    console = wide_console()
    folder = _data_dir()
    wait_for_port(port)
    console.print(f"Data directory: {folder}  (PAYMATCH_DATA_DIR chooses another one)", highlight=False, soft_wrap=True)
    days = bank_days_before(utc_now().astimezone(ZONE).date())
    with _run_shop(console, folder, port, days[0]) as (life, process):
        _three_months(life, days)
        follow_one_order(life, days[-1])
        life.move_clock_to(utc_now())
        send_refund_now(life)
        make_mistakes(life)
        life.wait_for_callbacks()
        show_results(life)
        show_where_next(life, folder, owner_link(life), serving=not once)
        if not once:
            _serve_on(process)


def _leave(*_: Any) -> None:
    raise SystemExit(0)


def _data_dir() -> Path:
    """The data directory: the caller's, or one of the demo's own, so that no real shop meets invented orders."""
    if not os.environ.get("PAYMATCH_DATA_DIR"):
        os.environ["PAYMATCH_DATA_DIR"] = str(default_data_dir("paymatch-demo"))
    return make_data_dir(Path(os.environ["PAYMATCH_DATA_DIR"]))


@contextmanager
def _run_shop(
    console: Console, folder: Path, port: int, first_day: date
) -> Iterator[tuple[Life, subprocess.Popen[bytes]]]:
    """The shop with its database, its receiver and the service, which all end with the block."""
    console.print("Starting the database and the service ...")
    with database_of_command(create=True) as database:
        receiver = CallbackListener()
        morning = datetime.combine(first_day, clock_time(8), ZONE)
        new = shops.create(database, SHOP_NAME, morning, ibans=(SHOP_IBAN,), sandbox=True, start=morning)
        life = Life(console, database, new.shop, new.callback_access_code, Client(port, new.api_key), receiver)
        with receiver.serve(), serve(port) as process:
            console.print(f"{life.client.base} answers; the shop is {SHOP_NAME}, {new.shop.id}", highlight=False)
            hire_team(life)
            life.change(callback_url=receiver.url, callback_ports=str(receiver.port), **_SETTINGS)
            accounts.add(life.as_person(OWNER), life.shop, SWISS_IBAN, CHF, morning)
            yield life, process


def bank_days_before(today: date) -> list[date]:
    """The bank days of the three months before `today`."""
    last, day = minus_bank_days(today, 1), next_bank_day(today - timedelta(days=DAYS))
    found = [day]
    while day < last:
        day = plus_bank_days(day, 1)
        found.append(day)
    return found


def _three_months(life: Life, days: Sequence[date]) -> None:
    """Every bank day: the night passes, the shop submits its orders, customers pay, and people do their work."""
    orders = demo_orders(days[-1])
    bank = bank_story(orders, days[0], days[-1])
    uploads = {file.day: file for file in weekly_files(orders, days[0], days[-1])}
    happens = events_by_day(days)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=life.console) as progress:
        task = progress.add_task("Three months of orders, payments, reminders and refunds", total=len(days))
        for place, day in enumerate(days):
            life.move_clock(day, _MORNING_HOUR)
            since = days[place - 1] if place else date.min
            _submit(life, [order for order in orders if since < order.day <= day])
            for call in bank.days.get(day, ()):
                life.client.post(call.path, call.body)
            if day in uploads:
                life.client.import_statement(uploads[day].name, uploads[day].content)
            if day.weekday() == _MONDAY and day < days[-_UNDECIDED_BANK_DAYS]:
                decide_postings(life)
            if day == days[-_INFORMED_BANK_DAYS]:
                life.change(payment_information="on")
            for action in happens.get(day, ()):
                action(life)
            progress.advance(task)


def _submit(life: Life, orders: Sequence[DemoOrder]) -> None:
    for start in range(0, len(orders), BULK):
        life.client.post("orders", [order.as_submitted for order in orders[start : start + BULK]])


def _serve_on(process: subprocess.Popen[bytes]) -> None:
    """Until Ctrl-C, SIGTERM or the end of the service."""
    with suppress(KeyboardInterrupt):
        code = process.wait()
        raise DemoFailed(f"The service ended with exit code {code}")
