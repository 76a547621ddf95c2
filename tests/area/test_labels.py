"""Tables of labels are complete: a new member of an enum has its label in every table that speaks of its kind."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from enum import Enum
from types import ModuleType

import pytest

from paymatch.usecases.work.job_kinds import BY_NAME

PARTIAL = {
    "alert_labels.TASKS": "the alerts of callbacks are one task; `_OTHERS` has their labels",
    "alert_labels._OTHERS": "all others are tasks",
    "bank.fints.FINTS_UPLOADS": "FinTS sends at once: nothing waits, and nothing is withdrawn",
    "bank.settlement._COLUMNS": "the others are for layouts that the package knows",
    "manage.labels.audit._NAMELESS": "a person has a name",
    "orders.actions.DONE": "a refund has a form and a sentence of its own",
    "orders.order_list.CARRIED_OUT_BY": "a refund is asked for order by order",
    "orders.timeline._TITLES": "an entry without a title here has its label of the audit log",
    "search.answers._BY": "by what else a payment was matched a caller is not told",
    "setup.replay._COLOURS": "only a verdict on a difference has a colour",
    "setup.page._FORMS": "the other steps have pages of their own",
    "to_do._CALLBACKS": "the alerts of callbacks alone",
}
"""Tables that leave members out on purpose, each with the reason."""


def modules() -> Iterator[ModuleType]:
    package = importlib.import_module("paymatch.area.views")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def tables() -> Iterator[tuple[str, type[Enum], Mapping[Enum, object]]]:
    """(module.table, enum, table) of every table of the area whose keys are members of one enum."""
    seen: list[Mapping[Enum, object]] = []
    for module in modules():
        for name, table in vars(module).items():
            if not isinstance(table, Mapping) or not table or any(table is each for each in seen):
                continue
            kinds = {type(key) for key in table}
            kind = kinds.pop()
            if not kinds and issubclass(kind, Enum):
                yield f"{module.__name__.removeprefix('paymatch.area.views.')}.{name}", kind, table
                seen.append(table)


@pytest.mark.usefixtures("service")
def test_every_job_has_its_label() -> None:
    work = importlib.import_module("paymatch.area.views.manage.labels.work")
    assert [name for name in BY_NAME if work.job_words(name) == name] == []


@pytest.mark.usefixtures("service")
def test_a_table_of_labels_has_every_member_or_a_reason() -> None:
    missing = {name: [each.name for each in kind if each not in table] for name, kind, table in tables()}
    assert len(missing) > 30
    assert {name: members for name, members in missing.items() if members and name not in PARTIAL} == {}
    assert [name for name in PARTIAL if not missing.get(name)] == [], "a table that is complete needs no reason"
