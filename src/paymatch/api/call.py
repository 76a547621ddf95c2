"""One call of the merchant API: who calls, what was sent, and the transaction that it works in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.shops.api_requests import ApiRequest
from paymatch.domain.shops.shop import Shop
from paymatch.outbound.files import Files
from paymatch.outbound.http import HttpDoor, NullHttp
from paymatch.store.database import Database
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.orders import require
from paymatch.usecases.work.job_kinds import LOCAL_BASE
from paymatch.web import Body

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """A successful answer: bytes, or chunks of a long one."""

    body: bytes | Iterable[bytes]
    media_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """What the edge decides: accepted key headers in lower case, the clock, limits.

    `open_door` opens the gateway for callbacks of a sandbox shop whose clock is moved; by default nothing is sent.
    """

    key_headers: tuple[str, ...]
    clock: Callable[[], datetime]
    invoice_max_bytes: int
    invoice_quota_bytes: int = 10_000_000_000
    open_door: Callable[[], HttpDoor] = NullHttp
    address: Callable[[], str] = lambda: LOCAL_BASE
    """Where the service is reached, for links in mails of a sandbox shop whose clock is moved."""
    record: Callable[[ApiRequest], None] | None = None
    """Takes each request of a caller who is known, once it is answered; it never waits."""
    import_wait_seconds: float = 5.0
    """How long an upload waits for its import; then it is answered with 202 and goes on."""


@dataclass(slots=True)
class ApiCall:
    """What a handler works with. `clock` is the real moment; `today` the day in the shop's time zone."""

    tx: ShopTx
    database: Database
    files: Files
    shop: Shop
    clock: datetime
    params: dict[str, str]
    headers: Mapping[str, str]
    sent: Body
    config: ApiConfig

    @property
    def body(self) -> bytes:
        """The body in memory; what may be very long is read from `sent`."""
        return bytes(self.sent)

    @property
    def number(self) -> str:
        return self.params["orderNumber"]

    @property
    def today(self) -> date:
        return self.shop.today(self.clock)

    def transaction(self) -> AbstractContextManager[ShopTx]:
        """A further transaction, for answers that are written in pages."""
        return self.database.of_shop(self.shop, at=self.clock)


def known_order(tx: ShopTx, params: Mapping[str, str]) -> None:
    """For `needs`: the order that the path names."""
    require(tx, params["orderNumber"])
