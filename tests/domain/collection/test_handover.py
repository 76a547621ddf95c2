"""When an order goes to the agency or lapses, and why it does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from paymatch.domain.collection.handover import HandoverTerms, handover, lapse, lapses_after_mail
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import Outstanding
from paymatch.domain.reminders.dunning_plan import DunningPlan, Level
from paymatch.domain.reminders.payment_date import last_warning
from paymatch.domain.reminders.policy import BankData, OrderToRemind, PlannedReminder, Postponed, Why

PLAN = DunningPlan(levels=(Level(7), Level(21)))
TODAY = date(2026, 4, 30)
NOW = datetime(2026, 4, 30, 9, tzinfo=UTC)
TERMS = HandoverTerms(PLAN, 10, BankData({"EUR": date(2026, 4, 29)}), NOW, "Europe/Berlin")
ORDER = OrderToRemind(
    number="A-1", type="PREPAYMENT", status=PaymentStatus.UNPAID, open_minor=4990, tolerance_minor=0, currency="EUR",
    order_date=date(2026, 3, 2), due_date=date(2026, 3, 16), email="erika@example.com", stop_reminder=False,
    dunning_level=2, known_at=datetime(2026, 3, 2, 9, tzinfo=UTC), paid_in="EUR", reminded_date=date(2026, 4, 7),
    informed_at=datetime(2026, 3, 2, 23, 30, tzinfo=UTC),
)  # fmt: skip


def why(found: PlannedReminder | Postponed) -> Why | str:
    return found.why if isinstance(found, Postponed) else f"{found.level} {found.at:%d.%m. %H:%M}"


def test_the_last_warning_is_the_last_reminder_of_the_plan() -> None:
    assert [last_warning(replace(ORDER, dunning_level=level), PLAN) for level in (1, 2, 3)] == [
        None, date(2026, 4, 7), date(2026, 4, 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "terms", "expected"),
    [
        ({}, {}, "2 17.04. 07:00"),
        ({}, {"after_days": 40}, "2 18.05. 07:00"),
        ({}, {"after_days": None}, Why.OFF),
        ({"dunning_level": 1}, {}, Why.LEVELS_LEFT),
        ({"stop_reminder": True}, {}, Why.STOPPED),
        ({"refunds": Outstanding(4990, NOW - timedelta(days=90))}, {}, Why.REFUND),
        ({"refunds": Outstanding(4989, NOW - timedelta(days=13))}, {}, Why.REFUND),
        ({"refunds": Outstanding(4989, NOW - timedelta(days=14))}, {}, "2 17.04. 07:00"),
        ({"status": PaymentStatus.PAID}, {}, Why.SETTLED),
        ({"status": PaymentStatus.PAID_PARTIAL}, {}, "2 17.04. 07:00"),
        ({"type": "INVOICE"}, {}, "2 17.04. 07:00"),
        ({}, {"bank": BankData({"EUR": date(2026, 3, 2)})}, Why.STATEMENTS),
        ({}, {"bank": BankData({"EUR": date(2026, 3, 2)}), "after_days": 40}, "2 18.05. 07:00"),  # asked on that day
    ],
)
def test_handover(changes: dict[str, object], terms: dict[str, object], expected: Why | str) -> None:
    assert why(handover(replace(ORDER, **changes), replace(TERMS, **terms))) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "reminded", "expected"),
    [
        ({}, True, "2 17.04. 07:00"),
        ({}, False, "2 13.03. 08:00"),  # the night to 3 March in Berlin
        ({"informed_at": None}, False, Why.LEVELS_LEFT),
        ({"informed_at": None}, True, "2 17.04. 07:00"),
        ({"dunning_level": 0}, False, "0 13.03. 08:00"),
        ({"type": "INVOICE"}, True, Why.NOT_MANAGED),
        ({"refunds": Outstanding(4990, NOW - timedelta(days=90))}, True, Why.REFUND),
        ({"refunds": Outstanding(1000, NOW - timedelta(days=13))}, True, Why.REFUND),
        ({"status": PaymentStatus.PAID_PARTIAL}, True, Why.SETTLED),
        ({"status": PaymentStatus.PAID}, True, Why.SETTLED),
    ],
)
def test_lapse(changes: dict[str, object], reminded: bool, expected: Why | str) -> None:
    assert why(lapse(replace(ORDER, **changes), TERMS, reminded=reminded)) == expected  # type: ignore[arg-type]


LAST, INFORMATION = PlannedReminder(2, NOW), PlannedReminder(0, NOW)


@pytest.mark.parametrize(
    ("changes", "after_days", "sent", "reminded", "expected"),
    [
        ({}, 10, LAST, True, date(2026, 5, 10)),
        ({}, 10, PlannedReminder(1, NOW), True, None),
        ({}, 10, INFORMATION, True, None),
        ({}, 10, INFORMATION, False, date(2026, 5, 10)),
        ({}, 10, LAST, False, None),
        ({}, None, LAST, True, None),
        ({"type": "INVOICE"}, 10, LAST, True, None),
        ({"status": PaymentStatus.PAID_PARTIAL}, 10, LAST, True, None),
        ({}, 10, replace(LAST, corrects=True), True, None),
        ({}, 10, replace(PlannedReminder(1, NOW), corrects=True), True, None),
    ],
)
def test_a_mail_says_from_when_the_order_may_lapse(
    changes: dict[str, object], after_days: int | None, sent: PlannedReminder, reminded: bool, expected: date | None
) -> None:
    order = replace(ORDER, **changes)  # type: ignore[arg-type]
    assert lapses_after_mail(order, PLAN, after_days, sent, TODAY, reminded=reminded) == expected
