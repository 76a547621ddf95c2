"""Begins and ends replays: a separate shop with the settings of the real one that sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message, message_of
from paymatch.store import ids
from paymatch.store.database import Database
from paymatch.store.payouts import payouts
from paymatch.store.reminders import mails
from paymatch.store.replays import replays as store
from paymatch.store.replays.replays import PartKind, ReplayPart, ReplayStatus
from paymatch.store.sandbox import sandbox
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.replays.reading import refuse_large_orders
from paymatch.usecases.shops import shops
from paymatch.usecases.work.sandbox_clock import hold_due_work

_BEFORE_ALL: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""The clock's position until the files are read."""
_UPLOAD: Final = timedelta(minutes=10)
"""How long the shop of a replay whose files are being stored is held; a process that dies leaves it to be erased."""
_COPIED: Final = (
    "caution", "tolerance", "fee-tolerance", "cash-discount", "bank-charge-percent", "bank-charge-limit",
    "invoice-terms", "reminder-minimum", "learning", "language",
)  # fmt: skip
_QUIET: Final = {"reminders": "on", "payment-information": "off", "payment-thanks": "off", "callbacks": "off",
                 "letters": "off", "refund-runs": "off", "refund-requests": "off", "api": "off"}  # fmt: skip
"""Reminders are written and kept, as in every sandbox shop; nothing is sent."""


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """A file as it was given."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ReplayFiles:
    """The input of a replay: orders, a year of statements, and another system's decisions if known."""

    orders: Sequence[ReplayFile]
    statements: Sequence[ReplayFile]
    decisions: Sequence[ReplayFile] = ()

    def parts(self) -> list[ReplayPart]:
        """The stored files until they are read."""
        kinds = (
            (PartKind.ORDERS_FILE, self.orders), (PartKind.STATEMENT_FILE, self.statements),
            (PartKind.DECISIONS_FILE, self.decisions),
        )  # fmt: skip
        return [
            ReplayPart(kind, place, file.name[:200], 0, file.content)
            for kind, files in kinds
            for place, file in enumerate(files, 1)
        ]


def begin(database: Database, shop: Shop, files: ReplayFiles, clock: datetime) -> None:
    """Begins a replay of the shop; the worker or `playing.play` plays it.

    SandboxRefused if the shop has one, or if orders or statements are missing. FileRefused if a file has more orders
    than a replay takes.
    """
    if not files.orders or not files.statements:
        raise SandboxRefused(Message("replay-files-missing"))
    for file in files.orders:
        refuse_large_orders(file.name, file.content)
    with database.of_shop(shop, at=clock) as tx:
        if store.find(tx) is not None:
            raise SandboxRefused(Message("replay-exists"))
        new_id = ids.new_shop_id()
        if not store.add(tx, new_id, clock):
            raise SandboxRefused(Message("replay-exists"))
    # From here on a process that dies leaves a replay to be erased: no shop with a customer's data is ever forgotten.
    new = _new_shop(database, shop, new_id, clock)
    with database.of_shop(new, at=clock) as tx:
        sandbox.keep_holding(tx, clock + _UPLOAD)
    with database.of_shop(new, at=clock) as tx:
        for part in files.parts():
            store.add_part(tx, store.WHOLE, part)
            tx.send()
        sandbox.keep_holding(tx, None)
    with database.of_shop(shop, at=clock) as tx:
        begun = store.set_reading(tx, new.id)
        if begun:
            after = {"files": [part.name for part in files.parts()]}
            record(tx, shop, AuditAction.REPLAY_BEGUN, str(new.id), after=after)
    if not begun:
        with database.of_shop(new, at=clock) as tx:
            sandbox.delete_shop(tx)
        raise SandboxRefused(Message("replay-erased"))


def _new_shop(database: Database, shop: Shop, new_id: UUID, clock: datetime) -> Shop:
    """A sandbox shop with the real one's accounts, layouts, dunning plan and all settings about money."""
    with database.of_shop(shop, at=clock) as tx:
        texts = shops.settings_as_texts(tx)
        accounts, profiles, plan = shop_store.accounts(tx), shop_store.csv_profiles(tx), mails.plan(tx)
        at_providers = payouts.provider_accounts(tx)
    new = shops.create(
        database, shop.name, clock, currency=shop.currency, country=shop.country, timezone=shop.timezone,
        sandbox=True, start=_BEFORE_ALL, with_key=False, shop_id=new_id,
    )  # fmt: skip
    with database.of_shop(new.shop, at=clock) as tx:
        for account in accounts:
            shop_store.add_account(tx, account, clock)
            own = [
                layout for name, currency, layout in profiles if (name, currency) == (account.account, account.currency)
            ]
            shop_store.save_csv_profiles(tx, account.account, account.currency, own)
        for at_provider in at_providers:
            payouts.add_provider_account(tx, at_provider, clock)
        if plan:
            mails.save_plan(tx, plan)
        shops.change(tx, {name: texts[name] for name in _COPIED if texts.get(name)} | _QUIET)
        sandbox.set_silent(tx, silent=True)
    return new.shop


def erase(database: Database, shop: Shop, clock: Callable[[], datetime]) -> bool:
    """Deletes the shop's replay and its results.

    False if it is running: then it is deleted after its present day.
    """
    with database.of_shop(shop, at=clock()) as tx:
        row = store.find(tx, lock=True)
        if row is None:
            return True
        if row.status is not ReplayStatus.ERASING:
            store.set_erasing(tx)
            record(tx, shop, AuditAction.REPLAY_ERASED, str(row.replay_shop))
    return erase_now(database, shop, clock)


def erase_now(database: Database, shop: Shop, clock: Callable[[], datetime]) -> bool:
    """Deletes a replay that a person wants deleted; False if it is running."""
    with database.of_shop(shop, at=clock()) as tx:
        row = store.find(tx)
    if row is None:
        return True
    with database.of_shop(ShopId(row.replay_shop), at=clock()) as tx:
        played_in = shop_store.load(tx)
    if played_in is not None:
        try:
            with hold_due_work(database, played_in, clock), database.of_shop(played_in, at=clock()) as tx:
                sandbox.delete_shop(tx)
        except SandboxRefused:
            return False
    with database.of_shop(shop, at=clock()) as tx:
        store.remove(tx)
    return True


def state(tx: ShopTx) -> store.ReplayRow | None:
    """The shop's present replay; None if it has none."""
    return store.find(tx)


def has_expired(row: store.ReplayRow, clock: datetime) -> bool:
    """Whether the replay's result was kept long enough."""
    return row.finished_at is not None and row.finished_at <= clock - store.KEPT


def erased_on(shop: Shop, row: store.ReplayRow) -> date | None:
    """The day on which a finished replay is erased, in the shop's time zone; None before its end."""
    return None if row.finished_at is None else shop.day_of(row.finished_at + store.KEPT)


def failure_of(row: store.ReplayRow) -> Message:
    """Why a replay has no result: a file cannot be read, or it is not finished."""
    return message_of(msgspec.json.decode(row.error)) if row.error else Message("replay-not-finished")


def refused_orders(row: store.ReplayRow) -> list[tuple[int, Message]]:
    """(place in its file, reason) of the first orders that were left out."""
    return [(each["place"], message_of(each["why"])) for each in msgspec.json.decode(row.notes or "[]")]
