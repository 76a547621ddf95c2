"""Booking: postings of a file meet those that are booked; only what is new is added (DESIGN.md section 5)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.books.batches import BatchKey, may_be_whole, pair_batches
from paymatch.domain.books.identity import PROVISIONAL_DAYS, closeness
from paymatch.domain.books.pairing import pair
from paymatch.domain.books.statement_lines import ResolvedPosting, StatementLine, part_of
from paymatch.domain.postings import Posting, PostingSource
from paymatch.store.database import ShopId, Tx
from paymatch.store.ids import Ids
from paymatch.store.statements import postings as store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.posting_facts import sealed_facts
from paymatch.store.statements.postings import Booked, NewPosting
from paymatch.usecases.matching.unmatching import release, settle_days
from paymatch.usecases.statements.booking.lent_days import give_back, sum_of, take_over
from paymatch.usecases.statements.booking.overlap import Group, Overlap
from paymatch.usecases.statements.booking.statement_import import StatementImport

Known = Mapping[str, Booked]
Parts = Sequence[Sequence[Booked]]
"""Batches that are booked in their payments."""

CHUNK: Final = 2000
"""Entries that are booked at once."""

_SLACK: Final = timedelta(days=PROVISIONAL_DAYS)


class Booking:
    """The books during one import: what is new is added, what is known is confirmed, batches and their parts meet."""

    def __init__(self, tx: Tx, shop: ShopId, import_id: str, now: datetime, tell: Callable[[str, int], None]) -> None:
        self.tx = tx
        self.shop = shop
        self.import_id = import_id
        self.now = now
        self._tell = tell
        self._scratch = tempfile.TemporaryFile()  # noqa: SIM115  closed with the booking
        self.ids = Ids(now)
        self.divided: list[str] = []
        self.moved: set[str] = set()
        self.new = 0
        self.known = 0
        self.notes: list[str] = []
        self.payer_accounts: set[str] = set()
        self._matching_locked = False

    def book(self, statement: StatementImport, groups: Sequence[Group]) -> None:
        """Books a part of a statement; entries of days that another statement has shown wait for `book_overlap`."""
        self.payer_accounts.update(_paid_from(groups))
        chunk = _Chunk(self, statement, groups)
        if chunk.overlaps():
            statement.overlap.add(groups)
        else:
            chunk.book_new()

    def book_overlap(self, statement: StatementImport) -> None:
        """Books the entries that waited."""
        for groups in statement.overlap.by_amount(CHUNK):
            _Chunk(self, statement, groups).book()
            self._tell("booking", self.new + self.known)

    def begin(self, statement_id: str, source: PostingSource, file_format: str, apart: list[str]) -> StatementImport:
        """The next statement; the one before it is through."""
        return StatementImport(statement_id, source, file_format, apart, Overlap(self._scratch))

    def close(self) -> None:
        """Forgets what waited."""
        self._scratch.close()

    def finish(self) -> None:
        """Takes the matches of divided batches back and settles orders whose payments moved to another day.

        Last, because settling holds what every call on the shop's orders needs until the commit.
        """
        if self.divided:
            release(self.tx, self.shop, self.divided, self.now, undoes_refunds=False)
            store.delete(self.tx, self.shop, self.divided, self.now)
        if self.moved:
            self.lock_matching()
            settle_days(self.tx, self.shop, sorted(self.moved), self.now)

    def lock_matching(self) -> None:
        """Nobody matches while a batch is divided: the match would be lost half way."""
        if not self._matching_locked:
            statement_store.lock_matching(self.tx, self.shop)
            self._matching_locked = True


class _Chunk:
    """Some entries of a statement on their way into the books."""

    def __init__(self, booking: Booking, statement: StatementImport, groups: Sequence[Group]) -> None:
        self._booking = booking
        self._tx, self._shop = booking.tx, booking.shop
        self._statement = statement
        self._groups = groups
        self._flat = [posting for group in groups for posting in group]
        self._own = [statement.id, *statement.apart]
        self._account = groups[0][0].account, str(groups[0][0].currency)  # of all, where they meet what is booked
        self._added: list[NewPosting] = []
        self._changed: list[store.Changed] = []
        self._lines: list[line_store.Row] = []

    def book(self) -> None:
        """Pairs, adds, confirms, divides."""
        known, parts = self._with_days_given_back(
            self._load_known(),
            self._booked_parts([group[0] for group in self._groups if _may_be_sum(group)]),
        )
        pairs = self._pairs(known, parts)
        taken = {each for own in pairs for each in own if each}
        known = {**known, **self._take_lines_over(known, pairs, taken)}
        unseen: list[Group] = []
        for group, own in zip(self._groups, pairs, strict=True):
            if not any(own):
                unseen.append(group)
                continue
            for posting, found in zip(group, own, strict=True):
                if found is None:
                    self._add(posting, self._statement.line(posting).resolved())
                else:
                    self._see(known[found], self._statement.line(posting))
        left = [each for each in known.values() if each.id not in taken and self._is_free(each)]
        self._book_unseen(unseen, left, parts)
        self._write()

    def book_new(self) -> None:
        """Adds all: no other statement has shown them."""
        for group in self._groups:
            self._add_entry(group)
        self._write()

    def _with_days_given_back(self, known: Known, parts: Parts) -> tuple[Known, Parts]:
        """What is booked, once days lent to the wrong payment are where these entries show that they belong."""
        booked = {each.id: each for batch in parts for each in batch} | dict(known)
        changed = give_back(self._tx, self._shop, booked.values(), self._statement, self._groups, self._booking.now)
        if not changed:
            return known, parts
        self._booking.moved.update(changed)
        now_known = {posting_id: changed.get(posting_id, each) for posting_id, each in known.items()}
        return now_known, [[changed.get(each.id, each) for each in batch] for batch in parts]

    def _take_lines_over(self, known: Known, pairs: Iterable[Sequence[str | None]], taken: Set[str]) -> Known:
        """Payments that were only announced take over the line of another statement that is left on their day."""
        if self._statement.source is not PostingSource.FINAL:
            return {}
        lines = [
            each for each in known.values() if each.id not in taken and _is_final(each) and _may_be_booked_whole(each)
        ]
        announced: list[tuple[Group, list[Booked]]] = []
        for group, own in zip(self._groups, pairs, strict=True) if lines else ():
            batch = [known[each] for each in own if each]
            if len(batch) == len(group) and not any(map(_is_final, batch)):
                announced.append((group, batch))
        found = pair_batches(self._identities(group for group, _ in announced), [sum_of([line]) for line in lines])
        changed: dict[str, Booked] = {}
        for (group, batch), place in zip(announced, found, strict=True):
            if place is not None and self._may_be_meant(group, lines[place]):
                self._booking.lock_matching()
                self._booking.divided.append(lines[place].id)
                changed |= take_over(self._tx, self._shop, batch, lines[place], self._booking.now)
        self._booking.moved.update(changed)
        return changed

    def _may_be_meant(self, group: Group, line: Booked) -> bool:
        """The line says nothing that speaks against the entry, and no person holds it."""
        if len(group) == 1 and not closeness(line.known.identity, self._statement.identity(group[0])):
            return False
        return not self._held_by(line.id)

    def _pairs(self, known: Known, parts: Parts) -> list[list[str | None]]:
        """Per entry and payment the booked one that it is; none for the sum of a batch that is booked in payments."""
        if not known:
            return [[None] * len(group) for group in self._groups]
        in_parts = self._sums_of_parts(known, parts)
        identities = [
            self._statement.identity(posting)
            for place, group in enumerate(self._groups)
            if place not in in_parts
            for posting in group
        ]
        found = iter(pair([each.known for each in known.values()], identities))
        return [
            [None] if place in in_parts else [next(found) for _ in group] for place, group in enumerate(self._groups)
        ]

    def _sums_of_parts(self, known: Known, parts: Parts) -> set[int]:
        """Places of the sums that are nearer to a batch that is booked in its payments than to any that is not."""
        if not parts:
            return set()
        sums = [place for place, group in enumerate(self._groups) if _may_be_sum(group)]
        wholes = [each for each in known.values() if _may_be_booked_whole(each)]
        others = [sum_of(batch) for batch in parts] + [sum_of([each]) for each in wholes]
        found = pair_batches(self._identities(self._groups[place] for place in sums), others)
        return {place for place, other in zip(sums, found, strict=True) if other is not None and other < len(parts)}

    def overlaps(self) -> bool:
        """False if no other statement is near these days: then everything is new without a further look."""
        days = [posting.booking_date for posting in self._flat]
        accounts = sorted({posting.account for posting in self._flat})
        first, last = min(days) - 2 * _SLACK, max(days) + 2 * _SLACK
        return statement_store.any_near(self._tx, self._shop, accounts, first, last, self._own)

    def _load_known(self) -> Known:
        """Booked postings of the same account, days and amounts, and of the sums of batches."""
        amounts = {posting.amount_minor for posting in self._flat}
        amounts |= {sum(posting.amount_minor for posting in group) for group in self._groups}
        days = [posting.booking_date for posting in self._flat]
        found = store.known_near(
            self._tx, self._shop, *self._account, first=min(days) - _SLACK, last=max(days) + _SLACK, amounts=amounts,
            without_statements=self._own,
        )  # fmt: skip
        return {each.id: each for each in found if self._is_free(each)}

    def _is_free(self, booked: Booked) -> bool:
        return booked.id not in self._statement.met and booked.id not in self._booking.divided

    def _book_unseen(self, unseen: Sequence[Group], left: Sequence[Booked], parts: Parts) -> None:
        """Entries that are not booked as they are: batches whose parts are, parts of one that is, or new ones."""
        wholes = [each for each in left if _may_be_booked_whole(each)]
        parts = [batch for batch in parts if all(self._is_free(each) for each in batch)]
        divided = [group for group in unseen if len(group) > 1]
        undivided = [group for group in unseen if _may_be_sum(group)]
        found_wholes = iter(pair_batches(self._identities(divided), [sum_of([each]) for each in wholes]))
        found_parts = iter(pair_batches(self._identities(undivided), [sum_of(batch) for batch in parts]))
        for group in unseen:
            if len(group) > 1 and (place := next(found_wholes)) is not None:
                self._divide(wholes[place], group)
            elif _may_be_sum(group) and (place := next(found_parts)) is not None:
                self._confirm_parts(parts[place], group[0])
            else:
                self._add_entry(group)

    def _identities(self, groups: Iterable[Group]) -> list[BatchKey]:
        return [self._statement.sum_of(group) for group in groups]

    def _booked_parts(self, singles: Sequence[Posting]) -> list[list[Booked]]:
        """Batches that are booked in parts, where one of these entries may be their sum."""
        if not singles:
            return []
        days = [posting.booking_date for posting in singles]
        found = store.groups_near(
            self._tx, self._shop, *self._account, {posting.amount_minor for posting in singles},
            first=min(days) - _SLACK, last=max(days) + _SLACK, without_statements=self._own,
        )  # fmt: skip
        return [group for group in found if all(self._is_free(each) for each in group)]

    def _add_entry(self, group: Group) -> None:
        name = self._booking.ids.new("grp") if len(group) > 1 else ""
        for posting in group:
            self._add(posting, self._statement.line(posting).resolved(), name)

    def _add(self, posting: Posting, resolved: ResolvedPosting, group: str = "", *, counts: bool = True) -> str:
        new = NewPosting(self._booking.ids.new("pst"), resolved, self._statement.id, group)
        self._added.append(new)
        self._note(new.id, "" if resolved.posting == posting else self._facts(posting))
        self._booking.new += counts
        return new.id

    def _facts(self, posting: Posting) -> str:
        return sealed_facts(posting, self._booking.tx.vault(self._booking.shop))

    def _note(self, posting_id: str, facts: str) -> None:
        statement = self._statement
        self._lines.append(line_store.Row(posting_id, statement.id, statement.source, statement.format, facts))

    def _see(self, booked: Booked, seen: StatementLine, *, counts: bool = True) -> None:
        """A booked posting is seen again; the more trustworthy line's facts stay."""
        self._statement.meet(booked)
        self._booking.known += counts
        resolved = booked.resolved.with_line(seen)
        said = "" if seen.days_only or seen.posting == resolved.posting else self._facts(seen.posting)
        self._note(booked.id, said)
        if resolved != booked.resolved:
            self._changed.append(store.Changed(booked.id, self._statement.id, resolved, booked.resolved.posting))
            if resolved.posting.booking_date != booked.resolved.posting.booking_date:
                self._booking.moved.add(booked.id)

    def _confirm_parts(self, parts: Sequence[Booked], whole: Posting) -> None:
        """The sum of a batch whose parts are booked says nothing but that they are, and on which day."""
        for each in parts:
            seen = part_of(whole, each.resolved.posting, self._statement.source, self._statement.format)
            self._see(each, seen, counts=False)
        self._booking.known += 1

    def _divide(self, whole: Booked, group: Group) -> None:
        """The batch gives way to its parts, unless a person holds it."""
        self._booking.lock_matching()
        reason = self._held_by(whole.id)
        if reason:
            first = part_of(group[0], whole.resolved.posting, self._statement.source, self._statement.format)
            self._see(whole, first, counts=False)
            self._booking.notes.append(f"details of posting {whole.id} were left aside: {reason}")
        else:
            name = self._booking.ids.new("grp")
            resolved = [self._statement.line(part).resolved().within(whole.resolved) for part in group]
            ids = [self._add(part, own, name, counts=False) for part, own in zip(group, resolved, strict=True)]
            self._write()
            line_store.inherit(self._tx, self._shop, whole.id, ids, self._booking.import_id)
            self._booking.divided.append(whole.id)
        self._booking.known += len(group)

    def _held_by(self, posting_id: str) -> str:
        """Why the batch must stay as it is; "" if it may be divided."""
        if store.load(self._tx, self._shop, [posting_id])[0].by_hand:
            return "it was assigned by hand"
        return ""

    def _write(self) -> None:
        import_id = self._booking.import_id
        store.insert(self._tx, self._shop, import_id, self._added, self._booking.now)
        line_store.keep_what_was_said(self._tx, self._shop, import_id, self._changed)
        store.change(self._tx, self._shop, self._changed, self._booking.now)
        line_store.add(self._tx, self._shop, import_id, self._lines)
        self._added, self._changed, self._lines = [], [], []


def _paid_from(groups: Sequence[Group]) -> Iterable[str]:
    """Accounts from which money came in; what comes back from an account that we paid is none."""
    return (
        posting.counterparty_iban
        for group in groups
        for posting in group
        if posting.counterparty_iban and posting.amount_minor > 0 and not posting.is_return
    )


def _may_be_booked_whole(booked: Booked) -> bool:
    return not booked.group and may_be_whole(booked.resolved.posting)


def _is_final(booked: Booked) -> bool:
    return booked.resolved.source is PostingSource.FINAL


def _may_be_sum(group: Group) -> bool:
    return len(group) == 1 and may_be_whole(group[0])
