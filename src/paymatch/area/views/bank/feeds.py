"""Automatic sources of statements: the drop folder and the connections to banks."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from paymatch.area.page import Visit, page
from paymatch.area.views.bank.statements_home import FEED_ALARMS
from paymatch.usecases.statements.bank_connections import list_connections
from paymatch.usecases.work.alerts import list_alerts


@page("bank/feeds", "bank_feeds")
def feeds(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Where to put files, which banks are asked, and what is wrong with them."""
    folder = visit.service.settings.drop_dir
    values = {
        "tab": "bank_feeds",
        "inbox": folder / str(visit.shop.id) / "inbox" if folder else None,
        "connections": list_connections(visit.database, visit.shop),
        "alarms": [row for row in list_alerts(visit.database, visit.shop) if row["kind"] in FEED_ALARMS],
        "today": visit.today,
    }
    return render(request, "area/bank/feeds.html", values)
