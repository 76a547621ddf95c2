"""Statements of two accounts that come late at random, while exports leave by themselves."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from paymatch.domain.calendar import is_bank_day, last_bank_day
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.exports import NullExports
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.matching import matching
from paymatch.usecases.reports import journal
from paymatch.usecases.reports.scheduled import deliver_due, waiting
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

OTHER: Final = "DE75512108001245126199"
Moved = Counter[tuple[str, str]]


class LateStatements:
    """Each account has a statement every few bank days, which arrives up to `latest` days later."""

    def __init__(self, books: Books, seed: int, *, every: str, wait: int, latest: int) -> None:
        self.books, self.chance, self.latest = books, random.Random(seed), latest
        self.door = NullExports()
        self.posted = 0
        with books.database.of_shop(books.shop, at=books.now) as tx:
            shops.change(
                tx, {"exports": "postings,allocations,journal", "export-every": every, "export-wait": f"{wait}"}
            )
            books.shop = shop_store.present(tx)

    def live(self, days: int, after: int = 45) -> None:
        """Statements come in the order of their days on each account; each morning exports leave."""
        begin = self.books.now.date()
        coming = [each for account in (ACCOUNT, OTHER) for each in self._planned(account, begin, days)]
        for _ in range(days + self.latest + after):
            today = self.books.now.date()
            for arrives, account, number, first, last in sorted(coming):
                if arrives == today:
                    self._bring(account, number, first, last)
            matching.match_due(self.books.database, self.books.shop, self.books.now)
            self._morning(today)
            self.books.now += timedelta(days=1)

    def _planned(self, account: str, begin: date, days: int) -> list[tuple[date, str, int, date, date]]:
        """(arrival, account, number, first and last day) of each statement."""
        found: list[tuple[date, str, int, date, date]] = []
        first, arrived, number = begin, begin, 0
        while first < begin + timedelta(days=days):
            last = first + timedelta(days=self.chance.choice((2, 6, 9)))
            late = self.chance.choice((1, 1, 1, 3, self.latest))
            arrived, number = max(arrived, last + timedelta(days=late)), number + 1
            found.append((arrived, account, number, first, last))
            first = last + timedelta(days=1)
        return found

    def _bring(self, account: str, number: int, first: date, last: date) -> None:
        entries, sum_before = [], self._balance(account)
        booked = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        for day in [day for day in booked if is_bank_day(day)]:
            if self.chance.random() < 0.5:
                self.posted += 1
                text = f"order L-{self.posted}" if self.posted % 2 else "no order at all"
                minor = self.chance.randrange(1000, 9000)
                if self.posted % 2:
                    self.books.order(f"L-{self.posted}", f"{minor // 100}.{minor % 100:02}", date=f"{day:%d-%m-%Y}")
                reference = f"R{account[-3:]}-{self.posted}"
                entries.append(self._paid(account, minor, text, day, reference))
        statement = camt(
            CamtMessage.STATEMENT, *entries, opening=sum_before, number=number, days=(first, last), account=account
        )  # fmt: skip
        self.books.bring(statement)

    def _paid(self, account: str, minor: int, text: str, day: date, reference: str) -> Posting:
        return replace(
            paid(minor, text, booking_date=day, end_to_end_id=reference, bank_reference=reference), account=account
        )

    def _balance(self, account: str) -> int:
        ((found,),) = self.books.rows(
            f"SELECT coalesce(sum(amount_minor), 0)::bigint FROM postings WHERE shop_id = $1 AND account = '{account}'"
        )
        return int(found)

    def _morning(self, today: date) -> None:
        """Files keep their names and bytes; nothing leaves before it is known, unless it has waited."""
        door, before = NullExports(), waiting_days(self.books)
        deliver_due(self.books.database, self.books.shop, lambda _wanted, _days: door, self.books.now)
        assert not door.files.keys() & self.door.files.keys(), today
        self.door.files |= door.files
        if before is not None:
            assert not any("supplement" not in name for name in door.files), (today, before)

    def check(self) -> None:
        """Each posting has left once, and all journals together are the books."""
        delivered = Counter(row["id"] for row in self._rows("postings"))
        left = {row[0] for row in self.books.rows("SELECT id FROM postings WHERE shop_id = $1")}
        assert delivered == Counter(left)
        assert Counter(row["postingId"] for row in self._rows("allocations")) == Counter(
            row[0] for row in self.books.rows("SELECT posting_id FROM allocations WHERE shop_id = $1")
        )
        with self.books.database.of_shop(self.books.shop) as tx:
            until = shop_store.exported_until(tx)
            assert until is not None
            now: Moved = Counter()
            for each in journal.current_bookings(tx, date(2020, 1, 1), until):
                now[each.debit.number, each.document] += each.minor
                now[each.credit.number, each.document] -= each.minor
        exported: Moved = Counter()
        for row in self._rows("journal"):
            minor = int(row["amount"].replace(".", ""))
            exported[row["debit"], row["document"]] += minor
            exported[row["credit"], row["document"]] -= minor
        assert {key: minor for key, minor in exported.items() if minor} == {
            key: minor for key, minor in now.items() if minor
        }

    def _rows(self, name: str) -> list[dict[str, str]]:
        files = [content for file, content in self.door.files.items() if file.startswith(f"{name}-")]
        return [row for content in files for row in csv.DictReader(io.StringIO(content.decode("utf-8-sig")))]

    @property
    def supplements(self) -> list[int]:
        """The numbers of the supplements."""
        return sorted(
            {int(name.split("supplement-")[1].partition(".")[0]) for name in self.door.files if "supplement" in name}
        )


def waiting_days(books: Books) -> date | None:
    """The last bank day that the exports wait for; None if they do not wait."""
    with books.database.of_shop(books.shop, at=books.now) as tx:
        found = waiting(tx)
    return last_bank_day(found[1]) if found is not None else None
