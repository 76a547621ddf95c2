"""The words of mails per kind and language, with a preview on a real order."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import in_words
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reminders.labels import text_words
from paymatch.domain.refusal import Refused
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.formats.mail.texts import placeholders
from paymatch.usecases.reminders.previews import preview_mail
from paymatch.usecases.shops import dunning_plans


@page("reminders/texts", "texts", needs=Permission.REMIND, changes=Permission.REMIND)
def texts(request: HttpRequest, visit: Visit) -> HttpResponse:
    """One text of all; POST shows a preview, saves the words, or takes the usual ones again (`do`)."""
    with visit.transaction() as tx:
        known = dunning_plans.texts(tx)
    asked = request.POST if request.method == "POST" else request.GET
    chosen = next((row for row in known if _is(row, asked)), None)
    if chosen is None:
        raise Http404
    subject, body, error, about, shown = chosen["subject"], chosen["body"], "", "", None
    kind, language, do = chosen["mail"], chosen["language"], request.POST.get("do", "")
    if request.method == "POST":
        subject, body = request.POST.get("subject", ""), request.POST.get("body", "")
    try:
        with visit.transaction() as tx:
            if do == "reset":
                dunning_plans.reset_text(tx, kind, language)
            elif do == "save":
                dunning_plans.set_text(tx, kind, language, subject, body)
            else:
                shown = preview_mail(tx, kind, language, subject, body)
    except Refused as refused:
        error, about = _why(refused), refused.parameter
    else:
        if do in ("reset", "save"):
            said = _("The default text is used again.") if do == "reset" else _("The text is saved.")
            messages.success(request, said)
            return redirect(f"{visit.url('texts')}?mail={kind}&language={language}")
    values: dict[str, Any] = {
        "mails": [(each, text_words(each)) for each in dict.fromkeys(row["mail"] for row in known)],
        "languages": LANGUAGES.items(), "language_name": LANGUAGES[language],
        "html": _frame_mail(shown.html, str(request.csp_nonce)) if shown else "",
        "chosen": chosen, "title": text_words(kind), "subject": subject, "body": body, "error": error, "about": about,
        "shown": shown, "placeholders": [f"{{{{ {name} }}}}" for name in sorted(placeholders(kind))],
    }  # fmt: skip
    return render(request, "area/texts.html", values)


def _why(refusal: Refused) -> str:
    """Why the words are refused, without the name of its field."""
    why = refusal.message.values.get("why")
    return in_words(why) if isinstance(why, str) else in_words_of(refusal)


def _frame_mail(page: str, nonce: str) -> str:
    """The mail's page as the frame shows it: the frame has this page's policy, so styles need its nonce.

    What the mail says of its body in an attribute, for the programs that read no more, becomes a rule.
    """
    head, _body, rest = page.partition('<body style="')
    rule, _end, shown = rest.partition('">')
    return head.replace("<style>", f'<style nonce="{nonce}">body {{ {rule} }}') + "<body>" + shown


def _is(row: dict[str, Any], asked: Any) -> bool:
    return bool(row["mail"] == asked.get("mail", "0")) and row["language"] == asked.get("language", "en")
