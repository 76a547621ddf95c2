"""Postings to decide: the list and one posting side by side; every decision is a form, and can be undone."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import in_words
from paymatch.area.lists import EXPORTS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.queue import decisions, reasons, split, steps
from paymatch.area.queue.nearest import WAITS, nearest_values
from paymatch.area.queue.showing import (
    callback_words,
    candidate_values,
    detail_values,
    label_of,
    order_url,
    other_values,
    outcome_words,
    suggested_orders,
    suggestion_sums,
)
from paymatch.area.views.banners import of_posting
from paymatch.area.views.orders.timeline import timeline
from paymatch.area.views.payouts.payouts import evidence_values, shown_values
from paymatch.area.views.payouts.taken_apart import booking_values
from paymatch.domain.refusal import Refused
from paymatch.store.advices import advice_list
from paymatch.store.orders.order_history import Recent
from paymatch.store.statements.posting_queue import QueueFilter
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import queue
from paymatch.usecases.matching.nearest import nearest
from paymatch.usecases.payouts.payout_lists import evidence_of_tie, payout_of_posting

TABS: Final = (
    ("decide", pgettext_lazy("list of postings", "To decide")),
    ("collective", gettext_lazy("Collective")),
    ("aside", pgettext_lazy("list of postings", "Set aside")),
    ("decided", gettext_lazy("Decided")),
)
_MORE_LISTS: Final = (("automatic", gettext_lazy("Matched automatically")),)
_KINDS: Final = (
    ("with", gettext_lazy("With a candidate")),
    ("without", gettext_lazy("Without a candidate")),
    ("in", gettext_lazy("Money in")),
    ("out", gettext_lazy("Money out")),
)


def _filter_of(asked: ListQuery) -> QueueFilter:
    return QueueFilter(asked.filters.get("tab", "decide"), asked.search, asked.filters.get("kind", ""))


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    wanted = _filter_of(asked)
    after = queue.place_of(wanted, asked.after.split("|"))
    rows, following = queue.list_postings(tx, wanted, after=after, limit=asked.limit)
    return ListPage([_row(row) for row in rows], "|".join(following))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row for list and export: the best suggestion's orders, or those that it is matched to."""
    first = row["decision"].suggestions[0] if row["decision"].suggestions else None
    numbers = row["orders"] or ([credit.order_number for credit in first.allocations] if first else [])
    return row | {
        "amount": row["amount_minor"],
        "order": ", ".join(numbers),
        "label": label_of(numbers),
        "first": None if row["orders"] else first,
        "probability": round(first.probability * 100) if first is not None and not row["orders"] else None,
        "bar": round(first.probability * 32) if first is not None else 0,
        "held_back": in_words(row["decision"].held_back_said),
        "reasons": sorted(first.evidence, key=lambda each: -abs(each.weight))[:3] if first else [],
    }


_LEFT_OUT_SHOWN: Final = 50
_PRESETS: Final = (92, 85, 75)
"""Usual limits for accepting many, in per cent; any other can be typed."""
_OTHER_CANDIDATES: Final = 2
"""With more candidates there are two others among them."""

POSTINGS: Final = Listing(
    "postings",
    columns=(
        ListColumn("id", gettext_lazy("Posting")),
        ListColumn("booking_date", gettext_lazy("Booked"), ListColumnKind.DAY),
        ListColumn("counterparty_name", gettext_lazy("From")),
        ListColumn("remittance", gettext_lazy("Payment text")),
        ListColumn("bank_reference", gettext_lazy("Bank's reference")),
        ListColumn("account", gettext_lazy("Account")),
        ListColumn("status", gettext_lazy("State")),
        ListColumn("order", gettext_lazy("Order")),
        ListColumn("probability", gettext_lazy("Probability"), ListColumnKind.COUNT),
        ListColumn("held_back", gettext_lazy("Held back")),
        ListColumn("aside_reason", gettext_lazy("Reason")),
        ListColumn("decided_at", gettext_lazy("Decided"), ListColumnKind.MOMENT),
        ListColumn("amount", gettext_lazy("Amount"), ListColumnKind.MONEY),
        ListColumn("currency", gettext_lazy("Currency")),
    ),
    choices=(
        Choice("tab", gettext_lazy("List"), TABS + _MORE_LISTS),
        Choice("kind", gettext_lazy("Which"), _KINDS),
    ),
    fetch=_fetch,
)


@page("postings", "postings", changes=Permission.DECIDE)
def postings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The list with its first posting. POST undoes the last decision of this session."""
    if request.method == "POST":
        return decisions.undo_last(request, visit)
    if request.GET.get("format") in EXPORTS:
        return POSTINGS.answer(request, visit, "area/postings.html")
    return _queue(request, visit, None)


@page("postings/accept", "postings_accept", changes=Permission.DECIDE)
def accept(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Accepting many suggestions at once: first which ones, then all unchanged ones."""
    if request.method == "POST":
        return decisions.accept_all(request, visit)
    asked = POSTINGS.read_query(request)
    least = _least(request.GET.get("least", ""))
    wanted = _filter_of(asked)
    with visit.transaction() as tx:
        likely = queue.likely_suggestions(tx, wanted, least)
        rows = [_proposal_row(visit, each) for each in queue.proposed_bookings(tx, likely)]
        others, more = queue.list_postings(tx, wanted, limit=queue.MOST_AT_ONCE)
    ids = {row["id"] for row in rows}
    left_out = [row | {"why": _why_left_out(row, least)} for row in map(_row, others) if row["id"] not in ids]
    sums: dict[str, int] = {}
    exact = [row for row in rows if not row["doubt"]]
    for row in exact:
        sums[row["currency"]] = sums.get(row["currency"], 0) + row["amount_minor"]
    back = decisions.back_of(request)
    values = {
        "rows": rows,
        "groups": (exact, [row for row in rows if row["doubt"]]),
        "sums": sums.items(),
        "least": round(least * 100),
        "asked": asked,
        "back": back,
    }
    values |= {"presets": _presets(request, round(least * 100))}
    values |= {"most": queue.MOST_AT_ONCE, "left_out": left_out[:_LEFT_OUT_SHOWN], "left_out_count": len(left_out)}
    return render(request, "area/postings_accept.html", values | {"more_left_out": bool(more)})


def _proposal_row(visit: Visit, each: queue.ProposedBooking) -> dict[str, Any]:
    """A row with what its best suggestion would do, and why it is not ticked; `doubt` is "" for an exact one."""
    row, candidate = _row(dict(each.row)), candidate_values(visit, each.candidate, each.row["currency"])
    lines = each.candidate.lines
    stays = sum(line.stays_open_minor or 0 for line in lines)
    currency, withheld = lines[0].currency or row["currency"], sum(line.withheld_minor for line in lines)
    words = {
        queue.Doubt.TAKEN: _("The same order is paid by %(sum)s of %(who)s above"),
        queue.Doubt.OVERPAID: _("Overpaid by %(over)s"),
        queue.Doubt.PARTLY: _("%(stays)s stays open"),
        queue.Doubt.WITHHELD: _("%(withheld)s would be withheld"),
        queue.Doubt.UNKNOWN: _("The order is missing, or has no rate into this currency"),
    }
    other = each.taken_by or row
    values = {
        "sum": f"{amount(other['amount_minor'], other['currency'])} {other['currency']}",
        "who": other["counterparty_name"] or _("Unknown payer"), "over": f"{amount(-stays, currency)} {currency}",
        "stays": f"{amount(stays, currency)} {currency}",
        "withheld": f"{amount(withheld, row['currency'])} {row['currency']}",
    }  # fmt: skip
    why = words[each.doubt] % values if each.doubt is not None else ""
    return row | {"shown": candidate, "doubt": str(each.doubt or ""), "why": why}


def _why_left_out(row: dict[str, Any], least: Decimal) -> str:
    """Why a posting of the list is not among those that are accepted at once."""
    if row["first"] is None:
        return _("No order was found for it")
    if row["first"].probability < least:
        return _("Less probable than %(least)d %%") % {"least": round(least * 100)}
    return _("There are more than can be booked at once")


def _presets(request: HttpRequest, least: int) -> list[tuple[int, str, bool]]:
    """(per cent, the address with it, whether it is the present one) of the usual limits."""
    return [(each, f"?{_with(request, 'least', str(each))}", each == least) for each in _PRESETS]


def _with(request: HttpRequest, name: str, value: str) -> str:
    """The page's query with one value set."""
    asked = request.GET.copy()
    asked[name] = value
    return asked.urlencode()


def _least(text: str) -> Decimal:
    """A probability that was typed in per cent; the usual one where it is none."""
    try:
        found = Decimal(text.strip().replace(",", ".")) / 100
        return found if Decimal("0.5") <= found <= 1 else queue.LIKELY
    except InvalidOperation:  # also of a comparison with NaN
        return queue.LIKELY


@page("postings/<str:posting>", "posting", changes=Permission.DECIDE)
def posting(request: HttpRequest, visit: Visit, posting: str) -> HttpResponse:
    """The list with this posting. POST carries out what the pressed button says."""
    if request.method in ("GET", "HEAD"):
        return _queue(request, visit, posting)
    try:
        answer = decisions.carry_out(request, visit, posting)
    except Refused as error:
        messages.add_message(request, messages.ERROR, decisions.refusal_words(visit, posting, error), extra_tags="red")
        answer = None
    if answer is not None:
        return answer
    return _queue(request, visit, posting, form=True)


def _queue(request: HttpRequest, visit: Visit, picked: str | None, *, form: bool = False) -> HttpResponse:
    """The page. Without `picked` the first row is shown; with `form` the split as it was sent."""
    asked, decides, step = POSTINGS.read_query(request), visit.may(Permission.DECIDE), steps.last(request, visit)
    with visit.transaction() as tx:
        found = POSTINGS.fetch(tx, visit, asked)
        counts = queue.counts(tx)
        shown_id = picked or (found.rows[0]["id"] if found.rows else "")
        step_orders = step.orders if step is not None and step.is_fresh(visit.now) else ()
        others = list(dict.fromkeys([*step_orders, *suggested_orders(found.rows)]))
        shown = queue.show_posting(tx, shown_id, looks=decides, others=others) if shown_id else None
        if picked and shown is None:
            raise Http404
        detail = _detail(request, tx, visit, shown_id, shown, form=form)
        rule = reasons.offered_rule(tx, visit, step) if step is not None and step.is_fresh(visit.now) else None
        toast = _toast(tx, visit, step, shown)
    values = {
        "listing": POSTINGS, "asked": asked, "found": found, "counts": counts, "tabs": TABS, "kinds": _KINDS,
        "tab": asked.filters.get("tab", "decide"), "waits": WAITS, "decides": decides, "picked": picked is not None,
        "toast": toast, "step": step, "back": decisions.back_of(request), "likely": round(queue.LIKELY * 100),
        "begins": not request.waiting()["has_statements"], "offered_rule": rule, "reasons": reasons.REASONS,
        "sums": suggestion_sums(found.rows, shown.others if shown is not None else (), visit.shop.tolerance_minor),
        "done": not found.rows and asked.filters.get("tab", "decide") == "decide" and not asked.search
        and "kind" not in asked.filters and not asked.after and picked is None,
    }  # fmt: skip
    return render(
        request, "area/postings.html", values | _sent_fields(request, form=form) | _place_in(found, shown_id) | detail
    )


def _sent_fields(request: HttpRequest, *, form: bool) -> dict[str, Any]:
    """What was typed into a form that was not accepted, so that it comes back."""
    return {
        "asks": form and request.POST.get("do") == "match", "open_form": _open_form(request, form=form),
        "sent": request.POST if form else {}, "lacks": _missing_input(request) if form else "",
    }  # fmt: skip


def _place_in(found: ListPage, shown_id: str) -> dict[str, Any]:
    """Where the shown posting is in the list, and its neighbours."""
    rows = [row["id"] for row in found.rows]
    at = rows.index(shown_id) if shown_id in rows else None
    return {
        "shown_id": shown_id, "at": at + 1 if at is not None else None, "total": len(rows),
        "previous_id": rows[at - 1] if at else "",
        "next_id": rows[at + 1] if at is not None and at + 1 < len(rows) else "",
    }  # fmt: skip


def _detail(
    request: HttpRequest, tx: ShopTx, visit: Visit, shown_id: str, shown: queue.Shown | None, *, form: bool
) -> dict[str, Any]:
    """The shown posting with its candidates, and what explains it."""
    place = _place(request, shown)
    if shown is None:
        return {"shown": None, "place": place, "draft": None, "near": None, "others": [], "usual": None}
    posting = shown.queued.posting
    draft = _draft(request, tx, visit, shown, place, form=form)
    lacks_candidates = shown.is_open and not shown.candidates and draft is None
    paid = None if shown.is_open else payout_of_posting(tx, shown_id)
    explaining = advice_list.of_posting(tx, shown_id)
    return {
        "shown": detail_values(visit, shown, place), "place": place, "draft": draft,
        "near": nearest_values(visit, posting, nearest(tx, posting)) if lacks_candidates else None,
        "banners": of_posting(tx, visit, shown),
        "so_far": [_so_far(visit, *each) for each in queue.so_far(tx, shown.lines(place))],
        "others": _others(tx, visit, shown, place) if draft is None else [],
        "usual": reasons.proposed_reason(shown) if visit.may(Permission.DECIDE) else None,
        "payout": shown_values(visit, paid) if paid is not None else None,
        "payout_bookings": booking_values(tx, visit, paid) if paid is not None else None,
        "tied_by": evidence_values(evidence_of_tie(tx, paid), paid) if paid is not None else (),
        "explaining": [(visit.url("advice", advice=each), words) for each, words in explaining],
        "brings": shown.is_open and visit.may(Permission.BANK),
    }  # fmt: skip


def _others(tx: ShopTx, visit: Visit, shown: queue.Shown, place: int) -> list[dict[str, Any]]:
    """The two nearest others of a posting that was held back, with why not."""
    if not shown.is_open or not shown.queued.decision.held_back:
        return []
    chosen = next((each for each in shown.candidates if each.place == place), None)
    if chosen is None:
        return []
    posting = shown.queued.posting
    near = nearest(tx, posting).orders if len(shown.candidates) <= _OTHER_CANDIDATES else ()
    return other_values(visit, shown, chosen, near, posting.currency)


def _open_form(request: HttpRequest, *, form: bool) -> str:
    """Which form is open: the one that was sent and refused, or the one for setting aside, as a link asks for it."""
    if form:
        return request.POST.get("do", "")
    return "aside" if request.GET.get("open") == "aside" else ""


def _missing_input(request: HttpRequest) -> str:
    """The missing input of a sent form, for its field; "" if nothing is missing."""
    do = request.POST.get("do", "")
    if do == "aside" and not request.POST.get("reason", "").strip():
        return _("Give a reason, so that everyone knows what the posting waits for.")
    return _("Write a comment first") if do == "comment" and not request.POST.get("said", "").strip() else ""


def _so_far(visit: Visit, line: queue.Line, recent: Recent) -> dict[str, Any]:
    """What has happened to an order until now, the oldest first, as the templates show it."""
    events = timeline(recent.rows, (), line.currency, visit.shop.timezone)
    return {
        "line": line,
        "url": order_url(visit, line.number),
        "status": order_badge(line.status),
        "events": events[::-1],
        "earlier": recent.whole - len(recent.rows),
    }


def _place(request: HttpRequest, shown: queue.Shown | None) -> int:
    """Which candidate is picked: what was asked for, else the first; 0 where there is none."""
    text = request.POST.get("candidate") or request.GET.get("candidate") or "1"
    count = len(shown.candidates) if shown is not None else 0
    return int(text) if text.isdecimal() and len(text) < 6 and 1 <= int(text) <= count else min(count, 1)


def _draft(
    request: HttpRequest, tx: ShopTx, visit: Visit, shown: queue.Shown | None, place: int, *, form: bool
) -> split.SplitDraft | None:
    """The split form, if it is open; None for what is not to be decided."""
    if shown is None or not shown.is_open or not visit.may(Permission.DECIDE):
        return None
    if form and request.POST.get("do", "draft") in ("draft", "split"):
        draft = split.of_form(request.POST, shown)
        add, fill = request.POST.get("add", ""), request.POST.get("fill") == "fee"
        split.complete(tx, visit, draft, shown, add=add, fill=fill)
        return draft
    if request.GET.get("split"):
        draft = split.of_candidate(shown, place)
        draft.find = request.GET.get("find", "").strip()[:100]
        add, fill = request.GET.get("add", ""), request.GET.get("fill") == "fee"
        split.complete(tx, visit, draft, shown, add=add, fill=fill)
        return draft
    return None


def _toast(tx: ShopTx, visit: Visit, step: steps.QueueStep | None, shown: queue.Shown | None) -> dict[str, Any] | None:
    """The last decision and what it did, as long as it is fresh; its orders came with the posting that is `shown`."""
    if step is None or not step.is_fresh(visit.now):
        return None
    known = shown.others if shown is not None else queue.outcome(tx, step.orders)
    orders = [order for order in known if order.number in step.orders]
    words = [outcome_words([order.status for order in orders]).removeprefix("becomes ")]
    words += [callback_words(order.callback, order.callback_due, visit.now) for order in orders[:1]]
    second = format_html_join(" · ", "{}", ((each,) for each in words if each))
    return {"step": step, "label": label_of(step.orders), "second": second}
