"""Writes back to a shop system: from the payment status and the shop's own state to its transitions (D-78).

Only the payment status is written, only from a state in which the shop still waits for it, and never over a state that
someone else has set: that becomes a problem for a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from paymatch.domain.connectors.systems import Connector, ShopSystem
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.words.message import Message

WRITTEN: Final = frozenset(
    {PaymentStatus.PAID, PaymentStatus.PAID_PARTIAL, PaymentStatus.UNPAID, PaymentStatus.CANCELLED}
)
"""Statuses that are written to the shop; the others change nothing there."""

_AWAITING: Final = frozenset({"pending", "on-hold"})
"""States in which WooCommerce waits for a payment."""
_PAID: Final = frozenset({"processing", "completed"})
_CLOSED: Final = frozenset({"cancelled", "refunded", "failed", "trash"})

_FREE: Final = frozenset({"open", "in_progress", "reminded", "authorized", "unconfirmed"})
"""States of a Shopware transaction in which no one has recorded a payment yet."""


@dataclass(frozen=True, slots=True)
class WriteBackStep:
    """A move, in the shop system's words, and the state that it leads to."""

    move: str
    state: str


@dataclass(frozen=True, slots=True)
class WriteBackPlan:
    """The moves, in order; none if the shop's state is right as it is. `problem`: why nothing is moved."""

    steps: tuple[WriteBackStep, ...] = ()
    problem: Message | None = None


@dataclass(frozen=True, slots=True)
class Present:
    """The order in the shop: its state now, the one from before our first move, and those that we have set ourselves.

    The answer to a move may be lost, so `ours` also has the states of moves that were begun.
    """

    state: str
    before: str = ""
    ours: frozenset[str] = frozenset()

    @property
    def is_ours(self) -> bool:
        """Whether the state is one that we have set."""
        return self.state in self.ours


def plan(connector: Connector, status: PaymentStatus, present: Present) -> WriteBackPlan:
    """The moves in the shop that bring its state in line with the payment status."""
    if status not in WRITTEN:
        return WriteBackPlan()
    return _PLANS[connector.system](connector, status, present)


def _plan_changes(status: PaymentStatus, present: Present) -> WriteBackPlan:
    return WriteBackPlan(problem=Message("connector-state-changed", status=str(status), state=present.state))


def _woocommerce(connector: Connector, status: PaymentStatus, present: Present) -> WriteBackPlan:
    """WooCommerce has no state machine: any status can be set, so all checks are here."""
    state, paid = present.state, connector.paid_status
    awaits = state in _AWAITING
    match status:
        case PaymentStatus.PAID:
            if state == paid or state in _PAID:
                return WriteBackPlan()
            if awaits or present.is_ours:
                return WriteBackPlan((WriteBackStep(paid, paid),))
            return _plan_changes(status, present) if state in _CLOSED else WriteBackPlan()
        case PaymentStatus.CANCELLED:
            if state in ("cancelled", "refunded", "trash"):
                return WriteBackPlan()
            return (
                WriteBackPlan((WriteBackStep("cancelled", "cancelled"),))
                if awaits or present.is_ours
                else _plan_changes(status, present)
            )
        case _:
            if awaits or not present.ours:
                return WriteBackPlan()
            if present.is_ours and present.before:
                return WriteBackPlan((WriteBackStep(present.before, present.before),))
            return _plan_changes(status, present)


_TARGETS: Final[Mapping[PaymentStatus, WriteBackStep]] = {
    PaymentStatus.PAID: WriteBackStep("paid", "paid"),
    PaymentStatus.PAID_PARTIAL: WriteBackStep("paid_partially", "paid_partially"),
    PaymentStatus.UNPAID: WriteBackStep("reopen", "open"),
    PaymentStatus.CANCELLED: WriteBackStep("cancel", "cancelled"),
}
_CANCEL: Final = WriteBackStep("cancel", "cancelled")
_REOPEN: Final = WriteBackStep("reopen", "open")


def _shopware(_connector: Connector, status: PaymentStatus, present: Present) -> WriteBackPlan:
    """Shopware's state machine leads from paid to open only by way of cancelled; see docs/connectors.md."""
    target, state = _TARGETS[status], present.state
    if state == target.state or (status is PaymentStatus.UNPAID and state in _FREE):
        return WriteBackPlan()
    if state in _FREE or (status is PaymentStatus.PAID and state == "paid_partially"):
        return WriteBackPlan((target,))
    if not present.is_ours:
        # We have never moved it: a missing payment here does not contradict the shop's state.
        says_nothing = status in (PaymentStatus.UNPAID, PaymentStatus.PAID_PARTIAL) and not present.ours
        return WriteBackPlan() if says_nothing else _plan_changes(status, present)
    if status is PaymentStatus.CANCELLED:
        return WriteBackPlan((_CANCEL,))
    back = (_REOPEN,) if state == "cancelled" else (_CANCEL, _REOPEN)
    return WriteBackPlan(back if status is PaymentStatus.UNPAID else (*back, target))


_PLANS: Final[Mapping[ShopSystem, Callable[[Connector, PaymentStatus, Present], WriteBackPlan]]] = {
    ShopSystem.WOOCOMMERCE: _woocommerce,
    ShopSystem.SHOPWARE: _shopware,
}
