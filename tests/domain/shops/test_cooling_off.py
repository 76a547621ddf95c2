"""Changes that loosen limits on money take effect a day later: until then limits stay as low as they were."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from paymatch.domain.refunds.money_out import RefundLimits
from paymatch.domain.shops.cooling_off import CoolingChange, CoolingKind, cooling_message, cooling_of, limits_in_force

SINCE = datetime(2026, 3, 31, 8, 30, tzinfo=UTC)
NEXT = datetime(2026, 3, 31, 9, tzinfo=UTC)
ERIKA = "erika@shop.example"
PERSON = CoolingChange(CoolingKind.PERSON, ERIKA, SINCE, "max@shop.example")
FACTOR = CoolingChange(CoolingKind.SECOND_FACTOR, ERIKA, NEXT, ERIKA)
RAISED = CoolingChange(CoolingKind.LIMIT, "refund_day_limit_minor", SINCE, ERIKA, before_minor=10_000)


def test_a_new_power_counts_a_day_later() -> None:
    assert PERSON.counts_at == datetime(2026, 4, 1, 8, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("waiting", "day_minor"),
    [([], 50_000), ([RAISED], 10_000), ([PERSON, FACTOR], 50_000),
     ([CoolingChange(CoolingKind.LIMIT, "refund_day_limit_minor", SINCE, ERIKA, before_minor=90_000)], 50_000)],
)  # fmt: skip
def test_a_limit_that_was_raised_stays_what_it_was_and_one_that_was_lowered_counts(
    waiting: list[CoolingChange], day_minor: int
) -> None:
    assert limits_in_force(RefundLimits(20_000, 50_000, 30_000), waiting) == RefundLimits(20_000, day_minor, 30_000)


def test_each_limit_has_its_own_past() -> None:
    raised = [
        CoolingChange(CoolingKind.LIMIT, f"refund_{name}_minor", SINCE, ERIKA, before_minor=minor)
        for name, minor in (("limit", 1), ("day_limit", 2), ("four_eyes", 0))
    ]
    assert limits_in_force(RefundLimits(20_000, 50_000, 30_000), raised) == RefundLimits(1, 2, 0)


def test_a_release_waits_for_the_newest_power_of_the_person() -> None:
    assert cooling_of(ERIKA, [FACTOR, PERSON, RAISED]) is FACTOR
    assert cooling_of("max@shop.example", [PERSON, FACTOR]) is None
    assert cooling_of("refund_day_limit_minor", [RAISED]) is None  # a limit belongs to no one


@pytest.mark.parametrize(
    ("power", "code", "about"),
    [
        (PERSON, "new-power-person", {"person": ERIKA, "by": "max@shop.example"}),
        (FACTOR, "new-power-second-factor", {"person": ERIKA}),
        (RAISED, "new-power-limit", {"limit": "The limit of a day", "by": ERIKA}),
    ],
)
def test_a_power_is_told_with_the_moment_from_which_it_counts(
    power: CoolingChange, code: str, about: dict[str, str]
) -> None:
    said = cooling_message(power)
    assert said.code == code
    assert {name: str(value) for name, value in said.values.items() if name not in ("day", "time")} == about
    assert said.values["time"] == f"{power.since:%H:%M}"
