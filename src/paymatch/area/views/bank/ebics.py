"""EBICS on the page Bank, step by step: bank's data, letter, activation, what is fetched and sent (D-103)."""

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
from paymatch.area.language.sentences import as_sentence, refusal
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting, SettingTexts, switch
from paymatch.domain.bank_feeds.ebics import EbicsStatus, EbicsUnknown
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.refusal import Refused
from paymatch.formats.letters.bank_letter import LANGUAGES
from paymatch.outbound.ebics.keys import KeyUse
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.usecases.bank_feeds import connections as use
from paymatch.usecases.bank_feeds.connections import BankAccess, BankUse
from paymatch.usecases.bank_feeds.letter import initialisation_letter, own_fingerprints
from paymatch.usecases.bank_feeds.overview import ConnectionOverview, overview_of

_MANAGE: Final = Permission.MANAGE
_ACCESS: Final = (
    Setting("bank", lazy("Name of the bank")),
    Setting("url", lazy("Address of the EBICS server"), lazy("From the bank's letter, it begins with https://.")),
    Setting("host", lazy("Host ID")),
    Setting("partner", lazy("Customer ID"), lazy("Also called partner ID.")),
    Setting("user", lazy("User ID")),
    switch(
        "certificates", lazy("How keys are handed over"),
        (lazy("With certificates (H3K), as French banks want it"), lazy("By letter (INI and HIA), as usual")),
    ),
)  # fmt: skip
_FINGERPRINTS: Final = (
    Setting(
        "X002",
        lazy("Fingerprint of the key X002"),
        lazy("As the bank's letter or website shows it; capitals and blanks do not matter."),
    ),
    Setting("E002", lazy("Fingerprint of the key E002")),
)
SUBJECTS: Final = (
    ("camt.053", lazy("Statements (camt.053)")),
    ("camt.052", lazy("Reports during the day (camt.052)")),
    ("camt.054", lazy("Notifications (camt.054)")),
    ("pain.002", lazy("Status of our transfers (pain.002)")),
)
_STATES: Final[Mapping[EbicsStatus, tuple[str, str | Promise]]] = {
    EbicsStatus.NEW: ("amber", lazy("Keys not sent")),
    EbicsStatus.SUBMITTED: ("amber", lazy("Waits for the bank")),
    EbicsStatus.TO_COMPARE: ("amber", lazy("Compare the keys")),
    EbicsStatus.ACTIVE: ("green", lazy("Active")),
    EbicsStatus.SUSPENDED: ("grey", lazy("Suspended")),
}
UPLOADS: Final[Mapping[UploadStatus, tuple[str, str | Promise]]] = {
    UploadStatus.OPEN: ("amber", lazy("Being sent")),
    UploadStatus.UNCERTAIN: ("red", lazy("The bank will say whether it has it")),
    UploadStatus.WAITING: ("amber", lazy("Waits in the bank for your approval")),
    UploadStatus.ACCEPTED: ("green", lazy("At the bank")),
    UploadStatus.REFUSED: ("red", lazy("Refused by the bank")),
    UploadStatus.WITHDRAWN: ("grey", lazy("Not sent by EBICS")),
}
OUTCOMES: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "": ("grey", lazy("no answer")),
    "done": ("green", lazy("done")),
    "nothing": ("grey", lazy("nothing there")),
    "refused": ("red", lazy("refused")),
    "failed": ("red", lazy("failed")),
    "uncertain": ("red", lazy("uncertain")),
}


def badge_of(row: EbicsConnection) -> Badge:
    """The connection's state."""
    if row.failures:
        return "red", "failing", _("fails")
    colour, words = _STATES[row.status]
    return colour, str(row.status), words


@page("bank/ebics", "ebics", needs=_MANAGE, changes=_MANAGE, proof=True)
def connections(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The shop's EBICS connections, and the form of a new one."""
    form = SettingTexts(_ACCESS, data=request.POST or None, initial={"certificates": "off"})
    made: list[str] = []

    def save(typed: dict[str, Any]) -> None:
        access = BankAccess(
            typed["bank"], typed["url"], typed["host"], typed["partner"], typed["user"], typed["certificates"] == "on"
        )
        made.append(use.begin(visit.database, visit.shop, access, visit.service.clock()).id)

    if form.is_saved_by(save):
        messages.success(request, _("The keys are created. Send them to the bank now."), extra_tags="green")
        return redirect(visit.url("ebics_connection", connection=made[0]))
    with visit.transaction() as tx:
        rows = [{"row": row, "badge": badge_of(row)} for row in use.list_connections(tx)]
    values = {"tab": "bank_feeds", "rows": rows, "form": form, "sandbox": visit.shop.sandbox}
    return render(request, "area/bank/ebics.html", values, status=422 if form.errors else 200)


@page("bank/ebics/<slug:connection>", "ebics_connection", needs=_MANAGE, changes=_MANAGE, proof=True)
def one_connection(request: HttpRequest, visit: Visit, connection: str) -> HttpResponse:
    """One connection: its next step, what is fetched and sent, the log of its orders."""
    shown = _overview_or_404(visit, connection)
    do = request.POST.get("do", "")
    if do in _ENTRIES:
        return _answer_done(request, visit, connection, do)
    fingerprints = SettingTexts(_FINGERPRINTS, data=request.POST if do == "confirm" else None)
    uses = SettingTexts(
        _use_settings(shown), data=request.POST if do == "use" else None, initial=_use_initial(shown.row)
    )
    if _is_confirmed(visit, shown.row, fingerprints):
        messages.success(request, _("Confirmed. The first statements come within a minute."), extra_tags="green")
        return redirect(visit.url("ebics_connection", connection=connection))
    if uses.is_saved_by(lambda typed: _set_use(visit, connection, typed)):
        messages.success(request, _("Saved."), extra_tags="green")
        return redirect(visit.url("ebics_connection", connection=connection))
    values = {
        "tab": "bank_feeds", "shown": shown, "row": shown.row, "badge": badge_of(shown.row),
        "fingerprints": fingerprints, "uses": uses,
        "own": _own_fingerprints(visit, shown.row),
        "letters": [(each, _LANGUAGE_NAMES[each]) for each in LANGUAGES],
        "uploads": [(each, UPLOADS[each.status]) for each in shown.uploads],
        "orders": [(each, OUTCOMES.get(each.outcome, OUTCOMES["failed"])) for each in shown.orders],
        "has_begun": shown.row.status is not EbicsStatus.NEW,
        "waits_to_send": shown.row.sends_from is not None and shown.row.sends_from > visit.service.clock(),
    }  # fmt: skip
    return render(request, "area/bank/ebics_connection.html", values)


def _own_fingerprints(visit: Visit, row: EbicsConnection) -> dict[str, str]:
    """The hash values of the letter, while the bank compares them."""
    if row.status is not EbicsStatus.SUBMITTED:
        return {}
    return own_fingerprints(visit.database, visit.shop, row.id, visit.service.clock())


_LANGUAGE_NAMES: Final = {"de": "Deutsch", "en": "English", "fr": "Français"}


@page("bank/ebics/<slug:connection>/letter/<slug:language>", "ebics_letter", needs=_MANAGE)
def letter(request: HttpRequest, visit: Visit, connection: str, language: str) -> HttpResponse:
    """The initialisation letter as PDF."""
    try:
        pdf = initialisation_letter(visit.database, visit.shop, connection, language, visit.service.clock())
    except Refused:
        raise Http404 from None
    answer = HttpResponse(pdf, content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="ebics-letter-{language}.pdf"'
    return answer


def _overview_or_404(visit: Visit, connection: str) -> ConnectionOverview:
    try:
        return overview_of(visit.database, visit.shop, connection)
    except EbicsUnknown:
        raise Http404 from None


def _use_settings(shown: ConnectionOverview) -> tuple[Setting, ...]:
    accounts = tuple((each, each) for each in shown.accounts)
    return (
        Setting("fetches", lazy("What is fetched"), values=SUBJECTS, several=True),
        Setting(
            "accounts", lazy("Accounts"), lazy("A chosen account becomes one of the shop's accounts."), accounts,
            several=True,
        ),
        Setting("times", lazy("When the bank is asked"), lazy("Times of day such as 06:30 12:30 17:30.")),
        switch(
            "sends", lazy("Transfers"), (lazy("Send released transfer files automatically"), lazy("Do not send")),
            lazy("Once there are payments, it begins a day after it is switched on, and all owners get a mail."),
        ),
    )  # fmt: skip


def _use_initial(row: EbicsConnection) -> dict[str, Any]:
    return {
        "fetches": list(row.fetches), "accounts": list(row.accounts), "times": " ".join(row.fetch_times),
        "sends": "off" if row.sends_from is None else "on",
    }  # fmt: skip


def _is_confirmed(visit: Visit, row: EbicsConnection, form: SettingTexts) -> bool:
    """Whether both fingerprints were typed and are those of the keys; each other one is refused next to its field."""
    if not (form.is_bound and form.is_valid()):
        return False
    typed = {KeyUse(name): str(text) for name, text in form.texts().items()}
    if row.status is EbicsStatus.TO_COMPARE:
        for name, why in use.compare_fingerprints(row, typed).items():
            form.add_error(name, as_sentence(why))
    if form.errors:
        return False

    def confirm(_typed: Mapping[str, Any]) -> None:
        with visit.transaction() as tx:
            use.confirm(tx, row.id, typed)

    return form.is_saved_by(confirm)


def _set_use(visit: Visit, connection: str, typed: Mapping[str, Any]) -> None:
    wanted = BankUse(typed["fetches"], typed["accounts"], typed["times"], typed["sends"] == "on")
    with visit.transaction() as tx:
        use.set_use(tx, connection, wanted)


def _send_keys(visit: Visit, connection: str, _form: Mapping[str, str]) -> str:
    use.send_keys(visit.database, visit.shop, connection, visit.service.ebics(), visit.service.clock())
    return _("The bank has the keys. Print the letter, sign it, and send it to the bank.")


def _ask(visit: Visit, connection: str, _form: Mapping[str, str]) -> str:
    use.fetch_bank_keys(visit.database, visit.shop, connection, visit.service.ebics(), visit.service.clock())
    return _("The bank's keys are here. Compare them with the bank's letter.")


def _fetch(visit: Visit, connection: str, _form: Mapping[str, str]) -> str:
    with visit.transaction() as tx:
        use.fetch_now(tx, connection)
    return _("The bank is being queried. Reload the page in a moment.")


def _send_again(visit: Visit, _connection: str, form: Mapping[str, str]) -> str:
    with visit.transaction() as tx:
        use.send_again(tx, form.get("file", ""))
    return _("The file is sent again within a minute.")


def _change_keys(visit: Visit, connection: str, _form: Mapping[str, str]) -> str:
    use.change_keys(visit.database, visit.shop, connection, visit.service.ebics(), visit.service.clock())
    return _("The bank knows the new keys.")


def _suspend(visit: Visit, connection: str, _form: Mapping[str, str]) -> str:
    use.suspend(visit.database, visit.shop, connection, visit.service.ebics(), visit.service.clock())
    return _("Suspended: the bank takes nothing more of these keys.")


def _remove(visit: Visit, connection: str, _form: Mapping[str, str]) -> str:
    with visit.transaction() as tx:
        use.remove(tx, connection)
    return _("Removed. What was imported stays.")


_ENTRIES: Final[Mapping[str, Callable[[Visit, str, Mapping[str, str]], str]]] = {
    "keys": _send_keys, "ask": _ask, "fetch": _fetch, "again": _send_again, "change": _change_keys,
    "suspend": _suspend, "remove": _remove,
}  # fmt: skip
"""What a button does, and what is said then."""


def _answer_done(request: HttpRequest, visit: Visit, connection: str, do: str) -> HttpResponse:
    try:
        messages.success(request, _ENTRIES[do](visit, connection, request.POST), extra_tags="green")
    except Refused as refused:
        messages.error(request, refusal(refused), extra_tags="red")
        return redirect(visit.url("ebics_connection", connection=connection))
    return redirect(
        visit.url("ebics") if do == "remove" else visit.url("ebics_connection", connection=connection)
    )  # fmt: skip
