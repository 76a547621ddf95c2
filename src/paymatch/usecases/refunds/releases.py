"""Releases: a person releases a refund that is not sent automatically (D-37)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.refunds.money_out import WAITS_FOR_RELEASE, RefundFacts, ReleaseFacts, hold_reason, persons_needed
from paymatch.domain.refunds.refunds import HoldReason, RefundRefused, RefundStatus, RefundUnknown
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import Actor, AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message, Sum, Value
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import clearance as store
from paymatch.store.refunds import refunds, transfers
from paymatch.store.refunds.refunds import PayerAccount, RefundRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.clearance import (
    RefundInputs,
    comparable_minor,
    debited_account,
    load_inputs,
    named_payee,
    payee_of,
    transfer_facts,
)
from paymatch.usecases.shops.cooling_off import check_person, limits_of, waiting_changes

RELEASE_LOCK_SECONDS = 60
"""How long a release waits for a run of the same shop, or for calls on the orders."""


@dataclass(frozen=True, slots=True)
class Released:
    """A refund that a person has released; amount in minor units, `iban` the account that may receive it."""

    refund_id: str
    order_number: str
    amount_minor: int
    currency: str
    iban: str
    holder: str
    released_by: tuple[str, ...]
    persons_needed: int

    @property
    def waits_for_another(self) -> bool:
        """True if a second person also has to release it."""
        return len(self.released_by) < self.persons_needed


def person_of(actor: Actor) -> str:
    """The name under which a release is recorded: two actors are two people."""
    return f"{actor.kind}:{actor.name}"


def brought_up_to_date(database: Database, shop: Shop, refund_ids: Sequence[str], clock: datetime) -> list[RefundRow]:
    """The refunds with their present accounts, in the order requested: the data that a person checks.

    RefundUnknown; RefundRefused for one that is not NEW or has no account; LockNotAcquired.
    """
    with _lock_refunds(database, shop, refund_ids) as (tx, rows):
        inputs = load_inputs(tx, list(rows.values()))
        for refund_id, row in rows.items():
            payee = _payee(row, inputs)
            if payee.iban != row.iban:  # its account no longer has a claim on the order's money
                refunds.set_account(
                    tx, refund_id, payee, row.status, shop.now(clock), given=row.iban_given
                )  # fmt: skip
        current = {row.id: row for row in refunds.lock_named(tx, (), refund_ids)}
    return [current[each] for each in dict.fromkeys(refund_ids)]


def release(
    database: Database, shop: Shop, seen: Mapping[str, int], person: str, clock: datetime
) -> list[Released]:  # fmt: skip
    """Releases refunds, all or none; the next run sends them. `seen`: id -> the version of the account that the person
    has checked. Between check and release someone may have named another account.

    A release is for this amount, this account and this attempt: another account needs another release. Repeating it
    changes nothing. RefundUnknown; RefundRefused for a person whose permission is new (D-58), for a refund that is not
    NEW, has no account or a different one than seen; LockNotAcquired.
    """
    now, today = shop.now(clock), shop.today(clock)
    brought_up_to_date(database, shop, list(seen), clock)
    with _lock_refunds(database, shop, list(seen)) as (tx, rows):
        check_person(tx)
        numbers = sorted({row.order_number for row in rows.values()})
        inputs = load_inputs(tx, refunds.pending_of(tx, numbers))
        found = [_release(tx, rows[each], version, inputs, person, today, now) for each, version in seen.items()]
        shop_jobs.wake(tx, ALERTS, now)
    return found


@contextmanager
def _lock_refunds(
    database: Database, shop: Shop, refund_ids: Sequence[str]
) -> Iterator[tuple[ShopTx, dict[str, RefundRow]]]:
    """A transaction with these refunds locked, the present shop, and the refunds."""
    with database.of_shop(shop, RELEASE_LOCK_SECONDS) as tx:
        transfers.lock_runs(tx)
        shop_store.present(tx)
        numbers = set[str]()
        for refund_id in refund_ids:
            number = refunds.order_of(tx, refund_id)
            if number is None:
                raise RefundUnknown(refund_id)
            numbers.add(number)
        order_store.lock(tx, sorted(numbers))
        yield tx, {row.id: row for row in refunds.lock_named(tx, (), refund_ids)}


def _payee(row: RefundRow, inputs: RefundInputs) -> PayerAccount:
    """The refund's account. RefundRefused if it cannot be released."""
    if row.status is not RefundStatus.NEW:
        raise RefundRefused(Message("refund-could-not-release-refund", id=row.id, status=row.status))
    payee = payee_of(row, inputs)
    if payee is None:
        raise RefundRefused(Message("refund-could-not-release-details", id=row.id, no_details=HoldReason.NO_DETAILS))
    return payee


def _release(
    tx: ShopTx, row: RefundRow, seen: int, inputs: RefundInputs, person: str, today: date, now: datetime
) -> Released:
    payee = _payee(row, inputs)
    if row.account_version != seen or payee.iban != row.iban:
        raise RefundRefused(Message("refund-account-changed", refund=row.external_reference))
    store.add_release(tx, row, person, now)
    released_by = tuple(sorted(store.valid_releases(tx, [row.id])[row.id]))
    comparable, limits = comparable_minor(tx.shop, row), limits_of(tx.shop, waiting_changes(tx))
    found = Released(
        row.id, row.order_number, row.amount_minor, row.currency, payee.iban, payee.holder, released_by,
        persons_needed(comparable, limits),
    )  # fmt: skip
    transfer = transfer_facts(row, named_payee(row, inputs), debited_account(row, inputs), inputs)
    facts = RefundFacts(
        row.id in inputs.covered,
        transfer if row.planned_date <= today else None,
        ReleaseFacts(comparable, limits, frozenset(released_by)),
    )
    details = {"amountMinor": row.amount_minor, "account": masked_account(payee.iban), "by": person}
    record(tx, tx.shop, AuditAction.REFUND_RELEASED, row.id, after=details)
    refunds.hold(tx, {row.id: hold_reason(facts, now) or ""})
    return found


def waiting_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per due refund that needs a person, with the reason."""
    for row in refunds.held_refunds(tx, [str(reason) for reason in HoldReason if reason.needs_a_person]):
        values: dict[str, Value] = {
            "refund": row.reference, "amount": Sum(row.amount_minor, row.currency), "order": row.order_number,
            "reason": HoldReason(row.reason).message,
        }  # fmt: skip
        waits = row.reason in WAITS_FOR_RELEASE
        said = Message("alert-refund-waits", **values) if waits else Message("alert-refund-held", **values)
        yield Alert(AlertKind.REFUND_HELD, f"{row.id} {row.attempt}", said)
