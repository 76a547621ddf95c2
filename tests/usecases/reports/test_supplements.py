"""Exports wait for the statements of all accounts; what comes later leaves in numbered supplements (D-115)."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, timedelta

import pytest

from paymatch.domain.reports.schedule import Every, begins_after, next_period
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.exports import ExportFile, ExportNotDelivered, NullExports
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.reports.scheduled import deliver_due
from paymatch.usecases.shops import shops
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.formats.accounting import datev_reader
from tests.usecases.conftest import ACCOUNT, Books, camt, paid
from tests.usecases.reports.late_statements import OTHER, LateStatements

MARCH, LAST = date(2026, 3, 1), date(2026, 3, 31)
"""The last day of March 2026 is a bank day, a Tuesday."""


def deliver(books: Books) -> dict[str, bytes]:
    """File -> its content, of what leaves now."""
    door = NullExports()
    deliver_due(books.database, books.shop, lambda _wanted, _days: door, books.now)
    return door.files


def lines(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))[1:]


def alerts(books: Books) -> list[str]:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        keep_alerts(tx)
    return [each["text"] for each in list_alerts(books.database, books.shop) if each["kind"] == "export-waiting"]


def at(books: Books, day: date) -> None:
    books.now = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)


@pytest.fixture
def scheduled(books: Books) -> Books:
    """A monthly export of postings and bookings; the statement of March ends on the 27th."""
    with books.database.of_shop(books.shop, at=books.now) as tx:
        shops.change(
            tx,
            {
                "exports": "postings,orders,journal,datev", "export-every": "month", "export-wait": "5",
                "datev-consultant": "29098", "datev-client": "55003",
            },
        )  # fmt: skip
        books.shop = shop_store.present(tx)
    books.order("A-1", "50.00")
    books.order("A-2", "30.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(5000, "A-1", bank_reference="r1"), days=(MARCH, date(2026, 3, 27))))
    at(books, date(2026, 4, 2))
    return books


def late(books: Books) -> None:
    """The statement of the last days of March."""
    posting = paid(3000, "A-2", bank_reference="r2", booking_date=date(2026, 3, 30))
    books.bring(camt(CamtMessage.STATEMENT, posting, opening=5000, number=2, days=(date(2026, 3, 28), LAST)))


def test_an_export_waits_until_the_statements_reach_the_last_bank_day(scheduled: Books) -> None:
    assert deliver(scheduled) == {}
    assert alerts(scheduled) == [
        "The exports of 2026-03-01 to 2026-03-31 wait for statements, until 2026-04-05 at the latest."
        f" Accounts that end early: {ACCOUNT} (EUR, 2026-03-27)"
    ]
    late(scheduled)
    assert alerts(scheduled) == []
    files = deliver(scheduled)
    days = "2026-03-01-2026-03-31"
    assert sorted(files) == [
        f"EXTF_paymatch-{days}.csv", f"journal-{days}.csv", f"orders-{days}.csv", f"postings-{days}.csv",
    ]  # fmt: skip
    assert files[f"postings-{days}.csv"].count(b"Eva Muster") == 2
    scheduled.now += timedelta(days=20)
    assert deliver(scheduled) == {}


def test_it_leaves_after_the_wait_and_lists_the_accounts_that_end_early(scheduled: Books) -> None:
    at(scheduled, date(2026, 4, 5))
    assert deliver(scheduled) == {}
    at(scheduled, date(2026, 4, 6))
    files = deliver(scheduled)
    assert lines(files["accounts-ending-early-2026-03-01-2026-03-31.csv"]) == [[ACCOUNT, "EUR", "2026-03-27"]]
    assert alerts(scheduled) == []
    late(scheduled)
    supplement = deliver(scheduled)
    assert sorted(supplement) == [
        "EXTF_paymatch-supplement-1.csv", "journal-supplement-1.csv", "postings-supplement-1.csv",
    ]  # fmt: skip
    assert [row[1] for row in lines(supplement["postings-supplement-1.csv"])] == ["2026-03-30"]
    batch = datev_reader.read(supplement["EXTF_paymatch-supplement-1.csv"])
    assert [(each.debit, each.credit, each.fields["Belegfeld 1"]) for each in batch.bookings] == [
        ("1800", "10000", "A-2")
    ]
    assert deliver(scheduled) == {}
    at(scheduled, date(2026, 5, 6))
    april = deliver(scheduled)
    assert b"A-2" not in april["journal-2026-04-01-2026-04-30.csv"], "it has left already"


def test_a_supplement_that_does_not_arrive_goes_again_with_the_same_bytes(scheduled: Books) -> None:
    class Broken:
        def __init__(self) -> None:
            self.seen: dict[str, bytes] = {}

        def deliver(self, files: list[ExportFile]) -> None:
            self.seen |= {file.name: file.content.read() for file in files}
            raise ExportNotDelivered("no")

    at(scheduled, date(2026, 4, 6))
    deliver(scheduled)
    late(scheduled)
    broken = Broken()
    with pytest.raises(ExportNotDelivered):
        deliver_due(scheduled.database, scheduled.shop, lambda _wanted, _days: broken, scheduled.now)
    scheduled.now += timedelta(days=1)
    again = NullExports()
    deliver_due(scheduled.database, scheduled.shop, lambda _wanted, _days: again, scheduled.now)
    assert again.files == broken.seen and len(broken.seen) == 3


@pytest.mark.parametrize(
    ("every", "until", "today", "found"),
    [
        (Every.DAY, None, date(2026, 4, 3), (date(2026, 4, 2), date(2026, 4, 2))),
        (Every.DAY, date(2026, 3, 30), date(2026, 4, 3), (date(2026, 3, 31), date(2026, 3, 31))),
        (Every.DAY, date(2026, 4, 2), date(2026, 4, 3), None),
        (Every.WEEK, date(2026, 3, 15), date(2026, 4, 3), (date(2026, 3, 16), date(2026, 3, 22))),
        (Every.WEEK, date(2026, 3, 17), date(2026, 4, 3), (date(2026, 3, 18), date(2026, 3, 22))),
        (Every.MONTH, date(2026, 1, 31), date(2026, 4, 3), (date(2026, 2, 1), date(2026, 2, 28))),
        (Every.MONTH, date(2026, 3, 31), date(2026, 4, 30), None),
    ],
)
def test_no_period_is_left_out(every: Every, until: date | None, today: date, found: tuple[date, date] | None) -> None:
    assert next_period(every, until, today) == found


def test_exports_that_are_switched_on_again_begin_with_the_last_whole_period() -> None:
    assert begins_after(Every.MONTH, date(2025, 6, 30), date(2026, 4, 3)) == date(2026, 2, 28)
    assert begins_after(Every.DAY, date(2026, 4, 2), date(2026, 4, 3)) == date(2026, 4, 2)


def test_nothing_is_missing_and_nothing_twice_however_late(database: Database) -> None:
    """The laboratory lives years of days, weeks and months (`lab.late_statements`)."""
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    shop = shops.create(database, "Late", now - timedelta(days=9), ibans=[ACCOUNT, OTHER]).shop
    life = LateStatements(Books(database, shop, now), 1, every="week", wait=2, latest=9)
    life.live(21, after=14)
    life.check()
    assert life.supplements == list(range(1, len(life.supplements) + 1))
    assert life.supplements
