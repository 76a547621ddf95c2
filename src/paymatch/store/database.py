"""Connections and transactions: one request or job step is one transaction, bound to one shop, closed by the edge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from typing import Final
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from paymatch.domain.shops.audit import UNNAMED, Actor
from paymatch.domain.shops.shop import Shop
from paymatch.store.connection import PipelineConnection
from paymatch.store.sealing import NO_KEYS, Keyring
from paymatch.store.server.pooler import LOCAL, STARTUP, is_pooled
from paymatch.store.transactions import (
    LOCK_WAIT_SECONDS,
    NOT_ACQUIRED,
    AnyTx,
    LockNotAcquired,
    OperatorTx,
    ShopId,
    ShopTx,
    Unreachable,
    run_command,
)
from paymatch.traces import SpanKind, span

_BECOME_SHOP: Final = "SELECT set_config('role', 'paymatch_app', true)"
_BECOME_OPERATOR: Final = "SELECT set_config('role', 'paymatch_operator', true)"


_RECONNECT_SECONDS: Final = 0.5
"""How long the pool retries without a caller, with doubling pauses; later each caller makes it try."""
_TURN_SECONDS: Final = 1.0
SILENCE: Final = {
    "connect_timeout": "3",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""libpq's parameters for noticing within seconds that a machine has vanished."""


class Database:
    """The pool, and the actor of its transactions.

    `at_boundary` is called around every commit that writes: fault tests stop the process there.
    """

    def __init__(
        self,
        url: str,
        *,
        size: int = 8,
        at_boundary: Callable[[str], None] | None = None,
        timeout: float = 30,
        actor: Actor = UNNAMED,
        keyring: Keyring = NO_KEYS,
    ) -> None:
        self.keyring = keyring
        self.at_boundary = at_boundary
        self.url = url
        self.actor = actor
        self._size = size
        self._timeout = timeout
        self._pool: ConnectionPool[PipelineConnection] = ConnectionPool(
            url,
            connection_class=PipelineConnection,
            min_size=1,
            max_size=size,
            open=True,
            timeout=timeout,
            configure=_look_for_pooler,
            reconnect_timeout=_RECONNECT_SECONDS,
            kwargs={
                **_noticing_silence(url),
                "autocommit": True,
                "options": STARTUP,
                "application_name": "paymatch",
                "prepare_threshold": None,
            },
        )

    def close(self) -> None:
        self._pool.close()

    def acting_as(self, actor: Actor) -> Database:
        """The same database, with `actor` in its transactions. Closing one closes both."""
        found = copy(self)
        found.actor = actor
        return found

    @contextmanager
    def of_shop(
        self, shop: Shop | ShopId, lock_wait_seconds: int = LOCK_WAIT_SECONDS, *, at: datetime | None = None
    ) -> Iterator[ShopTx]:
        """A transaction that sees the rows of one shop only, at a moment. A caller that knows the shop hands it in.

        Commits on the way out, rolls back on any exception. LockNotAcquired when a lock was not available.
        """
        known = shop if isinstance(shop, Shop) else None
        shop_id = ShopId(shop.id) if isinstance(shop, Shop) else shop
        with self._transaction(ShopTx, shop_id, lock_wait_seconds) as tx:
            tx.shop_id, tx._shop, tx.wall_time = shop_id, known, tx.clock() if at is None else at
            yield tx

    @contextmanager
    def of_all_shops(self, lock_wait_seconds: int = LOCK_WAIT_SECONDS) -> Iterator[OperatorTx]:
        """The operator's view over all shops. Commits and rolls back as `of_shop` does."""
        with self._transaction(OperatorTx, None, lock_wait_seconds) as tx:
            yield tx

    @contextmanager
    def _transaction(self, kind: type[AnyTx], shop: ShopId | None, lock_wait_seconds: int) -> Iterator[AnyTx]:
        """A transaction of this kind.

        Commits on the way out, rolls back on any exception. LockNotAcquired when a lock was not available.
        """
        measured, begun = (
            span("transaction", SpanKind.CLIENT, alone=False, db__system__name="postgresql"),
            time.monotonic(),
        )
        with measured, self._connection() as connection:
            wrote = False
            tx = kind(
                connection, lock_wait_seconds, self.actor, keyring=self.keyring,
                ends_early=self.at_boundary is None, begun=begun,
            )  # fmt: skip
            tx.put("BEGIN")
            if connection.pipe.is_pooled:
                tx.put(LOCAL)
            tx.put(_BECOME_OPERATOR if shop is None else _BECOME_SHOP)
            tx.set_local("lock_timeout", f"{lock_wait_seconds}s")
            if shop is not None:
                tx.set_local("paymatch.shop", UUID.__str__(shop))  # TypeError for anything but a UUID
            try:
                yield tx
                if self.at_boundary is not None:
                    tx.do_endings()
                    if wrote := tx.has_written():
                        self.at_boundary("before commit")
                tx.commit()
            except BaseException as error:
                _roll_back(connection)
                if isinstance(error, NOT_ACQUIRED):
                    raise LockNotAcquired from error
                if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
                    connection.close()  # this node is now a standby: the next connection finds the primary
                    raise Unreachable(
                        "the database takes no changes: a standby answers instead of the primary"
                    ) from error
                raise
        if self.at_boundary is not None and wrote:
            self.at_boundary("after commit")

    @contextmanager
    def _connection(self) -> Iterator[PipelineConnection]:
        """A connection of the pool. A dead one is replaced."""
        connection = self._next_connection()
        for _ in range(self._size):  # after a restart of the server all of the pool may be dead
            if connection.pipe.is_alive():
                break
            connection.close()
            self._pool.putconn(connection)
            connection = self._next_connection()
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _next_connection(self) -> PipelineConnection:
        """A connection of the pool. While the database is down each turn tries again: its own retries slow down."""
        ends = time.monotonic() + self._timeout
        while True:
            left = ends - time.monotonic()
            try:
                return self._pool.getconn(min(left, _TURN_SECONDS))
            except PoolTimeout:
                if left <= _TURN_SECONDS:
                    raise


def login_parts(url: str) -> dict[str, str]:
    """The parts of a database's URL by libpq's names: dbname, user, password, host, port, sslmode ..."""
    return {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}


def _look_for_pooler(connection: PipelineConnection) -> None:
    """Called for each new connection of the pool."""
    connection.pipe.is_pooled = is_pooled(connection)


def _noticing_silence(url: str) -> dict[str, str]:
    """SILENCE, without parameters that the URL sets."""
    given = login_parts(url)
    return {name: value for name, value in SILENCE.items() if name not in given}


def _roll_back(connection: PipelineConnection) -> None:
    if connection.pgconn.transaction_status == TransactionStatus.IDLE:  # nothing was sent, or all is committed
        return
    try:
        run_command(connection, b"ROLLBACK")
    except psycopg.Error:
        connection.close()
