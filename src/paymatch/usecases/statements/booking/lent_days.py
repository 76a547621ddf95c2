"""Booked payments give days back that another statement lent them (DESIGN.md section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from paymatch.domain.books.batches import BatchKey, key_of_parts, key_of_whole
from paymatch.domain.books.identity import dated_by
from paymatch.domain.books.lent_days import BookedEntry, Shown, content_of, moves
from paymatch.store.database import ShopId, Tx
from paymatch.store.statements import postings as store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements.postings import Booked
from paymatch.usecases.statements.booking.overlap import Group
from paymatch.usecases.statements.booking.statement_import import StatementImport

Batch = Sequence[Booked]
"""A booked payment of its own, or those of one entry."""


def sum_of(batch: Batch) -> BatchKey:
    """The identity key of booked payments as one sum."""
    resolved = batch[0].resolved
    if len(batch) == 1 and not batch[0].group:
        identity = key_of_whole(resolved.posting, resolved.source, resolved.format)
    else:
        identity = key_of_parts([each.resolved.posting for each in batch], resolved.source, resolved.format)
    return replace(identity, lent_day=resolved.has_lent_day)


def give_back(
    tx: Tx, shop: ShopId, booked: Iterable[Booked], statement: StatementImport, groups: Iterable[Group], now: datetime
) -> Mapping[str, Booked]:
    """Days go back to where the entries of the statement show that they belong. Id -> what is booked now."""
    booked = list(booked)
    if not any(each.resolved.has_lent_day and each.resolved.date_rank < statement.date_rank for each in booked):
        return {}
    batches = _batches(booked)
    shown = [
        Shown(statement.sum_of(group), content_of([statement.identity(each) for each in group])) for group in groups
    ]
    changed: dict[str, Booked] = {}
    standing = [_standing(batch) for batch in batches]
    for move in moves(standing, shown, statement.date_rank, statement.overlap.days):
        ones = _current(batches[move.place], changed)
        if move.other is None:
            after: Batch = [replace(each, resolved=each.resolved.on_day(move.day)) for each in ones]
            _change(tx, shop, ones, after, now)
        else:
            after = _exchange(tx, shop, ones, _current(batches[move.other], changed), now)
        changed |= {each.id: each for each in after}
    return changed


def take_over(tx: Tx, shop: ShopId, batch: Batch, line: Booked, now: datetime) -> Mapping[str, Booked]:
    """The payments are what the line of another statement means, so they get it. Id -> what is booked now.

    The line itself is to be deleted.
    """
    after = [
        replace(each, resolved=each.resolved.within(line.resolved), statement_id=line.statement_id) for each in batch
    ]
    _change(tx, shop, batch, after, now)
    line_store.inherit(tx, shop, line.id, [each.id for each in batch], "")
    return {each.id: each for each in after}


def _batches(booked: Iterable[Booked]) -> list[Batch]:
    by_group: dict[str, list[Booked]] = defaultdict(list)
    for each in booked:
        by_group[each.group or each.id].append(each)
    return [sorted(batch, key=lambda each: each.id) for batch in by_group.values()]


def _standing(batch: Batch) -> BookedEntry:
    identities = [each.known.identity for each in batch]
    single = None if batch[0].group else identities[0]
    return BookedEntry(Shown(sum_of(batch), content_of(identities)), batch[0].resolved.date_rank, single)


def _current(batch: Batch, changed: Mapping[str, Booked]) -> Batch:
    return [changed.get(each.id, each) for each in batch]


def _exchange(tx: Tx, shop: ShopId, ones: Batch, others: Batch, now: datetime) -> Batch:
    """What the lending statements said of the one side they say of the other from now on."""
    before = [*ones, *others]
    after = [*_dated(ones, others[0]), *_dated(others, ones[0])]
    _change(tx, shop, before, after, now)
    source, file_format = dated_by(ones[0].resolved.date_rank)
    line_store.exchange(tx, shop, [each.id for each in ones], [each.id for each in others], source, file_format)
    return after


def _change(tx: Tx, shop: ShopId, before: Batch, after: Batch, now: datetime) -> None:
    changes = [
        store.Changed(new.id, new.statement_id, new.resolved, old.resolved.posting)
        for old, new in zip(before, after, strict=True)
    ]
    line_store.keep_what_was_said(tx, shop, "", changes)
    store.change(tx, shop, changes, now)


def _dated(batch: Batch, other: Booked) -> Batch:
    return [
        replace(each, resolved=each.resolved.on_days_of(other.resolved), statement_id=other.statement_id)
        for each in batch
    ]
