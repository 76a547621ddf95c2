"""FinTS on the page Bank: connections, a fetch with the PIN, and the bank's questions to a person (D-138)."""

from __future__ import annotations

from base64 import b64encode
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
from paymatch.area.setting_forms import Setting, SettingTexts
from paymatch.area.views.refunds.labels import FINTS_UPLOADS, PAYEE_MATCHES
from paymatch.domain.bank_feeds.fints import BankQuestionKind, DialogueStatus
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import from_json
from paymatch.store.bank_feeds.fints import DialogueRow, FintsUpload
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.usecases.fints import dialogues as use
from paymatch.usecases.fints.dialogues import BankDesk, DialogueUnknown
from paymatch.usecases.fints.talking import ANSWER_MINUTES, talk
from paymatch.usecases.fints.uploads import upload_of
from paymatch.usecases.statements import bank_connections

_BANK: Final = Permission.BANK
_ACCESS: Final = (
    Setting("account", lazy("IBAN of the account")),
    Setting("bank_code", lazy("Bank code"), lazy("Eight digits (BLZ).")),
    Setting("server_url", lazy("FinTS address"), lazy("From your bank's website, it begins with https://.")),
    Setting(
        "user", lazy("User at the bank"), lazy("The name that you sign in to your online banking with. Not the PIN.")
    ),
)
STATES: Final[Mapping[DialogueStatus, tuple[str, str | Promise]]] = {
    DialogueStatus.RUNNING: ("amber", lazy("The bank is being asked")),
    DialogueStatus.ASKING: ("amber", lazy("Waits for you")),
    DialogueStatus.DONE: ("green", lazy("Done")),
    DialogueStatus.REFUSED: ("red", lazy("Not done")),
    DialogueStatus.LOST: ("red", lazy("Ended by a restart")),
}
_TITLES: Final[Mapping[BankQuestionKind, str | Promise]] = {
    BankQuestionKind.MECHANISM: lazy("How do you get TANs?"),
    BankQuestionKind.MEDIUM: lazy("On which device?"),
    BankQuestionKind.TAN: lazy("Enter the TAN"),
    BankQuestionKind.APP: lazy("Approve it in your bank's app"),
    BankQuestionKind.PAYEES: lazy("The bank's answer on the payees"),
}


def desk_of(visit: Visit) -> BankDesk:
    """Where the person talks to a bank."""
    return BankDesk(visit.database, visit.shop, visit.service.fints(), visit.service.clock)


def state_of(row: DialogueRow) -> Badge:
    """Where the dialogue is."""
    colour, words = STATES[row.status]
    return colour, str(row.status), words


@page("bank/fints", "fints", needs=_BANK, changes=_BANK)
def fints(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The connections, and the form that takes the PIN for one fetch."""
    refused = ""
    if request.method == "POST":
        desk, pin = desk_of(visit), request.POST.get("pin", "")
        try:
            begun = use.begin_fetch(desk, request.POST.getlist("account"), pin)
            talk(desk, begun, pin)
        except Refused as error:
            refused = refusal(error)
        else:
            return redirect(visit.url("fints_dialogue", dialogue=begun.id))
    with visit.transaction() as tx:
        rows, opened = bank_connections.logins(tx), use.open_dialogue(tx)
        last = [(each, state_of(each)) for each in use.last_dialogues(tx)]
    problem = visit.service.fints().problem()
    values = {
        "tab": "bank_feeds", "logins": rows, "opened": opened, "last": last, "problem": problem, "refused": refused,
        "chosen": request.POST.getlist("account"), "may_manage": visit.may(Permission.MANAGE),
        "sandbox": visit.shop.sandbox,
    }  # fmt: skip
    return render(request, "area/bank/fints.html", values, status=422 if refused else 200)


@page(
    "bank/fints-connections", "fints_connections", needs=Permission.MANAGE, changes=Permission.MANAGE, proof=True
)  # fmt: skip
def connections(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Adds a connection, removes one, or lets the next fetch ask again how to get TANs."""
    do = request.POST.get("do", "")
    form = SettingTexts(_ACCESS, data=request.POST if do == "add" else None)
    if form.is_saved_by(lambda typed: bank_connections.add(visit.database, visit.shop, ConnectionRow(**typed))):
        messages.success(request, _("The connection is added. Fetch with your PIN now."), extra_tags="green")
        return redirect(visit.url("fints"))
    if do in _ENTRIES:
        try:
            messages.success(request, _ENTRIES[do](visit, request.POST.get("account", "")), extra_tags="green")
        except Refused as refused:
            messages.error(request, refusal(refused), extra_tags="red")
        return redirect(visit.url("fints_connections"))
    with visit.transaction() as tx:
        rows = [row for login in bank_connections.logins(tx) for row in login.rows]
    values = {"tab": "bank_feeds", "rows": rows, "form": form, "sandbox": visit.shop.sandbox}
    return render(request, "area/bank/fints_connections.html", values, status=422 if form.errors else 200)


def _remove(visit: Visit, account: str) -> str:
    bank_connections.remove(visit.database, visit.shop, account)
    return _("Removed. What was imported stays.")


def _forget_way(visit: Visit, account: str) -> str:
    with visit.transaction() as tx:
        bank_connections.forget_way(tx, account)
    return _("The next dialogue asks how you get TANs.")


_ENTRIES: Final[Mapping[str, Callable[[Visit, str], str]]] = {"remove": _remove, "way": _forget_way}


@page("bank/fints/<slug:dialogue>", "fints_dialogue", needs=_BANK, changes=_BANK)
def one_dialogue(request: HttpRequest, visit: Visit, dialogue: str) -> HttpResponse:
    """A dialogue: what the bank asks now, or what came of it."""
    refused = ""
    if request.method == "POST":
        try:
            with visit.transaction() as tx:
                _take(tx, request, dialogue)
        except DialogueUnknown:
            raise Http404 from None
        except Refused as error:
            refused = refusal(error)
        else:
            return redirect(visit.url("fints_dialogue", dialogue=dialogue))
    try:
        with visit.transaction() as tx:
            row = use.dialogue_of(tx, dialogue)
            upload = upload_of(tx, row.file_id) if row.file_id else None
    except DialogueUnknown:
        raise Http404 from None
    asked, is_mine = row.question, row.person == visit.user.email
    values = {
        "tab": "bank_feeds", "row": row, "badge": _badge_of(row, upload), "upload": upload, "is_mine": is_mine,
        "asked": asked, "title": _TITLES[asked.kind] if asked else "", "refused": refused,
        "picture": b64encode(asked.picture).decode() if asked else "", "minutes": ANSWER_MINUTES,
        "payees": [(each, PAYEE_MATCHES[each.match]) for each in asked.payees] if asked else [],
        "reports": [_report(each) for each in row.outcome],
        # A page on which something is typed stays as it is.
        "looks_again": row.is_open and not refused and (asked is None or not is_mine or asked.kind == "APP"),
    }  # fmt: skip
    return render(request, "area/bank/fints_dialogue.html", values, status=422 if refused else 200)


def _badge_of(row: DialogueRow, upload: FintsUpload | None) -> Badge:
    """Where the dialogue is; one that left its file uncertain says so."""
    if upload is None or upload.status is not UploadStatus.UNCERTAIN or row.is_open:
        return state_of(row)
    colour, words = FINTS_UPLOADS[upload.status]
    return colour, str(upload.status), words


def _take(tx: Any, request: HttpRequest, dialogue: str) -> None:
    if request.POST.get("do") == "stop":
        use.stop(tx, dialogue)
        return
    number = request.POST.get("asked", "")
    asked = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    use.answer(tx, dialogue, asked, request.POST.get("answer", ""))


def _report(kept: Mapping[str, Any]) -> dict[str, Any]:
    error = kept.get("error") or {}
    said = from_json(error["text"], error.get("code", ""), error.get("values") or {}) if error else ""
    return {**kept, "error": said}
