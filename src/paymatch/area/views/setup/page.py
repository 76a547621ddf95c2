"""The page of the seven steps: one is open at a time, each can be done here, skipped, or done again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people import team
from paymatch.area.people.accounts import UserRefused
from paymatch.area.people.roles import Permission, TeamRole
from paymatch.area.proof import first_prove
from paymatch.area.setting_forms import SettingForm
from paymatch.area.views import pending_uploads
from paymatch.area.views.bank.statements_home import book_chosen
from paymatch.area.views.manage.branding import preview
from paymatch.area.views.manage.team import InviteForm, invite_person
from paymatch.area.views.setup.steps import LOOK, MAILS, SENDER, step_values
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.setup import SetupStep
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.outbound.mail.opening import open_mail
from paymatch.usecases.orders import order_lists
from paymatch.usecases.reminders.trial_mails import TrialRefused, send_trial
from paymatch.usecases.shops import brands, setup, shops
from paymatch.usecases.statements import accounts as bank_accounts

_PROVEN: Final = frozenset({SetupStep.ACCOUNT, SetupStep.TEAM})
"""Steps whose form needs a fresh second factor."""
_FORMS: Final = {SetupStep.SENDER: SENDER, SetupStep.LOOK: LOOK}


@page("setup", "setup", needs=Permission.MANAGE, changes=Permission.MANAGE)
def set_up(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The steps with their state. POST does the step that `do` names; a refusal stays in its open step."""
    step, typed, status, refused = "", None, 200, ""
    if request.method == "POST":
        step = request.POST.get("do", "")
        try:
            answer = _ACTIONS[step](request, visit) if step in _ACTIONS else redirect(visit.url("setup"))
        except Refused as refusal:
            answer, refused = None, in_words_of(refusal)
        if isinstance(answer, HttpResponse):
            return answer
        typed, status = answer, 422
    with visit.transaction() as tx:
        facts, texts = setup.facts_of(tx), shops.settings_as_texts(tx)
        brand = brands.brand_of(tx)
        sample = order_lists.find_orders(tx, statuses=["UNPAID"], limit=1)
    members = team.members(visit.shop.id)
    progress = setup.progress_of(facts, len(members))
    chosen = step or request.GET.get("step", "")
    current = SetupStep(chosen) if chosen in set(SetupStep) else progress.current
    forms = {each: SettingForm(fields, visit, initial=texts) for each, fields in _FORMS.items()}
    forms[SetupStep.TEAM] = InviteForm()
    if typed is not None and current is not None:
        forms[current] = typed
    files = pending_uploads.pending_files(visit)
    request.needs_factor = current in _PROVEN and request.lacks_factor()
    values = {
        "steps": step_values(visit, progress, facts, members), "progress": progress, "current": current,
        "form": forms.get(current) if current else None, "facts": facts, "files": files, "mails": MAILS,
        "ready": [file for file in files if file.state == "ready"], "is_running": any(file.run_id for file in files),
        "brand": brand, "sample": sample[0] if sample else None, "iban": request.POST.get("iban", ""),
        "refused": refused, **preview(brand),
    }  # fmt: skip
    return render(request, "area/setup/page.html", values, status=status)


def _account(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Registers the account, with a fresh proof, as on the page of accounts."""
    unproven = first_prove(request, visit.url("setup"))
    if unproven is not None:
        return unproven
    iban = request.POST.get("iban", "").strip()
    if not iban:
        raise SettingRefused(Message("setting-enter-account-iban"))
    bank_accounts.add(visit.database, visit.shop, iban, "", visit.now)
    return redirect(visit.url("setup"))


def _statement(request: HttpRequest, visit: Visit) -> HttpResponse:
    files = request.FILES.getlist("files")[: pending_uploads.AT_ONCE]
    if files:
        pending_uploads.offer(visit, files)
    else:
        messages.error(request, _("Choose at least one file"), extra_tags="red")
    return redirect(visit.url("setup") + "?step=statement")


def _book(request: HttpRequest, visit: Visit) -> HttpResponse:
    book_chosen(request, visit)
    return redirect(visit.url("setup"))


def _other_file(request: HttpRequest, visit: Visit) -> HttpResponse:
    pending_uploads.remove(visit, request.POST.getlist("file"))
    return redirect(visit.url("setup") + "?step=statement")


def _sender(request: HttpRequest, visit: Visit) -> Any:
    """Saves the sender, and writes to the person in the shop's name."""
    form = _save_step(request, visit, SetupStep.SENDER)
    if form is not None:
        return form
    door = open_mail(visit.service.settings)
    try:
        sent = send_trial(visit.database, visit.shop, door, visit.user.email, visit.service.clock())
    except TrialRefused as refusal:
        said = _("The sender is saved, but the test mail did not leave: %(why)s. Ask the operator of this server.")
        messages.error(request, said % {"why": in_words_of(refusal)}, extra_tags="red")
        return redirect(visit.url("setup") + "?step=sender")
    finally:
        door.close()
    if not sent.delivered:
        messages.warning(
            request,
            _(
                "The sender is saved. The test mail did not leave: the operator of this server has not set up a mail"
                " server yet."
            ),
        )
        return redirect(visit.url("setup") + "?step=sender")
    with visit.transaction() as tx:
        setup.note_trial_mail(tx)
    text = _("The test mail is on its way to %(email)s. Check that it arrives, and not in the spam folder.")
    messages.success(request, text % {"email": visit.user.email}, extra_tags="green")
    return redirect(visit.url("setup"))


def _look(request: HttpRequest, visit: Visit) -> Any:
    """Saves the colour, and the logo if one is brought."""
    form = _save_step(request, visit, SetupStep.LOOK)
    if form is not None:
        return form
    upload = request.FILES.get("logo")
    if upload is not None:
        logo = brands.read_logo(upload.read())
        with visit.transaction() as tx:
            brands.set_logo(tx, logo, visit.now)
    return redirect(visit.url("setup") + ("?step=look" if request.POST.get("show") else ""))


def _save_step(request: HttpRequest, visit: Visit, step: SetupStep) -> SettingForm | None:
    """None if the step's settings are written; else the form with what was refused."""
    with visit.transaction() as tx:
        texts = shops.settings_as_texts(tx)
    form = SettingForm(_FORMS[step], visit, initial=texts, data=request.POST)
    return None if form.is_valid() and form.save() is not None else form


def _team(request: HttpRequest, visit: Visit) -> Any:
    """Invites a person, with a fresh proof, as on the page of the team."""
    unproven = first_prove(request, visit.url("setup"))
    if unproven is not None:
        return unproven
    form = InviteForm(request.POST)
    if not form.is_valid():
        return form
    try:
        said = invite_person(request, visit, form.cleaned_data["email"], TeamRole(form.cleaned_data["role"]))
    except UserRefused as refusal:
        form.add_error("email", in_words_of(refusal))
        return form
    messages.success(request, said, extra_tags="green")
    return redirect(visit.url("setup"))


def _live(request: HttpRequest, visit: Visit) -> HttpResponse:
    wanted = {name for name, _label, _help in MAILS} & set(request.POST.getlist("mail"))
    with visit.transaction() as tx:
        setup.go_live(tx, wanted)
    messages.success(request, _("%(shop)s is live.") % {"shop": visit.shop.name}, extra_tags="green")
    return redirect(visit.url("overview"))


def _skip(request: HttpRequest, visit: Visit) -> HttpResponse:
    with visit.transaction() as tx:
        setup.skip(tx, request.POST.get("step", ""), skipped=True)
    return redirect(visit.url("setup"))


def _unskip(request: HttpRequest, visit: Visit) -> HttpResponse:
    step = request.POST.get("step", "")
    with visit.transaction() as tx:
        setup.skip(tx, step, skipped=False)
    return redirect(f"{visit.url('setup')}?step={step}")


_ACTIONS: Final[Mapping[str, Callable[[HttpRequest, Visit], Any]]] = {
    "account": _account, "statement": _statement, "book": _book, "other-file": _other_file, "sender": _sender,
    "look": _look, "team": _team, "live": _live, "skip": _skip, "unskip": _unskip,
}  # fmt: skip
