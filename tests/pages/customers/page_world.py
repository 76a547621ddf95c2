"""A shop whose customers open their orders' pages."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit
from wsgiref.util import setup_testing_defaults

from paymatch.outbound.files import DirectoryFiles
from paymatch.pages.customers import CustomerPages
from paymatch.usecases.customers import links
from tests.usecases.refunds.refund_world import RefundWorld

BASE = "https://pay.shop.example"
HERE = "203.0.113.7"


@dataclass(frozen=True)
class Seen:
    """What a browser gets."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The words on the page, without its tags."""
        words = re.sub(r"<(style|script)\b.*?</\1>|<[^>]+>", " ", self.body.decode(), flags=re.DOTALL)
        return " ".join(words.replace("\u00a0", " ").split())

    def field(self, name: str) -> str:
        """The value of a hidden field."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.body.decode())
        assert found is not None, name
        return found[1]


class Customer:
    """A browser with nothing but links."""

    def __init__(self, world: RefundWorld, files: DirectoryFiles) -> None:
        self.world = world
        self.files = files
        self.pages = CustomerPages(world.database, files, world.clock)

    def link(self, number: str) -> str:
        """The path of the order's page."""
        with self.world.database.of_shop(self.world.client.shop, at=self.world.clock.now) as tx:
            return urlsplit(links.hand_out(tx, number, BASE)).path

    def get(self, path: str, address: str = HERE, **headers: str) -> Seen:
        """GET of a path with its query."""
        return self.send("GET", path, None, address, headers)

    def post(self, path: str, fields: Mapping[str, str] | None = None, address: str = HERE, **headers: str) -> Seen:
        """POST of a form."""
        return self.send("POST", path, fields, address, headers)

    def send(
        self, method: str, path: str, fields: Mapping[str, str] | None, address: str, headers: Mapping[str, str]
    ) -> Seen:
        body = urlencode(fields or {}).encode()
        plain, _, query = path.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method, "PATH_INFO": plain, "QUERY_STRING": query, "REMOTE_ADDR": address,
            "wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)),
        }  # fmt: skip
        setup_testing_defaults(environ)
        environ |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        started: list[tuple[str, list[tuple[str, str]]]] = []
        chunks = self.pages(environ, lambda status, heads: started.append((status, heads)))
        content = b"".join(chunks)
        status, heads = started[0]
        return Seen(int(status[:3]), dict(heads), content)
