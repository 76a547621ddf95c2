"""Find anything: what a caller says, and the answer; a page, and the piece of it that the dialog of Ctrl K shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.badges import Badge, order_badge
from paymatch.area.language.figures import amount, day
from paymatch.area.page import Visit, page
from paymatch.area.templatetags.figures import money
from paymatch.area.views.orders.timeline import Happening, timeline
from paymatch.area.views.search.answers import Answer, customer_answer, order_answer, payment_answer
from paymatch.area.views.search.marks import is_nearly_found, mark_found_words
from paymatch.domain.search.query import SearchQuery
from paymatch.store.search.shown import FoundCustomer, FoundPayment
from paymatch.usecases.search.finding import MOST_COUNTED, Findings, FoundOrder, Group, find

MOST_TYPED: Final = 200
_EACH: Final = 5
_OF_ONE_GROUP: Final = 20
_TEXT_SHOWN: Final = 80
_POSTING_BADGES: Final = {
    "matched": ("green", "matched", gettext_lazy("Booked")),
    "ignored": ("grey", "ignored", gettext_lazy("No order payment")),
    "suggested": ("amber", "suggested", gettext_lazy("To decide")),
    "unmatched": ("amber", "unmatched", gettext_lazy("To decide")),
}
_ASIDE: Final[Badge] = ("grey", "aside", gettext_lazy("Set aside"))


@dataclass(frozen=True, slots=True)
class Result:
    """A result line, and the detail shown once it is chosen."""

    icon: str
    url: str
    title: SafeString
    second: SafeString
    figure: SafeString | str
    beside: str
    badge: Badge | None
    heading: str
    about: str
    answer: Answer
    facts: Sequence[tuple[str, SafeString | str]] = ()
    events: Sequence[Happening] = ()
    link: str = ""
    opens: str = ""


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """The results of a kind; `url` leads to the list of all."""

    kind: Group
    label: str | Promise
    count: int
    results: Sequence[Result]
    url: str = ""

    @property
    def count_label(self) -> str:
        """How many there are, as far as they are counted."""
        return capped_count(self.count)


@page("find", "find")
def find_anything(request: HttpRequest, visit: Visit) -> HttpResponse:
    """GET ?q=...&kind=orders&at=2: what was found, and the answer of the second result. For the dialog the piece."""
    text = request.GET.get("q", "").strip()[:MOST_TYPED]
    kind = request.GET.get("kind", "")
    kind = kind if kind in set(Group) else ""
    begun = time.perf_counter()
    with visit.transaction() as tx:
        found = find(tx, text, _OF_ONE_GROUP if kind else _EACH)
    milliseconds = round(1000 * (time.perf_counter() - begun))
    groups = _groups(found, visit, text)
    numbers, chosen = count(1), [group for group in groups if group.results and kind in ("", group.kind)]
    shown = [(group, [(next(numbers), result) for result in group.results]) for group in chosen]
    values = {
        "text": text, "kind": kind, "groups": groups, "shown": shown, "count": found.count,
        "count_label": capped_count(found.count),
        "milliseconds": milliseconds, "at": _at(request, sum(len(results) for _group, results in shown)),
    }  # fmt: skip
    template = "area/find_found.html" if request.headers.get("HX-Request") else "area/find.html"
    return render(request, template, values)


def capped_count(found: int) -> str:
    """The count, "200+" where it ends: what many rows have is not counted to the end."""
    return f"{MOST_COUNTED}+" if found > MOST_COUNTED else str(found)


def _at(request: HttpRequest, last: int) -> int:
    """Which result's answer is shown: the first unless another one is asked for."""
    text = request.GET.get("at", "1")
    return int(text) if text.isdecimal() and len(text) < 4 and 1 <= int(text) <= last else 1


def _groups(found: Findings, visit: Visit, text: str) -> list[ResultGroup]:
    query = found.query
    orders = [_order(each, query, visit) for each in found.orders]
    payments = [_payment(each, query, visit) for each in found.payments]
    customers = [_customer(each, query, visit) for each in found.customers]
    return [
        ResultGroup(Group.ORDERS, _("Orders"), found.order_count, orders, f"{visit.url('orders')}?q={quote(text)}"),
        ResultGroup(Group.PAYMENTS, _("Payments"), found.payment_count, payments),
        ResultGroup(Group.CUSTOMERS, _("Customers"), len(customers), customers),
    ]


def _order(found: FoundOrder, query: SearchQuery, visit: Visit) -> Result:
    order = found.order
    dates = [_("ordered {day}").format(day=day(order.ordered))]
    if found.booked:
        dates.append(_("paid {day}").format(day=day(found.booked[0].day)))
    elif order.due is not None:
        dates.append(_("due {day}").format(day=day(order.due)))
    if found.is_near:
        dates.append(_("one letter differs"))
    first = next(iter(found.payments), None)
    return Result(
        icon="receipt",
        url=visit.url("order", number=order.number),
        title=format_html(
            "{} {}", mark_found_words(f"#{order.number}", query), mark_found_words(order.customer, query)
        ),
        second=format_html("{}", ", ".join(dates)),
        figure=money(order.amount_minor, order.currency),
        beside="",
        badge=order_badge(order.status),
        heading=_("Order #{number}").format(number=order.number),
        about=order.customer,
        answer=order_answer(found, visit.today),
        facts=[
            (_("Amount"), money(order.amount_minor, order.currency)),
            (_("Credited"), money(order.paid_minor, order.currency)),
            (_("Open"), money(order.open_minor, order.currency)),
        ],
        events=timeline(found.recent.rows, (), order.currency, visit.shop.timezone)[::-1],
        link=visit.url("posting", posting=first.posting_id) if first is not None else "",
        opens=_("Open the order"),
    )


def _payment(found: FoundPayment, query: SearchQuery, visit: Visit) -> Result:
    second = [format_html("{}", day(found.day)), mark_found_words(_short(found.text), query)]
    second += [format_html("{}", found.bank)] if found.bank else []
    near = found.is_near or is_nearly_found(found.name, query)
    second += [format_html("{}", _("one letter differs"))] if near else []
    to = ", ".join(f"#{number}" for number in found.orders[:2])
    badge = _ASIDE if found.aside_reason and found.status != "ignored" else _POSTING_BADGES[found.status]
    account = f"·· {found.account_end}" if found.account_end else "–"
    return Result(
        icon="inbox",
        url=visit.url("posting", posting=found.id),
        title=mark_found_words(found.name or "–", query),
        second=_join_parts(second),
        figure=money(found.amount_minor, found.currency),
        beside=_("to {orders}").format(orders=to) if to else "",
        badge=None if to else badge,
        heading=found.name or _("Payment"),
        about=_("{amount} of {day}").format(
            amount=f"{amount(found.amount_minor, found.currency)} {found.currency}", day=day(found.day)
        ),
        answer=payment_answer(found),
        facts=[
            (_("Booked"), day(found.day)),
            (_("From account"), format_html('<span class="mono">{}</span>', account)),
            (_("Payment text"), format_html('<span class="mono">{}</span>', _short(found.text) or "–")),
        ],
        opens=_("Open the posting"),
    )


def _customer(found: FoundCustomer, query: SearchQuery, visit: Visit) -> Result:
    about = [each for each in (found.number, found.email, found.city) if each]
    orders = ngettext("{count} order", "{count} orders", found.orders).format(count=found.orders)
    sums = found.open_minor or [(visit.shop.currency, 0)]
    opened = ", ".join(f"{amount(minor, currency)} {currency}" for currency, minor in sums)
    wanted = found.number or found.email or found.name
    return Result(
        icon="user",
        url=visit.url("orders") + f"?q={quote(wanted)}",
        title=mark_found_words(found.name or wanted, query),
        second=_join_parts([mark_found_words(each, query) for each in about]),
        figure="",
        beside=_("{orders}, {amount} open").format(orders=orders, amount=opened),
        badge=None,
        heading=found.name or wanted,
        about=" · ".join(about),
        answer=customer_answer(found),
        facts=[(_("Orders"), str(found.orders)), (_("Open"), opened)],
        opens=_("Show the orders"),
    )


def _join_parts(parts: Sequence[SafeString]) -> SafeString:
    return format_html_join(" · ", "{}", ((part,) for part in parts if part))


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_SHOWN else f"{text[:_TEXT_SHOWN]}…"
