"""The shop's bank accounts: data as of, what is missing, which ones a person has confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from paymatch.area.language.figures import account_label
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.domain.bank_accounts import has_iban_form
from paymatch.domain.payouts.providers import PROVIDERS, is_at_provider, provider_of
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.usecases.payouts import provider_accounts
from paymatch.usecases.statements import accounts as use
from paymatch.usecases.statements.account_chains import known_accounts
from paymatch.usecases.statements.csv_mapping import forget_layout, list_layouts

_SAID: Final = {
    "confirm": gettext_noop("Account %(account)s is confirmed"),
    "remove": gettext_noop("Account %(account)s is removed; its statements and payments stay"),
    "add": gettext_noop("Account %(account)s is added"),
    "add-provider": gettext_noop("Account %(account)s is added"),
    "forget": gettext_noop("Tables of account %(account)s are asked about again; what was imported stays"),
}


@page("bank/accounts", "bank_accounts", changes=Permission.MANAGE, proof=True)
def accounts(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Confirms, removes or adds an account."""
    refused = ""
    if request.method == "POST":
        action = request.POST.get("action", "")
        try:
            if action not in _ACTIONS:
                raise SettingRefused(Message("setting-choose-what-do"))
            done = _ACTIONS[action](visit, request.POST)
        except SettingRefused as refusal:
            refused = in_words_of(refusal)
        else:
            account = done["account"]
            name = account_label(account) if is_at_provider(account) else account
            messages.success(request, _(_SAID[action]) % {"account": name}, extra_tags="green")
            return HttpResponseRedirect(visit.url("bank_accounts"))
    with visit.transaction() as tx:
        known = known_accounts(tx, links=0)
    layouts = list_layouts(visit.database, visit.shop)
    mapped = {row["account"] for row in layouts}
    values = {
        "tab": "bank_accounts", "accounts": known, "mapped": mapped, "layouts": layouts,
        "may_manage": visit.may(Permission.MANAGE),
        "without_iban": [each.account for each in known if not (has_iban_form(each.account) or each.is_at_provider)],
        "providers": sorted(PROVIDERS.values(), key=lambda each: each.name), "refused": refused, "typed": request.POST,
    }  # fmt: skip
    return render(request, "area/bank/accounts.html", values, status=422 if refused else 200)


def _add(visit: Visit, form: Mapping[str, str]) -> dict[str, Any]:
    iban = form.get("iban", "").strip()
    if not iban:
        raise SettingRefused(Message("setting-enter-account-iban"))
    return use.add(visit.database, visit.shop, iban, form.get("currency", "").strip(), visit.now)


def _add_at_provider(visit: Visit, form: Mapping[str, str]) -> dict[str, Any]:
    code = form.get("provider", "")
    name = form.get("name", "").strip() or provider_of(code).name
    currency = form.get("currency", "").strip().upper()
    return provider_accounts.add(visit.database, visit.shop, code, name, currency, visit.now)


_ACTIONS: Final[Mapping[str, Callable[[Visit, Any], dict[str, Any]]]] = {
    "confirm": lambda visit, form: use.confirm(visit.database, visit.shop, form.get("account", "")),
    "remove": lambda visit, form: use.remove(visit.database, visit.shop, form.get("account", "")),
    "add": _add,
    "add-provider": _add_at_provider,
    "forget": lambda visit, form: forget_layout(
        visit.database, visit.shop, form.get("account", ""), form.get("layout", "")
    ),
}
