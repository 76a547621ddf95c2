"""Rules for payers: listed, switched, deleted and exported; made from a posting, with what they would have done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from paymatch.area.language.sentences import in_words
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.models import User
from paymatch.area.people.roles import Permission
from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.payer_rules import Past, PayerRule, RuleAction, RuleRefused
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.store.lists.sorted_lists import ListTotals
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import aliases, queue, rules

ACTIONS: Final = {
    RuleAction.SET_ASIDE: gettext_lazy("Set aside"),
    RuleAction.PAYS_FOR: gettext_lazy("Pays for a customer"),
}
_PAST: Final = {
    Past.CAUGHT: ("amber", gettext_lazy("waits: the rule applies to it now")),
    Past.AGREES: ("green", gettext_lazy("was decided so")),
    Past.NAMED: ("grey", gettext_lazy("pays an order: stays there")),
    Past.AGAINST: ("red", gettext_lazy("was decided otherwise")),
}
_SHOWN: Final = 50


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    known = rules.list_rules(tx)
    people = {person.email: person for person in User.objects.filter(email__in={rule.author for rule in known})}
    rows = [row for row in (_row(rule, people.get(rule.author)) for rule in known) if _fits(row, asked)]
    if asked.page.sort:
        rows.sort(key=lambda row: (_sorted_by(row, asked.page.sort), row["id"]), reverse=asked.page.is_descending)
    ids = [row["id"] for row in rows]
    begin = ids.index(asked.after) + 1 if asked.after in ids else 0
    shown = rows[begin : begin + asked.limit]
    following = shown[-1]["id"] if len(rows) > begin + asked.limit else ""
    return ListPage(shown, following, totals=ListTotals(len(rows)))


def _sorted_by(row: Mapping[str, Any], column: str) -> str:
    """What rules are sorted by: the text that is shown, of a moment its date and time."""
    value = row[column]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return str(value[2] if column == "state" else value or "").lower()


def _fits(row: Mapping[str, Any], asked: ListQuery) -> bool:
    """Whether the filters and the search let the rule through."""
    text = " ".join(str(row[column.key]) for column in RULES.columns).lower()
    return asked.search.lower() in text and all(row[key] == value for key, value in asked.filters.items())


def _row(rule: PayerRule, person: User | None) -> dict[str, Any]:
    return {
        "id": rule.id,
        "kind": rule.action.value,
        "action": ACTIONS[rule.action],
        "iban": masked_account(rule.iban),
        "name": rule.name,
        "words": " ".join(rule.words),
        "reason": rule.reason,
        "customer": rule.customer_number or rule.customer_name,
        "active": rule.active,
        "switched": "on" if rule.active else "off",
        "state": ("green", "on", pgettext("rule", "On")) if rule.active else ("grey", "off", pgettext("rule", "Off")),
        "author": str(person or rule.author),
        "made_at": rule.made_at,
    }


RULES: Final = Listing(
    "rules",
    columns=(
        ListColumn("id", gettext_lazy("Rule"), chosen=False),
        ListColumn("name", gettext_lazy("Payer")),
        ListColumn("iban", gettext_lazy("Account")),
        ListColumn("words", gettext_lazy("Words of the text")),
        ListColumn("action", gettext_lazy("What it does")),
        ListColumn("reason", gettext_lazy("Reason")),
        ListColumn("customer", gettext_lazy("Customer")),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("author", gettext_lazy("Who")),
        ListColumn("made_at", gettext_lazy("When"), ListColumnKind.MOMENT),
    ),
    choices=(
        Choice("kind", gettext_lazy("What it does"), tuple((key.value, word) for key, word in ACTIONS.items())),
        Choice(
            "switched",
            gettext_lazy("State"),
            (("on", pgettext_lazy("rule", "On")), ("off", pgettext_lazy("rule", "Off"))),
        ),
    ),
    fetch=_fetch,
    sorts=("id", "name", "iban", "words", "action", "reason", "customer", "state", "author", "made_at"),
)


_ABOUT: Final = {
    "rule-without-payer": "name",
    "rule-one-word": "name",
    "rule-without-reason": "reason",
    "rule-without-customer": "customer_name",
}
"""Refusal -> its field; the others are about the whole rule."""


@page("postings/rules", "rules", changes=Permission.DECIDE)
def list_rules(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The rules. POST switches one on or off, or deletes it."""
    if request.method == "POST":
        _change(request, visit)
        return redirect(visit.url("rules"))
    with visit.transaction() as tx:
        learnt = aliases.alias_rows(tx)
    return RULES.answer(request, visit, "area/rules.html", decides=visit.may(Permission.DECIDE), learnt=learnt)


def _change(request: HttpRequest, visit: Visit) -> None:
    rule_id, wanted = request.POST.get("rule", ""), request.POST.get("do", "")
    try:
        with visit.transaction() as tx:
            if wanted == "take-back":
                aliases.take_back(tx, request.POST.get("alias", ""))
            elif wanted == "delete":
                rules.delete(tx, rule_id)
            else:
                rules.switch(tx, rule_id, active=wanted == "on")
    except Refused as refusal:
        messages.error(request, in_words(refusal.message), extra_tags="red")
        return
    done = {
        "delete": _("The rule is deleted."), "on": _("The rule is on."), "off": _("The rule is off."),
        "take-back": _("The account is no longer taken for that customer's."),
    }  # fmt: skip
    messages.success(request, done.get(wanted, done["off"]), extra_tags="green")


@page("postings/rules/new", "new_rule", needs=Permission.DECIDE, changes=Permission.DECIDE)
def new(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form with what the rule would have done. POST tries what was typed, or puts the rule in force."""
    sent = request.method == "POST"
    form = request.POST if sent else request.GET
    posting_id, refused, about, preview = form.get("posting", ""), "", "", None
    with visit.transaction() as tx:
        try:
            begun = _rule_for_payer(tx, visit, posting_id)
        except RuleRefused:
            return redirect(visit.url("rules"))
        rule = _read_rule(form, begun) if sent else begun
        try:
            if form.get("do") == "make" and sent:
                rules.make(tx, rule)
                messages.success(request, _("The rule is in force."), extra_tags="green")
                return redirect(visit.url("rules"))
            preview = rules.preview(tx, rule)
        except RuleRefused as refusal:
            refused = in_words(refusal.message) if sent else ""
            about = _ABOUT.get(refusal.message.code, "") if sent and isinstance(refusal.message, Message) else ""
    values = {
        "rule": rule, "words": " ".join(rule.words), "posting_id": posting_id, "refused": refused, "about": about,
        "account": masked_account(begun.iban), "by_account": bool(rule.iban),
        "tried": _rule_rows(preview), "counts": _counts(preview), "actions": ACTIONS.items(),
    }  # fmt: skip
    return render(request, "area/new_rule.html", values, status=422 if refused else 200)


def _read_rule(form: QueryDict, begun: PayerRule) -> PayerRule:
    """The rule as it was typed; of the two actions the fields of the chosen one.

    The account of a posting's payer is ticked, not typed: pages show its ends only.
    """
    pays_for = form.get("action") == RuleAction.PAYS_FOR
    return PayerRule(
        RuleAction.PAYS_FOR if pays_for else RuleAction.SET_ASIDE,
        iban=(begun.iban if form.get("account") else "") if begun.iban else form.get("iban", ""),
        name=form.get("name", ""),
        words=tuple(form.get("words", "").split()),
        reason="" if pays_for else form.get("reason", ""),
        customer_number=form.get("customer_number", "") if pays_for else "",
        customer_name=form.get("customer_name", "") if pays_for else "",
    )


def _rule_for_payer(tx: ShopTx, visit: Visit, posting_id: str) -> PayerRule:
    """A rule about the posting's payer, with the reason that it was set aside for, or its customer."""
    if not posting_id:
        return PayerRule(RuleAction.SET_ASIDE)
    rule = rules.from_posting(tx, posting_id)
    shown = queue.show_posting(tx, posting_id, looks=False)
    assert shown is not None, "its rule was just begun"
    lines = shown.booked or (shown.candidates[0].lines if shown.candidates else ())
    customer = lines[0].customer if lines else ""
    action = RuleAction.PAYS_FOR if customer and not shown.queued.aside_reason else RuleAction.SET_ASIDE
    return replace(rule, action=action, reason=shown.queued.aside_reason, customer_name=customer)


def _rule_rows(preview: rules.Preview | None) -> list[dict[str, Any]]:
    tried = preview.tried[:_SHOWN] if preview is not None else ()
    return [
        {"posting": each.posting.posting, "id": each.posting.id, "past": _PAST[each.past], "orders": each.orders}
        for each in tried
    ]


def _counts(preview: rules.Preview | None) -> list[tuple[int, str, Any]]:
    """(how many, colour, words) of each kind that there is; nothing for a rule that cannot be tried yet."""
    counts = preview.counts if preview is not None else {}
    return [(count, *_PAST[past]) for past, count in counts.items() if count]
