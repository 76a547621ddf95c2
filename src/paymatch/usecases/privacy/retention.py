"""Retention: deletes old data, a bounded number of rows per transaction (D-32)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.callbacks.deliveries import ATTEMPTS_KEPT
from paymatch.domain.plurals import count_of
from paymatch.domain.shops.api_requests import KEPT
from paymatch.domain.shops.shop import Shop
from paymatch.store.customers import links, refund_requests
from paymatch.store.database import Database
from paymatch.store.orders import order_notes
from paymatch.store.statements import import_runs
from paymatch.store.transactions import ShopTx
from paymatch.store.work import api_requests
from paymatch.store.work import retention as store
from paymatch.usecases.statements.import_runs import RUNS_KEPT

BATCH: Final = 5_000  # rows deleted per transaction
BATCHES: Final = 20  # transactions of one run; the rest is due again at once


@dataclass(frozen=True, slots=True)
class Rule:
    """Data to delete when older than `kept`; `real` uses the real clock even if the shop has its own.

    `kept` None: the shop keeps it for ever.
    """

    one: str  # the counted thing: `1 test event`
    many: str
    kept: Callable[[Shop], timedelta | None]
    forget: Callable[[ShopTx, datetime, int], int]
    real: bool = False
    why: str = ""  # it is kept so long


def _mails_kept(shop: Shop) -> timedelta | None:
    return None if shop.keep_mail_days is None else timedelta(days=shop.keep_mail_days)


RULES: Final[tuple[Rule, ...]] = (
    Rule("attempt of a callback", "attempts of callbacks", lambda _: ATTEMPTS_KEPT, store.forget_attempts,
         why="to find out why a receiver refused"),
    Rule("test event", "test events", lambda _: ATTEMPTS_KEPT, store.forget_test_events, why="they were tries"),
    Rule("invalid API key", "invalid API keys", lambda _: timedelta(days=90), store.forget_keys, real=True,
         why="to see who called with a key that leaked"),
    Rule("replaced signing secret", "replaced signing secrets", lambda _: timedelta(), store.forget_old_secret,
         real=True, why="their overlap is over"),
    Rule("request of the API", "requests of the API", lambda _: KEPT, api_requests.forget, real=True,
         why="to find out why a request was refused"),
    Rule("closed alert", "closed alerts", lambda _: timedelta(days=365), store.forget_alerts,
         why="to see what happens again"),
    Rule("result of an import", "results of imports", lambda _: RUNS_KEPT, import_runs.forget,
         why="the sender of the file asks for it"),
    Rule("file of the simulated bank", "files of the simulated bank", lambda _: timedelta(days=90),
         store.forget_sandbox_files, why="sandbox"),
    Rule("change of an order", "changes of orders", lambda _: timedelta(days=730), order_notes.forget_changes,
         why="to answer what the shop sent before"),
    Rule("message of a mail", "messages of mails", _mails_kept, store.forget_mails,
         why="to show what a customer was sent"),
    Rule("content of a letter", "contents of letters", _mails_kept, store.forget_letters,
         why="to show what a customer was sent"),
    Rule("message about bank details", "messages about bank details", _mails_kept, refund_requests.forget,
         why="to show what a customer was sent"),
    Rule("expired link to an order", "expired links to orders", lambda _: timedelta(days=30), links.forget,
         why="they lead nowhere any more"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The number of deleted rows per rule (by its plural); `more` if the run ended before all were."""

    counts: dict[str, int]
    more: bool

    def in_words(self) -> str:
        """`1 closed alert, 2 test events deleted`; empty if there were none."""
        words = [count_of(self.counts[rule.many], rule.one, rule.many) for rule in RULES if rule.many in self.counts]
        return f"{', '.join(words)} deleted" if words else ""


def forget_old(database: Database, shop: Shop, clock: datetime, *, batch: int = BATCH) -> Forgotten:
    """Deletes old data, up to `batch` rows per transaction."""
    counts: dict[str, int] = {}
    rules = [(rule, kept) for rule in RULES if (kept := rule.kept(shop)) is not None]
    for _ in range(BATCHES):
        with database.of_shop(shop, at=clock) as tx:
            room = batch
            while rules and room:
                rule, kept = rules[0]
                before = (clock if rule.real else shop.now(clock)) - kept
                deleted = rule.forget(tx, before, room)
                room -= deleted
                if deleted:
                    counts[rule.many] = counts.get(rule.many, 0) + deleted
                if room:
                    del rules[0]
        if not rules:
            return Forgotten(counts, more=False)
    return Forgotten(counts, more=True)
