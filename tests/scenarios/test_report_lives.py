"""Reports of random lives: every cent is explained, and a past day's report is the one made on that day (D-50)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
import structlog

from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.store.database import Database
from paymatch.usecases.reports import closing, reports
from tests.keys import KEYRING
from tests.length import some
from tests.scenarios.lives import Life, life_of

_SHOWN = {
    "open": tuple(column.key for column in REPORTS["open"].columns),
    "overpaid": ("number", "amount", "paid", "overpaid", "status"),
    # Names and texts are read as they are today: an undone import took them along.
    "postings": tuple(c.key for c in REPORTS["postings"].columns if c.key not in ("originator", "text")),
    "cash": tuple(column.key for column in REPORTS["cash"].columns),
}
_BEGIN = date(2026, 1, 1)
Made = dict[date, dict[str, list[dict[str, Any]]]]


@pytest.fixture
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    with structlog.testing.capture_logs():
        yield opened
    opened.close()


def report(life: Life, name: str, day: date) -> list[dict[str, Any]]:
    """What the report shows of all postings until a day, and as of it."""
    with life.world.database.of_shop(life.world.shop) as tx:
        rows = reports.rows(tx, REPORTS[name], PeriodQuery(_BEGIN, day, day))
        return [{key: row.get(key) for key in _SHOWN[name]} for row in rows]


@pytest.mark.parametrize("seed", some([3, 5, 9], 1))
def test_reports_of_past_days_stay_what_they_were(
    database: Database, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Made = {}
    take_over, meanwhile = Life._take_over, Life._meanwhile

    def take_over_and_report(life: Life) -> None:
        take_over(life)
        made[life._today()] = {name: report(life, name, life._today()) for name in _SHOWN}

    def act_after_the_report(life: Life) -> None:
        """Others act while the clock goes on to the next moment: what was reported is not the end of that day."""
        made.pop(life._today(), None)
        meanwhile(life)

    monkeypatch.setattr(Life, "_take_over", take_over_and_report)
    monkeypatch.setattr(Life, "_meanwhile", act_after_the_report)
    with life_of(database, seed) as life:
        life.live()
        assert len(made) > 10
        for day, was in made.items():
            assert {name: report(life, name, day) for name in _SHOWN} == was, day
        every_cent_is_explained(made)
        changes_after_a_close_are_listed(life)


def every_cent_is_explained(made: Made) -> None:
    for was in made.values():
        for row in was["postings"]:
            assert row["amount"] == row["forOrders"] + row["forRefunds"] + row["aside"] + row["open"], row
            assert row["amount"] - row["aside"] - row["open"] == sum(part[1] for part in row["orders"]), row
        closings: dict[str, int] = {}
        for row in was["cash"]:
            if row["opening"] is not None:
                assert row["opening"] + row["in"] + row["out"] + (row["missing"] or 0) == row["closing"], row
            assert row["in"] + row["out"] == row["orders"] + row["refunds"] + row["aside"] + row["open"], row
            assert closings.get(row["account"], row["opening"]) == row["opening"], row
            closings[row["account"]] = row["closing"]
        assert sum(row["in"] + row["out"] for row in was["cash"]) == sum(row["amount"] for row in was["postings"])
    last = made[max(made)]["cash"]
    assert last[0]["missing"] == 0 and sum(row["postings"] for row in last) > 5


def changes_after_a_close_are_listed(life: Life) -> None:
    """January is closed; then a match of it is lost, and a sealed line is changed: both are told."""
    database, shop, shop_id = life.world.database, life.world.shop, life.world.shop_id
    january = date(2026, 1, 1)
    closed = closing.close(database, shop, january, life._now)
    with database.of_shop(shop) as tx:
        assert list(closing.changes(tx, january)) == []
        [row] = closing.list_closed_months(tx)
        assert (row["seal"], row["changes"], row["hash"]) == ("holds", 0, closed["hash"])
        [first, second] = tx.rows(
            "SELECT p.id, p.amount_minor FROM postings p WHERE p.shop_id = $1 AND p.status = 'matched'"
            " AND p.booking_date < $2 ORDER BY p.id LIMIT 2", shop_id, january + timedelta(days=31),
        )  # fmt: skip
        tx.run("DELETE FROM allocations WHERE shop_id = $1 AND posting_id = $2", shop_id, first.id)
        [changed] = closing.changes(tx, january)
        assert (changed["id"], changed["before"]["amount"]) == (first.id, first.amount_minor)
        assert len(changed["before"]["orders"]) > len(changed["after"]["orders"]) == 0
        tx.run("DELETE FROM closed_postings WHERE shop_id = $1 AND posting_id = $2", shop_id, second.id)
        [row] = closing.list_closed_months(tx)
        assert (row["seal"], row["changes"]) == ("broken", 2)
