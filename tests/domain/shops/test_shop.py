"""What a shop's settings mean: its clock, and whether mail and callbacks go out."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.domain.shops.a_shop import a_shop

CLOCK = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("sandbox", "its_own", "stands", "now"),
    [
        (False, None, False, CLOCK),
        (False, CLOCK + HOUR, True, CLOCK),  # a live shop lives by the clock whatever is set
        (True, None, True, CLOCK),
        (True, CLOCK + HOUR, False, CLOCK + HOUR),
        (True, CLOCK - HOUR, False, CLOCK),  # it runs: it never lags behind
        (True, CLOCK - HOUR, True, CLOCK - HOUR),
        (True, CLOCK + HOUR, True, CLOCK + HOUR),
    ],
)
def test_only_a_sandbox_shop_has_a_moment_of_its_own(
    sandbox: bool, its_own: datetime | None, stands: bool, now: datetime
) -> None:
    assert a_shop(sandbox=sandbox, sandbox_now=its_own, sandbox_stands=stands).now(CLOCK) == now


def test_today_is_the_day_of_the_time_zone_at_the_shops_moment() -> None:
    assert a_shop().today(CLOCK) == date(2026, 3, 3)
    assert a_shop(timezone="UTC").today(CLOCK) == date(2026, 3, 2)
    assert a_shop(sandbox=True, sandbox_now=CLOCK + 24 * HOUR).today(CLOCK) == date(2026, 3, 4)


@pytest.mark.parametrize("setting", ["reminders", "payment_information", "payment_thanks"])
def test_mail_goes_out_once_any_kind_of_it_is_on(setting: str) -> None:
    assert a_shop(**{setting: True}).sends_mail
    assert not a_shop().sends_mail


@pytest.mark.parametrize(
    ("on", "url", "sent"),
    [(True, "https://shop.example/hook", True), (True, "", False), (False, "https://shop.example/hook", False)],
)
def test_callbacks_need_the_switch_and_a_url(on: bool, url: str, sent: bool) -> None:
    assert a_shop(callbacks=on, callback_url=url).sends_callbacks is sent
