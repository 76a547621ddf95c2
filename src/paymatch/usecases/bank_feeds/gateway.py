"""The gateway to banks by EBICS, and the log of its traffic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.client import EbicsClient
from paymatch.outbound.ebics.failures import EbicsFailed, EbicsOrderRefused, EbicsUncertain, EbicsUnreachable
from paymatch.outbound.ebics.http_transport import HttpTransport
from paymatch.outbound.ebics.keys import BankKeys, SubscriberKeys
from paymatch.outbound.ebics.requests import Subscriber
from paymatch.outbound.http import HttpDoor
from paymatch.store.bank_feeds import connections as store
from paymatch.store.bank_feeds import orders
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.database import Database

EBICS: Final = "ebics"
"""The job for the due work of EBICS connections."""


@dataclass(frozen=True, slots=True)
class EbicsGateway:
    """The gateway; without it no bank is reached."""

    http: HttpDoor | None = None

    def client(
        self, shop: Shop, row: EbicsConnection, keys: SubscriberKeys, clock: datetime, *, unconfirmed: bool = False
    ) -> EbicsClient:
        """A session as the subscriber; `unconfirmed`: before the bank's keys are known. EbicsUnreachable."""
        if self.http is None:
            raise EbicsUnreachable(Message("banks-no-way"))
        bank = None if unconfirmed or not row.bank_keys else BankKeys.from_text(row.bank_keys)
        transport = HttpTransport(self.http, row.url, shop.callback_ports)
        return EbicsClient(
            Subscriber(row.host_id, row.partner_id, row.user_id), keys, bank, transport, _running_clock(clock)
        )


NO_EBICS: Final = EbicsGateway()


def open_client(
    database: Database, shop: Shop, row: EbicsConnection, gateway: EbicsGateway, clock: datetime,
    *, unconfirmed: bool = False,
) -> EbicsClient:  # fmt: skip
    """A client with the connection's own keys."""
    with database.of_shop(shop, at=clock) as tx:
        text, _new = store.keys(tx, row.id)
    return gateway.client(shop, row, SubscriberKeys.from_text(text), clock, unconfirmed=unconfirmed)


def _running_clock(clock: datetime) -> Callable[[], datetime]:
    """A clock that runs on from `clock`: banks refuse messages that are some minutes old."""
    began = time.monotonic()
    return lambda: clock + timedelta(seconds=time.monotonic() - began)


@dataclass(slots=True)
class LoggedOrder:
    """An order in progress; its owner reports if the bank had nothing."""

    outcome: str = "done"
    answer: str = ""


@contextmanager
def logged(
    database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, order_type: str,
    *, subject: str = "", file_id: str = "",
) -> Iterator[LoggedOrder]:  # fmt: skip
    """Records the order before it is sent, and the bank's number and answer afterwards."""
    order, client.order_number = LoggedOrder(), ""
    with database.of_shop(shop) as tx:
        order_id = orders.begin(tx, row.id, order_type, client.now, subject=subject, file_id=file_id)
    try:
        yield order
    except EbicsFailed as error:
        order.outcome, order.answer = _outcome_of(error), error.message
        raise
    except Exception as error:
        order.outcome, order.answer = "failed", f"{type(error).__name__}: {error}"[:500]
        raise
    finally:
        with database.of_shop(shop) as tx:
            orders.end(
                tx, order_id, order.outcome, client.now, number=client.order_number, answer=order.answer
            )  # fmt: skip


def _outcome_of(error: EbicsFailed) -> str:
    if isinstance(error, EbicsUncertain):
        return "uncertain"
    return "refused" if isinstance(error, EbicsOrderRefused) else "failed"
