"""A shop's traffic: writers that repeat until they are answered, and the receiver of the callbacks."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

from lab.failover.processes import HERE
from paymatch.clock import utc_now

IBAN: Final = "DE89370400440532013000"
PAUSE_SECONDS: Final = 0.2
PATIENCE_SECONDS: Final = 8.0
"""After that a caller takes his request for lost and asks the other server."""


class Acknowledged(NamedTuple):
    """A write that was answered with success; `at` on the clock that only runs forward."""

    at: float
    server: int


class Refused(Exception):
    """The service says no: the load is wrong, or a state is not what it was told."""


@dataclass
class Expected:
    """What the shop was told of an order: where it stands, and how often its status has changed."""

    minor: int
    status: str = "UNPAID"
    changes: int = 0


@dataclass
class Shop:
    """The shop that both servers serve, and how it is reached."""

    id: str
    key: str
    ports: tuple[int, ...]
    acknowledged: list[Acknowledged] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    entries: int = 0
    changed: threading.Lock = field(default_factory=threading.Lock)

    def ask(
        self, port: int, method: str, path: str, body: bytes, content_type: str, seconds: float = PATIENCE_SECONDS
    ) -> tuple[int, bytes]:
        """Status and body of the answer; OSError or HTTPException without one within so many `seconds`."""
        connection = http.client.HTTPConnection(HERE, port, timeout=seconds)
        try:
            headers = {"X-Service-API-Key": self.key, "Content-Type": content_type}
            connection.request(method, f"/api/v2/{path}", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


class Writer(threading.Thread):
    """Writes until it is stopped: orders, payments marked by hand and taken back, statements with payments."""

    def __init__(self, shop: Shop, number: int, seed: int) -> None:
        super().__init__(name=f"writer {number}", daemon=True)
        self.orders: dict[str, Expected] = {}
        self.broken = ""
        self._shop = shop
        self._number = number
        self._chance = random.Random(seed * 1000 + number)
        self._server = number % len(shop.ports)
        self._to_pay: list[str] = []
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Ends it once its operation is acknowledged."""
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.wait(PAUSE_SECONDS):
            try:
                self._live()
            except Refused as error:
                self.broken = str(error)
                return

    def _live(self) -> None:
        """The life of one order, or of three that come together."""
        names = [self._submit()] if self._chance.random() < 0.8 else self._submit_together(3)
        if self._chance.random() < 0.5:
            self._mark(names[0], "PAID")
            if self._chance.random() < 0.5:
                self._mark(names[0], "UNPAID")
                self._mark(names[0], "PAID")
            names = names[1:]
        self._to_pay.extend(names)
        if len(self._to_pay) >= 6:
            self._pay()

    def _next(self) -> tuple[str, dict[str, Any]]:
        name = f"HA-{self._number}-{len(self.orders) + 100000}"
        minor = self._chance.randint(1000, 99999)
        self.orders[name] = Expected(minor)
        return name, {
            "number": name, "date": f"{utc_now():%d-%m-%Y}", "type": "PREPAYMENT", "amount": minor / 100,
            "currency": "EUR", "billing": {"firstName": "Erika", "lastName": f"Muster{minor}", "countryCode": "DE"},
        }  # fmt: skip

    def _submit(self) -> str:
        name, order = self._next()
        self._until_acknowledged("POST", f"order/{name}", json.dumps(order).encode())
        return name

    def _submit_together(self, count: int) -> list[str]:
        made = [self._next() for _ in range(count)]
        self._until_acknowledged("POST", "orders", json.dumps([order for _, order in made]).encode())
        return [name for name, _ in made]

    def _mark(self, name: str, status: str) -> None:
        self._until_acknowledged("POST", f"order/{name}/set{status.lower()}", b"", may_be_done=True)
        self.orders[name].status = status
        self.orders[name].changes += 1

    def _pay(self) -> None:
        names, self._to_pay = self._to_pay, []
        payments = [(name, self.orders[name].minor) for name in names]
        boundary = "part"
        body = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="statement.xml"\r\n'
            f"Content-Type: application/xml\r\n\r\n{statement(payments)}\r\n--{boundary}--\r\n"
        )
        self._until_acknowledged(
            "POST", "statements", body.encode(), content_type=f"multipart/form-data; boundary={boundary}"
        )
        with self._shop.changed:
            self._shop.entries += len(payments)
        for name in names:
            self.orders[name].status = "PAID"
            self.orders[name].changes += 1

    def _until_acknowledged(
        self, method: str, path: str, body: bytes, *, content_type: str = "application/json", may_be_done: bool = False
    ) -> None:
        """Asks until the answer is a success. Where an answer was lost, a refusal may say that it is done already."""
        lost, server = False, self._server
        while True:
            try:
                status, said = self._shop.ask(self._shop.ports[server], method, path, body, content_type)
            except (OSError, http.client.HTTPException) as error:
                status, said = 0, type(error).__name__.encode()
            if status == 202 and not self._ends_well(json.loads(said)["importId"]):
                status = 503
            if 200 <= status < 300 or (status == 400 and lost and may_be_done):
                self._shop.acknowledged.append(Acknowledged(time.monotonic(), server))
                return
            if 400 <= status < 500 and b"Could not acquire lock" not in said:
                raise Refused(f"{method} {path}: {status} {said.decode()}")
            lost = True
            with self._shop.changed:
                self._shop.failures[f"{status} {said.decode()[:60]}" if status != 500 else "500"] += 1
            server = (server + 1) % len(self._shop.ports)
            time.sleep(0.2)

    def _ends_well(self, import_id: str) -> bool:
        """Asks for an import that goes on until it is over: whether it has booked its file."""
        for turn in itertools.count(self._server):
            port = self._shop.ports[turn % len(self._shop.ports)]
            try:
                status, said = self._shop.ask(port, "GET", f"imports/{import_id}", b"", "application/json")
            except (OSError, http.client.HTTPException):
                status, said = 0, b""
            if status == 200 and (state := json.loads(said)["state"]) != "running":
                return bool(state == "done")
            if 400 <= status < 500:
                raise Refused(f"imports/{import_id}: {status} {said.decode()}")
            time.sleep(0.5)
        raise AssertionError


def statement(payments: list[tuple[str, int]]) -> str:
    """A camt.053 of today with a credit for each order, named in its text."""
    day, mark = f"{utc_now():%Y-%m-%d}", uuid.uuid4().hex[:16]
    entries = "".join(_entry(name, minor, f"{mark}{place:03d}", day) for place, (name, minor) in enumerate(payments))
    return (
        '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
        f"<BkToCstmrStmt><GrpHdr><MsgId>{mark}</MsgId><CreDtTm>{day}T06:00:00+01:00</CreDtTm></GrpHdr><Stmt>"
        f"<Id>{mark}</Id><Acct><Id><IBAN>{IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>{entries}</Stmt>"
        "</BkToCstmrStmt></Document>"
    )


def _entry(name: str, minor: int, reference: str, day: str) -> str:
    amount = f'<Amt Ccy="EUR">{minor // 100}.{minor % 100:02d}</Amt><CdtDbtInd>CRDT</CdtDbtInd>'
    return (
        f"<Ntry><NtryRef>{reference}</NtryRef>{amount}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{day}</Dt></BookgDt>"
        f"<ValDt><Dt>{day}</Dt></ValDt><AcctSvcrRef>{reference}</AcctSvcrRef><NtryDtls><TxDtls>"
        f"<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>{amount}<RltdPties><Dbtr><Pty><Nm>Erika Muster{minor}</Nm>"
        f"</Pty></Dbtr></RltdPties><RmtInf><Ustrd>Bestellung {name}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>"
    )


class Arrived(NamedTuple):
    """A callback as it arrived."""

    webhook_id: str
    order: str
    status: str


class Receiver(ThreadingHTTPServer):
    """The shop's side: takes every callback, in the order of their coming."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__((HERE, port), _Handler)
        self.arrived: list[Arrived] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: who was killed while he called has delivered nothing."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Receiver)
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.arrived.append(
            Arrived(self.headers["webhook-id"], str(order["number"]), str(order["paymentStatus"]))
        )
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: thousands of lines would say that they arrived."""
