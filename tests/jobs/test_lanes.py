"""Lanes: dead receivers take their own senders, never those of healthy ones."""

from __future__ import annotations

import pytest

from paymatch.domain.words.message import Message
from paymatch.jobs.lanes import BOUNDS, Bounds, Lane, Lanes, lane_after
from paymatch.outbound.http import CallFailed, HttpAnswer, NoAnswerReason


def answered(seconds: float, status: int = 200) -> HttpAnswer:
    return HttpAnswer(status, b"", truncated=False, retry_after=None, elapsed_seconds=seconds, address="")


def failed(seconds: float, reason: NoAnswerReason = NoAnswerReason.TIMEOUT) -> CallFailed:
    return CallFailed(reason, Message("call-late", seconds="15"), seconds)


@pytest.mark.parametrize(
    ("result", "lane"),
    [
        (answered(0.01), Lane.QUICK),
        (answered(0.99, 500), Lane.QUICK),
        (answered(1.0), Lane.SLOW),
        (answered(14), Lane.SLOW),
        (failed(0.001, NoAnswerReason.NOT_CONNECTED), Lane.QUICK),
        (failed(0.0, NoAnswerReason.NOT_ALLOWED), Lane.QUICK),
        (failed(5.0, NoAnswerReason.NOT_CONNECTED), Lane.HUNG),
        (failed(5.0, NoAnswerReason.UNRESOLVED), Lane.HUNG),
        (failed(15.0), Lane.HUNG),
        (failed(3.0, NoAnswerReason.BROKEN), Lane.SLOW),
    ],
)
def test_lane_after_a_call(result: HttpAnswer | CallFailed, lane: Lane) -> None:
    assert lane_after(result) is lane


def run_one(lanes: Lanes[int], host: str, result: HttpAnswer | CallFailed) -> list[int]:
    """One call from claim to judgement; what is given back."""
    (lane,) = lanes.add(host, [1])
    assert lanes.take(host, lane) == 1
    left = lanes.note_call(host, result)
    assert lanes.take(host, lane) is None
    return left


def test_unknown_host_gets_one_call_and_a_quick_one_many() -> None:
    lanes: Lanes[int] = Lanes()
    assert lanes.room("a") == 1
    assert lanes.add("a", [1]) == [Lane.NEW]
    assert lanes.room("a") == 0
    assert lanes.take("a", Lane.NEW) == 1
    assert lanes.room("a") == 0
    lanes.note_call("a", answered(0.01))
    assert lanes.take("a", Lane.NEW) is None
    assert not lanes.busy()
    assert lanes.room("a") == BOUNDS[Lane.QUICK].ahead
    assert lanes.add("a", list(range(20))) == [Lane.QUICK] * 4
    assert lanes.room("a") == 0  # more than half of what may be claimed ahead is still there
    for _ in range(6):
        lanes.take("a", Lane.QUICK)
    assert lanes.room("a") == 32 - 14 - 4


def test_hung_host_gets_one_call_at_a_time() -> None:
    lanes: Lanes[int] = Lanes()
    run_one(lanes, "a", failed(15))
    assert lanes.room("a") == 1
    assert lanes.add("a", [1]) == [Lane.HUNG]
    assert lanes.room("a") == 0


def test_claims_ahead_are_given_back_when_the_host_slows_down() -> None:
    lanes: Lanes[int] = Lanes()
    run_one(lanes, "a", answered(0.01))
    assert lanes.add("a", [1, 2, 3, 4, 5, 6]) == [Lane.QUICK] * 4
    assert [lanes.take("a", Lane.QUICK) for _ in range(4)] == [1, 2, 3, 4]
    assert lanes.note_call("a", failed(15)) == [5, 6]
    assert [lanes.take("a", Lane.QUICK) for _ in range(4)] == [None] * 4
    assert not lanes.busy()
    assert lanes.left_behind("a") == []


def test_calls_behind_a_change_of_lane_get_a_new_sender() -> None:
    lanes: Lanes[int] = Lanes()
    assert lanes.add("a", [1]) == [Lane.NEW]
    assert lanes.take("a", Lane.NEW) == 1
    lanes.note_call("a", answered(0.01))
    assert lanes.add("a", [2]) == [Lane.QUICK]
    assert lanes.take("a", Lane.NEW) is None
    assert lanes.take("a", Lane.QUICK) == 2
    assert lanes.take("a", Lane.QUICK) is None
    assert not lanes.busy()


def test_queue_without_sender_gets_one() -> None:
    lanes: Lanes[int] = Lanes({lane: Bounds(1, 1, 4) for lane in Lane})
    run_one(lanes, "a", answered(0.01))
    assert lanes.add("a", [1, 2]) == [Lane.QUICK]
    assert lanes.take("a", Lane.QUICK) == 1
    assert lanes.note_call("a", answered(2)) == [2]
    lanes.add("a", [3])
    assert lanes.take("a", Lane.QUICK) is None
    assert lanes.left_behind("a") == [Lane.SLOW]
    assert lanes.take("a", Lane.SLOW) == 3


def test_full_lane_takes_no_further_hosts_but_leaves_the_others_alone() -> None:
    lanes: Lanes[int] = Lanes()
    run_one(lanes, "healthy", answered(0.01))
    for host in range(BOUNDS[Lane.NEW].senders):
        assert lanes.add(f"dead {host}", [1]) == [Lane.NEW]
        assert lanes.take(f"dead {host}", Lane.NEW) == 1
    assert lanes.room("one more") == 0
    assert lanes.room("healthy") == BOUNDS[Lane.QUICK].ahead
    lanes.note_call("dead 0", failed(15))
    assert lanes.lane_of("dead 0") is Lane.HUNG
    lanes.take("dead 0", Lane.NEW)
    assert lanes.room("one more") == 1
