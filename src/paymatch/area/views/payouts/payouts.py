"""Payouts of payment services and marketplaces: each one taken apart, and the posting that it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from paymatch.area.badges import Badge, order_badge
from paymatch.area.language.figures import amount, day
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import EXPORTS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.payouts.taken_apart import rows_file
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.payouts.tie_evidence import TieEvidence, TieFact
from paymatch.domain.payouts.ties import PayoutState
from paymatch.domain.refusal import Refused
from paymatch.store.transactions import ShopTx
from paymatch.usecases.payouts import payout_lists as use
from paymatch.usecases.payouts.payout_lists import ShownPayout
from paymatch.usecases.payouts.tying import decide

SHOWN: Final = 100
"""Payouts on the page: those of half a year, for most shops."""
_STATES: Final[Mapping[PayoutState, tuple[str, Promise]]] = {
    PayoutState.ON_ITS_WAY: ("grey", gettext_lazy("On its way")),
    PayoutState.ARRIVED: ("green", gettext_lazy("Arrived")),
    PayoutState.SHORT: ("red", gettext_lazy("Short")),
    PayoutState.OVERDUE: ("red", gettext_lazy("Overdue")),
    PayoutState.NO_TRANSFER: ("grey", gettext_lazy("No transfer")),
}
_FACTS: Final[Mapping[TieFact, Any]] = {
    TieFact.PERSON: gettext_lazy("A person has chosen it"),
    TieFact.NUMBER: gettext_lazy("The text names the payout's number"),
    TieFact.AMOUNT: gettext_lazy("The amount is the payout's, to the cent"),
    TieFact.OTHER_AMOUNT: gettext_lazy("The amount is not the payout's"),
    TieFact.PAYER: gettext_lazy("The payer is %(provider)s"),
    TieFact.DAYS: gettext_lazy("Booked on the day it was sent, %(sent)s"),
    TieFact.LATE: gettext_lazy("Booked unusually long after, or before, it was sent on %(sent)s"),
    TieFact.ALONE: gettext_lazy("No other payout has this amount"),
    TieFact.TWINS: ngettext_lazy("%(n)s other payout has this amount", "%(n)s other payouts have this amount", "n"),
}
"""Facts in words; the values of a sentence are filled in afterwards."""
_TABS: Final = (
    ("", gettext_lazy("All"), tuple(PayoutState)),
    ("way", gettext_lazy("On its way"), (PayoutState.ON_ITS_WAY,)),
    ("look", gettext_lazy("To check"), (PayoutState.SHORT, PayoutState.OVERDUE)),
    ("arrived", gettext_lazy("Arrived"), (PayoutState.ARRIVED,)),
)


def _fetch(tx: ShopTx, _visit: Visit, asked: ListQuery) -> ListPage:
    """All payouts of the filter as an export has them."""
    return ListPage([_exported(each) for each in _wanted(use.all_payouts(tx), asked)])


def _wanted(found: Sequence[ShownPayout], asked: ListQuery) -> list[ShownPayout]:
    """The payouts in the asked state whose service, account, number or amount contains what was searched for."""
    tab, words = asked.filters.get("state", ""), asked.search.lower()
    states = next((states for name, _word, states in _TABS if name == tab), tuple(PayoutState))
    return [each for each in found if each.state in states and words in _searched(each)]


def _searched(each: ShownPayout) -> str:
    row = each.row
    sums = f"{amount(row.amount_minor, row.currency)} {minor_to_text(row.amount_minor, Currency(row.currency))}"
    return f"{each.provider} {row.account} {row.payout_id} {sums} {row.currency}".lower()


def _exported(each: ShownPayout) -> dict[str, Any]:
    row = each.row
    return {
        "payout": row.payout_id, "service": each.provider, "account": row.account, "sent": row.sent_on,
        "booked": row.booked_on, "state": badge_of(each), "rows": row.line_count, "orders": row.order_count,
        "gross": row.gross_minor, "fee": row.fee_minor, "amount": row.amount_minor, "short": row.short_minor,
        "currency": row.currency, "posting": row.posting_id,
    }  # fmt: skip


@cache
def _list() -> Listing:
    """The list as a file, and what its address asks for; the page itself has a payout beside its rows."""
    return Listing(
        "payouts",
        columns=(
            ListColumn("payout", gettext_lazy("Payout")),
            ListColumn("service", gettext_lazy("Service")),
            ListColumn("account", gettext_lazy("Account")),
            ListColumn("sent", gettext_lazy("Sent"), ListColumnKind.DAY),
            ListColumn("booked", gettext_lazy("Booked"), ListColumnKind.DAY),
            ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
            ListColumn("rows", gettext_lazy("Rows"), ListColumnKind.COUNT),
            ListColumn("orders", gettext_lazy("Orders"), ListColumnKind.COUNT),
            ListColumn("gross", gettext_lazy("Gross"), ListColumnKind.MONEY),
            ListColumn("fee", gettext_lazy("Fee"), ListColumnKind.MONEY),
            ListColumn("amount", gettext_lazy("Amount"), ListColumnKind.MONEY),
            ListColumn("short", gettext_lazy("Short"), ListColumnKind.MONEY),
            ListColumn("currency", gettext_lazy("Currency")),
            ListColumn("posting", gettext_lazy("Posting")),
        ),
        choices=(Choice("state", gettext_lazy("State"), tuple((name, word) for name, word, _states in _TABS[1:])),),
        fetch=_fetch,
    )


@page("payouts", "payouts", changes=Permission.DECIDE)
def payouts(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The payouts, and one of them with its rows. POST says which posting it is."""
    picked = [request.GET.get(name, "") for name in ("account", "currency", "payout")]
    refused = ""
    if request.GET.get("format") in EXPORTS and not picked[2]:
        return _list().answer(request, visit, "area/payouts.html")
    if request.method == "POST":
        try:
            with visit.transaction() as tx:
                decide(tx, request.POST.get("posting", ""), *_three(picked))
        except Refused as refusal:
            refused = in_words_of(refusal)
        else:
            messages.success(request, _("The payout is tied to its posting"), extra_tags="green")
            return HttpResponseRedirect(f"{visit.url('payouts')}?{request.GET.urlencode()}")
    with visit.transaction() as tx:
        found = use.all_payouts(tx)
        if not picked[2] and found:
            picked = [found[0].row.account, found[0].row.currency, found[0].row.payout_id]
        shown = use.one_payout(tx, *_three(picked)) if picked[2] else None
    if picked[2] and shown is None:
        raise Http404
    if shown is not None and request.GET.get("format") in EXPORTS:
        return rows_file(request, visit, shown)
    asked = _list().read_query(request)
    rows = [_row(visit, each, shown, asked) for each in _wanted(found, asked)]
    values = {
        "rows": rows[:SHOWN], "more": len(rows) > SHOWN, "tabs": _tabs(found), "asked": asked,
        "figures": _figures(found),
        "shown": shown_values(visit, shown) if shown else None, "refused": refused,
        "may_decide": visit.may(Permission.DECIDE),
    }  # fmt: skip
    return render(request, "area/payouts.html", values, status=422 if refused else 200)


def _three(picked: Sequence[str]) -> tuple[str, str, str]:
    account, currency, payout = picked
    return account, currency, payout


def address_of(visit: Visit, shown: ShownPayout) -> str:
    """The address of a payout."""
    row = shown.row
    asked = {"account": row.account, "currency": row.currency, "payout": row.payout_id}
    return f"{visit.url('payouts')}?{urlencode(asked)}"


def badge_of(shown: ShownPayout) -> Badge:
    """The badge of a payout's state; a short one says by how much."""
    colour, word = _STATES[shown.state]
    if shown.state is PayoutState.SHORT:
        by = amount(shown.row.short_minor, shown.row.currency)
        return colour, shown.state.value, _("Short by %(amount)s") % {"amount": by}
    return colour, shown.state.value, word


def _row(visit: Visit, each: ShownPayout, shown: ShownPayout | None, asked: ListQuery) -> dict[str, Any]:
    is_current = shown is not None and each.row == shown.row
    kept = urlencode(dict(asked.filters) | ({"q": asked.search} if asked.search else {}))
    url = address_of(visit, each) + (f"&{kept}" if kept else "")
    return {"payout": each, "url": url, "badge": badge_of(each), "current": is_current}


def shown_values(visit: Visit, shown: ShownPayout) -> dict[str, Any]:
    """What a page shows of one payout."""
    lines = [
        {
            "line": each, "url": visit.url("order", number=each.order_number) if each.order_number else "",
            "badge": order_badge(each.order_status) if each.order_status else None,
            "gross_minor": each.amount_minor + each.withheld_minor,
        }
        for each in shown.lines
    ]  # fmt: skip
    return {
        "payout": shown, "lines": lines, "whole": _whole(shown), "badge": badge_of(shown),
        "url": address_of(visit, shown),
        "arrived_minor": shown.row.amount_minor - shown.row.short_minor if shown.row.posting_id else None,
        "most": use.MOST_LINES,
    }  # fmt: skip


def evidence_values(evidence: Sequence[TieEvidence], shown: ShownPayout) -> list[dict[str, Any]]:
    """Why the posting is this payout, in words: each fact with how it looks and how much it says."""
    named = {"provider": shown.provider, "sent": day(shown.row.sent_on)}
    return [
        {
            "text": _evidence_text(each) % (named | {"n": each.count}),
            "side": "against" if each.is_against else "lacks" if each.is_neutral else "for",
            "word": "" if each.is_against or each.is_neutral else _("strong") if each.is_strong else _("medium"),
        }
        for each in evidence
    ]  # fmt: skip


def _evidence_text(each: TieEvidence) -> Any:
    if each.fact is TieFact.DAYS and each.count:
        return ngettext("Booked %(n)s bank day after %(sent)s", "Booked %(n)s bank days after %(sent)s", each.count)
    return _FACTS[each.fact]


def _whole(shown: ShownPayout) -> dict[str, int] | None:
    """The sums of a payout's rows, where all of several are shown and add up to the payout.

    A row without an order has no fee of its own yet: its sums would contradict those above.
    """
    fee, net = sum(each.withheld_minor for each in shown.lines), sum(each.amount_minor for each in shown.lines)
    if not 1 < len(shown.lines) < use.MOST_LINES or (net + fee, fee) != (shown.row.gross_minor, shown.row.fee_minor):
        return None
    return {"gross": net + fee, "fee": fee, "net": net}


def _tabs(found: Sequence[ShownPayout]) -> list[tuple[str, str | Promise, int]]:
    return [(name, word, sum(each.state in states for each in found)) for name, word, states in _TABS]


def _figures(found: Sequence[ShownPayout]) -> list[dict[str, Any]]:
    """What is on its way, has arrived and was kept, in each currency."""
    sums: list[dict[str, Any]] = []
    for currency in sorted({each.row.currency for each in found}):
        own = [each for each in found if each.row.currency == currency]
        way = [each for each in own if each.state is PayoutState.ON_ITS_WAY]
        arrived = [each for each in own if each.row.posting_id]
        sums.append(
            {
                "currency": currency, "way": sum(each.row.amount_minor for each in way), "way_count": len(way),
                "arrived": sum(each.row.amount_minor - each.row.short_minor for each in arrived),
                "arrived_count": len(arrived), "kept": sum(each.row.fee_minor for each in own),
                "gross": sum(each.row.gross_minor for each in own),
                "look": sum(each.is_trouble for each in own),
            }
        )  # fmt: skip
    return sums
