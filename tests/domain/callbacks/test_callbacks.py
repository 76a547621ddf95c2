"""The retry schedule on a simulated clock, outcomes, and the callback's state machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.callbacks.deliveries import (
    CALLBACK_LIFECYCLE,
    INTERVAL,
    LAST_SLOT,
    MAX_JITTER,
    UNFINISHED,
    CallbackEvent,
    CallbackMoveRefused,
    CallbackStatus,
    DeliveryOutcome,
    PlannedAttempt,
    jitter,
    next_attempt,
    outcome_of,
    retry_after_of,
    slot_due_at,
    slot_of,
)

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
WEEK = timedelta(days=7)


def attempts_of_dead_receiver(callback_id: str, first_due_at: datetime, takes: timedelta) -> list[datetime]:
    """The moments at which a receiver that is always down is called."""
    planned: PlannedAttempt | None = PlannedAttempt(0, first_due_at)
    moments = []
    while planned is not None:
        moments.append(planned.due_at)
        planned = next_attempt(callback_id, first_due_at, planned.slot, planned.due_at + takes)
    return moments


@pytest.mark.parametrize(
    "first_due_at",
    [
        START,
        datetime(2026, 3, 27, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 3, 26, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")),  # the clock goes forward on the 29th
        datetime(2026, 10, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")),  # and back on the 25th
        datetime(2028, 2, 26, 0, 0, tzinfo=UTC),
    ],
)
@pytest.mark.parametrize("takes", [timedelta(), timedelta(milliseconds=3), timedelta(seconds=15)])
def test_receiver_that_is_down_for_seven_days_gets_1_and_672_attempts(first_due_at: datetime, takes: timedelta) -> None:
    moments = attempts_of_dead_receiver("a", first_due_at, takes)
    assert len(moments) == 1 + 672
    assert moments[0] == first_due_at
    assert moments[-1].astimezone(UTC) - first_due_at.astimezone(UTC) == WEEK
    for slot, moment in enumerate(moments):
        late = moment.astimezone(UTC) - (first_due_at.astimezone(UTC) + slot * INTERVAL)
        assert timedelta() <= late < MAX_JITTER


def test_jitter_spreads_callbacks_that_failed_together() -> None:
    seconds = {int(jitter(f"callback {i}", 5).total_seconds()) for i in range(1000)}
    assert seconds == set(range(60))


@given(st.text(max_size=20), st.integers(0, LAST_SLOT))
def test_slots_never_overtake_each_other_nor_the_seventh_day(callback_id: str, slot: int) -> None:
    due_at = slot_due_at(callback_id, START, slot)
    assert START + slot * INTERVAL <= due_at <= START + WEEK
    assert due_at == slot_due_at(callback_id, START, slot)


@given(
    st.integers(0, LAST_SLOT),
    st.timedeltas(timedelta(), timedelta(days=9)),
    st.none() | st.timedeltas(timedelta(), timedelta(days=9)),
)
def test_next_attempt_is_later_and_within_seven_days(
    slot: int, elapsed: timedelta, retry_after: timedelta | None
) -> None:
    now = START + elapsed
    planned = next_attempt("a", START, slot, now, retry_after)
    if planned is None:
        assert slot == LAST_SLOT or elapsed >= WEEK
        return
    assert planned.slot > slot
    assert now < planned.due_at <= START + WEEK
    assert planned.due_at == slot_due_at("a", START, planned.slot)
    assert planned.due_at >= now + (retry_after or timedelta()) or planned.slot == LAST_SLOT


def test_slots_that_passed_without_a_worker_are_not_made_up_for() -> None:
    planned = next_attempt("a", START, 3, START + timedelta(days=2, minutes=1, seconds=30))
    assert planned == PlannedAttempt(193, slot_due_at("a", START, 193))


def test_worker_back_after_the_seventh_day_gives_up_after_its_late_attempt() -> None:
    assert next_attempt("a", START, 3, START + timedelta(days=8)) is None


@pytest.mark.parametrize(
    ("retry_after", "slot"),
    [
        (timedelta(seconds=1), 1),
        (timedelta(minutes=10), 1),
        (timedelta(hours=1, minutes=2), 5),
        (timedelta(days=6, hours=23), 668),
        (timedelta(days=7), 672),
        (timedelta(days=400), 672),
    ],
)
def test_retry_after_is_honoured_within_the_schedule(retry_after: timedelta, slot: int) -> None:
    planned = next_attempt("a", START, 0, START, retry_after)
    assert planned is not None
    assert planned.slot == slot


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("120", timedelta(minutes=2)),
        (" 0 ", timedelta()),
        ("99999999999999999999", timedelta(seconds=999999999)),
        ("Mon, 02 Mar 2026 10:00:00 GMT", timedelta(minutes=30)),
        ("Mon, 02 Mar 2026 11:00:00 +0100", timedelta(minutes=30)),
        ("Mon, 02 Mar 2026 08:00:00 GMT", timedelta()),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        ("Mon, 99 Mar 2026 10:00:00 GMT", None),
        ("Mon, 02 Mar 99999999999 10:00:00 GMT", None),
    ],
)
def test_retry_after_header_is_read(text: str | None, expected: timedelta | None) -> None:
    assert retry_after_of(text, START) == expected


@given(st.text(max_size=40))
def test_any_retry_after_header_is_survived(text: str) -> None:
    pause = retry_after_of(text, START)
    next_attempt("a", START, 0, START, pause)


@pytest.mark.parametrize(
    ("status_code", "any_2xx", "expected"),
    [
        (200, False, DeliveryOutcome.SUCCESS),
        (200, True, DeliveryOutcome.SUCCESS),
        (201, False, DeliveryOutcome.FAILURE),
        (204, True, DeliveryOutcome.SUCCESS),
        (299, True, DeliveryOutcome.SUCCESS),
        (300, True, DeliveryOutcome.FAILURE),
        (301, True, DeliveryOutcome.FAILURE),
        (307, False, DeliveryOutcome.FAILURE),
        (400, True, DeliveryOutcome.FAILURE),
        (410, False, DeliveryOutcome.GONE),
        (410, True, DeliveryOutcome.GONE),
        (429, False, DeliveryOutcome.FAILURE),
        (500, False, DeliveryOutcome.FAILURE),
        (101, True, DeliveryOutcome.FAILURE),
        (None, True, DeliveryOutcome.FAILURE),
    ],
)
def test_outcome(status_code: int | None, any_2xx: bool, expected: DeliveryOutcome) -> None:
    assert outcome_of(status_code, any_2xx=any_2xx) == expected


@pytest.mark.parametrize(("status", "event"), list(product(CallbackStatus, CallbackEvent)))
def test_every_move_is_in_the_table_or_refused(status: CallbackStatus, event: CallbackEvent) -> None:
    if (status, event) in CALLBACK_LIFECYCLE.moves:
        assert CALLBACK_LIFECYCLE.move(status, event) == CALLBACK_LIFECYCLE.moves[status, event]
        return
    with pytest.raises(CallbackMoveRefused) as refused:
        CALLBACK_LIFECYCLE.move(status, event)
    assert str(refused.value) == f"Callback in status {status} does not take: {event}"


def test_settled_callbacks_move_only_by_resending() -> None:
    settled = set(CallbackStatus) - UNFINISHED
    assert {event for status, event in CALLBACK_LIFECYCLE.moves if status in settled} == {CallbackEvent.RESENT}


def test_slot_is_found_again_from_the_due_moment() -> None:
    for slot in range(LAST_SLOT + 1):
        assert slot_of(START, slot_due_at("a", START, slot)) == slot
    assert slot_of(START, START + timedelta(days=30)) == LAST_SLOT
    assert slot_of(START, START - timedelta(days=1)) == 0


def test_attempts_are_about_fifteen_minutes_apart() -> None:
    moments = attempts_of_dead_receiver("b", START, timedelta(seconds=1))
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert min(gaps) > INTERVAL - MAX_JITTER
    assert max(gaps) < INTERVAL + MAX_JITTER


def test_the_last_slot_is_used_once_it_is_due_within_the_week() -> None:
    last = slot_due_at("a", START, LAST_SLOT)
    just_before = last - timedelta(seconds=1)
    assert next_attempt("a", START, LAST_SLOT - 1, just_before) == PlannedAttempt(LAST_SLOT, last)
    assert next_attempt("a", START, LAST_SLOT - 1, last) is None
    assert next_attempt("a", START, LAST_SLOT, just_before) is None


def test_a_long_pause_leads_to_the_last_attempt_until_that_is_due() -> None:
    first = datetime(2026, 3, 2, 9, tzinfo=UTC)
    last, pause = slot_due_at("cb_1", first, LAST_SLOT), timedelta(days=30)
    just_before = last - timedelta(microseconds=1)
    assert next_attempt("cb_1", first, 0, first, pause) == PlannedAttempt(LAST_SLOT, last)
    assert next_attempt("cb_1", first, 0, just_before, pause) == PlannedAttempt(LAST_SLOT, last)
    assert next_attempt("cb_1", first, 0, last, pause) is None
    assert next_attempt("cb_1", first, LAST_SLOT, first, pause) is None


def test_only_the_first_and_the_last_attempt_have_no_jitter() -> None:
    first = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
    moved = [slot for slot in range(LAST_SLOT + 1) if slot_due_at("cb", first, slot) != first + slot * INTERVAL]
    assert moved == list(range(1, LAST_SLOT))
    assert slot_due_at("cb", first, 1) == first + INTERVAL + jitter("cb", 1)
