"""Account information on the page Bank: application, bank, consent at the bank's page, accounts, renewal (D-130)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.badges import Badge
from paymatch.area.language.countries import country_choices
from paymatch.area.language.sentences import refusal
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting, SettingTexts
from paymatch.domain.bank_feeds.consents import READS_A_DAY, ConsentStatus, ConsentUnknown
from paymatch.domain.refusal import Refused
from paymatch.outbound.account_information.gateway import MAKERS
from paymatch.outbound.account_information.provider import ProviderBank
from paymatch.store.bank_feeds.consents import BankConsent
from paymatch.usecases.bank_feeds import consents as use
from paymatch.usecases.bank_feeds.consents import (
    RETURN_PATH,
    BankReturn,
    ConsentOverview,
    ConsentPlace,
    WantedBank,
)

_MANAGE: Final = Permission.MANAGE
_PROVIDER: Final = next(iter(MAKERS))
_KEY: Final = (
    Setting("application", lazy("Id of the application"), lazy("The provider shows it beside your application.")),
    Setting(
        "private_key",
        lazy("Private key"),
        lazy("The whole file that was made with the application."),
        lines=6,
        longest=10_000,
    ),
)
_STATES: Final[Mapping[ConsentStatus, tuple[str, str | Promise]]] = {
    ConsentStatus.PENDING: ("amber", lazy("Consent not given")),
    ConsentStatus.ACTIVE: ("green", lazy("Active")),
    ConsentStatus.LOST: ("red", lazy("Consent lost")),
}


def consent_badge(row: BankConsent) -> Badge:
    """The state of a consent."""
    if row.failures:
        return "red", "failing", _("fails")
    colour, words = _STATES[row.status]
    return colour, str(row.status), words


@page("bank/account-information", "account_information", needs=_MANAGE, changes=_MANAGE, proof=True)
def account_information(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The shop's application at the provider, its consents, and the choice of a bank."""
    form = SettingTexts(_KEY, data=request.POST if request.POST.get("do") == "key" else None)
    if form.is_saved_by(lambda typed: _set_key(visit, typed)):
        messages.success(request, _("The key is saved. Choose your bank now."), extra_tags="green")
        return redirect(visit.url("account_information"))
    if request.POST.get("do") == "begin":
        return _begin(request, visit)
    with visit.transaction() as tx:
        rows, applications = use.overviews(tx), use.application_ids(tx)
    country = request.GET.get("country", "")
    values = {
        "tab": "bank_feeds", "form": form, "rows": [(each.row, consent_badge(each.row)) for each in rows],
        "application": applications.get(_PROVIDER, ""), "sandbox": visit.shop.sandbox,
        "country": (country or visit.shop.country).upper(), "countries": country_choices(),
        "banks": _banks(request, visit, country) if country else [],
        "return_url": _place(request, visit).return_url,
    }  # fmt: skip
    return render(request, "area/bank/account_information.html", values, status=422 if form.errors else 200)


@page("bank/account-information/<slug:connection>", "consent", needs=_MANAGE, changes=_MANAGE, proof=True)
def consent(request: HttpRequest, visit: Visit, connection: str) -> HttpResponse:
    """One consent: its end, its accounts, and its problems."""
    shown = _overview_or_404(visit, connection)
    do = request.POST.get("do", "")
    if do == "renew":
        return _renew(request, visit, shown.row)
    if do in _ENTRIES:
        return _answer_done(request, visit, connection, do)
    uses = SettingTexts(_use_settings(shown), data=request.POST if do == "use" else None, initial=_use_initial(shown))
    if uses.is_saved_by(lambda typed: _set_use(visit, connection, typed)):
        messages.success(request, _("Saved."), extra_tags="green")
        return redirect(visit.url("consent", connection=connection))
    row, clock = shown.row, visit.service.clock()
    values = {
        "tab": "bank_feeds", "row": row, "badge": consent_badge(row), "uses": uses,
        "accounts": shown.accounts, "most_reads": READS_A_DAY, "today": visit.today,
        "renews": use.asks_for_renewal(row, visit.shop, clock),
        "ends": use.ends_on(row, visit.shop) if row.valid_until else None,
    }  # fmt: skip
    return render(request, "area/bank/consent.html", values)


@page(RETURN_PATH, "consent_return", needs=_MANAGE)
def come_back(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The bank has sent the person back. Its parameters count once, for the person who went there."""
    asked = request.GET
    came = BankReturn(asked.get("state", ""), asked.get("code", ""), asked.get("error", ""))
    if request.method != "GET" or not came.state:
        return account_information(request, visit)
    service = visit.service
    try:
        row = use.finish(visit.database, visit.shop, came, service.account_information(), service.clock())
    except Refused as refused:
        messages.error(request, refusal(refused), extra_tags="red")
        return redirect(visit.url("account_information"))
    messages.success(request, _("The consent is given. Choose the accounts."), extra_tags="green")
    return redirect(visit.url("consent", connection=row.id))


def _set_key(visit: Visit, typed: Mapping[str, Any]) -> None:
    with visit.transaction() as tx:
        use.set_key(tx, _PROVIDER, typed["application"], typed["private_key"], visit.service.account_information())


def _banks(request: HttpRequest, visit: Visit, country: str) -> list[ProviderBank]:
    service = visit.service
    try:
        return use.list_banks(
            visit.database, visit.shop, _PROVIDER, country, service.account_information(), service.clock()
        )
    except Refused as refused:
        messages.error(request, refusal(refused), extra_tags="red")
        return []


def _place(request: HttpRequest, visit: Visit) -> ConsentPlace:
    address = use.return_url(visit.service.base(request), visit.shop)
    return ConsentPlace(address, (translation.get_language() or "en")[:2])


def _begin(request: HttpRequest, visit: Visit) -> HttpResponse:
    form, service = request.POST, visit.service
    wanted = WantedBank(
        _PROVIDER, form.get("country", ""), form.get("bank", ""), form.get("private") != "on"
    )  # fmt: skip
    try:
        made, url = use.begin(
            visit.database, visit.shop, wanted, _place(request, visit), service.account_information(), service.clock()
        )
    except Refused as refused:
        messages.error(request, refusal(refused), extra_tags="red")
        return redirect(visit.url("account_information"))
    return _to_bank(request, made, url)


def _renew(request: HttpRequest, visit: Visit, row: BankConsent) -> HttpResponse:
    service = visit.service
    try:
        url = use.renew(
            visit.database, visit.shop, row.id, _place(request, visit), service.account_information(), service.clock()
        )
    except Refused as refused:
        messages.error(request, refusal(refused), extra_tags="red")
        return redirect(visit.url("consent", connection=row.id))
    return _to_bank(request, row, url)


def _to_bank(request: HttpRequest, row: BankConsent, url: str) -> HttpResponse:
    """A page with the way to the bank: forms of this site lead nowhere else."""
    return render(request, "area/bank/consent_to_bank.html", {"tab": "bank_feeds", "row": row, "bank_url": url})


def _overview_or_404(visit: Visit, connection: str) -> ConsentOverview:
    try:
        with visit.transaction() as tx:
            return use.overview_of(tx, connection)
    except ConsentUnknown:
        raise Http404 from None


def _use_settings(shown: ConsentOverview) -> tuple[Setting, ...]:
    accounts = tuple((each.account, each.account) for each in shown.accounts if each.is_offered or each.is_read)
    return (
        Setting(
            "accounts", lazy("Accounts"), lazy("A chosen account becomes one of the shop's accounts."), accounts,
            several=True,
        ),
        Setting("times", lazy("When the accounts are read"), lazy("At most four times of day, such as 06:30 12:30.")),
    )  # fmt: skip


def _use_initial(shown: ConsentOverview) -> dict[str, Any]:
    chosen = [each.account for each in shown.accounts if each.is_read]
    return {"accounts": chosen, "times": " ".join(shown.row.fetch_times)}


def _set_use(visit: Visit, connection: str, typed: Mapping[str, Any]) -> None:
    with visit.transaction() as tx:
        use.set_use(tx, connection, typed["accounts"], typed["times"])


def _fetch(visit: Visit, connection: str) -> str:
    with visit.transaction() as tx:
        use.fetch_now(tx, connection)
    return _("The bank is being queried. Reload the page in a moment.")


def _remove(visit: Visit, connection: str) -> str:
    service = visit.service
    use.remove(visit.database, visit.shop, connection, service.account_information(), service.clock())
    return _("Removed. What was imported stays.")


_ENTRIES: Final[Mapping[str, Callable[[Visit, str], str]]] = {"fetch": _fetch, "remove": _remove}
"""What a button does, and what is said then."""


def _answer_done(request: HttpRequest, visit: Visit, connection: str, do: str) -> HttpResponse:
    try:
        messages.success(request, _ENTRIES[do](visit, connection), extra_tags="green")
    except Refused as refused:
        messages.error(request, refusal(refused), extra_tags="red")
        return redirect(visit.url("consent", connection=connection))
    name = "account_information" if do == "remove" else "consent"
    return redirect(visit.url(name, **({} if do == "remove" else {"connection": connection})))
