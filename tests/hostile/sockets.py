"""Bytes that no client should send to a port: requests of all our paths, mutated, cut, doubled, with wrong lengths."""

from __future__ import annotations

import socket
from random import Random
from typing import Final

METHODS: Final = (b"GET", b"POST", b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"TRACE", b"CONNECT", b"get", b"BREW", b"")
PATHS: Final = (
    b"/",
    b"/login",
    b"/healthz",
    b"/readyz",
    b"/metrics",
    b"/docs",
    b"/static/x",
    b"/static/../../etc/passwd",
    b"*",
    b"/api/v2/orders",
    b"/api/v2/order/A%2F1",
    b"/api/v2/openapi.json",
    b"/api/%ff",
    b"//evil.example/",
    b"/%00",
    b"",
    b"/static/area/..%2f..%2fmodels.py",
    b"/operator/",
    b"/p/x",
    b"/login/link/" + b"x" * 5000,
    b"http://x/api/v2/orders",
)
HEADERS: Final = (
    b"Host: x",
    b"Host: a b",
    b"Host:",
    b"Host: x:99999",
    b"Host: x\r\nHost: y",
    b"Content-Length: 5",
    b"Content-Length: -1",
    b"Content-Length: 99999999999999999999",
    b"Content-Length: 0x5",
    b"Content-Length: 5, 5",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: x",
    b"Content-Encoding: gzip",
    b"Expect: 100-continue",
    b"Connection: close",
    b"Upgrade: h2c",
    b"X-Service-API-Key: pm_live_x",
    b"X-Service-API-Key: \xff\xfe",
    b"X-Forwarded-For: " + b"1.2.3.4," * 500,
    b"X-Forwarded-For: ::ffff:x",
    b"X-Forwarded-Proto: https",
    b"Cookie: paymatch_session=" + b"x" * 60,
    b"Cookie: \xff;;==",
    b"Content-Type: multipart/form-data; boundary=" + b"-" * 300,
    b"Authorization: Bearer \xc3",
    b"Range: bytes=0-",
    b"Accept-Language: " + b"x-" * 400,
    b"If-Modified-Since: " + b"9" * 400,
    b"X: " + b"y" * 9000,
    b": empty",
    b"no colon",
)
BODIES: Final = (
    b"",
    b"12345",
    b"5\r\n12345\r\n0\r\n\r\n",
    b"fffffffffffffffff\r\n",
    b"-1\r\n",
    b"[" * 100,
    b"\x00" * 50,
)
SECONDS: Final = 10.0


def request(random: Random) -> bytes:
    """Some bytes, most of which a server could take for a request."""
    version = random.choice((b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/9.9", b"", b"PRI"))
    lines = [b" ".join((random.choice(METHODS), random.choice(PATHS), version))]
    lines += random.sample(HEADERS, random.randrange(6))
    whole = b"\r\n".join([*lines, b"Connection: close", b"", b""]) + random.choice(BODIES)
    if random.random() < 0.2:
        place = random.randrange(len(whole) + 1)
        whole = whole[:place] + random.choice((b"\x00", b"\r", b"\n", b" ", b"\xff", b"\r\n\r\n")) + whole[place:]
    return whole[: random.randrange(len(whole) + 1)] if random.random() < 0.1 else whole


def statuses(port: int, sent: bytes) -> list[int]:
    """The status of each answer to these bytes, after which nothing more is sent; TimeoutError if they are held."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        received = b""
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                received += part
        except TimeoutError:
            raise
        except OSError:
            pass  # it was dropped, which is an answer too
    lines = [line for line in received.split(b"\r\n") if line.startswith((b"HTTP/1.1 ", b"HTTP/1.0 "))]
    return [int(line.split(b" ")[1]) for line in lines]
