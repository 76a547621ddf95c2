"""The dunning plan as a form, its levels and spans, beside what it would send for a real order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import written
from paymatch.area.language.sentences import in_words
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reminders.labels import mail_words, why_words
from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.dunning_plan import MAX_LEVELS
from paymatch.domain.words.message import Message
from paymatch.usecases.reminders.previews import PreviewedPlan, preview_plan
from paymatch.usecases.shops import dunning_plans

_OF_LEVEL: Final = {
    "plan-no-level": gettext_lazy("Enter whole days, and a fee such as 2.50 or none"),
    "plan-level-days": gettext_lazy("Enter 1 to 365 days"),
    "plan-level-fee": gettext_lazy("The fee is too high"),
}
"""Refusals of a level, for its fields."""

SPANS: Final = (
    ("opens", gettext_lazy("Mail is sent from")),
    ("closes", gettext_lazy("Mail is sent until")),
    ("term-days", gettext_lazy("Days until an order without due date is due")),
    ("grace-days", gettext_lazy("Days between two mails about one order, at least")),
    ("pay-within-days", gettext_lazy("Days that a mail gives for paying")),
    ("statement-bank-days", gettext_lazy("Bank days that the last statement may be old")),
    ("information-days", gettext_lazy("Payment information: orders up to this age in days")),
    ("oldest-days", gettext_lazy("Days after which no reminder is sent automatically")),
    ("letters-from", gettext_lazy("By letter from this reminder on; 0 for never")),
    ("letters-without-mail", gettext_lazy("Letters to customers whom no mail reaches")),
)


@page("reminders/plan", "plan", needs=Permission.REMIND, changes=Permission.REMIND)
def plan(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Shows the plan and what it would send for an order; POST changes it, or with `do=preview` only shows that.

    What is refused stays in the form with the reason.
    """
    error, refused, course, asks = "", dict[str, str](), None, False
    if request.method == "POST":
        wanted = {name: request.POST.get(name, "").strip() for name, _label in SPANS}
        rows = _read_rows(request.POST)
        wanted["levels"] = _levels(rows)
    else:
        with visit.transaction() as tx:
            wanted = dunning_plans.show_plan(tx)
        rows = [_split(text) for text in wanted["levels"].split(",") if text]
        rows += [{"days": "", "from": "due", "fee": ""}] if len(rows) < MAX_LEVELS else []
    try:
        with visit.transaction() as tx:
            if request.method == "POST" and request.POST.get("do") != "preview":
                dunning_plans.change_plan(tx, wanted, credit_accepted="credit" in request.POST)
                messages.success(request, _("The plan is changed; all open orders are checked again."))
                return redirect(visit.url("reminders"))
            course = preview_plan(tx, wanted)
    except Refused as refusal:
        error, refused = _why(refusal), _beside(refusal, rows)
        asks = refusal.message.code == dunning_plans.ASKS
    spans = [(name, label, wanted[name], refused.get(name, "")) for name, label in SPANS]
    numbered = [(number, row, refused.get(f"days-{number}", "")) for number, row in enumerate(rows, 1)]
    values = {"spans": spans, "rows": numbered, "error": error, "most": MAX_LEVELS, "asks": asks}
    return render(request, "area/plan.html", values | {"course": course and _plan_fields(course, visit)})


def _why(refusal: Refused) -> str:
    """Why the plan is refused, without the name that the command line has for the field."""
    said = refusal.message
    why = said.values.get("why")
    short = _OF_LEVEL.get(said.code)
    return str(short) if short else in_words(why if isinstance(why, Message) else said)


def _beside(refusal: Refused, rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The field that the refusal is about -> the refusal; of levels the days of the one that is meant."""
    if refusal.parameter != "levels":
        return {refusal.parameter: _why(refusal)} if refusal.parameter else {}
    level = refusal.message.values.get("level")
    meant = [number for number, row in enumerate(rows, 1) if level in (None, repr(_levels([row])))]
    return {f"days-{meant[-1]}": _why(refusal)} if meant else {}


def _plan_fields(course: PreviewedPlan, visit: Visit) -> dict[str, Any]:
    """The course of an order with its mails in words."""
    return {
        "order": course,
        "reminded": course.reminded,
        "link": visit.url("order", number=course.order_number),
        "mails": [
            (mail_words(mail.level), visit.local(mail.at).replace(tzinfo=None), fee) for mail, fee in course.mails
        ],
        "held": why_words(course.held.why, course.held.named) if course.held else "",
    }


def _read_rows(post: Mapping[str, Any]) -> list[dict[str, str]]:
    """The rows of the form as they were typed."""
    return [
        {name: str(post.get(f"{name}-{number}", "")).strip() for name in ("days", "from", "fee")}
        for number in range(1, MAX_LEVELS + 1)
        if f"days-{number}" in post
    ]


def _levels(rows: Sequence[Mapping[str, str]]) -> str:
    """The rows with days as the plan's text, `7,21:2.50,+14:5.00`."""
    found = []
    for row in rows:
        if row["days"]:
            fee = row["fee"].replace(",", ".")
            found.append(f"{'+' if row['from'] == 'mail' else ''}{row['days']}{f':{fee}' if fee else ''}")
    return ",".join(found)


def _split(text: str) -> dict[str, str]:
    days, _colon, fee = text.partition(":")
    return {"days": days.removeprefix("+"), "from": "mail" if days.startswith("+") else "due", "fee": written(fee)}
