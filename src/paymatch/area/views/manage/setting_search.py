"""Search over all settings, by name and explanation, across all pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting
from paymatch.area.views.manage import agency, settings
from paymatch.area.views.manage.settings import GROUPS, SETTINGS_OF, url_of
from paymatch.domain.search.query import words_of


def settings_of(key: str) -> tuple[Setting, ...]:
    """The settings of a page; none of pages that hold something else."""
    return agency.FIELDS if key == "agency_settings" else SETTINGS_OF.get(key, ())


@page("settings/search", "setting_search", needs=Permission.MANAGE)
def search(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Settings and pages whose words begin with what was typed, each with its place."""
    text = request.GET.get("q", "").strip()[:100]
    wanted = words_of(text)
    found: list[dict[str, Any]] = []
    for group, _words, _icon, pages in GROUPS:
        for key, label in pages:
            url = url_of(visit, key)
            if wanted and _fits(wanted, group, label):
                found.append({"label": label, "help": "", "place": group, "url": url})
            for each in settings_of(key):
                choices = " ".join(str(word) for _value, word in each.values)
                if wanted and _fits(wanted, each.label, each.help, each.name, choices):
                    place = f"{group} › {label}"
                    found.append(
                        {"label": each.label, "help": each.help, "place": place, "url": f"{url}#id_{each.name}"}
                    )
    values = {"found": found, "searched": text}
    return render(request, "area/setting_search.html", values | settings.tabs(visit, ""))


def _fits(wanted: list[str], *texts: str | Promise) -> bool:
    """Whether each word that was typed begins a word of the texts."""
    words = [word for text in texts for word in words_of(str(text))]
    return all(any(word.startswith(each) for word in words) for each in wanted)
