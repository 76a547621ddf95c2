"""The demo: makes the shop, lets it live for three bank days, shows what happened, and goes on serving."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from paymatch.cli.context import opened
from paymatch.cli.demo.bank import SHOP_IBAN, SHOP_NAME, BankFile, statement_files
from paymatch.cli.demo.life import Life
from paymatch.cli.demo.orders import DemoOrder, demo_orders
from paymatch.cli.demo.owner import owner_link
from paymatch.cli.demo.receiver import Receiver
from paymatch.cli.demo.service import Client, DemoFailed, served, wait_for_port
from paymatch.cli.demo.show import show_results, show_where_next
from paymatch.cli.demo.walk import follow_one_order
from paymatch.cli.terminal import wide_console
from paymatch.clock import utc_now
from paymatch.settings import default_data_dir, make_data_dir
from paymatch.usecases import shops

BULK: Final = 50
"""Orders per call; the API document asks for at most 100."""

_ZONE: Final = ZoneInfo("Europe/Berlin")
_EVENING: Final = clock_time(19, 45)


def run_demo(port: int, *, once: bool) -> None:
    """Shows the whole job in a shop of its own; then serves until it is stopped, unless `once`. DemoFailed."""
    signal.signal(signal.SIGTERM, _leave)
    console = wide_console()
    folder = _data_dir()
    wait_for_port(port)
    console.print(f"Data directory: {folder}  (PAYMATCH_DATA_DIR chooses another one)", highlight=False, soft_wrap=True)
    with _living(console, folder, port) as (life, process):
        days = _bank_days(utc_now())
        orders = demo_orders(days[0] - timedelta(days=1))
        files = statement_files(orders, days)
        show_results(life, _three_days(life, orders, files))
        life.set_clock(utc_now())
        follow_one_order(life, folder, utc_now(), files[-1].closing_minor)
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
def _living(console: Console, folder: Path, port: int) -> Iterator[tuple[Life, subprocess.Popen[bytes]]]:
    """The shop with its database, its receiver and the service, which all end with the block."""
    console.print("Starting the database and the service ...")
    with opened(create=True) as database:
        receiver = Receiver()
        first = _bank_days(utc_now())[0]
        morning = datetime.combine(first, clock_time(8), _ZONE)
        new = shops.create(database, SHOP_NAME, morning, ibans=(SHOP_IBAN,), sandbox=True, start=morning)
        life = Life(console, database, new.shop, new.callback_access_code, Client(port, new.api_key), receiver)
        life.change(callbacks="on", callback_url=receiver.url, callback_ports=[receiver.port])
        with receiver.listening(), served(port) as process:
            console.print(f"{life.client.base} answers; the shop is {SHOP_NAME}, {new.shop.id}", highlight=False)
            yield life, process


def _bank_days(clock: datetime) -> tuple[date, date, date]:
    """The last three days before today that are not on a weekend."""
    day, found = clock.astimezone(_ZONE).date(), list[date]()
    while len(found) < 3:
        day -= timedelta(days=1)
        if day.weekday() < 5:
            found.append(day)
    return found[2], found[1], found[0]


def _three_days(life: Life, orders: list[DemoOrder], files: list[BankFile]) -> list[dict[str, Any]]:
    """Submits the orders, imports the statements evening by evening; the reports of the imports."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=life.console) as progress:
        task = progress.add_task(f"POST /orders, {BULK} a call", total=len(orders))
        for start in range(0, len(orders), BULK):
            bulk = orders[start : start + BULK]
            life.client.post("orders", [order.as_submitted for order in bulk])
            progress.advance(task, len(bulk))
        task = progress.add_task("POST /statements, and the callbacks of the day", total=len(files))
        reports = []
        for file in files:
            reports.append(_deliver(life, file))
            progress.advance(task)
    return reports


def _deliver(life: Life, file: BankFile) -> dict[str, Any]:
    life.set_clock(datetime.combine(file.day, _EVENING, _ZONE))
    report: dict[str, Any] = msgspec.json.decode(life.client.import_statement(file.name, file.content))
    life.wait_for_callbacks()
    return report | {"what": file.what, "day": file.day}


def _serve_on(process: subprocess.Popen[bytes]) -> None:
    """Until Ctrl-C, SIGTERM or the end of the service."""
    with suppress(KeyboardInterrupt):
        code = process.wait()
        raise DemoFailed(f"The service ended with exit code {code}")
