"""A bookkeeper's month agrees to the cent with every report and export; the laboratory lives 200 of them."""

from __future__ import annotations

from paymatch.store.database import Database
from tests.usecases.reports.full_month import FullMonth
from tests.usecases.reports.month_checks import check_month


def test_a_bookkeepers_month(database: Database) -> None:
    month = FullMonth(database, 7)
    month.live()
    check_month(month)
    assert {"named", "payout", "part", "over", "charge", "unknown", "back", "corrected", "set paid"} <= month.did.keys()
