"""Alerts: what is wrong in the shop, what was, since when and until when, what each said, and closing one by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from paymatch.area.badges import Badge
from paymatch.area.language.figures import account_label
from paymatch.area.language.sentences import as_sentence
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.alert_labels import alert_words, needed_to_close, page_that_helps
from paymatch.area.views.manage.labels.audit import who_words
from paymatch.area.views.manage.labels.work import job_words
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.alerts import FOR_INFORMATION, OF_EVENTS, AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alert_lists as store
from paymatch.usecases.reminders.bounces import judge
from paymatch.usecases.work import alert_lists
from paymatch.usecases.work.alert_lists import Subject
from paymatch.usecases.work.alerts import AlertUnknown, resolve

_STATES: Final = (("open", pgettext_lazy("alerts", "Open")), ("closed", pgettext_lazy("alerts", "Closed")))
_DAYS: Final = (
    ("7", gettext_lazy("Last 7 days")),
    ("30", gettext_lazy("Last 30 days")),
    ("90", gettext_lazy("Last 90 days")),
)
_SUBJECTS: Final[Mapping[Subject, tuple[str, str, Promise | None]]] = {
    Subject.ORDER: ("order", "number", None),
    Subject.POSTING: ("posting", "posting", gettext_lazy("Posting")),
    Subject.IMPORT: ("bank_import", "import_id", gettext_lazy("Import")),
    Subject.CALLBACK: ("callback", "callback", gettext_lazy("Callback")),
    Subject.MAIL: ("mail", "mail", gettext_lazy("Mail")),
    Subject.LETTER: ("letter", "letter", gettext_lazy("Letter")),
    Subject.CONNECTOR: ("connector", "connector", None),
    Subject.SYNCHRONISATION: ("synchronisation", "sync", gettext_lazy("Synchronisation")),
}
"""What an alert is about -> its page, the page's variable part, and the word; None where people know its name."""
_PLACES: Final[Mapping[str, Promise]] = {
    "bank": gettext_lazy("Bank"),
    "orders": gettext_lazy("Orders"),
    "synchronisations": gettext_lazy("Synchronisations"),
    "agency_settings": gettext_lazy("Collection settings"),
    "collection_cases": gettext_lazy("Collection"),
    "refunds": gettext_lazy("Refunds"),
    "refund_files": gettext_lazy("Transfer files"),
    "reminders": gettext_lazy("Reminders"),
    "letters": gettext_lazy("Letters"),
    "callbacks": gettext_lazy("Callbacks"),
    "connectors": gettext_lazy("Shop systems"),
}
"""Page that helps -> what it is called."""


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    state, kind, days = (asked.filters.get(key, "") for key in ("state", "kind", "days"))
    found = alert_lists.list_alerts(
        tx, is_open=state == "open" if state else None, kind=kind,
        since=visit.now - timedelta(days=int(days)) if days else None, search=asked.search.removeprefix("#"),
        asked=asked.page,
    )  # fmt: skip
    rows = [_row(row, visit) for row in found.page.rows]
    return ListPage(rows, found.page.next, _counts(found.counts, state, kind), totals=found.page.totals)


def _counts(counts: Mapping[tuple[str, bool], int], state: str, kind: str) -> dict[str, int]:
    """How many alerts each chip finds beside the other filters."""
    found = dict.fromkeys([*dict(_STATES), *AlertKind], 0)
    for (each, is_open), alerts in counts.items():
        half = "open" if is_open else "closed"
        if kind in ("", each):
            found[half] += alerts
        if state in ("", half):
            found[each] = found.get(each, 0) + alerts
    return found


def _row(row: Mapping[str, Any], visit: Visit) -> dict[str, Any]:
    about, link = _about(row, visit)
    is_open, closer = row["resolved_at"] is None, row["closed_by"]
    closed_by = "" if is_open else pgettext("alerts", "itself") if closer is None else who_words(*closer)
    return {
        "id": row["id"], "kind": ("grey plain-badge", row["kind"], alert_words(row["kind"])),
        "text": as_sentence(row["text"]), "about": about, "link": link, "since": row["created_at"],
        "until": row["resolved_at"], "closed_by": closed_by, "state": _state(row["kind"], is_open=is_open),
        "subject": row["subject"], "closes_by_itself": row["kind"] not in OF_EVENTS,
        "may_close": is_open and visit.may(needed_to_close(row["kind"])),
        "is_report": row["kind"] == AlertKind.MAIL_REPORTED,
    }  # fmt: skip


def _state(kind: str, *, is_open: bool) -> Badge:
    if not is_open:
        return "grey", "closed", pgettext_lazy("alerts", "Closed")
    if kind in FOR_INFORMATION:
        return "accent", "open", _("For information")
    return "amber", "open", pgettext_lazy("alerts", "Open")


def _about(row: Mapping[str, Any], visit: Visit) -> tuple[str | Promise, str]:
    """What the alert is about, in a word, and its page; else the page that helps. "" where the person may not go."""
    about, values = row["about"], row["text"].values if isinstance(row["text"], Message) else {}
    if about is not None:
        name, part, word = _SUBJECTS[about.what]
        reached = about.exists and visit.sees(name)
        return word or about.name, visit.url(name, **{part: about.name}) if reached else ""
    if row["kind"] == AlertKind.JOB_FAILING:
        return job_words(str(values.get("kind") or row["subject"].partition(" ")[0])), ""
    name, account = page_that_helps(row["kind"]), values.get("account", "")
    word = account_label(str(account)) if account else _PLACES.get(name, "")
    return word, visit.url(name) if word and visit.sees(name) else ""


ALERTS: Final = Listing(
    "alerts",
    columns=(
        ListColumn("kind", gettext_lazy("What is wrong"), ListColumnKind.BADGE),
        ListColumn("text", gettext_lazy("What it says")),
        ListColumn("about", gettext_lazy("About"), link="link"),
        ListColumn("since", gettext_lazy("Since"), ListColumnKind.MOMENT),
        ListColumn("until", gettext_lazy("Until"), ListColumnKind.MOMENT, chosen=False),
        ListColumn("closed_by", gettext_lazy("Closed by"), chosen=False),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("subject", gettext_lazy("Id of the subject"), chosen=False),
        ListColumn("id", gettext_lazy("Id"), chosen=False),
    ),
    choices=(
        Choice("state", gettext_lazy("State"), _STATES),
        Choice("days", gettext_lazy("Period"), _DAYS),
        Choice("kind", gettext_lazy("What is wrong"), tuple((kind.value, alert_words(kind)) for kind in AlertKind)),
    ),
    fetch=_fetch,
    sorts=store.ALERTS.sorts,
)


@page("overview/alerts", "alerts", changes=Permission.READ)
def alerts(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Alerts, open ones first; POST closes one, for whoever may mend what it is about."""
    if request.method == "POST":
        return _close(request, visit)
    return ALERTS.answer(request, visit, "area/alerts.html")


def _close(request: HttpRequest, visit: Visit) -> HttpResponse:
    alert_id = request.POST.get("alert", "")
    with visit.transaction() as tx:
        kind = alert_lists.kind_of(tx, alert_id)
    if kind and not visit.may(needed_to_close(kind)):
        return render(request, "area/not_allowed.html", status=403)
    if kind == AlertKind.MAIL_REPORTED:
        return _answer_report(request, visit, alert_id)
    try:
        resolve(visit.database, visit.shop, alert_id, visit.service.clock())
    except AlertUnknown:
        messages.error(request, _("There is no such alert, or it is closed already."), extra_tags="red")
    else:
        messages.success(request, _("The alert is closed, and not raised again."), extra_tags="green")
    return redirect(request.get_full_path())


def _answer_report(request: HttpRequest, visit: Visit, alert_id: str) -> HttpResponse:
    """A report on mail is confirmed or dismissed, for all orders that the mail was about."""
    confirmed = bool(request.POST.get("confirmed"))
    with visit.transaction() as tx:
        mail_id = alert_lists.subject_of(tx, alert_id)
    try:
        judge(visit.database, visit.shop, mail_id, visit.service.clock(), confirmed=confirmed)
    except Refused as refused:
        messages.error(request, in_words_of(refused), extra_tags="red")
    else:
        done = _("No more mail is sent to this address.") if confirmed else _("Mail to this address continues.")
        messages.success(request, done, extra_tags="green")
    return redirect(request.get_full_path())
