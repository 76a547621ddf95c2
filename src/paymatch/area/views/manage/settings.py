"""Settings of the shop, a form per subject; `paymatch shop set` takes the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.page import Visit, page
from paymatch.area.people.cooling_off import tell_owners
from paymatch.area.people.roles import Permission
from paymatch.area.proof import first_prove
from paymatch.area.setting_forms import Setting, SettingForm, is_changed
from paymatch.area.views.manage.setting_table import EXPORTS, LOOK, REFUNDS, SIGN_IN, SUBJECTS
from paymatch.domain.shops.cooling_off import SETTINGS, CoolingChange, cooling_message
from paymatch.usecases.shops import cooling_off, shops
from paymatch.usecases.shops.settings import column_of

_MANAGE: Final = Permission.MANAGE
_FIRST: Final = "shop"


GROUPS: Final[tuple[tuple[str | Promise, str | Promise, str, tuple[tuple[str, str | Promise], ...]], ...]] = (
    (
        lazy("Shop"), lazy("name, language, appearance"), "building",
        ((_FIRST, lazy("Shop")), ("branding", lazy("Branding"))),
    ),
    (
        lazy("Payments"), lazy("matching, tolerance, books"), "credit-card",
        (("matching", lazy("Matching")), ("bookkeeping", lazy("Bookkeeping"))),
    ),
    (
        lazy("Messages"), lazy("sender, mails, letters"), "mail",
        (("mail", lazy("Sender and reminders")), ("letters", lazy("Letters"))),
    ),
    (
        lazy("Money out"), lazy("refunds, limits, collection"), "coins",
        (("refund_settings", lazy("Refund limits")), ("agency_settings", lazy("Collection"))),
    ),
    (
        lazy("People"), lazy("team, roles, second factor"), "users",
        (("team", lazy("Team")), ("sign_in_settings", lazy("Sign-in")), ("sessions", lazy("Sessions"))),
    ),
    (
        lazy("Data"), lazy("retention, exports, privacy"), "archive",
        (
            ("retention", lazy("Retention")), ("export_settings", lazy("Exports")), ("access", lazy("Access")),
            ("privacy", lazy("Personal data")), ("audit", lazy("Audit log")),
        ),
    ),
)  # fmt: skip
"""Title, what is in it, icon, and the pages of each group."""

SETTINGS_OF: Final[Mapping[str, tuple[Setting, ...]]] = {
    **{key: fields for key, (_title, fields) in SUBJECTS.items()},
    "branding": LOOK, "refund_settings": REFUNDS, "export_settings": EXPORTS, "sign_in_settings": SIGN_IN,
}  # fmt: skip
"""Page -> the shop's settings on it; pages that hold something else have none."""


def url_of(visit: Visit, key: str) -> str:
    """The address of a page of the settings."""
    if key == _FIRST:
        return visit.url("settings")
    return visit.url("setting", subject=key) if key in SUBJECTS else visit.url(key)


def tabs(visit: Visit, current: str, texts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The six groups, which one is open, its pages, and how many settings differ from a new shop's.

    `texts` are the shop's settings if the page has read them already.
    """
    if texts is None:
        with visit.transaction() as tx:
            texts = shops.settings_as_texts(tx)
    groups: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for title, words, icon, pages in GROUPS:
        is_open = any(key == current for key, _label in pages)
        urls = [
            {
                "label": label, "url": url_of(visit, key), "current": key == current,
                "settings": len(SETTINGS_OF.get(key, ())),
            }
            for key, label in pages
        ]  # fmt: skip
        changed = sum(is_changed(each, texts) for key, _label in pages for each in SETTINGS_OF.get(key, ()))
        groups.append(
            {
                "title": title, "words": words, "icon": icon, "url": urls[0]["url"], "current": is_open,
                "changed": changed,
            }
        )  # fmt: skip
        shown = urls if is_open else shown
    return {
        "groups": groups, "tabs": shown if len(shown) > 1 else [], "current": current,
        "changed_count": sum(each["changed"] for each in groups),
    }  # fmt: skip


@page("settings", "settings", needs=_MANAGE, changes=_MANAGE)
def settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The first subject."""
    return _answer(request, visit, _FIRST, SUBJECTS[_FIRST][1], visit.url("settings"))


@page("settings/refunds", "refund_settings", needs=_MANAGE, changes=_MANAGE, proof=True)
def refund_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Limits of money that leaves without consent: needs a fresh proof. Raises wait for a day (D-58)."""
    return _answer(request, visit, "refund_settings", REFUNDS, visit.url("refund_settings"))


@page("settings/exports", "export_settings", needs=_MANAGE, changes=_MANAGE, proof=True)
def export_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Scheduled exports and their targets: the books and customers' data, so a change needs a fresh proof."""
    return _answer(request, visit, "export_settings", EXPORTS, visit.url("export_settings"))


@page("settings/sign-in", "sign_in_settings", needs=_MANAGE, changes=_MANAGE, proof=True)
def sign_in_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The people who need a second factor: needs a fresh proof."""
    return _answer(request, visit, "sign_in_settings", SIGN_IN, visit.url("sign_in_settings"))


@page("settings/<str:subject>", "setting", needs=_MANAGE, changes=_MANAGE)
def setting(request: HttpRequest, visit: Visit, subject: str) -> HttpResponse:
    """Another subject."""
    if subject not in SUBJECTS:
        raise Http404
    return _answer(request, visit, subject, SUBJECTS[subject][1], visit.url("setting", subject=subject))


def _answer(
    request: HttpRequest, visit: Visit, subject: str, fields: tuple[Setting, ...], url: str
) -> HttpResponse:  # fmt: skip
    """The form of a subject. What lets more money go needs a fresh proof, and waits for a day (D-58)."""
    with visit.transaction() as tx:
        initial = shops.settings_as_texts(tx)
        before = cooling_off.waiting_changes(tx)
    form = SettingForm(fields, visit, initial=initial, data=request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        touches_money = not SETTINGS.keys().isdisjoint(column_of(name) for name in form.texts())
        unproven = first_prove(request, url) if touches_money else None
        if unproven is not None:
            return unproven
        if form.save() is not None:
            _tell_owners(visit, before)
            messages.success(request, _("Saved."), extra_tags="green")
            return redirect(url)
    powers = [cooling_message(each) for each in before]
    values = {"form": form, "powers": powers, "title": _title(subject)}
    return render(request, "area/settings.html", values | tabs(visit, subject, initial))


def _title(subject: str) -> str | Promise:
    return next(label for _group, _words, _icon, pages in GROUPS for key, label in pages if key == subject)


def _tell_owners(visit: Visit, before: Sequence[CoolingChange]) -> None:
    """A mail to each owner about each change that waits now and did not before."""
    with visit.transaction() as tx:
        added = [each for each in cooling_off.waiting_changes(tx) if each not in before]
    for each in added:
        tell_owners(visit.shop, each)
