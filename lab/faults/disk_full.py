"""A disk that is full for a while: that of the database with its logs, and that of the files."""

from __future__ import annotations

import http.client
import random
import struct
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from lab.failover.load import Receiver, Shop
from lab.failover.processes import HERE, answers
from lab.faults.installation import Installation
from lab.faults.outcome import LeftOut, Outcome
from lab.faults.traffic import Size, Traffic

_DATABASE_MB: Final = 400
_FILES_MB: Final = 12
_FULL_SECONDS: Final = 25.0
_BACK_SECONDS: Final = 120.0
_BEFORE_SECONDS: Final = 10.0
_INVOICE_BYTES: Final = 200_000


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[None]:
    """A disk of its own at `place`. LeftOut where none may be mounted."""
    place.mkdir(mode=0o711, exist_ok=True, parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0711", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LeftOut(f"no tmpfs can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


@contextmanager
def full(place: Path) -> Iterator[None]:
    """No byte is free inside of the block; what becomes free meanwhile is taken as well."""
    ballast = place / "ballast"
    _fill(ballast)
    try:
        yield
    finally:
        ballast.unlink()


def _fill(ballast: Path) -> None:
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))


def play(folder: Path, port: int, seed: int) -> list[Outcome]:
    """Both disks, one after the other, on one installation each."""
    return [_of_the_database(folder / "a", port, seed), _of_the_files(folder / "b", port, seed)]


def _of_the_database(folder: Path, port: int, seed: int) -> Outcome:
    outcome = Outcome(
        "disk full: database and logs",
        "Nothing acknowledged is lost. What needs the disk is answered with 503 and Retry-After, or not at all;"
        " /healthz answers. PostgreSQL may end; it is started again, and all goes on by itself once there is room.",
    )
    folder.mkdir(mode=0o711)
    with ExitStack() as stack:
        installation = Installation(folder, port, logs=folder / "data")
        stack.enter_context(small_disk(installation.data, _DATABASE_MB))
        receiver = Receiver(installation.callback_port)
        stack.callback(receiver.shutdown)
        stack.enter_context(installation.running())
        traffic = Traffic(installation, receiver, None, seed, Size(bulk=1, live=2))
        traffic.start()
        traffic.wait_for_writes(60)
        time.sleep(_BEFORE_SECONDS)
        healthy = Counter[bool]()
        before = traffic.writes()
        with full(installation.data):
            ends = time.monotonic() + _FULL_SECONDS
            while time.monotonic() < ends:
                _fill(installation.data / "ballast")
                healthy[answers(f"http://{HERE}:{installation.ports[0]}/healthz")] += 1
                time.sleep(0.5)
            meanwhile = traffic.writes() - before
        back = traffic.wait_for_writes(_BACK_SECONDS)
        outcome.seen |= {
            "full_seconds": _FULL_SECONDS, "writes_before": before, "writes_while_full": meanwhile,
            "healthz_while_full": {str(ok): count for ok, count in healthy.items()}, "writes_again_after_seconds": back,
        }  # fmt: skip
        time.sleep(_BEFORE_SECONDS)
        outcome.hold(not healthy[False], f"/healthz was not served {healthy[False]} times")
        outcome.wrong += traffic.ended() + traffic.judged(outcome.seen)
        faults = [text for text in outcome.seen["answers_lost_or_refused"] if text.startswith("500")]
        outcome.hold(not faults, f"answered as a fault of ours: {faults}")
    return outcome


def _of_the_files(folder: Path, port: int, seed: int) -> Outcome:
    outcome = Outcome(
        "disk full: files",
        "An invoice that cannot be kept is answered with 503 and Retry-After, and nothing of it is kept. Orders and"
        " payments go on. Once there is room, so do invoices; each that was acknowledged can be read.",
    )
    folder.mkdir(mode=0o711)
    with ExitStack() as stack:
        installation = Installation(folder, port)
        receiver = Receiver(installation.callback_port)
        stack.callback(receiver.shutdown)
        installation.data.mkdir(mode=0o711)
        stack.enter_context(small_disk(installation.data / "files", _FILES_MB))
        stack.enter_context(installation.running())
        traffic = Traffic(installation, receiver, None, seed, Size(bulk=0, live=1))
        traffic.start()
        traffic.wait_for_writes(60)
        time.sleep(2)
        number = next(iter(traffic.orders()))
        invoices = Invoices(traffic.shop, number, seed)
        first = [invoices.send() for _ in range(5)]
        with full(installation.data / "files"):
            while_full = [invoices.send() for _ in range(10)]
            waited = traffic.wait_for_writes(20)
        afterwards = [invoices.send() for _ in range(5)]
        outcome.hold({*first, *afterwards} == {(200, False)}, f"with room: {Counter([*first, *afterwards])}")
        outcome.hold({*while_full} == {(503, True)}, f"while full (status, Retry-After): {Counter(while_full)}")
        outcome.wrong += invoices.missing() + traffic.ended() + traffic.judged(outcome.seen)
        outcome.seen |= {
            "invoices_kept": len(invoices.kept), "refused_with_503": while_full.count((503, True)),
            "orders_went_on_within_seconds": waited,
        }  # fmt: skip
        drafts = [path.name for path in (installation.data / "files").rglob("*.part")]
        outcome.hold(not drafts, f"half files are left: {drafts}")
    return outcome


class Invoices:
    """Invoices of an order. `kept`: number and content of those that were acknowledged."""

    def __init__(self, shop: Shop, order: str, seed: int) -> None:
        self.kept: dict[str, bytes] = {}
        self._shop = shop
        self._order = order
        self._chance = random.Random(seed)

    def send(self) -> tuple[int, bool]:
        """Sends another one: status, and whether the answer says when to try again."""
        number, content = f"RE-{self._chance.getrandbits(40)}", picture(self._chance)
        body = (
            b'--part\r\nContent-Disposition: form-data; name="file"; filename="invoice.png"\r\n'
            b"Content-Type: image/png\r\n\r\n" + content + b"\r\n--part--\r\n"
        )
        status, again, _ = self._ask("POST", number, body)
        if status == 200:
            self.kept[number] = content
        return status, again

    def missing(self) -> list[str]:
        """Those that were acknowledged and are not what was sent."""
        found = {number: self._ask("GET", number, b"")[2] for number in self.kept}
        return [f"invoice {number} is not what was kept" for number, sent in self.kept.items() if found[number] != sent]

    def _ask(self, method: str, number: str, body: bytes) -> tuple[int, bool, bytes]:
        connection = http.client.HTTPConnection(HERE, self._shop.ports[0], timeout=30)
        headers = {"X-Service-API-Key": self._shop.key, "Content-Type": "multipart/form-data; boundary=part"}
        try:
            connection.request(method, f"/api/v2/order/{self._order}/invoice/{number}", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Retry-After") is not None, answer.read()
        finally:
            connection.close()


def picture(chance: random.Random) -> bytes:
    """A PNG of noise, which no disk packs."""
    side = int((_INVOICE_BYTES / 3) ** 0.5)
    rows = b"".join(b"\0" + chance.randbytes(side * 3) for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(rows, 0)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
