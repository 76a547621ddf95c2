"""A bank on 127.0.0.1 that speaks FinTS 3.0, as small as our door needs it: dialogs, accounts, statements, TANs."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from tests.fakes.serving import serving

_HEAD = re.compile(rb"HNHBK:1:3\+\d{12}\+300\+([^+]*)\+(\d+)'")
_SEGMENT = re.compile(rb"(?<=['@])(H[KN][A-Z]{2,4}):(\d+):\d+\+?([^']*)'")
_CAMT = "urn?:iso?:std?:iso?:20022?:tech?:xsd?:camt.052.001.08"
_BINARY = re.compile(rb"@(\d+)@")
_TRANSFERS = frozenset({"HKCCS", "HKCCM", "HKIPZ", "HKIPM"})
_REPORT = "sepade.pain.002.001.10.xsd"
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
    others: dict[str, list[bytes]] = field(default_factory=dict)  # further accounts of the login, with their camt files
    refuses: str = ""  # a code and a text for every order of statements
    ways: tuple[str, ...] = ()  # further names of ways to get TANs, from number 911 on
    media: tuple[str, ...] = ()  # TAN devices, one of which must be named
    picture: bytes = b""  # shown for the TAN
    app_approves_after: int = 1  # questions after which the app was used
    locked: bool = False
    product_refused: bool = False
    closes_at: str = ""  # the segment at which it ends the dialogue
    breaks_at: str = ""  # the segment at which the line breaks, once it has acted
    hostile: Callable[[list[str]], bytes | None] | None = None  # what is sent instead of an answer
    slow_seconds: float = 0.0
    payee: str = ""  # the result of the payee check of a single transfer; no check if empty
    payee_name: str = ""
    payee_report: bytes = b""  # the result for several
    payee_pending: int = 0  # questions after which the result is there
    takes_transfers: bool = True
    formats: tuple[str, ...] = ("pain.001.001.09",)
    executed: list[bytes] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    named_media: list[str] = field(default_factory=list)
    open_dialogs: int = 0
    _approved: bool = False
    _polls: int = 0
    _held: list[Order] = field(default_factory=list)
    _contents: list[bytes] = field(default_factory=list)
    _order: bytes = b""
    _payee_accepted: bool = False

    def answer(self, message: bytes) -> bytes | None:
        """The answer to a message, both without the base64 of the wire; None: the line breaks."""
        head = _HEAD.match(message)
        assert head is not None, message
        plain, self._contents = _without_binaries(message)
        orders = [
            (kind.decode(), number.decode(), fields.decode("latin-1").split("+"))
            for kind, number, fields in _SEGMENT.findall(plain)
        ]
        signature = next(fields[-1] for kind, _, fields in orders if kind == "HNSHA")
        pin, _, tan = signature.partition(":")
        orders = [order for order in orders if order[0].startswith("HK")]
        kinds = [kind for kind, _, _ in orders]
        self.asked += kinds
        time.sleep(self.slow_seconds)
        reply = _Reply("D1" if head[1] == b"0" else head[1].decode(), head[2].decode())
        refused = self._refusal(pin, kinds)
        if refused:
            reply.add("HIRMG", 2, refused)
            return reply.wire()
        reply.add("HIRMG", 2, "0010::Nachricht entgegengenommen")
        for order in orders:
            self._take(reply, order, orders, tan)
        return None if self.breaks_at in kinds else reply.wire()

    def _refusal(self, pin: str, kinds: list[str]) -> str:
        if pin != self.pin:
            return "9050::Teilweise fehlerhaft+9942::PIN falsch"
        if self.locked:
            return "9050::Teilweise fehlerhaft+9931::Zugang gesperrt"
        if self.product_refused and "HKVVB" in kinds:
            return "9078::Produkt nicht registriert"
        return "9800::Dialog abgebrochen" if self.closes_at in kinds else ""

    def _take(self, reply: _Reply, order: Order, orders: list[Order], tan: str) -> None:  # noqa: C901
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
                accounts = (self.iban, *self.others)
                body = "+".join(f"J:{each}:MARKDEF1100:{each[-10:]}::280:37040044" for each in accounts)
                reply.add("HISPA", 1, body, number)
            case "HKCAZ" | "HKKAZ":
                if self.refuses:
                    reply.add("HIRMS", 2, self.refuses, number)
                elif self._approved:
                    self._statements(reply, order)
            case "HKTAB":
                media = "+".join(f"G:1:::::::::::{name}" for name in self.media)
                reply.add("HITAB", 4, f"0+{media}", number)
            case "HKVPP":
                self._check_payee(reply, number, orders)
            case "HKTAN":
                self._tan(reply, order, orders, tan)
            case "HKEND":
                self.open_dialogs -= 1
        self._payee_accepted |= kind == "HKVPA"
        if kind in _TRANSFERS and not self.tan:
            self._order = self._contents[-1]
            self._execute(reply, number)

    def _parameters(self, reply: _Reply, number: str) -> None:
        named = ["910", *(str(911 + place) for place in range(len(self.ways)))] if self.tan else ["999"]
        reply.add("HIRMS", 2, f"3920::Zugelassene Verfahren:{':'.join(named)}", number)
        reply.add("HIBPA", 3, "7+280:37040044+Testbank+1+1+300+0", number)
        must = _TAN_WAYS.replace(":00:0:N:1", ":00:2:N:2") if self.media else _TAN_WAYS
        further = [
            must.split(":", 3)[3].replace("910", str(911 + at), 1).replace("chipTAN", name)
            for at, name in enumerate(self.ways)
        ]
        reply.add("HITANS", 6, "1+1+1+" + ":".join([must, *further]), number)
        needs = "J" if self.tan else "N"
        with_tan = "".join(f":{kind}:{needs}" for kind in ("HKCAZ", "HKKAZ", *sorted(_TRANSFERS)))
        reply.add("HIPINS", 1, f"1+1+0+5:20:6:::HKSPA:N{with_tan}", number)
        reply.add("HITABS", 4, "1+1+0", number)
        if self.camt or self.pending:
            reply.add("HICAZS", 1, f"1+1+0+90:N:N:{_CAMT}", number)
        if self.mt940:
            reply.add("HIKAZS", 6, "1+1+0+90:N:N", number)
        if self.takes_transfers:
            reply.add("HICCSS", 1, "1+1+0", number)
            reply.add("HICCMS", 1, "1+1+0+1000:J:N", number)
            names = ":".join(f"urn?:iso?:std?:iso?:20022?:tech?:xsd?:{each}" for each in self.formats)
            reply.add("HISPAS", 1, f"1+1+0+J:N:N:{names}", number)
        if self.payee or self.payee_report:
            reply.add("HIVPPS", 1, f"1+1+0+99:N:V:J:N:{_REPORT}:HKCCS:HKCCM", number)

    def _check_payee(self, reply: _Reply, number: str, orders: list[Order]) -> None:
        self._payee_accepted = False
        if self.payee_pending:
            self.payee_pending -= 1
            reply.add("HIVPP", 1, b"++@4@POLL", number)
            return
        if self.payee_report:
            reply.add("HIVPP", 1, b"@4@VOP1+++" + _REPORT.encode() + b"+" + _binary(self.payee_report), number)
        else:
            reply.add("HIVPP", 1, f"@4@VOP1+++++::{self.payee_name}::{self.payee}+Bitte pruefen", number)
        self._payee_accepted = self.payee == "RCVC" and any(kind in _TRANSFERS for kind, _, _ in orders)

    def _execute(self, reply: _Reply, number: str) -> None:
        self.executed.append(self._order)
        reply.add("HIRMS", 2, "0020::Auftrag ausgefuehrt", number)

    def _tan(self, reply: _Reply, order: Order, orders: list[Order], tan: str) -> None:
        _, number, fields = order
        about = fields[1] if len(fields) > 1 else ""
        if self.media and fields[0] == "4":
            self.named_media.append(fields[-1])
        wanted = about in ("HKCAZ", "HKKAZ") or about in _TRANSFERS or (about == "HKIDN" and self.login_tan)
        if fields[0] == "4" and wanted:
            self._begin_tan(reply, number, about, orders)
        elif fields[0] == "4":
            reply.add("HIRMS", 2, "3076::Starke Kundenauthentifizierung nicht notwendig", number)
        elif fields[0] == "S" and self._polls < self.app_approves_after:
            self._polls += 1
            reply.add("HIRMS", 2, "3956::Noch nicht freigegeben", number)
            reply.add("HITAN", 6, "S++REF-1", number)
        elif fields[0] == "2" and tan != self.tan:
            reply.add("HIRMS", 2, "9941::TAN ungueltig", number)
        else:
            self._approved = True
            reply.add("HITAN", 6, f"{fields[0]}++REF-1", number)
            for held in self._held:
                if held[0] in _TRANSFERS:
                    self._execute(reply, number)
                else:
                    self._statements(reply, held)

    def _begin_tan(self, reply: _Reply, number: str, about: str, orders: list[Order]) -> None:
        if about in _TRANSFERS:
            self._order = self._contents[-1]
            if (self.payee or self.payee_report) and not self._payee_accepted:
                reply.add("HIRMS", 2, "3945::Freigabe ohne VOP-Bestaetigung nicht moeglich", number)
                return
        elif self._approved:
            reply.add("HIRMS", 2, "3076::Starke Kundenauthentifizierung nicht notwendig", number)
            return
        self._held = [each for each in orders if each[0] in ("HKCAZ", "HKKAZ") or each[0] in _TRANSFERS]
        code = "3955" if self.decoupled else "0030"
        reply.add("HIRMS", 2, f"{code}::Auftrag empfangen", number)
        drawn = b""
        if self.picture:
            kind = b"image/png"
            drawn = len(kind).to_bytes(2, "big") + kind + len(self.picture).to_bytes(2, "big") + self.picture
        text = b"4++REF-1+Bitte den Abruf der Umsaetze freigeben"
        reply.add("HITAN", 6, text + (b"+" + _binary(drawn) if drawn else b""), number)

    def _statements(self, reply: _Reply, order: Order) -> None:
        """One file per message, with the point where the next one begins."""
        kind, number, fields = order
        iban = fields[0].partition(":")[0] if fields[0].partition(":")[0] in self.others else self.iban
        files = self.others.get(iban, self.camt) if kind == "HKCAZ" else self.mt940
        if iban in self.others and not files:
            reply.add("HIRMS", 2, "3010::Es liegen keine Umsaetze vor", number)
            return
        at = int(fields[-1]) if kind == "HKCAZ" and len(fields) == 7 else 0
        at = int(fields[-1]) if kind == "HKKAZ" and len(fields) == 6 else at
        if at + 1 < len(files):
            reply.add("HIRMS", 2, f"3040::Es liegen weitere vor:{at + 1}", number)
        waiting = b"+" + _binary(self.pending) if self.pending and at == 0 else b""
        if kind == "HKCAZ":
            account = f"{iban}:MARKDEF1100".encode()
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


def _without_binaries(message: bytes) -> tuple[bytes, list[bytes]]:
    """The message with @0@ in the place of the files in it, and these; the envelope's own content stays."""
    at = message.index(b"@", message.index(b"HNVSD:")) + 1
    at = message.index(b"@", at) + 1
    plain, contents = [message[:at]], list[bytes]()
    while found := _BINARY.search(message, at):
        end = found.end() + int(found[1])
        contents.append(message[found.end() : end])
        plain.append(message[at : found.start()] + b"@0@")
        at = end
    return b"".join([*plain, message[at:]]), contents


def _binary(content: bytes) -> bytes:
    return f"@{len(content)}@".encode() + content


class _Handler(BaseHTTPRequestHandler):
    bank: ClassVar[FintsBank]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = base64.b64decode(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.bank.answer(message)
        if answer is None:
            self.close_connection = True
            return
        body = base64.b64encode(answer)
        if self.bank.hostile is not None:
            body = self.bank.hostile(self.bank.asked) or body
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
