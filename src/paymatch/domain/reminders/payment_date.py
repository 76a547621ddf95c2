"""The payment date of an order: the same on its page, in mails, letters and codes, and in the plan (D-95).

It is a function of the order and the plan alone. A mail asks for the date that is valid once it is sent, so the page
shows the same date afterwards; the next reminder is sent after that date.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from paymatch.domain.calendar import today_in
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.policy import OrderToRemind, PlannedReminder, level_day


@dataclass(frozen=True, slots=True)
class PaymentTerms:
    """Shop-wide inputs of payment dates."""

    plan: DunningPlan
    timezone: str
    lapse_after: int | None = None  # days after which unpaid prepayment orders lapse (D-42); None: never
    reminded: bool = True  # whether the shop sends reminders


def payment_date(order: OrderToRemind, terms: PaymentTerms) -> date:
    """The payment date of the order in its current state.

    The due date; once the customer was asked, at least the plan's `pay_within_days` from then on. It is before the day
    of the next reminder, and no later than the day on which the order lapses. After a letter, the date in the letter
    counts: it was written some days before it was sent.
    """
    found = base = order.base_date(terms.plan)
    asked = _last_asked(order, terms.timezone)
    if asked is not None and asked == _last_letter(order, terms.timezone):
        return order.letter_pay_by or found
    if asked is not None:
        wanted = asked + timedelta(days=terms.plan.pay_within_days)
        if order.dunning_level < len(terms.plan.levels):
            reminded = level_day(order, terms.plan, order.dunning_level + 1, terms.timezone)
            wanted = min(wanted, reminded - timedelta(days=1))
        found = max(base, wanted)
    return min(found, lapse_day(order, terms) or date.max)


def last_warning(order: OrderToRemind, plan: DunningPlan) -> date | None:
    """The day of the plan's last reminder; None until we have sent it."""
    return order.reminded_date if order.dunning_level >= len(plan.levels) else None


def lapse_day(order: OrderToRemind, terms: PaymentTerms) -> date | None:
    """The first day on which the order may lapse; None if it does not, or its last mail was not sent yet (D-42)."""
    if terms.lapse_after is None or order.type != "PREPAYMENT" or order.status is not PaymentStatus.UNPAID:
        return None
    informed = today_in(terms.timezone, order.informed_at) if order.informed_at else None
    warned = last_warning(order, terms.plan) if terms.reminded else informed
    return warned + timedelta(days=terms.lapse_after) if warned is not None else None


def after_mail(order: OrderToRemind, sent: PlannedReminder, timezone: str) -> OrderToRemind:
    """The order after the mail or letter is sent."""
    if sent.thanks:
        return replace(order, thanks_for=None)
    if sent.corrects:
        return replace(order, amount_changed=False, corrected_at=sent.at)
    if sent.level == 0:
        return replace(order, informed_at=order.informed_at or sent.at)
    informed = order.informed_at or sent.at
    return replace(
        order, informed_at=informed, reminded_date=today_in(timezone, sent.at), dunning_level=sent.level
    )  # fmt: skip


def date_asked_for(order: OrderToRemind, sent: PlannedReminder, now: datetime, terms: PaymentTerms) -> date:
    """The date in a mail or letter that is sent now: the order's payment date after sending."""
    return payment_date(after_mail(order, replace(sent, at=now), terms.timezone), terms)


def _last_letter(order: OrderToRemind, timezone: str) -> date | None:
    return today_in(timezone, order.letter_out_at) if order.letter_out_at is not None else None


def _last_asked(order: OrderToRemind, timezone: str) -> date | None:
    """The day of the last mail or letter that asked for the money; None if there was none."""
    moments = (order.informed_at, order.corrected_at, order.letter_out_at)
    days = [today_in(timezone, moment) for moment in moments if moment is not None]
    return max([*days, *([order.reminded_date] if order.reminded_date else [])], default=None)
