"""Shop systems: connectors to WooCommerce and Shopware 6 are added, tried out, started, and how they fare (D-75)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.badges import Badge
from paymatch.area.language.sentences import refusal
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting, SettingTexts, switch
from paymatch.domain.connectors.systems import ConnectorStatus, ShopSystem, as_texts
from paymatch.domain.connectors.taking import Verdict
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import SettingRefused
from paymatch.store.connectors.connectors import ConnectorRow
from paymatch.usecases.connectors import connectors as use

_DEVELOP: Final = Permission.DEVELOP
_LISTED: Final = 50
SYSTEMS: Final = ((ShopSystem.WOOCOMMERCE.value, "WooCommerce"), (ShopSystem.SHOPWARE.value, "Shopware 6"))
_SYSTEM: Final = Setting("system", lazy("Shop system"), values=SYSTEMS)
_ADDRESS: Final = Setting(
    "url", lazy("Address of the shop"), lazy("Such as https://shop.example, as the browser shows it.")
)
_SECRETS: Final = (
    Setting("key", lazy("Key"), lazy("Consumer key of WooCommerce, access key ID of Shopware."), secret=True),
    Setting(
        "secret", lazy("Secret"), lazy("Consumer secret of WooCommerce, secret access key of Shopware."), secret=True
    ),
)
_NAME: Final = Setting(
    "name", lazy("Name"), lazy("Only if you connect several shops of one system: lower-case letters, digits, hyphens.")
)
_FURTHER: Final = (
    Setting("payment-methods", lazy("Payment methods"), lazy("Which are imported as what; others are not."), lines=3),
    Setting("take-from", lazy("Orders from"), lazy("Orders that were placed earlier are not imported.")),
    Setting("number-prefix", lazy("Before the order number"), lazy("Only if two of your shops count alike.")),
    Setting("paid-status", lazy("Status of paid orders"), lazy("WooCommerce only, usually processing.")),
    Setting("poll-minutes", lazy("Minutes between fetches"), lazy("5 to 1440.")),
    switch(
        "write-back", lazy("Write payments back"), (lazy("Yes"), lazy("No, only read orders")),
        lazy("What a person has changed in the shop is never overwritten."),
    ),
)  # fmt: skip

VERDICTS: Final[Mapping[str, tuple[str, str | Promise]]] = {
    Verdict.TAKE: ("green", lazy("is imported")),
    Verdict.TAKE_PAID: ("green", lazy("is imported as paid")),
    Verdict.CANCEL: ("grey", lazy("is cancelled")),
    Verdict.LET_GO: ("grey", lazy("is removed: paid in another way")),
    Verdict.OTHER_METHOD: ("grey", lazy("not imported: payment method")),
    Verdict.BEFORE_START: ("grey", lazy("not imported: too early")),
    Verdict.CLOSED: ("grey", lazy("not imported: paid or cancelled")),
    Verdict.DRAFT: ("grey", lazy("not imported: not placed yet")),
    "refused": ("red", lazy("is refused")),
}
"""What would be done with an order, in a test's words."""


def _badge(row: ConnectorRow) -> Badge:
    if row.status is ConnectorStatus.PAUSED:
        return "grey", "paused", _("paused")
    if row.failures:
        return "red", "failing", _("fails")
    return "green", "active", _("runs")


def _row(visit: Visit, row: ConnectorRow) -> dict[str, Any]:
    shown = use.connector_fields(row)
    return {
        "row": row, "system": dict(SYSTEMS)[row.settings.system], "badge": _badge(row), "next": shown["nextLookAt"],
        "progress": shown["progress"], "url": visit.url("connector", connector=row.name),
    }  # fmt: skip


@page("developers/connectors", "connectors", needs=_DEVELOP)
def connectors(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The shop's connectors, and how they fare."""
    with visit.transaction() as tx:
        rows = [_row(visit, row) for row in use.list_connectors(tx)]
    values = {"rows": rows, "new_url": visit.url("new_connector"), "developers_url": visit.url("developers")}
    return render(request, "area/connectors.html", values)


@page("developers/connectors/new", "new_connector", needs=_DEVELOP, changes=_DEVELOP, proof=True)
def new_connector(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Adds a connector, paused: the next page shows what it would take."""
    form = SettingTexts(
        (_SYSTEM, _ADDRESS, *_SECRETS, _NAME),
        data=request.POST or None,
        initial={"system": request.GET.get("system", "")},
    )
    made: list[str] = []

    def save(texts: dict[str, str]) -> None:
        system, secrets = texts.pop("system"), (texts.pop("key"), texts.pop("secret"))
        with visit.transaction() as tx:
            made.append(use.add(tx, system, secrets, texts).name)

    if form.is_saved_by(save):
        messages.success(request, _("Saved. Test it now: nothing is imported before you start it."), extra_tags="green")
        return redirect(visit.url("connector", connector=made[0]))
    return render(request, "area/new_connector.html", {"form": form, "list_url": visit.url("connectors")})


@page("developers/connectors/<slug:connector>", "connector", needs=_DEVELOP, changes=_DEVELOP, proof=True)
def one_connector(request: HttpRequest, visit: Visit, connector: str) -> HttpResponse:
    """One connector: test, start and pause, what needs a look, what was written back, its settings and keys."""
    name = connector
    row = _connector_or_404(visit, name)
    do, tested, failure = request.POST.get("do", ""), None, ""
    if do == "test":
        try:
            tested = use.test(visit.database, visit.shop, name, visit.service.connectors())
        except Refused as refused:
            failure = refusal(refused)
    elif do in _ENTRIES:
        return _answer_done(request, visit, name, do)
    settings = SettingTexts(
        (_ADDRESS, *_FURTHER), initial=as_texts(row.settings), data=_send_form(request, do, "settings")
    )
    keys = SettingTexts(_SECRETS, data=_send_form(request, do, "keys"), prefix="new")
    if settings.is_saved_by(lambda texts: _change(visit, name, texts)) or keys.is_saved_by(
        lambda texts: _replace(visit, name, texts)
    ):
        messages.success(request, _("Saved."), extra_tags="green")
        return redirect(visit.url("connector", connector=name))
    with visit.transaction() as tx:
        whole = use.shown_whole(tx, row, _LISTED)
    values = {
        **_row(visit, row), "whole": whole, "settings": settings, "keys": keys, "tested": tested, "failure": failure,
        "found": [] if tested is None else [_verdict(each) for each in tested.rows],
        "list_url": visit.url("connectors"), "developers_url": visit.url("developers"),
        "problems": whole["problems"],
        "written": [each | {"link": visit.url("order", number=each["order"])} for each in whole["written"]],
    }  # fmt: skip
    return render(request, "area/connector.html", values)


def _send_form(request: HttpRequest, do: str, form: str) -> Any:
    return request.POST if do == form else None


def _connector_or_404(visit: Visit, name: str) -> ConnectorRow:
    with visit.transaction() as tx:
        try:
            return use.find(tx, name)
        except use.ConnectorUnknown:
            raise Http404 from None


def _verdict(found: dict[str, Any]) -> dict[str, Any]:
    colour, words = VERDICTS[found["verdict"]]
    return found | {"badge": (colour, found["verdict"], words)}


def _change(visit: Visit, name: str, texts: dict[str, str]) -> None:
    with visit.transaction() as tx:
        use.change(tx, name, texts)


def _replace(visit: Visit, name: str, texts: dict[str, str]) -> None:
    with visit.transaction() as tx:
        use.set_credentials(tx, name, texts["key"], texts["secret"])


def _start(visit: Visit, name: str) -> str:
    with visit.transaction() as tx:
        use.set_status(tx, name, ConnectorStatus.ACTIVE)
    return _("Started: the first orders come within a minute.")


def _pause(visit: Visit, name: str) -> str:
    with visit.transaction() as tx:
        use.set_status(tx, name, ConnectorStatus.PAUSED)
    return _("Paused: paymatch neither reads from the shop nor writes to it.")


def _look(visit: Visit, name: str) -> str:
    with visit.transaction() as tx:
        use.look_now(tx, name)
    return _("The shop is being queried. Reload the page in a moment.")


def _again(visit: Visit, name: str) -> str:
    with visit.transaction() as tx:
        use.try_again(tx, name)
    return _("What could not be written back is tried again.")


def _remove(visit: Visit, name: str) -> str:
    with visit.transaction() as tx:
        use.remove(tx, name)
    return _("Removed. The orders stay; delete the key in the shop, too.")


_ENTRIES: Final[Mapping[str, Callable[[Visit, str], str]]] = {
    "start": _start, "pause": _pause, "look": _look, "again": _again, "remove": _remove,
}  # fmt: skip
"""What a button does, and what is said then."""


def _answer_done(request: HttpRequest, visit: Visit, name: str, do: str) -> HttpResponse:
    try:
        messages.success(request, _ENTRIES[do](visit, name), extra_tags="green")
    except SettingRefused as refused:
        messages.error(request, refusal(refused))
    return redirect(visit.url("connectors") if do == "remove" else visit.url("connector", connector=name))
