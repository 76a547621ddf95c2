"""The overview: what came in, what is open, what to do next."""

from __future__ import annotations

from datetime import date
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.charts import Point, bars
from paymatch.area.lists import Asked, Choice, Column, Found, Kind, Listing
from paymatch.area.page import Visit, page
from paymatch.area.templatetags.figures import amount, day
from paymatch.store.database import Tx
from paymatch.usecases.statements import figures

DAYS: Final = 30
STATES: Final = (
    ("matched", gettext_lazy("Matched")),
    ("suggested", gettext_lazy("To decide")),
    ("unmatched", gettext_lazy("No candidate")),
    ("ignored", gettext_lazy("Ignored")),
)
_COLOURS: Final = {"matched": "green", "suggested": "amber", "unmatched": "grey", "ignored": "grey"}


def _latest(tx: Tx, visit: Visit, asked: Asked) -> Found:
    rows, following = figures.latest(
        tx, visit.shop, status=asked.filters.get("status", ""), after=asked.after, limit=asked.limit
    )
    words = dict(STATES)
    for row in rows:
        row["state"] = (_COLOURS[row["status"]], row["status"], words[row["status"]])
        row["orders"] = ", ".join(f"#{number}" for number in row["orders"] or ())
        row["amount"] = row["amount_minor"]
    return Found(rows, following)


LATEST: Final = Listing(
    "postings",
    columns=(
        Column("booking_date", gettext_lazy("Booked"), Kind.DAY),
        Column("counterparty_name", gettext_lazy("From")),
        Column("remittance", gettext_lazy("Payment text")),
        Column("orders", gettext_lazy("Order")),
        Column("state", gettext_lazy("State"), Kind.BADGE),
        Column("amount", gettext_lazy("Amount"), Kind.MONEY),
    ),
    choices=(Choice("status", gettext_lazy("State"), STATES),),
    fetch=_latest,
    searches=False,
)


@page("overview", "overview")
def overview(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The first page of a shop."""
    with visit.database.transaction(visit.shop_id) as tx:
        booked = figures.cash_in(tx, visit.shop, visit.today, DAYS)
    currency = visit.shop.currency
    points = [_point(when, minor, visit) for when, minor in booked]
    chart = bars(points, name=_("Cash in per day"), labels=range(0, DAYS, 7))
    total = sum(minor for _, minor in booked)
    return LATEST.answer(
        request, visit, "area/overview.html", chart=chart, total=total, currency=currency, today=visit.today
    )


def _point(when: date, minor: int, visit: Visit) -> Point:
    mark = "today" if when == visit.today else ""
    title = f"{day(when)}: {amount(minor, visit.shop.currency)} {visit.shop.currency}"
    return Point(day(when), minor / 100, title, mark)
