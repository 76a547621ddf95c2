"""Booking: postings of a file meet those that are booked; only what is new is added (DESIGN.md section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from paymatch.domain.identity import PROVISIONAL_DAYS, Known, pair, rank, trace_of
from paymatch.domain.postings import Posting, PostingSource
from paymatch.store import postings as store
from paymatch.store.database import ShopId, Tx
from paymatch.store.ids import new_id
from paymatch.usecases.unmatching import release

Group = tuple[Posting, ...]
"""The postings of one entry."""


class Booking:
    """The books during one import: what is new is added, what is known is confirmed, batches and their parts meet."""

    def __init__(self, tx: Tx, shop: ShopId, import_id: str, now: datetime) -> None:
        self._tx = tx
        self._shop = shop
        self._import_id = import_id
        self._now = now
        self._consumed: set[str] = set()
        self._seen: set[str] = set()
        self.new = 0
        self.known = 0
        self.notes: list[str] = []

    def book(self, statement_id: str, groups: Sequence[Group], source: PostingSource, file_format: str) -> None:
        """Books the entries of a part of a statement."""
        flat = [posting for group in groups for posting in group]
        known = self._known(statement_id, groups, flat)
        traces = [trace_of(posting, source, file_format) for posting in flat]
        pairs = pair(known, traces)
        by_id = {each.id: each for each in known}
        sightings: list[tuple[str, str, PostingSource]] = []
        added: list[store.NewPosting] = []
        place = 0
        undivided = self._undivided(known, pairs)
        for group in groups:
            own = range(place, place + len(group))
            place += len(group)
            if all(pairs[at] is None for at in own) and self._meets_batch(
                statement_id, group, source, file_format, undivided, sightings
            ):
                continue
            for at in own:
                posting_id = pairs[at]
                new = store.NewPosting(posting_id or "", flat[at], source, file_format, statement_id)
                if posting_id is None:
                    new = store.NewPosting(new_id("pst", self._now), flat[at], source, file_format, statement_id)
                    added.append(new)
                    sightings.append((new.id, statement_id, source))
                else:
                    self._see(by_id[posting_id], new, sightings)
        store.insert(self._tx, self._shop, self._import_id, added, self._now)
        store.add_sightings(self._tx, self._shop, self._import_id, sightings)
        self.new += len(added)

    def _known(self, statement_id: str, groups: Sequence[Group], flat: Sequence[Posting]) -> list[Known]:
        """Booked postings of the same accounts, days and amounts, and of the sums of batches."""
        wanted: dict[tuple[str, str], set[int]] = defaultdict(set)
        for posting in flat:
            wanted[posting.account, posting.currency].add(posting.amount_minor)
        for group in groups:
            if len(group) > 1:
                wanted[group[0].account, group[0].currency].add(sum(posting.amount_minor for posting in group))
        slack = timedelta(days=PROVISIONAL_DAYS)
        found: list[Known] = []
        for (account, currency), amounts in wanted.items():
            days = [posting.booking_date for posting in flat if posting.account == account]
            found += store.known_near(
                self._tx, self._shop, account, currency, first=min(days) - slack, last=max(days) + slack,
                amounts=amounts, without_statement=statement_id,
            )  # fmt: skip
        return [each for each in found if each.id not in self._consumed]

    def _see(self, known: Known, new: store.NewPosting, sightings: list[tuple[str, str, PostingSource]]) -> None:
        """A booked posting is seen again; the more trustworthy sighting's facts stay."""
        self._consumed.add(known.id)
        self.known += 1
        if known.id not in self._seen:
            self._seen.add(known.id)
            sightings.append((known.id, new.statement_id, new.source))
        if rank(new.source, new.format) > rank(known.trace.source, known.trace.format):
            store.replace_facts(self._tx, self._shop, known.id, new)

    def _undivided(self, known: Sequence[Known], pairs: Sequence[str | None]) -> dict[int, list[Known]]:
        """Booked postings by amount that may be batches which nobody divided yet: they name no counterparty."""
        taken = set(pairs)
        found: dict[int, list[Known]] = defaultdict(list)
        for each in known:
            if each.id not in taken and not each.trace.iban and not each.trace.end_to_end_id:
                found[each.trace.amount_minor].append(each)
        return found

    def _meets_batch(
        self,
        statement_id: str,
        group: Group,
        source: PostingSource,
        file_format: str,
        undivided: dict[int, list[Known]],
        sightings: list[tuple[str, str, PostingSource]],
    ) -> bool:
        """True if the entry is a batch whose parts are booked, or the parts of a batch that is (camt.054 and 053)."""
        if len(group) > 1:
            whole = _whole_of(group, undivided)
            if whole is None:
                return False
            undivided[whole.trace.amount_minor].remove(whole)
            self._divide(statement_id, whole, group, source, file_format, sightings)
            return True
        posting = group[0]
        if posting.counterparty_iban or not (posting.bank_reference or posting.batch_id):
            return False
        parts = [
            known
            for known, _, _ in store.parts_of_entries(
                self._tx,
                self._shop,
                posting.account,
                [posting.bank_reference] if posting.bank_reference else [],
                [posting.batch_id] if posting.batch_id else [],
            )
            if known.id not in self._consumed
        ]
        if len(parts) < 2 or sum(part.trace.amount_minor for part in parts) != posting.amount_minor:
            return False
        ids = [part.id for part in parts]
        if source is PostingSource.FINAL:
            store.confirm(self._tx, self._shop, ids)
        self._consumed.update(ids)
        self._seen.update(ids)
        sightings += [(each, statement_id, source) for each in ids]
        self.known += 1
        return True

    def _divide(
        self,
        statement_id: str,
        whole: Known,
        group: Group,
        source: PostingSource,
        file_format: str,
        sightings: list[tuple[str, str, PostingSource]],
    ) -> None:
        """The batch gives way to its parts, unless a person has worked with it."""
        self._consumed.add(whole.id)
        stored = store.load(self._tx, self._shop, [whole.id])[0]
        if stored.by_hand:
            self.known += len(group)
            self.notes.append(f"details of posting {whole.id} were left aside: it was assigned by hand")
            return
        final = source if whole.trace.source is not PostingSource.FINAL else PostingSource.FINAL
        new = [store.NewPosting(new_id("pst", self._now), part, final, file_format, statement_id) for part in group]
        release(self._tx, self._shop, [whole.id], self._now, undoes_refunds=False)
        store.insert(self._tx, self._shop, stored.import_id, new, self._now)
        ids = [each.id for each in new]
        store.move_sightings(self._tx, self._shop, whole.id, ids, self._import_id)
        store.delete(self._tx, self._shop, [whole.id])
        sightings += [(each, statement_id, source) for each in ids]
        self.known += len(group)


def _whole_of(group: Group, undivided: dict[int, list[Known]]) -> Known | None:
    """The booked batch that these are the parts of: the same sum, and the same reference or day."""
    first = group[0]
    candidates = undivided.get(sum(posting.amount_minor for posting in group), [])
    for known in candidates:
        if first.entry_reference and known.trace.reference == first.entry_reference:
            return known
    same_day = [known for known in candidates if known.trace.booking_date == first.booking_date]
    free = [known for known in same_day if not (known.trace.reference and first.entry_reference)]
    return free[0] if len(free) == 1 else None
