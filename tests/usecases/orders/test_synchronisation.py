"""Undoing a synchronisation: which orders are as the call left them; more in tests/contract/test_synchronisation.py."""

from __future__ import annotations

from collections.abc import Callable

from paymatch.domain.orders.settlement import Mark
from paymatch.store.orders.order_syncs import MarkChange
from paymatch.usecases.orders.synchronisation import as_the_call_left_them
from tests.hostile.growth import grows_too_fast

GONE = MarkChange(before=None, after=Mark.LEGACY)


def test_what_was_changed_since_stays() -> None:
    marks = {"A-1": Mark.LEGACY, "A-2": None, "A-3": Mark.PAID}
    changed = dict.fromkeys(("A-1", "A-2", "A-3", "A-4"), GONE)
    assert as_the_call_left_them(changed, marks) == (["A-1"], ["A-2", "A-3", "A-4"])


def test_the_cost_is_in_proportion_to_the_orders() -> None:
    """100,000 orders took longer than ten minutes."""
    changed = {f"A-{number}": GONE for number in range(20_000)}
    marks = dict.fromkeys(changed, Mark.LEGACY)

    def work(size: int) -> Callable[[], object]:
        some = dict(list(changed.items())[:size])
        return lambda: as_the_call_left_them(some, marks)

    assert grows_too_fast(work, 5_000) == 0
