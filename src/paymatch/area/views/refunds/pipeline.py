"""Refunds on their way: what each waits for, release by people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.badges import refund_badge
from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import EXPORTS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.banners import refund_banners
from paymatch.area.views.refunds.labels import why_words
from paymatch.domain.bank_accounts import is_iban, masked_account
from paymatch.domain.refunds.refunds import RefundStatus, RefundUnknown, next_run_at
from paymatch.domain.refunds.transfers import TransferSpeed
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.cooling_off import cooling_message
from paymatch.domain.shops.shop import Shop
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.refunds import refund_list
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopTx
from paymatch.usecases.customers import refund_requests
from paymatch.usecases.refunds import refund_lists, refunds, releases, timing
from paymatch.usecases.refunds.payee_names import take_name_and_pay_again
from paymatch.usecases.refunds.refund_lists import Stage, stage_of
from paymatch.usecases.refunds.releases import Released, person_of
from paymatch.usecases.shops import cooling_off

STAGES: Final[Mapping[Stage, tuple[str, str | Promise]]] = {
    Stage.MISSING: ("help", gettext_lazy("IBAN missing")),
    Stage.PLANNED: ("calendar", gettext_lazy("Planned")),
    Stage.RELEASE: ("shield-check", gettext_lazy("To release")),
    Stage.FILE: ("file", gettext_lazy("In a file")),
    Stage.BOOKED: ("circle-check", gettext_lazy("Booked, 30 days")),
    Stage.BACK: ("arrow-back-up", gettext_lazy("Came back")),
    Stage.ENDED: ("ban", gettext_lazy("Ended")),
}
MOST_WAITING: Final = 200
"""Refunds to release that are shown at once."""
MOST_PLANNED: Final = 50
"""Planned refunds whose speed can be set on the page."""


def _row(row: Mapping[str, Any], visit: Visit) -> dict[str, Any]:
    status = RefundStatus(row["status"])
    account = masked_account(row["iban"])
    return {
        **row,
        "reference": row["external_reference"],
        "order": row["order_number"],
        "order_link": visit.url("order", number=row["order_number"]),
        "payee": row["holder"] or row["customer"] or "",
        "holder": row["holder"] or row["customer"] or "",
        "may_ask": status in (RefundStatus.BANKDETAILS_MISSING, RefundStatus.RETURNED, RefundStatus.ERROR),
        "account": account,
        "state": refund_badge(status, waits_for_release=stage_of(status, waits=row["waits"]) is Stage.RELEASE),
        "why": why_words(row, status),
        "amount": row["amount_minor"],
        "planned": row["planned_date"],
        "released": person_of(visit.actor) in row["released_by"],
        "released_by": ", ".join(name.partition(":")[2] for name in row["released_by"]),
    }


def _with_speed(row: dict[str, Any], of_shop: str) -> dict[str, Any]:
    """The row with the speed at which it goes, as `instant` or `normal`; "" for other currencies."""
    instant = refund_lists.goes_instantly(row, of_shop)
    return row | {"speed": "" if instant is None else str(TransferSpeed.INSTANT if instant else TransferSpeed.NORMAL)}


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    stage = Stage(asked.filters["stage"]) if "stage" in asked.filters else None
    found = refund_lists.find_refunds(tx, *([stage] if stage else ()), text=asked.search, asked=asked.page)
    return ListPage([_row(row, visit) for row in found.rows], found.next, totals=found.totals)


REFUNDS: Final = Listing(
    "refunds",
    columns=(
        ListColumn("reference", gettext_lazy("Refund")),
        ListColumn("order", gettext_lazy("Order"), link="order_link"),
        ListColumn("payee", gettext_lazy("To")),
        ListColumn("account", gettext_lazy("Account")),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("why", gettext_lazy("What it waits for")),
        ListColumn("note", gettext_lazy("Reason"), chosen=False),
        ListColumn("filed_by", gettext_lazy("Filed by"), chosen=False),
        ListColumn("created_at", gettext_lazy("Filed"), ListColumnKind.MOMENT, chosen=False),
        ListColumn("planned", gettext_lazy("Planned"), ListColumnKind.DAY),
        ListColumn("amount", gettext_lazy("Amount"), ListColumnKind.MONEY),
    ),
    choices=(Choice("stage", gettext_lazy("Stage"), tuple((str(key), word) for key, (_icon, word) in STAGES.items())),),
    fetch=_fetch,
    sorts=refund_list.REFUNDS.sorts,
    usual="-created_at",
)


@page("refunds", "refunds")
def refund_pages(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The pipeline, what waits for a release, what waits for an account, and all refunds."""
    return _pipeline(request, visit)


def _pipeline(request: HttpRequest, visit: Visit, refused: str = "") -> HttpResponse:
    """The page; with why an account was `refused`, beside what was typed."""
    shop = visit.shop
    if request.GET.get("format") in EXPORTS:
        return REFUNDS.answer(request, visit, "area/refunds.html")
    stage = request.GET.get("stage", "")
    with visit.transaction() as tx:
        stages = refund_lists.pipeline(tx)
        held, lacking = _waiting_refunds(tx, visit)
        planned = _planned_refunds(tx, visit) if stage == Stage.PLANNED else []
        trouble = refund_banners(tx, visit)
        sent, powers = refund_lists.sent_and_powers(tx)
    request.needs_factor = bool(held) and visit.may(Permission.REFUND) and request.lacks_factor()
    return REFUNDS.answer(
        request, visit, "area/refunds.html",
        stages=[(each, *STAGES[each.stage]) for each in stages], stage=stage,
        held=held if stage in ("", str(Stage.RELEASE)) else [], sent_today=sent, banners=trouble,
        lacking=lacking if stage in ("", str(Stage.MISSING), str(Stage.BACK)) else [],
        limits=cooling_off.limits_of(shop, powers), powers=[cooling_message(each) for each in powers],
        next_run=next_run_at(visit.now, shop.timezone), may_refund=visit.may(Permission.REFUND),
        refused=refused, typed=request.POST, planned=planned,
    )  # fmt: skip


def _waiting_refunds(tx: ShopTx, visit: Visit) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(refunds to release with what arrived for them, refunds that need an account)."""
    held, lacking = refund_lists.waiting_refunds(tx, MOST_WAITING)
    speed = shops.transfer_form(tx).speed if held else ""
    to_release = [
        {
            **_with_speed(_row(row, visit), speed),
            "arrived": ", ".join(f"{amount(minor, currency)} {currency}" for currency, minor in arrived.in_all),
            "arrived_from_account": f"{amount(arrived.account_minor, arrived.currency)} {arrived.currency}",
        }
        for row, arrived in held
    ]
    return to_release, [_row(row, visit) for row in lacking]


def _planned_refunds(tx: ShopTx, visit: Visit) -> list[dict[str, Any]]:
    """Refunds in euro that wait for their day, each with its speed."""
    found = refund_lists.find_refunds(tx, Stage.PLANNED, asked=AskedPage(limit=MOST_PLANNED))
    speed = shops.transfer_form(tx).speed
    return [each for row in found.rows if (each := _with_speed(_row(row, visit), speed))["speed"]]


@page("refunds/speed", "refund_speed", needs=Permission.REFUND, changes=Permission.REFUND)
def speed(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Sets how fast a refund goes that waits for its day."""
    if request.method != "POST":
        return refund_pages(request, visit)
    wanted, chosen = request.POST.get("refund", ""), _read_speed(request.POST.get("speed", ""))

    def do(tx: ShopTx) -> str:
        timing.choose_speed(tx, wanted, chosen)
        if chosen is TransferSpeed.INSTANT:
            return _("The refund goes at once, where the bank offers it.")
        return _("The refund goes as a normal transfer.")

    _tell(request, visit, do)
    return redirect(f"{visit.url('refunds')}?stage={Stage.PLANNED}")


def _read_speed(text: str) -> TransferSpeed:
    """The speed as the page wrote it; Http404 for what no page writes."""
    if text not in tuple(TransferSpeed):
        raise Http404
    return TransferSpeed(text)


@page("refunds/release", "refunds_release", needs=Permission.REFUND, changes=Permission.REFUND, proof=True)
def release(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Releases the chosen refunds in the person's name, all or none; a fresh proof of who acts comes first (D-37).

    Each comes with the version of the account that the page has shown.
    """
    if request.method != "POST":
        return refund_pages(request, visit)
    chosen = dict(_read_version(each) for each in request.POST.getlist("refund")[:MOST_WAITING])
    if not chosen:
        messages.warning(request, _("No refund was chosen."))
        return redirect(visit.url("refunds"))
    speeds = {each: _read_speed(request.POST[f"speed {each}"]) for each in chosen if f"speed {each}" in request.POST}

    def do() -> list[Released]:
        with visit.transaction() as tx:
            for refund_id, wanted in speeds.items():
                timing.choose_speed(tx, refund_id, wanted)
        return releases.release(visit.database, visit.shop, chosen, person_of(visit.actor), visit.service.clock())

    _release_and_tell(request, visit, do)
    return redirect(visit.url("refunds"))


def _read_version(field: str) -> tuple[str, int]:
    """(id of a refund, version of its account) as the page wrote them; Http404 for what no page writes."""
    refund_id, _space, version = field.partition(" ")
    if not (version.isascii() and version.isdigit() and len(version) < 10):
        raise Http404
    return refund_id, int(version)


def _release_text(done: list[Released], shop: Shop) -> str:
    """What came of a release."""
    gone = [each for each in done if not each.waits_for_another]
    total = sum(each.amount_minor for each in gone if each.currency == shop.currency)
    texts = []
    if gone:
        text = ngettext(
            "{n} refund released, {amount}. It goes with the next transfer file.",
            "{n} refunds released, {amount}. They go with the next transfer file.",
            len(gone),
        )
        texts.append(text.format(n=len(gone), amount=f"{amount(total, shop.currency)} {shop.currency}"))
    if len(gone) < len(done):
        text = ngettext(
            "{n} refund needs the release of a second person.",
            "{n} refunds need the release of a second person.",
            len(done) - len(gone),
        )
        texts.append(text.format(n=len(done) - len(gone)))
    return " ".join(texts)


def _release_and_tell(request: HttpRequest, visit: Visit, release_refunds: Callable[[], list[Released]]) -> None:
    """Does it, and says the result or why not. 404 for a refund that is not the shop's."""
    try:
        done = release_refunds()
    except RefundUnknown:
        raise Http404 from None
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    else:
        messages.success(request, _release_text(done, visit.shop))


@page("refunds/name", "refund_name", needs=Permission.REFUND, changes=Permission.REFUND, proof=True)
def take_name(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Pays a refund again by the name that the payee's bank knows; the page sends the name that it has shown."""
    if request.method != "POST":
        return refund_pages(request, visit)
    wanted, name = request.POST.get("refund", ""), request.POST.get("name", "")
    actor, clock = person_of(visit.actor), visit.service.clock()
    _release_and_tell(
        request, visit, lambda: take_name_and_pay_again(visit.database, visit.shop, wanted, name, actor, clock)
    )
    return redirect(visit.url("refunds"))


@page("refunds/account", "refund_account", needs=Permission.REFUND, changes=Permission.REFUND)
def account(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Names the account that a refund goes to, or cancels the refund."""
    if request.method != "POST":
        return refund_pages(request, visit)
    wanted, post = request.POST.get("refund", ""), request.POST

    def do(tx: ShopTx) -> str:
        if "ask" in post:
            refund_requests.ask(tx, wanted)
            return _("The customer is asked again by mail.")
        if "cancel" in post:
            refunds.cancel(tx, wanted)
            return _("The refund is cancelled.")
        refunds.set_iban(tx, wanted, iban, holder)
        return _("The account is set; a person releases it, or it waits a day.")

    iban, holder = post.get("iban", "").replace(" ", "").upper(), post.get("holder", "")
    if not ({"cancel", "ask"} & set(post)) and not is_iban(iban):
        return _pipeline(request, visit, _("This is not an IBAN: its check digits do not fit"))
    _tell(request, visit, do)
    return redirect(visit.url("refunds"))


def _tell(request: HttpRequest, visit: Visit, do: Callable[[ShopTx], str]) -> None:
    """Does something in one transaction, and says what it did or why not."""
    try:
        with visit.transaction() as tx:
            said = do(tx)
    except RefundUnknown:
        raise Http404 from None
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    else:
        messages.success(request, said)
