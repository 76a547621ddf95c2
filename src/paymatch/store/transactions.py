"""Transactions on PostgreSQL: of one shop, or of the operator over all shops."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, Final, NewType, Self, TypeVar
from uuid import UUID

import psycopg
from psycopg import Connection
from psycopg.pq.abc import PGresult
from psycopg_pool import PoolTimeout

from paymatch.client_disconnect import is_given_up
from paymatch.clock import utc_now
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import UNNAMED, Actor
from paymatch.domain.shops.shop import Access, Shop, ShopStatus, ShopUnknown
from paymatch.domain.words.message import Message
from paymatch.store.connection import PipelineConnection, Row, Statement, named_rows
from paymatch.store.sealing import NO_KEYS, Keyring, Vault

ShopId = NewType("ShopId", UUID)
AnyTx = TypeVar("AnyTx", bound="Tx")

LOCK_WAIT_SECONDS: Final = 2
"""The longest wait for other calls on the same orders (error of the API: `Could not acquire lock`)."""
_WROTE: Final = "pg_current_xact_id_if_assigned() IS NOT NULL"
_BY_INDEX: Final = {
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",  # it reads all rows of a key before the limit cuts them
    "enable_sort": "off",  # the same: the index has the rows in order
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "plan_cache_mode": "force_custom_plan",  # a plan made while a table was empty reads it whole when it is full
}
# By set_config(), which Citus keeps to itself: of several statements sent as one it would have a node run them all.
_TOGETHER: Final = (
    b"SELECT set_config('statement_timeout', '%ds', true); %s; SELECT set_config('statement_timeout', NULL, true)"
)

Unreachable = psycopg.OperationalError
"""The database is down, or closed the connection: a retry may work in a moment."""

_PASSING: Final = ("08", "40", "53", "55", "57")
"""Classes of errors: connection, rollback for the sake of others, resources, locks, the operator's doing."""

NOT_ACQUIRED: Final = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)


class LockNotAcquired(Refused):
    """Another transaction locked what this one needs for longer than LOCK_WAIT_SECONDS; the caller may try again."""

    def __init__(self) -> None:
        super().__init__(Message("lock-not-acquired"))


def passes(error: Exception) -> bool:
    """Whether a retry may work in a moment: a lock or the database is unavailable now."""
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        return error.sqlstate.startswith(_PASSING)
    if type(error) is psycopg.DatabaseError:  # libpq's own words instead of the server's: the connection is gone
        return True
    return isinstance(error, LockNotAcquired | psycopg.OperationalError | PoolTimeout)


class Tx:
    """A transaction of `actor`. Statements use PostgreSQL's own placeholders ($1, $2 ...).

    Each query is a round trip; it also sends everything deferred until then, including the BEGIN.
    """

    __slots__ = ("_begun", "_connection", "_depth", "_endings", "_ends_early", "_is_last", "_is_over", "_keyring",
                 "_lock_wait_seconds", "_looks_up_by_key", "_waiting", "actor", "clock")  # fmt: skip

    def __init__(
        self,
        connection: PipelineConnection,
        lock_wait_seconds: int,
        actor: Actor = UNNAMED,
        clock: Callable[[], datetime] = utc_now,
        keyring: Keyring = NO_KEYS,
        *,
        ends_early: bool = True,
        begun: float | None = None,
    ) -> None:
        """`ends_early`: whether `commit_with_next` does so, or leaves the commit to the edge.

        `begun`: the moment of `time.monotonic` since when the database has been waited for.
        """
        self._begun = begun
        self._looks_up_by_key = False
        self.actor = actor
        self._keyring = keyring
        self.clock = clock
        self._endings: dict[Callable[[Any, list[Any]], None], list[Any]] = {}
        self._connection = connection
        self._lock_wait_seconds = lock_wait_seconds
        self._waiting: list[Statement] = []
        self._ends_early = ends_early
        self._is_last = self._is_over = False
        self._depth = 0  # of savepoints: a rollback includes inner ones, whose release may be deferred

    def rows(self, statement: str, *params: Any) -> list[Any]:
        """All rows of a statement, each a Row."""
        return self._connection.pipe.rows(self._ask(statement, params))

    def named(self, statement: str, *params: Any) -> list[dict[str, Any]]:
        """All rows of a statement for a page or document: column -> value."""
        return [row._asdict() for row in self.rows(statement, *params)]

    def text(self, statement: str, *params: Any) -> bytes | None:
        """The text in the first column of the first row as PostgreSQL sent it, in UTF-8; None for NULL and no row."""
        found = self.texts(statement, *params)
        return found[0] if found else None

    def texts(self, statement: str, *params: Any) -> list[bytes | None] | None:
        """The first row as PostgreSQL sent it: texts in UTF-8, nothing is decoded; None without a row."""
        result = self._ask(statement, params)
        return [result.get_value(0, place) for place in range(result.nfields)] if result.ntuples else None

    def row(self, statement: str, *params: Any) -> Row | None:
        """The first row, or None."""
        found = self.rows(statement, *params)
        return found[0] if found else None

    def value(self, statement: str, *params: Any) -> Any:
        """The first column of the first row, or None."""
        found = self.row(statement, *params)
        return found[0] if found else None

    def run(self, statement: str, *params: Any) -> int:
        """Runs a statement; returns the number of affected rows."""
        return self._ask(statement, params).command_tuples or 0

    def put(self, statement: str, *params: Any) -> None:
        """Runs a statement whose answer is not needed: it is sent with the next one, and fails there."""
        assert not self._is_over
        self._waiting.append(self._connection.pipe.bind(statement, params))

    def set_local(self, name: str, value: str) -> None:
        """Sets a parameter of PostgreSQL until the end of the transaction; `value` is of our own making.

        By SET, which Citus passes on to the node that has the shop's rows; it passes no set_config() on (D-79).
        """
        self.put(f"SET LOCAL {name} = '{value}'")

    def send(self) -> list[PGresult]:
        """Sends deferred statements; returns the answers. Unreachable if the first answer was too late."""
        waiting, self._waiting = self._waiting, []
        answers = self._connection.pipe.ask(waiting) if waiting else []
        if self._begun is not None:
            waited, self._begun = time.monotonic() - self._begun, None
            if is_given_up(waited) and not self._is_over:
                raise Unreachable("no one waits for the answer any more")
        return answers

    def has_written(self) -> bool:
        """Whether the transaction has changed anything; asked in fault tests only.

        On a cluster the coordinator may have changed nothing itself: the nodes with the rows of shops know (D-79).
        """
        here = self.row(f"SELECT {_WROTE}, has_table_privilege('shops', 'SELECT')")
        assert here is not None
        wrote, sees_shops = here
        if wrote or not sees_shops:
            return bool(wrote)
        try:
            with self.savepoint():
                return bool(self.value(f"SELECT bool_or({_WROTE}) FROM shops"))
        except psycopg.errors.ActiveSqlTransaction:  # Citus shows a role no table that another one has changed
            return True

    def commit_with_next(self) -> None:
        """Makes the next statement the last one: it is committed in the same round trip."""
        if self._ends_early:
            self.do_endings()
            self._is_last = True

    def commit(self) -> None:
        """Commits, unless the last statement did; deferred work is done before."""
        if not self._is_over:
            self.do_endings()
            self.put("COMMIT")
            self.send()
            self._is_over = True

    def _ask(self, statement: str, params: Sequence[Any]) -> PGresult:
        self.put(statement, *params)
        if not self._is_last:
            return self.send()[-1]
        self.put("COMMIT")
        self._is_over = True
        return self.send()[-2]

    def wait_for_locks(self, statement: str) -> None:
        """Runs a statement without parameters that takes several locks; LockNotAcquired if together they take too long.

        `lock_timeout` limits the wait for each of them only.
        """
        self.send()
        try:
            run_command(self._connection, _TOGETHER % (self._lock_wait_seconds, statement.encode()))
        except psycopg.errors.QueryCanceled as error:
            raise LockNotAcquired from error

    @contextmanager
    def savepoint(self) -> Iterator[Self]:
        """The transaction itself; what the block did or deferred is undone if it raises.

        LockNotAcquired as outside.
        """
        self._depth += 1
        name = f"alone_{self._depth}"
        self.run(f"SAVEPOINT {name}")
        endings = {what: list(items) for what, items in self._endings.items()}
        try:
            yield self
            self.send()
        except BaseException as error:
            self._endings = endings
            self._waiting.clear()
            if self._connection.pgconn.status == psycopg.pq.ConnStatus.OK:
                run_command(self._connection, f"ROLLBACK TO {name}; RELEASE {name}".encode())
            if isinstance(error, NOT_ACQUIRED):
                raise LockNotAcquired from error
            raise
        else:
            self.put(f"RELEASE {name}")
        finally:
            self._depth -= 1

    def as_of_one_moment(self) -> None:
        """Makes all reads of the transaction as of one moment. Must be its first call."""
        assert self._waiting[0].text == "BEGIN"
        self._waiting[0] = self._connection.pipe.bind("BEGIN ISOLATION LEVEL REPEATABLE READ", ())

    def prefer_indexes(self) -> None:
        """Makes this transaction's plans use indexes, row by row, regardless of statistics.

        For work on few rows of large tables right after they were filled, before they are analysed.
        """
        self._looks_up_by_key = True
        for name, value in _BY_INDEX.items():
            self.set_local(name, value)

    def look_up_by_key(self) -> None:
        """Look-ups in the order of a key go by its index from here on (`key_lookups`); all else is planned as ever."""
        if not self._looks_up_by_key:
            self._looks_up_by_key = True
            self.set_local("enable_sort", "off")

    def do_endings(self) -> None:
        """Does the deferred work of the transaction: none if no shop's rows are written."""

    def stream(self, statement: str, *params: Any, size: int = 1000) -> Iterator[Row]:
        """Rows fetched in batches from a server-side cursor; memory does not grow with their number."""
        self.send()
        with psycopg.RawServerCursor(self._connection, "stream", row_factory=named_rows) as cursor:
            cursor.itersize = size
            cursor.execute(statement, params)
            yield from cursor


SHOP_COLUMNS: Final = """
    s.shop_id AS id, s.name, s.status, s.api, s.access, s.currency, s.country, s.timezone, s.language, s.holder,
    s.sandbox, s.sandbox_now, s.sandbox_stands, s.letters, s.accounts_locked, s.caution, s.learning,
    s.tolerance_minor, s.fee_tolerance_minor, s.discount_basis_points, s.callbacks, s.callback_url,
    s.callback_ports, s.callback_grace_seconds, s.refund_runs, s.reminders, s.payment_information, s.keep_mail_days,
    s.statements_api, s.refund_limit_minor, s.refund_day_limit_minor, s.refund_four_eyes_minor,
    s.letter_print_hour, s.payment_thanks, s.second_factor, s.export_every,
    s.bank_charge_basis_points, s.bank_charge_limit_minor, s.lapse_after_days, s.invoice_terms, s.use_credit"""
"""What `shop_of` builds a shop from: columns of `shops s`."""


class ShopTx(Tx):
    """A transaction that sees the rows of one shop only; made by `Database.of_shop`."""

    __slots__ = ("_shop", "shop_id", "wall_time")

    shop_id: ShopId
    wall_time: datetime
    """The real moment, aware, of the work: the opener's, or when the transaction was opened."""
    _shop: Shop | None

    @property
    def now(self) -> datetime:
        """The shop's moment, aware: a sandbox shop may have a clock of its own (D-34)."""
        return self.shop.now(self.wall_time)

    @property
    def today(self) -> date:
        """The day in the shop's time zone."""
        return self.shop.today(self.wall_time)

    @property
    def shop(self) -> Shop:
        """The shop and its settings, from the opener or read on first use; ShopUnknown."""
        if self._shop is None:
            self._shop = read_shop(self)
        return self._shop

    @shop.setter
    def shop(self, shop: Shop) -> None:
        """Sets re-read or changed settings for the rest of the transaction."""
        assert shop.id == self.shop_id
        self._shop = shop

    def vault(self) -> Vault:
        """The sealer of the shop's values."""
        return self._keyring.vault(self.shop_id)

    def at_end(self, item: Any, write: Callable[[ShopTx, list[Any]], None]) -> None:
        """Calls `write` once right before the commit, with all items deferred for it.

        For writes that block other transactions of the shop: their locks are short, and taken after all others.
        """
        self._endings.setdefault(write, []).append(item)

    def do_endings(self) -> None:
        """Does the deferred work of the transaction."""
        endings, self._endings = self._endings, {}
        for write, items in endings.items():
            write(self, items)


class OperatorTx(Tx):
    """A transaction that sees the rows of all shops; made by `Database.of_all_shops`."""

    __slots__ = ()

    def vault(self, shop: ShopId) -> Vault:
        """The sealer of one shop's values."""
        return self._keyring.vault(shop)


def run_command(connection: Connection[tuple[Any, ...]], command: bytes) -> None:
    """Runs parameterless SQL, several statements in one round trip."""
    result = connection.pgconn.exec_(command)
    if result.status not in (psycopg.pq.ExecStatus.COMMAND_OK, psycopg.pq.ExecStatus.TUPLES_OK):
        if connection.pgconn.status != psycopg.pq.ConnStatus.OK:
            raise psycopg.OperationalError(result.error_message.decode(errors="replace"))
        raise psycopg.errors.error_from_result(result)


def shop_of(columns: dict[str, Any]) -> Shop:
    """The shop from a row of SHOP_COLUMNS."""
    return Shop(**columns | {"status": ShopStatus(columns["status"]), "access": Access(columns["access"])})


def read_shop(tx: ShopTx) -> Shop:
    """The present shop of the transaction; ShopUnknown if there is none."""
    row = tx.row(f"SELECT {SHOP_COLUMNS} FROM shops s WHERE s.shop_id = $1", tx.shop_id)
    if row is None:
        raise ShopUnknown(str(tx.shop_id))
    return shop_of(row._asdict())
