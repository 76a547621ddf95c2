"""Whatever happens to a thing, it moves as its table says or not at all; and every table is whole."""

from __future__ import annotations

import importlib
import pkgutil
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch import domain
from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.refusal import Refused

FOUND: dict[str, Lifecycle[Any, Any]] = {
    name: value
    for module in pkgutil.walk_packages(domain.__path__, "paymatch.domain.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if isinstance(value, Lifecycle)
}
NAMES = (
    "CALLBACK_LIFECYCLE",
    "CASE_LIFECYCLE",
    "LETTER_LIFECYCLE",
    "MAIL_LIFECYCLE",
    "POSTING_LIFECYCLE",
    "REFUND_LIFECYCLE",
    "TRANSFER_LIFECYCLE",
)


def kinds_of(lifecycle: Lifecycle[Any, Any]) -> tuple[list[StrEnum], list[StrEnum]]:
    """All statuses and all events, whether the table names them or not."""
    (status, event), _ = next(iter(lifecycle.moves.items()))
    return list(type(status).__members__.values()), list(type(event).__members__.values())


def test_every_lifecycle_of_the_domain_is_walked() -> None:
    assert tuple(sorted(FOUND)) == NAMES


@given(st.sampled_from(NAMES), st.data())
def test_a_thing_moves_by_its_table_or_not_at_all(name: str, data: st.DataObject) -> None:
    lifecycle = FOUND[name]
    statuses, events = kinds_of(lifecycle)
    status = data.draw(st.sampled_from(sorted(lifecycle.initial)))
    about = {"number": "A-1"} if name == "CASE_LIFECYCLE" else {}
    for event in data.draw(st.lists(st.sampled_from(events), max_size=12)):
        if lifecycle.allows(status, event):
            status = lifecycle.move(status, event, **about)
            assert status in statuses
        else:
            with pytest.raises(Refused) as refused:
                lifecycle.move(status, event, **about)
            assert type(refused.value) is lifecycle.refused
            assert status in str(refused.value) and event in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_every_status_is_reached_and_every_event_is_taken_somewhere(name: str) -> None:
    lifecycle = FOUND[name]
    statuses, events = kinds_of(lifecycle)
    reached = set(lifecycle.initial)
    for _ in statuses:
        reached |= {end for (start, _), end in lifecycle.moves.items() if start in reached}
    assert reached == set(statuses)
    assert {event for _, event in lifecycle.moves} == set(events)


@pytest.mark.parametrize("name", NAMES)
def test_a_table_cannot_be_changed_by_its_users(name: str) -> None:
    lifecycle = FOUND[name]
    with pytest.raises(TypeError, match="does not support item"):
        del lifecycle.moves[next(iter(lifecycle.moves))]  # type: ignore[attr-defined]
