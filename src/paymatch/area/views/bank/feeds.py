"""Automatic sources of statements: EBICS, account information, the drop folder and FinTS."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from paymatch.area.language.figures import account_label
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.bank.account_information import consent_badge
from paymatch.area.views.bank.ebics import badge_of
from paymatch.area.views.bank.past import CHANNELS
from paymatch.area.views.bank.statements_home import FEED_ALARMS
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.bank_feeds.connections import list_connections as ebics_connections
from paymatch.usecases.bank_feeds.consents import overviews
from paymatch.usecases.bank_feeds.feeds import account_feeds
from paymatch.usecases.statements.bank_connections import list_connections
from paymatch.usecases.work.alerts import list_alerts


@page("bank/feeds", "bank_feeds")
def feeds(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Where to put files, which banks are asked, and what is wrong with them."""
    with visit.transaction() as tx:
        ebics_rows = ebics_connections(tx)
        consents = overviews(tx)
        accounts = account_feeds(tx, visit.today, consents)
    folder = visit.service.settings.drop_dir
    values = {
        "tab": "bank_feeds",
        "inbox": folder / str(visit.shop.id) / "inbox" if folder else None,
        "accounts": [
            (
                each,
                account_label(each.account) if is_at_provider(each.account) else each.account,
                CHANNELS[StatementChannel(each.channel)] if each.channel else "",
            )
            for each in accounts
        ],
        "ebics": [(row, badge_of(row)) for row in ebics_rows],
        "consents": [(each.row, consent_badge(each.row)) for each in consents],
        "may_manage": visit.may(Permission.MANAGE),
        "may_bank": visit.may(Permission.BANK),
        "connections": list_connections(visit.database, visit.shop),
        "alarms": [row for row in list_alerts(visit.database, visit.shop) if row["kind"] in FEED_ALARMS],
        "today": visit.today,
    }
    return render(request, "area/bank/feeds.html", values)
