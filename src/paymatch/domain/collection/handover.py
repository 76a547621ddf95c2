"""When an order goes to collection or lapses, or why it does not (D-54, D-42): as strict as reminders."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import chain

from paymatch.domain.calendar import day_begins, today_in
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.payment_date import last_warning
from paymatch.domain.reminders.policy import (
    BankData,
    OrderToRemind,
    PlannedReminder,
    Postponed,
    Why,
    is_stopped,
    may_be_paid,
    owes_nothing,
    waits_for_letter,
)


@dataclass(frozen=True, slots=True)
class HandoverTerms:
    """Shop-wide inputs of these decisions; `after_days` since the last warning, None: switched off."""

    plan: DunningPlan
    after_days: int | None
    bank: BankData
    now: datetime
    timezone: str


def handover(order: OrderToRemind, terms: HandoverTerms) -> PlannedReminder | Postponed:
    """When the order goes to the agency (`level`: that of its last reminder), or why it does not."""
    return _after(order, last_warning(order, terms.plan), terms)


def lapse(order: OrderToRemind, terms: HandoverTerms, *, reminded: bool) -> PlannedReminder | Postponed:
    """When an entirely unpaid prepayment order is given up, or why it is not (D-42).

    The days count from the last mail: the last reminder where the shop sends any (`reminded`), or payment information.
    """
    if order.type != "PREPAYMENT":
        return Postponed(Why.NOT_MANAGED, f"orders of type {order.type} do not lapse", named={"type": order.type})
    if order.status is PaymentStatus.PAID_PARTIAL:
        return Postponed(Why.SETTLED, "a part of the order is paid", named={"status": order.status})
    informed = today_in(terms.timezone, order.informed_at) if order.informed_at else None
    return _after(order, last_warning(order, terms.plan) if reminded else informed, terms)


def lapses_after_mail(
    order: OrderToRemind,
    plan: DunningPlan,
    after_days: int | None,
    sent: PlannedReminder,
    today: date,
    *,
    reminded: bool,
) -> date | None:
    """The first day on which the order may lapse if `sent` is its last mail before that; None if it is not (D-42)."""
    if after_days is None or order.type != "PREPAYMENT" or order.status is not PaymentStatus.UNPAID:
        return None
    is_last = sent.level >= len(plan.levels) if reminded else sent.level == 0
    return today + timedelta(days=after_days) if is_last and not sent.corrects else None


def _after(order: OrderToRemind, warned: date | None, terms: HandoverTerms) -> PlannedReminder | Postponed:
    """The moment some days after the last warning, unless something speaks against it."""
    for hold in chain(owes_nothing(order), is_stopped(order), waits_for_letter(order)):
        return hold
    if terms.after_days is None:
        return Postponed(Why.OFF, "it is switched off")
    if warned is None:
        text = f"the last of {len(terms.plan.levels)} mails has not gone out"
        return Postponed(Why.LEVELS_LEFT, text, named={"levels": str(len(terms.plan.levels))})
    begins = day_begins(warned + timedelta(days=terms.after_days), terms.timezone)
    at = terms.plan.sending_moment(begins, terms.timezone)
    if at <= terms.now:
        for hold in may_be_paid(order, terms.plan, terms.bank, terms.now, terms.timezone):
            return hold
    return PlannedReminder(order.dunning_level, at)
