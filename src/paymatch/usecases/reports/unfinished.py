"""A month's unfinished work before its closing: postings, suggestions, statements, exports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from paymatch.domain.calendar import last_bank_day
from paymatch.domain.reports.asked import PeriodQuery, month_end, month_of
from paymatch.domain.words.message import Message, Sum
from paymatch.store.reports import deliveries
from paymatch.store.statements import posting_queue
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import cash, scheduled
from paymatch.usecases.statements.completeness import gaps


def unfinished_work(tx: ShopTx, month: date) -> list[Message]:
    """A month's open points as sentences; empty if it can be closed now."""
    first, last = month_of(month), month_end(month)
    return [*_postings(tx, first, last), *_statements(tx, first, last), *_exports(tx, first, last)]


def _postings(tx: ShopTx, first: date, last: date) -> Iterator[Message]:
    """Unexplained postings, and those of them that have a suggestion."""
    open_minor: dict[str, list[int]] = defaultdict(list)
    for row in cash.unexplained_postings(tx, PeriodQuery(first, last, date.max), None, None):
        open_minor[row["currency"]].append(row["open"])
    for currency, amounts in sorted(open_minor.items()):
        yield Message("unfinished-postings", count=len(amounts), amount=Sum(sum(amounts), currency))
    if count := posting_queue.count_suggested(tx, first, last):
        yield Message("unfinished-suggestions", count=count)


def _statements(tx: ShopTx, first: date, last: date) -> Iterator[Message]:
    """Gaps within the month, and accounts whose statements end before its last bank day."""
    for (account, _), missing in gaps(tx).items():
        for gap in missing:
            if gap.proven and gap.first_date <= last and gap.last_date >= first:
                yield Message("alert-gap", account=account or Message("account-not-named"), gap=gap.text)
    wanted = last_bank_day(last)
    for each in deliveries.reach(tx):
        if each.known_to < wanted:
            yield Message("unfinished-account", account=f"{each.account} {each.currency}", day=each.known_to)


def _exports(tx: ShopTx, first: date, last: date) -> Iterator[Message]:
    found = scheduled.waiting(tx)
    if found is not None and found[0] <= last and found[1] >= first:
        yield Message("unfinished-export", first=found[0], last=found[1], until=found[2])
