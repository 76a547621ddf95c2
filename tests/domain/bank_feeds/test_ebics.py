"""States of EBICS connections and uploads, times of day, and when a statement is due."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.bank_feeds import ebics, uploads
from paymatch.domain.bank_feeds.ebics import (
    EbicsEvent,
    EbicsMoveRefused,
    EbicsStatus,
    next_fetch_at,
    next_status,
    read_id,
    read_times,
)
from paymatch.domain.bank_feeds.feeds import due_by
from paymatch.domain.bank_feeds.uploads import UploadEvent, UploadStatus, status_after
from paymatch.domain.calendar import is_bank_day, plus_bank_days
from paymatch.domain.shops.shop import SettingRefused


def test_every_move_of_a_connection_is_in_the_table_or_refused() -> None:
    for status, event in product(EbicsStatus, EbicsEvent):
        if (status, event) in ebics.MOVES:
            assert next_status(status, event) is ebics.MOVES[status, event]
        else:
            with pytest.raises(EbicsMoveRefused):
                next_status(status, event)


def test_nothing_is_sent_again_that_the_bank_may_have() -> None:
    again = {status for status in UploadStatus if status_after(status, UploadEvent.SENT_AGAIN)}
    assert again == {UploadStatus.REFUSED}
    withdrawn = {status for status in UploadStatus if status_after(status, UploadEvent.WITHDRAWN)}
    assert withdrawn == {UploadStatus.OPEN, UploadStatus.UNCERTAIN, UploadStatus.REFUSED}
    assert not any(status is UploadStatus.WITHDRAWN for status, _event in uploads.MOVES)


def test_times_of_day_are_read_or_refused() -> None:
    assert read_times(" 12:30, 06:30;06:30 ") == ("06:30", "12:30")
    for wrong in ("", "25:00", "6:30", "noon", " ".join(f"{hour:02d}:00" for hour in range(13))):
        with pytest.raises(SettingRefused):
            read_times(wrong)
    assert read_id("host", " PM=1 ") == "PM=1"


@given(st.integers(0, 730 * 24 * 60))
def test_the_bank_is_asked_within_a_day_and_later_than_now(minutes: int) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    following = next_fetch_at(("06:30", "12:30"), now, "Europe/Berlin")
    assert now < following <= now + timedelta(hours=25)


def _bank_days(first: date, count: int) -> list[date]:
    found = [first]
    while len(found) < count:
        found.append(plus_bank_days(found[-1], 1))
    return found


@given(st.dates(date(2025, 1, 1), date(2027, 1, 1)))
def test_a_daily_feed_is_due_the_day_after_the_next_bank_day(first: date) -> None:
    start = plus_bank_days(first, 1)
    days = _bank_days(start, 15)
    assert all(is_bank_day(day) for day in days)
    assert due_by(days) == plus_bank_days(days[-1], 2)
    assert due_by([*days[:10], *days[12:]]) is None  # bank days without a statement are usual here
    assert due_by(days[:10]) is None
