"""A day on which many reminders are due: python -m lab.mail_day [--orders 10000] [--kills 100] [--seconds 300].

A worker in a process of its own sends them, and is killed with kill -9 at random moments. What it had claimed is freed
each time, as time would do it. Each mail is written into a folder with its Message-ID; at the end nobody was reminded
twice, nobody was missed, and `paymatch check` finds nothing. A mail that was on its way in the moment of a kill may be
there twice, with the same Message-ID: these are counted apart. Exit code 1 if it took longer than `--seconds` of one
core, or if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, date, datetime
from email import message_from_bytes
from pathlib import Path
from typing import Final
from uuid import UUID

import psutil
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world

from paymatch.embedded import running_server
from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.outbound.mail.folder import FolderDoor
from paymatch.outbound.mail.outgoing import OutgoingMail
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.work.check import check_shop

NOW: Final = datetime(2026, 3, 16, 10, tzinfo=UTC)
_SUBMITTED_AT_ONCE: Final = 500


class Log(FolderDoor):
    """Writes every mail, a repetition too."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._folder = root

    def send(self, mail: OutgoingMail) -> str:
        draft = self._folder / f".{os.getpid()}-{time.monotonic_ns()}"
        draft.write_bytes(mail.content)
        draft.rename(self._folder / f"{draft.name[1:]}.eml")
        return ""


def work(url: str, shop_text: str, folder: Path) -> None:
    """Sends until nothing is due."""
    database = Database(url, size=2, keyring=KEYRING)
    shop_id = ShopId(UUID(shop_text))
    with database.of_shop(shop_id) as tx:
        shop = shop_store.load(tx)
    assert shop is not None
    while send_due(database, shop, Log(folder), NOW, base="https://pay.shop.example"):
        pass
    database.close()


def fill(world: MailWorld, count: int) -> None:
    """So many open orders of as many customers, but for every tenth, which is a customer's second."""
    for start in range(0, count, _SUBMITTED_AT_ONCE):
        bodies = [
            {
                "number": f"A-{place:06}", "date": "02-03-2026", "dueDate": "09-03-2026", "type": "INVOICE",
                "amount": f"{10 + place % 90}.{place % 100:02}", "currency": "EUR",
                "customerEmail": f"{place - (place % 10 == 9)}@example.com",
                "billing": {"firstName": "Erika", "lastName": f"Muster {place // 10}", "countryCode": "DE"},
            }
            for place in range(start, min(start + _SUBMITTED_AT_ONCE, count))
        ]  # fmt: skip
        checked = [check_order(each) for each in decode_orders(json.dumps(bodies).encode())]
        with world.database.of_shop(world.shop, at=world.now) as tx:
            orders.submit(tx, checked)
    world.statement(date(2026, 3, 13))
    world.now = NOW


def run(url: str, world: MailWorld, folder: Path, kills: int, seconds: float) -> tuple[int, float]:
    """Works through the day; (kills that hit, CPU seconds of the workers). Kills come every few `seconds` / `kills`."""
    processes, processor, hit = multiprocessing.get_context("forkserver"), 0.0, 0
    processes.set_forkserver_preload([__name__])
    chance = random.Random(2026)
    while True:
        process = processes.Process(target=work, args=(url, str(world.id), folder))
        process.start()
        assert process.pid is not None
        watched, ends = psutil.Process(process.pid), time.monotonic() + chance.uniform(0.2, 2 * seconds / kills)
        used = 0.0
        while process.exitcode is None and (hit >= kills or time.monotonic() < ends):
            with suppress(psutil.Error):
                used = cpu_seconds(watched)
            process.join(0.05)
        processor += used
        if process.exitcode is None:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            hit += 1
            world.rows("UPDATE reminder_dues SET claimed_until = NULL WHERE shop_id = $1 RETURNING 1")
            continue
        if process.exitcode:
            raise SystemExit(f"the worker ended with {process.exitcode}")
        return hit, processor


def cpu_seconds(process: psutil.Process) -> float:
    """What the process, and those of its children that have ended, have taken."""
    return float(sum(process.cpu_times()[:4]))


def faults(world: MailWorld, folder: Path, count: int) -> tuple[list[str], int, int]:
    """(what is wrong, mails, mails that are there twice under one Message-ID)."""
    wrong: list[str] = []
    sent = Counter(str(message_from_bytes(path.read_bytes())["Message-ID"]) for path in folder.glob("*.eml"))
    known = dict(world.rows("SELECT message_id, count(*) FROM mails WHERE shop_id = $1 AND status = 'KEPT' GROUP BY 1"))
    ((reminded, levels, twice),) = world.rows(
        "SELECT count(*), max(dunning_level), count(*) - count(DISTINCT order_number) FROM reminders WHERE shop_id = $1"
    )
    if (reminded, levels, twice) != (count, 1, 0):
        wrong.append(f"{reminded} reminders of {count} orders up to level {levels}, {twice} twice")
    if sum(known.values()) != count or set(sent) != set(known):
        wrong.append(f"{len(set(sent) ^ set(known))} mails are in the books or in the folder only")
    wrong += [f"{each.rule}: {each.subject} {each.text}" for each in check_shop(world.database, world.shop)]
    return wrong, len(sent), sum(times - 1 for times in sent.values())


def main() -> int:
    """Prints how long it took; 1 if it took too long or anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        folder.chmod(0o711)  # the account of the embedded PostgreSQL passes through
        (folder / "mail").mkdir()
        with running_server(folder / "database") as url:
            migrate(url)
            database = Database(url, size=4, keyring=KEYRING)
            world = new_world(database)
            fill(world, asked.orders)
            ((backend,),) = world.rows("SELECT pg_backend_pid() WHERE $1 IS NOT NULL")
            postmaster = psutil.Process(psutil.Process(backend).ppid())
            begun, before = time.monotonic(), cpu_seconds(postmaster)
            hit, worker = run(url, world, folder / "mail", asked.kills, asked.seconds / 2)
            clock, server = time.monotonic() - begun, cpu_seconds(postmaster) - before
            wrong, mails, repeated = faults(world, folder / "mail", asked.orders)
            database.close()
    print(f"{asked.orders} orders in {mails} mails, {hit} kills: {clock:.0f} s")
    each = (worker + server) * 1000 / mails
    print(f"CPU: workers {worker:.0f} s, database {server:.0f} s, together {each:.1f} ms a mail")
    print(f"{repeated} mails twice under one Message-ID; {len(wrong)} faults")
    print(*wrong[:20], sep="\n")
    return 1 if wrong or worker + server > asked.seconds or hit < asked.kills else 0


if __name__ == "__main__":
    sys.exit(main())
