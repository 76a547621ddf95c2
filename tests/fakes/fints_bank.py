"""A bank on 127.0.0.1 that speaks FinTS 3.0, as small as our door needs it: dialogs, accounts, statements, TANs."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from tests.fakes.serving import serving

_HEAD = re.compile(rb"HNHBK:1:3\+\d{12}\+300\+([^+]*)\+(\d+)'")
_SEGMENT = re.compile(rb"(?<=['@])(H[KN][A-Z]{2,4}):(\d+):\d+\+?([^']*)'")
_CAMT = "urn?:iso?:std?:iso?:20022?:tech?:xsd?:camt.052.001.08"
_TAN_WAYS = "J:N:0:910:2:HHD1.3.0:::chipTAN:6:1:TAN:999:N:1:N:0:0:N:N:00:0:N:1"

Order = tuple[str, str, list[str]]
"""Name, number and fields of a segment of the customer."""


@dataclass
class FintsBank:
    """What the bank has, and what it was asked."""

    iban: str
    pin: str = "12345"
    tan: str = ""  # the one that statements need; none if empty
    decoupled: bool = False
    login_tan: bool = False
    camt: list[bytes] = field(default_factory=list)
    pending: bytes = b""
    mt940: list[bytes] = field(default_factory=list)
    refuses: str = ""  # a code and a text for every order of statements
    asked: list[str] = field(default_factory=list)
    open_dialogs: int = 0
    _approved: bool = False
    _polls: int = 0
    _held: list[Order] = field(default_factory=list)

    def answer(self, message: bytes) -> bytes:
        """The answer to a message, both as they stand in the base64 of the wire."""
        head = _HEAD.match(message)
        assert head is not None, message
        orders = [
            (kind.decode(), number.decode(), fields.decode("latin-1").split("+"))
            for kind, number, fields in _SEGMENT.findall(message)
        ]
        signature = next(fields[-1] for kind, _, fields in orders if kind == "HNSHA")
        pin, _, tan = signature.partition(":")
        orders = [order for order in orders if order[0].startswith("HK")]
        self.asked += [kind for kind, _, _ in orders]
        reply = _Reply("D1" if head[1] == b"0" else head[1].decode(), head[2].decode())
        if pin != self.pin:
            reply.add("HIRMG", 2, "9050::Teilweise fehlerhaft+9942::PIN falsch")
            return reply.wire()
        reply.add("HIRMG", 2, "0010::Nachricht entgegengenommen")
        for order in orders:
            self._take(reply, order, orders, tan)
        return reply.wire()

    def _take(self, reply: _Reply, order: Order, orders: list[Order], tan: str) -> None:
        kind, number, _ = order
        match kind:
            case "HKIDN":
                self.open_dialogs += 1
                self._approved, self._polls = not self.tan, 0
            case "HKVVB":
                self._parameters(reply, number)
            case "HKSYN":
                reply.add("HISYN", 4, "SYSTEM-7", number)
            case "HKSPA":
                body = f"J:{self.iban}:MARKDEF1100:532013000::280:37040044"
                reply.add("HISPA", 1, body, number)
            case "HKCAZ" | "HKKAZ":
                if self.refuses:
                    reply.add("HIRMS", 2, self.refuses, number)
                elif self._approved:
                    self._statements(reply, order)
            case "HKTAN":
                self._tan(reply, order, orders, tan)
            case "HKEND":
                self.open_dialogs -= 1

    def _parameters(self, reply: _Reply, number: str) -> None:
        ways = "910" if self.tan else "999"
        reply.add("HIRMS", 2, f"3920::Zugelassene Verfahren:{ways}", number)
        reply.add("HIBPA", 3, "7+280:37040044+Testbank+1+1+300+0", number)
        reply.add("HITANS", 6, f"1+1+1+{_TAN_WAYS}", number)
        needs = "J" if self.tan else "N"
        reply.add("HIPINS", 1, f"1+1+0+5:20:6:::HKSPA:N:HKCAZ:{needs}:HKKAZ:{needs}", number)
        if self.camt or self.pending:
            reply.add("HICAZS", 1, f"1+1+0+90:N:N:{_CAMT}", number)
        if self.mt940:
            reply.add("HIKAZS", 6, "1+1+0+90:N:N", number)

    def _tan(self, reply: _Reply, order: Order, orders: list[Order], tan: str) -> None:
        _, number, fields = order
        about = fields[1] if len(fields) > 1 else ""
        if fields[0] == "4" and (about in ("HKCAZ", "HKKAZ") or (about == "HKIDN" and self.login_tan)):
            if self._approved:
                reply.add("HIRMS", 2, "3076::Starke Kundenauthentifizierung nicht notwendig", number)
                return
            self._held = [each for each in orders if each[0] in ("HKCAZ", "HKKAZ")]
            code = "3955" if self.decoupled else "0030"
            reply.add("HIRMS", 2, f"{code}::Auftrag empfangen", number)
            reply.add("HITAN", 6, "4++REF-1+Bitte den Abruf der Umsaetze freigeben", number)
        elif fields[0] == "4":
            reply.add("HIRMS", 2, "3076::Starke Kundenauthentifizierung nicht notwendig", number)
        elif fields[0] == "S" and self._polls == 0:
            self._polls += 1
            reply.add("HIRMS", 2, "3956::Noch nicht freigegeben", number)
            reply.add("HITAN", 6, "S++REF-1", number)
        elif fields[0] == "2" and tan != self.tan:
            reply.add("HIRMS", 2, "9941::TAN ungueltig", number)
        else:
            self._approved = True
            reply.add("HITAN", 6, f"{fields[0]}++REF-1", number)
            for held in self._held:
                self._statements(reply, held)

    def _statements(self, reply: _Reply, order: Order) -> None:
        """One file per message, with the point where the next one begins."""
        kind, number, fields = order
        files = self.camt if kind == "HKCAZ" else self.mt940
        at = int(fields[-1]) if kind == "HKCAZ" and len(fields) == 7 else 0
        at = int(fields[-1]) if kind == "HKKAZ" and len(fields) == 6 else at
        if at + 1 < len(files):
            reply.add("HIRMS", 2, f"3040::Es liegen weitere vor:{at + 1}", number)
        waiting = b"+" + _binary(self.pending) if self.pending and at == 0 else b""
        if kind == "HKCAZ":
            account = f"{self.iban}:MARKDEF1100".encode()
            booked = _binary(files[at]) if files else b""
            reply.add("HICAZ", 1, b"+".join((account, _CAMT.encode(), booked)) + waiting, number)
        else:
            reply.add("HIKAZ", 6, _binary(files[at]) + waiting, number)


class _Reply:
    """A message of the bank while it is written."""

    def __init__(self, dialog: str, number: str) -> None:
        self._dialog, self._number = dialog, number
        self._segments: list[bytes] = []

    def add(self, kind: str, version: int, body: str | bytes, reference: str = "") -> None:
        head = f"{kind}:{len(self._segments) + 2}:{version}{':' * bool(reference)}{reference}+"
        self._segments.append(head.encode() + (body.encode("latin-1") if isinstance(body, str) else body) + b"'")

    def wire(self) -> bytes:
        inner = b"".join(self._segments)
        outer = (
            b"HNVSK:998:3+PIN:1+998+1+2::SYSTEM-7+1:20260310:080000+2:2:13:@8@\0\0\0\0\0\0\0\0:5:1"
            b"+280:37040044:user:V:0:0+0'HNVSD:999:1+" + _binary(inner) + b"'"
        )
        end = f"HNHBS:{len(self._segments) + 2}:1+{self._number}'".encode()
        rest = f"+300+{self._dialog}+{self._number}+{self._dialog}:{self._number}'".encode()
        return f"HNHBK:1:3+{22 + len(rest) + len(outer) + len(end):012d}".encode() + rest + outer + end


def _binary(content: bytes) -> bytes:
    return f"@{len(content)}@".encode() + content


class _Handler(BaseHTTPRequestHandler):
    bank: ClassVar[FintsBank]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = base64.b64decode(self.rfile.read(int(self.headers["Content-Length"])))
        body = base64.b64encode(self.bank.answer(message))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests keep their output to themselves."""


@contextmanager
def fints_server(bank: FintsBank) -> Iterator[str]:
    """The URL at which the bank answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"bank": bank}))
    with serving(server) as url:
        yield f"{url}/fints"
