"""The life of a live shop: orders by name, marks, statements, mail; and its statements once more, in peace."""

from __future__ import annotations

import email
import json
import time
from collections import Counter, defaultdict
from datetime import timedelta
from typing import Any, Final

import psycopg

from lab.failover.load import Shop, Writer
from lab.faults.installation import Installation
from paymatch.clock import utc_now

_MAILED: Final = 0.2
"""Share of the orders whose customer gets payment information."""
_PEACE_SECONDS: Final = 120


class LiveWriter(Writer):
    """As the writer of failovers, and keeps what statements it has sent; some customers have an address."""

    def __init__(self, shop: Shop, number: int, seed: int, days_before: int = 0) -> None:
        super().__init__(shop, number, seed)
        self._days_before = days_before
        self.sent: dict[str, dict[str, Any]] = {}
        self.statements: list[bytes] = []

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            self.broken = repr(error)
            raise

    def _next(self) -> tuple[str, dict[str, Any]]:
        name, order = super()._next()
        order["date"] = f"{utc_now() - timedelta(days=self._days_before):%d-%m-%Y}"
        if self._chance.random() < _MAILED:
            order["customerEmail"] = f"{name.lower()}@example.com"
        self.sent[name] = order
        return name, order

    def _until_acknowledged(self, method: str, path: str, body: bytes, **more: Any) -> None:
        super()._until_acknowledged(method, path, body, **more)
        if path == "statements":
            self.statements.append(body)


def repeated_in_peace(
    installation: Installation, shop: Shop, writers: list[LiveWriter], connection: psycopg.Connection[Any]
) -> list[str]:
    """How the books differ from those of a shop that gets the same orders and statements while nothing happens."""
    peace = installation.new_shop("Peace", callbacks=False)
    orders = [{**order, "customerEmail": ""} for writer in writers for order in writer.sent.values()]
    for start in range(0, len(orders), 500):
        _acknowledged(peace, "orders", json.dumps(orders[start : start + 500]).encode(), "application/json")
    for body in (each for writer in writers for each in writer.statements):
        _acknowledged(peace, "statements", body, "multipart/form-data; boundary=part")
    ends = time.monotonic() + _PEACE_SECONDS
    while (wrong := _differing(connection, shop, peace)) and time.monotonic() < ends:
        time.sleep(2)
    return wrong


def _acknowledged(shop: Shop, path: str, body: bytes, content_type: str) -> None:
    ends = time.monotonic() + _PEACE_SECONDS
    while True:
        status, said = shop.ask(shop.ports[0], "POST", path, body, content_type, 120)
        if status in (200, 202):
            return
        if status != 503 or time.monotonic() > ends:
            raise RuntimeError(f"in peace, {path}: {status} {said.decode()[:200]}")
        time.sleep(1)  # statements that wait to be imported have their limit


_BOOKS: Final = """
    SELECT p.bank_reference, p.amount_minor, p.status, coalesce(string_agg(a.order_number || ' ' || a.amount_minor, ', '
           ORDER BY a.order_number), '')
      FROM postings p LEFT JOIN allocations a ON a.shop_id = p.shop_id AND a.posting_id = p.id
     WHERE p.shop_id = %s GROUP BY p.shop_id, p.id, p.bank_reference, p.amount_minor, p.status
"""


def _differing(connection: psycopg.Connection[Any], shop: Shop, peace: Shop) -> list[str]:
    """Postings that the one shop has otherwise than the other: another number, amount, status, or other orders."""
    found = [Counter(map(tuple, connection.execute(_BOOKS, (each.id,)).fetchall())) for each in (shop, peace)]
    under_faults, in_peace = found[0] - found[1], found[1] - found[0]
    return [f"under faults only: {row} ({count})" for row, count in under_faults.items()] + [
        f"in peace only: {row} ({count})" for row, count in in_peace.items()
    ]


def wait_for_mail(connection: psycopg.Connection[Any], shop: Shop, seconds: float) -> None:
    """Returns when nobody waits for mail but whose mail was claimed by a process that died, or after so long."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        (left,) = connection.execute(_WAITING, (shop.id,)).fetchone() or (0,)
        connection.rollback()
        if not left:
            return
        time.sleep(2)


_WAITING: Final = """
    SELECT count(*) FROM reminder_dues d JOIN orders o ON o.shop_id = d.shop_id AND o.number = d.order_number
     WHERE d.shop_id = %s AND d.due_at <= now() AND (d.claimed_until IS NULL OR d.claimed_until <= now())
       AND o.payment_info_at IS NULL
"""


def mail_faults(
    connection: psycopg.Connection[Any], shop: Shop, writers: list[LiveWriter], taken: list[tuple[str, str, bytes]]
) -> tuple[list[str], int, int]:
    """(what is wrong, mails that came, mails that came again under the same Message-ID)."""
    ids = Counter(str(email.message_from_bytes(content)["Message-ID"]) for _, _, content in taken)
    rows = connection.execute(
        "SELECT order_number, message_id, status FROM mails WHERE shop_id = %s AND correction = 0", (shop.id,)
    ).fetchall()
    known: dict[str, set[str]] = defaultdict(set)
    for number, message_id, _ in rows:
        known[str(number)].add(str(message_id))
    wrong = [f"{number} has mails {found}" for number, found in known.items() if len(found) > 1]
    sent = {str(message_id) for _, message_id, status in rows if status == "SENT"}
    wrong += [f"mail {each} counts as sent and never came" for each in sent - ids.keys()]
    wrong += [f"mail {each} came and is not in the books" for each in ids.keys() - {str(row[1]) for row in rows}]
    claimed = {
        str(row[0]) for row in connection.execute(
            "SELECT order_number FROM reminder_dues WHERE shop_id = %s AND claimed_until > now()", (shop.id,)
        )
    }  # fmt: skip
    wanted = {number for writer in writers for number, order in writer.sent.items() if "customerEmail" in order}
    unchanged = {number for writer in writers for number, order in writer.orders.items() if not order.changes}
    open_ones = wanted & unchanged
    wrong += [f"{number} got no payment information" for number in open_ones - known.keys() - claimed]
    return wrong, len(ids), ids.total() - len(ids)
