"""Alerts for people: present and past, since when and until when, about what, and who closed them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alert_lists as store
from paymatch.store.work import alerts
from paymatch.usecases import audit


class Subject(StrEnum):
    """Possible subjects of an alert that have their own page."""

    ORDER = "order"
    POSTING = "posting"
    IMPORT = "import"
    CALLBACK = "callback"
    MAIL = "mail"
    LETTER = "letter"
    CONNECTOR = "connector"
    SYNCHRONISATION = "synchronisation"


@dataclass(frozen=True, slots=True)
class About:
    """The subject of an alert; `exists` is False if the shop does not, or no longer, have it."""

    what: Subject
    name: str
    exists: bool


@dataclass(frozen=True, slots=True)
class ListedAlerts:
    """A page of alerts, open ones first unless sorted.

    Each row has its `about`, None if it names no subject, and `closed_by`, the (kind, name) of the person who closed
    it; None while it is open, and for automatically closed ones.
    """

    page: PageOfRows[dict[str, Any]]
    counts: Mapping[tuple[str, bool], int]  # (kind, whether open) -> their number within search and time


def list_alerts(
    tx: ShopTx,
    *,
    is_open: bool | None = None,
    kind: str = "",
    since: datetime | None = None,
    search: str = "",
    asked: AskedPage,
) -> ListedAlerts:
    """The shop's alerts; `since`: those that are or were open after it. `search` as in `store.listed`."""
    found = store.list_alerts(tx, since, search, kind, asked, is_open=is_open)
    counts = store.count_by_kind(tx, since, search)
    rows = found.rows
    named = {row["id"]: list(_subjects(row)) for row in rows}
    by_hand = [row["id"] for row in rows if row["resolved_by_hand"]]
    existing = store.existing_subjects(tx, sorted({name for each in named.values() for _, name in each}))
    entries = audit.entries_about(tx, tx.shop, by_hand, len(by_hand)) if by_hand else []
    closers = {
        entry["subject"]: (entry["actorKind"], entry["actor"])
        for entry in entries
        if entry["action"] == AuditAction.ALERT_RESOLVED
    }
    for row in rows:
        row["about"] = _about(named[row["id"]], existing)
        row["closed_by"] = closers.get(row["id"], ("", "")) if row["resolved_by_hand"] else None
    return ListedAlerts(found, counts)


def open_about(tx: ShopTx, names: Collection[str]) -> list[dict[str, Any]]:
    """Open alerts that name one of these orders, postings or refunds, the latest first; at most twenty."""
    found = store.open_naming(tx, sorted(names), [], 100)
    return [row for row in found if any(_names(row, name) for name in names)][:20]


def open_of_kinds(tx: ShopTx, kinds: Collection[AlertKind]) -> list[dict[str, Any]]:
    """Open alerts of these kinds, the latest first."""
    return store.open_naming(tx, [], [str(kind) for kind in kinds], 20)


def _names(row: Mapping[str, Any], name: str) -> bool:
    """Whether the alert is about the thing with this name, not just one whose name contains it."""
    values = row["text"].values if isinstance(row["text"], Message) else {}
    said = {str(value) for value in values.values()}
    subject = str(row["subject"])
    return name in said or subject == name or subject.startswith(f"{name} ") or subject.endswith(f" {name}")


def kind_of(tx: ShopTx, alert_id: str) -> str:
    """The subject of the alert; "" if the shop has no such alert."""
    return alerts.kind_and_subject(tx, alert_id)[0]


def subject_of(tx: ShopTx, alert_id: str) -> str:
    """The id of the alert's subject; "" if the shop has no such alert."""
    return alerts.kind_and_subject(tx, alert_id)[1]


_IDS: Final = {
    "pst": Subject.POSTING, "im": Subject.IMPORT, "cb": Subject.CALLBACK, "ml": Subject.MAIL, "lt": Subject.LETTER,
    "os": Subject.SYNCHRONISATION,
}  # fmt: skip
_ID: Final = re.compile(r"\b([a-z]+)_[0-9a-z]+")
_ORDER: Final = re.compile(r"\border (.+?)(?: of the connector (.+))?$")
"""The end of a failed item's subject if it is about an order."""
_OF_MANY: Final = frozenset({AlertKind.LETTER_WAITING, AlertKind.CALLBACKS_GIVEN_UP})
"""Kinds about many things, whose text only names the first: none of them is the subject."""


def _subjects(row: Mapping[str, Any]) -> Iterator[tuple[Subject, str]]:
    """The possible subjects of an alert, the most specific first."""
    kind, subject = row["kind"], row["subject"]
    if kind in _OF_MANY:
        return
    values = row["text"].values if isinstance(row["text"], Message) else {}
    if kind in (AlertKind.CONNECTOR_FAILING, AlertKind.CONNECTOR_ORDERS) and "name" in values:
        yield Subject.CONNECTOR, str(values["name"])
    for found in _ID.finditer(subject):
        if found[1] in _IDS:
            yield _IDS[found[1]], found[0]
    if "order" in values:
        yield Subject.ORDER, str(values["order"])
    if kind == AlertKind.ITEM_FAILED and (item := _ORDER.search(subject)) is not None:
        yield Subject.ORDER, item[1]
        if item[2]:
            yield Subject.CONNECTOR, item[2]


def _about(named: list[tuple[Subject, str]], existing: set[tuple[str, str]]) -> About | None:
    """The first named thing that the shop has, else the first."""
    there = [each for each in named if each in existing]
    return About(*(there or named)[0], exists=bool(there)) if named else None
