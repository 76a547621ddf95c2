"""Refunds for people: their stages, why each waits, the transfer files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from paymatch.domain.money import EUR
from paymatch.domain.refunds.money_out import DAY, WAITS_FOR_RELEASE
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.domain.refunds.transfers import TransferKind, goes_at_once
from paymatch.domain.shops.cooling_off import CoolingChange
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.refunds import cooling_off as cooling_store
from paymatch.store.refunds import refund_list as store
from paymatch.store.refunds.refund_list import RefundFilter
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds.clearance import ArrivedSums, HeldPayee, arrived_beside

BOOKED_DAYS: Final = 30
"""The number of days for which executed refunds are counted."""
_PAYEE: Final = ("id", "order_number", "currency", "iban", "held_reason")
_REASONS: Final = tuple(sorted(str(reason) for reason in WAITS_FOR_RELEASE))


class Stage(StrEnum):
    """The stage of a refund, for people."""

    MISSING = "missing"  # the customer's IBAN
    PLANNED = "planned"
    RELEASE = "release"  # a person must release it (D-37)
    FILE = "file"
    BOOKED = "booked"
    BACK = "back"  # returned or rejected
    ENDED = "ended"  # cancelled, or of another system


_STATUSES: Final[Mapping[Stage, tuple[RefundStatus, ...]]] = {
    Stage.MISSING: (RefundStatus.BANKDETAILS_MISSING,),
    Stage.PLANNED: (RefundStatus.NEW,),
    Stage.RELEASE: (RefundStatus.NEW,),
    Stage.FILE: (RefundStatus.IN_PROCESS,),
    Stage.BOOKED: (RefundStatus.PROCESSED,),
    Stage.BACK: (RefundStatus.RETURNED, RefundStatus.ERROR),
    Stage.ENDED: (RefundStatus.CANCELLED, RefundStatus.LEGACY),
}
_WAITS: Final = {Stage.RELEASE: True, Stage.PLANNED: False}


def stage_of(status: RefundStatus, *, waits: bool) -> Stage:
    """The stage of a refund; `waits` for a person's release."""
    if waits and status is RefundStatus.NEW:
        return Stage.RELEASE
    return next(stage for stage, statuses in _STATUSES.items() if status in statuses)


@dataclass(frozen=True, slots=True)
class StageSum:
    """The number of refunds in a stage, and the sum of those in the shop's currency in minor units."""

    stage: Stage
    refunds: int
    minor: int


def find_refunds(tx: ShopTx, *stages: Stage, text: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Refunds of these stages, or all, the last filed first unless sorted.

    PLANNED and RELEASE share a status, and must be requested separately.
    """
    assert len(stages) < 2 or not _WAITS.keys() & set(stages), "a stage of its own"
    statuses = tuple(str(status) for stage in stages for status in _STATUSES[stage])
    waits = _WAITS.get(stages[0]) if stages else None
    return store.page(tx, RefundFilter(statuses, waits, _REASONS, text), asked)


def waiting_refunds(tx: ShopTx, limit: int) -> tuple[list[tuple[dict[str, Any], ArrivedSums]], list[dict[str, Any]]]:
    """(refunds that a person must release, each with the received sums (D-37); those that need an account).

    Both limited, the last filed first.
    """
    release = RefundFilter(_STATUSES[Stage.RELEASE], waits=True, reasons=_REASONS)
    account = RefundFilter((*_STATUSES[Stage.MISSING], *_STATUSES[Stage.BACK]), reasons=_REASONS)
    rows = store.two_pages(tx, release, account, limit)
    held = [row for row in rows if row["status"] in _STATUSES[Stage.RELEASE]]
    sums = arrived_beside(tx, [HeldPayee(*(row[name] for name in _PAYEE)) for row in held])
    return [(row, sums[row["id"]]) for row in held], [row for row in rows if row not in held]


def goes_instantly(row: Mapping[str, Any], of_shop: str) -> bool | None:
    """Whether a listed refund asks for instant execution; None for other currencies, which have no speed."""
    if row["currency"] != EUR:
        return None
    return goes_at_once(row["speed"], of_shop, row["attempt"], TransferKind.SEPA)


def pipeline(tx: ShopTx) -> list[StageSum]:
    """All stages in order; executed refunds only of the last BOOKED_DAYS."""
    since = tx.today - timedelta(days=BOOKED_DAYS)
    found = {stage: [0, 0] for stage in Stage}
    for row in store.sums(tx, _REASONS, tx.shop.currency, since):
        stage = found[stage_of(RefundStatus(row["status"]), waits=row["waits"])]
        stage[0] += row["refunds"]
        stage[1] += row["minor"]
    return [StageSum(stage, *sums) for stage, sums in found.items()]


def sent_and_powers(tx: ShopTx) -> tuple[int, list[CoolingChange]]:
    """(the sum sent automatically in the last 24 hours, the loosened limits that do not count yet).

    The sum is in minor units of the shop's currency, and counts against the day's limit.
    """
    now = tx.now
    sent, powers = cooling_store.sent_and_waiting(tx, tx.shop.currency, now - DAY, tx.clock())
    return sent, [] if tx.shop.sandbox else powers


def files(tx: ShopTx, *, text: str = "", state: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Transfer files with their SHA-256, without their content, the last first unless sorted.

    `text` is a part of the file's name; `state` is waiting, answered or discarded, "" for all.
    """
    found = store.files(tx, text, state, asked)
    return found.map(lambda row: row | {"sha256": hashlib.sha256(row.pop("content")).hexdigest()})
