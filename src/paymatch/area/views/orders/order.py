"""The page of an order: its history, its payments, and what can be done with it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final

import msgspec
from django import forms
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.banners import banners
from paymatch.area.views.orders import money_actions
from paymatch.area.views.orders.actions import DONE, NEEDS, NOT_MY_ROLE, TITLES, WHY_NOT
from paymatch.area.views.orders.fields import AmountField
from paymatch.area.views.orders.invoice_terms import stated_terms
from paymatch.area.views.orders.timeline import MESSAGES, MONEY, PEOPLE, Happening, timeline
from paymatch.area.views.refunds.drafts import refunded_twice
from paymatch.area.views.reminders.labels import next_mail_words
from paymatch.domain.money import Currency, Money, decimal_to_minor
from paymatch.domain.orders.actions import Action
from paymatch.domain.orders.fees import WORDS, FeeKind
from paymatch.domain.orders.settlement import SetPaidAccount
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.refunds.refunds import MAX_NOTE
from paymatch.domain.refunds.transfers import TransferSpeed
from paymatch.domain.refusal import Refused
from paymatch.formats.invoice_file import file_stem
from paymatch.outbound.files import FileNotKept, FilesUnavailable
from paymatch.store.orders import invoices as invoice_store
from paymatch.store.orders.order_history import Happened, HistoryRow
from paymatch.store.orders.order_list import ListedOrder, customer_key_of
from paymatch.store.transactions import ShopTx
from paymatch.usecases.customers import links, notices
from paymatch.usecases.desk import order_actions
from paymatch.usecases.desk.order_view import OrderDetails, view
from paymatch.usecases.orders import orders
from paymatch.usecases.refunds import refunds, timing

COMMENT: Final = "comment"
LINK, REVOKE_LINK = "link", "revoke-link"
WRITE_AGAIN: Final = "write-again"
TABS: Final = (
    ("", gettext_lazy("All")),
    (MONEY, gettext_lazy("Money")),
    (MESSAGES, gettext_lazy("Messages")),
    (PEOPLE, gettext_lazy("People")),
)


class RefundForm(forms.Form):
    """How much goes back, and why."""

    def __init__(self, data: Any, currency: str, overpaid: int = 0) -> None:
        super().__init__(data)
        shown = amount(overpaid, currency) if overpaid > 0 else ""
        self.fields["amount"] = AmountField(currency, label=_("Amount"), initial=shown)
        self.fields["note"] = forms.CharField(label=_("Reason"), max_length=MAX_NOTE)


@page("orders/<path:number>", "order", changes=Permission.DECIDE)
def order(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """The order. POST does one `action`; a refund that is refused comes back with its form and the reason."""
    refund: RefundForm | None = None
    link = lacks = ""
    if request.method == "POST" and request.POST.get("action") == LINK:
        link = _hand_out(request, visit, number)
    elif request.method == "POST" and request.POST.get("action") in money_actions.NAMES:
        money_actions.act(request, visit, number)
        return redirect(visit.url("order", number=number))
    elif request.method == "POST" and _is_empty_comment(request):
        lacks = _("Write a comment first")
    elif request.method == "POST":
        refund = _act(request, visit, number)
        if refund is None:
            return redirect(visit.url("order", number=number))
    with visit.transaction() as tx:
        found = _order_or_404(tx, visit, number)
        trouble = _trouble(tx, visit, found)
    values = _template_values(request, visit, found, refund)
    values |= {"banners": trouble, "customer_link": link, "lacks": lacks, "made_here": found.order.is_made_here}
    values["open_items_url"] = visit.url("open_items", customer=customer_key_of(found.order))
    return render(request, "area/order.html", values)


def _trouble(tx: ShopTx, visit: Visit, found: OrderDetails) -> list[dict[str, Any]]:
    """A banner for each open alert about the order, one of its refunds or its last posting."""
    order = found.order
    ids = [row.facts[key] for row in found.history for key in ("refund", "posting") if key in row.facts]
    document, draft = msgspec.json.decode(order.document or "{}"), ""
    if order.missing_minor and (email := document.get("customerEmail")):
        too_much, language = Money(order.missing_minor, Currency(order.currency)), document.get("language") or ""
        draft = refunded_twice(tx, order.number, language, too_much, customer=order.customer, email=email)
    return banners(tx, visit, [order.number, *ids[:2]], order=order.number, customer=order.customer, draft=draft)


def _is_empty_comment(request: HttpRequest) -> bool:
    return request.POST.get("action") == COMMENT and not request.POST.get("said", "").strip()


def _hand_out(request: HttpRequest, visit: Visit, number: str) -> str:
    """The link to the order's own page."""
    base = visit.service.base(request)
    try:
        with visit.transaction() as tx:
            return links.hand_out(tx, number, base)
    except OrderUnknown:
        raise Http404 from None


def _revoke(request: HttpRequest, visit: Visit, number: str) -> None:
    """Revokes all links of the order."""
    try:
        with visit.transaction() as tx:
            revoked = links.revoke(tx, number)
    except OrderUnknown:
        raise Http404 from None
    said = (
        _("The links are revoked; the next mail contains a new one.") if revoked else _("There is no link to revoke.")
    )
    messages.success(request, said)


def _write_again(request: HttpRequest, visit: Visit, number: str) -> None:
    """Allows mail to the order's address again, although the recipient said that the order is not theirs."""
    if not visit.may(Permission.REMIND):
        messages.error(request, NOT_MY_ROLE)
        return
    try:
        with visit.transaction() as tx:
            notices.write_again(tx, number, request.POST.get("email", ""))
    except OrderUnknown:
        raise Http404 from None
    except notices.AddressUnknown:
        messages.error(request, _("The order has another address by now, or mail goes to it already."))
    else:
        messages.success(request, _("Mail is sent to this address again, as planned."))


def _order_or_404(tx: ShopTx, visit: Visit, number: str) -> OrderDetails:
    try:
        return view(tx, number)
    except OrderUnknown:
        raise Http404 from None


def _act(request: HttpRequest, visit: Visit, number: str) -> RefundForm | None:
    """Does the action and says what happened. The form of a refund that was refused, otherwise None."""
    if request.POST.get("action") == COMMENT:
        said = request.POST.get("said", "")
        done = _("The comment is saved.")
        _tell(request, visit, lambda tx: order_actions.comment(tx, number, said), done)
        return None
    if request.POST.get("action") == REVOKE_LINK:
        _revoke(request, visit, number)
        return None
    if request.POST.get("action") == WRITE_AGAIN:
        _write_again(request, visit, number)
        return None
    try:
        action = Action(request.POST.get("action", ""))
    except ValueError:
        raise Http404 from None
    if action is Action.REFUND:
        return _refund(request, visit, number)
    if not visit.may(NEEDS[action]):
        messages.error(request, NOT_MY_ROLE)
        return None
    do = order_actions.CARRIED_OUT_BY[action]
    if action is Action.SET_PAID:
        account = request.POST.get("account", "")
        kind = SetPaidAccount(account) if account in set(SetPaidAccount) else SetPaidAccount.OTHER
        do = partial(orders.set_paid, reason=request.POST.get("reason", ""), account=kind)
    _tell(request, visit, lambda tx: do(tx, number), DONE[action])
    return None


def _tell(request: HttpRequest, visit: Visit, do: Callable[[ShopTx], None], said: str | Promise) -> None:
    """Does something in one transaction, and says so or why not. Http404 for an unknown order."""
    try:
        with visit.transaction() as tx:
            do(tx)
    except OrderUnknown:
        raise Http404 from None
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    else:
        messages.success(request, said)


def _refund(request: HttpRequest, visit: Visit, number: str) -> RefundForm | None:
    if not visit.may(Permission.REFUND):
        messages.error(request, NOT_MY_ROLE)
        return None
    with visit.transaction() as tx:
        currency = _order_or_404(tx, visit, number).order.currency
    form = RefundForm(request.POST, currency)
    if not form.is_valid():
        return form
    minor, note = form.cleaned_data["amount"], form.cleaned_data["note"]
    try:
        with visit.transaction() as tx:
            filed = refunds.file_by_hand(tx, number, minor, note)
            if (speed := request.POST.get("speed", "")) in tuple(TransferSpeed):
                timing.set_speed(tx, msgspec.json.decode(filed)["id"], TransferSpeed(speed))
    except Refused as refused:
        form.add_error(refused.parameter if refused.parameter in form.fields else None, in_words_of(refused))
        return form
    text = _("The refund of {amount} {currency} is filed; it is planned for tomorrow.")
    messages.success(request, text.format(amount=amount(minor, currency), currency=currency))
    return None


def _template_values(
    request: HttpRequest, visit: Visit, found: OrderDetails, refund: RefundForm | None
) -> dict[str, Any]:
    """Values for the template."""
    listed = found.order
    document = msgspec.json.Decoder(float_hook=str).decode(found.document)
    entries = timeline(found.history, found.audit_entries, listed.currency, visit.shop.timezone)
    tab, terms = request.GET.get("show", ""), stated_terms(found.invoices)
    return {
        "order": listed,
        "document": document,
        "asked_minor": _asked_minor(document),
        "badge": order_badge(listed.status),
        "tabs": [(key, word, _count(entries, key)) for key, word in TABS],
        "tab": tab,
        "months": _by_month([entry for entry in entries if tab in ("", entry.group)]),
        "money": _money(found),
        "actions": _actions(visit, found),
        "refund": refund or RefundForm(None, listed.currency, _to_give_back(listed)),
        "refund_open": refund is not None,
        "invoices": [(row, terms.get(row.facts["invoice"])) for row in _invoices(found)],
        "invoice_url": visit.url("order_invoice", number=listed.number),
        "code": base64.b64encode(found.code).decode(),
        "next_mail": next_mail_words(found.next_mail, visit.shop.timezone),
        "match_url": visit.url("order_postings", number=listed.number),
        "may_decide": visit.may(Permission.DECIDE),
        "wrong_person": found.wrong_person,
        "credit": found.credit,
        "credit_used": found.credit.used_minor,
        "credit_kept": found.credit.kept_minor,
        "credit_lines": [(each, -each.minor) for each in found.credit.entries],
        "movable": money_actions.movable(found),
        "pay_by": found.pay_by,
        "reasons": found.reasons,
        "complaint_url": visit.url("complaint", number=listed.number),
        "may_write_again": found.wrong_person and visit.may(Permission.REMIND),
        "json": msgspec.json.format(found.document, indent=2).decode(),
        "api": f"{visit.service.base(request)}/api/v2",
    }


def _to_give_back(listed: ListedOrder) -> int:
    """What was paid too much and no planned refund returns, in minor units."""
    return max(listed.overpaid_minor - listed.planned_minor, 0)


def _invoices(found: OrderDetails) -> list[HistoryRow]:
    return [row for row in found.history if row.kind is Happened.INVOICE]


def _asked_minor(document: Mapping[str, Any]) -> int | None:
    """What the customer is asked for in another currency than the order's; None where that does not apply."""
    if "amountToPay" not in document:
        return None
    return decimal_to_minor(Decimal(document["amountToPay"]), Currency(document["currencyToPay"]))


def _count(entries: Sequence[Happening], group: str) -> int:
    return sum(group in ("", entry.group) for entry in entries)


def _by_month(entries: Sequence[Happening]) -> list[tuple[Any, list[Happening]]]:
    found: list[tuple[Any, list[Happening]]] = []
    for entry in entries:
        month = entry.day.replace(day=1)
        if not found or found[-1][0] != month:
            found.append((month, []))
        found[-1][1].append(entry)
    return found


def _money(found: OrderDetails) -> dict[str, Any]:
    """The money box, in minor units of the order's currency; what was withheld, by kind."""
    listed, paid = found.order, [row for row in found.history if row.kind is Happened.POSTING]
    refunded = [row for row in found.history if row.kind is Happened.REFUND and row.facts["status"] == "PROCESSED"]
    credited = sum(row.amount_minor or 0 for row in paid if row.facts["kind"] != "outgoing")
    back = sum(row.amount_minor or 0 for row in refunded) - sum(
        row.amount_minor or 0 for row in paid if row.facts["kind"] == "outgoing"
    )
    withheld: dict[str, int] = {}
    demanded = 0
    for row in paid:
        if row.facts["withheld_minor"] and row.facts["currency"] == listed.currency:
            if row.facts["fee_kind"] == FeeKind.REMINDER_FEE:
                demanded -= row.facts["withheld_minor"]
                continue
            word = WORDS[FeeKind(row.facts["fee_kind"])]
            withheld[word] = withheld.get(word, 0) + row.facts["withheld_minor"]
    return {
        "credited": credited,
        "payments": sum(row.facts["kind"] == "payment" for row in paid),
        "received": credited - sum(withheld.values()) + demanded,
        "reminder_fees": demanded,
        "withheld": withheld,
        "refunded": -back,
        "planned": -listed.planned_minor,
        "planned_for": min(_planned_days(found.history), default=None),
        "left": listed.paid_minor,
    }


def _planned_days(history: Sequence[HistoryRow]) -> list[Any]:
    waits = ("NEW", "BANKDETAILS_MISSING", "IN_PROCESS")
    return [
        datetime.fromisoformat(row.facts["planned"]).date()
        for row in history
        if row.kind is Happened.REFUND and row.facts["status"] in waits
    ]


def _actions(visit: Visit, found: OrderDetails) -> list[dict[str, Any]]:
    """The actions in their words, each with what it would do or why it is not possible."""
    listed = found.order
    left = f"{amount(listed.refundable_minor, listed.currency)} {listed.currency}"
    over = f"{amount(_to_give_back(listed), listed.currency)} {listed.currency}"
    gone = f"{amount(listed.missing_minor, listed.currency)} {listed.currency}"
    words: Mapping[Action, tuple[str, str]] = {
        Action.REFUND: ("arrow-back-up", _("up to {amount}").format(amount=left)),
        Action.SET_PAID: ("check", _("without a payment; can be undone")),
        Action.SET_UNPAID: ("history", _("the payments decide again")),
        Action.STOP_REMINDERS: ("mail-off", _("regardless of the plan; can be undone")),
        Action.RESUME_REMINDERS: ("mail", _("stopped by a person")),
        Action.HAND_OVER: ("gavel", _("the agency gets the order with all documents")),
        Action.WITHDRAW: ("gavel", _("the payments decide again")),
        Action.KEEP_CREDIT: ("coins", _("{amount} for the next order of this customer").format(amount=over)),
        Action.BOOK_INCOME: ("trending-up", _("{amount} that the customer does not want back").format(amount=over)),
        Action.NOTE_LOSS: ("trending-down", _("{amount} is not asked back; the alert is closed").format(amount=gone)),
        Action.CANCEL: ("ban", _cancel_words(listed.paid_minor, listed.currency)),
    }
    rows = []
    for action, why_not in found.actions.items():
        icon, text = words[action]
        allowed = visit.may(NEEDS[action])
        reason = str(WHY_NOT[why_not]) if why_not else "" if allowed else str(NOT_MY_ROLE)
        title: str | Promise = TITLES[action]
        if action is Action.REFUND and (minor := _to_give_back(listed)):
            title = _("Refund %(amount)s") % {"amount": f"{amount(minor, listed.currency)} {listed.currency}"}
        row = {"key": str(action), "icon": icon, "title": title, "text": reason or text}
        rows.append(row | {"possible": not reason})
    return rows


def _cancel_words(paid_minor: int, currency: str) -> str:
    if paid_minor <= 0:
        return _("no more reminders are sent")
    return _("leaves {amount} overpaid").format(amount=f"{amount(paid_minor, currency)} {currency}")


@page("order-invoices/<path:number>", "order_invoice")
def invoice(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """The file of the invoice that `invoice` names, as an attachment."""
    with visit.transaction() as tx:
        row = invoice_store.find(tx, number, request.GET.get("invoice", ""))
    if row is None:
        raise Http404
    try:
        content = visit.service.files.open(row.file_key)
    except (FileNotKept, FilesUnavailable):
        raise Http404 from None
    name = f"{file_stem(row.invoice_number)}.{row.file_key.rpartition('.')[2]}"
    return FileResponse(content, as_attachment=True, filename=name, content_type=row.media_type)
