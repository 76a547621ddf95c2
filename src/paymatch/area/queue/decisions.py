"""Actions of the queue's forms, each with its use case, and undoing the last one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit
from paymatch.area.people.models import User
from paymatch.area.queue import reasons, split, steps
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.refusal import Refused
from paymatch.usecases.matching import assigning, queue
from paymatch.usecases.matching.assigning import OrderChanged, Part, PostingChanged

_LIST_KEYS: Final = ("tab", "q", "kind", "after")
"""What of the address belongs to the list, and stays as a person goes from posting to posting."""

_LISTED_REFUSALS: Final = 5

Action = Callable[[HttpRequest, Visit, str], HttpResponse | None]


def carry_out(request: HttpRequest, visit: Visit, posting_id: str) -> HttpResponse | None:
    """Performs the form's `do` and redirects; None to show the sent form again. Refusals are raised."""
    action = _ACTIONS.get(request.POST.get("do", ""))
    return None if action is None else action(request, visit, posting_id)


def back_of(request: HttpRequest) -> str:
    """The list's part of the address as a query string; of a form that was sent, what it carries along."""
    given = QueryDict(request.POST.get("back", "")[:1000]) if request.method == "POST" else request.GET
    kept = {key: given[key] for key in _LIST_KEYS if given.get(key)}
    return f"?{urlencode(kept)}" if kept else ""


def undo_last(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Undoes the last decision of this session if it is unchanged, and leads to that posting."""
    step = steps.last(request, visit)
    if step is None:
        _say(request, _("There is nothing to undo."), "amber")
        return _to_list(request, visit)
    changed = [posting for posting, stamp in step.postings.items() if not _undone(visit, step.done, posting, stamp)]
    steps.drop_last(request, visit)
    if changed:
        words = ngettext(
            "One posting has changed since, and stays as it is.",
            "%(count)d postings have changed since, and stay as they are.",
            len(changed),
        ) % {"count": len(changed)}
        _say(request, words, "amber")
    if len(changed) < len(step.postings):
        _say(request, _undone_words(visit, step), "green")
    if len(step.postings) == 1:
        return redirect(visit.url("posting", posting=next(iter(step.postings))) + back_of(request))
    return _to_list(request, visit)


def _undone_words(visit: Visit, step: steps.QueueStep) -> str:
    """The message of an undo; with a note that no one was notified, if its callback was not sent yet."""
    with visit.transaction() as tx:
        orders = queue.outcome(tx, step.orders)
    withdrawn = bool(orders) and all(order.callback == CallbackStatus.WITHDRAWN for order in orders)
    return _("Undone. No callback is sent.") if withdrawn else _("Undone.")


def accept_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Accepts the suggestions that were listed; one undo takes all of it back."""
    clock = visit.service.clock()
    sent = zip(*(request.POST.getlist(name) for name in ("posting", "stamp", "open")), strict=False)
    seen = {posting: queue.SeenSuggestion(stamp, _whole(opens)) for posting, stamp, opens in sent}
    chosen = {posting: seen[posting] for posting in request.POST.getlist("accept") if posting in seen}
    done = queue.accept_all(visit.database, visit.shop, dict(list(chosen.items())[: queue.MOST_AT_ONCE]), clock)
    if done.matched:
        stamps = _stamps(visit, *done.matched)
        steps.remember(request, visit, steps.QueueStep("matched", visit.now.isoformat(), stamps))
        _tell_booked(request, visit, done.matched)
    _tell_refused(request, visit, done.refused)
    if not chosen:
        _say(request, _("No posting was chosen."), "amber")
    return _to_list(request, visit)


def _whole(text: str) -> int:
    """Minor units from the page; an impossible value for anything else, so it is refused."""
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19 else -(10**18)


def _tell_booked(request: HttpRequest, visit: Visit, matched: Sequence[str]) -> None:
    """The result of each posting: its payer, amount, and orders with their present status."""
    with visit.transaction() as tx:
        booked = queue.booked_postings(tx, matched)
    for each in booked:
        posting = each.posting
        sum_of = f"{amount(posting.amount_minor, posting.currency)} {posting.currency}"
        orders = ", ".join(f"{line.number} {order_badge(line.status)[2]}" for line in each.lines)
        _say(request, f"{posting.counterparty_name} {sum_of} → {orders}", "green")


def _tell_refused(request: HttpRequest, visit: Visit, refused: Sequence[tuple[str, Refused]]) -> None:
    """Which postings were left out and why, the first of them by name."""
    if not refused:
        return
    words = ngettext("One posting was left out.", "%(count)d postings were left out.", len(refused))
    _say(request, words % {"count": len(refused)}, "amber")
    for posting_id, error in refused[:_LISTED_REFUSALS]:
        with visit.transaction() as tx:
            shown = queue.show_posting(tx, posting_id, looks=False)
        if shown is not None:
            posting = shown.queued.posting
            who = f"{posting.counterparty_name} {amount(posting.amount_minor, posting.currency)} {posting.currency}"
            _say(request, f"{who}: {refusal_words(visit, posting_id, error)}", "amber")


def refusal_words(visit: Visit, posting: str, error: Refused) -> str:
    """The refusal as text; for a meanwhile decided posting, who decided what."""
    if isinstance(error, OrderChanged):
        return _("What its order has open has changed since you looked at it. Nothing was booked; please look again.")
    if not isinstance(error, PostingChanged):
        return in_words_of(error)
    name = queue.decided_by(visit.database, visit.shop, posting)
    if name and name != visit.user.email:
        person = User.objects.filter(email=name).first()
        return _("%(person)s has already decided this posting. Nothing was changed.") % {"person": person or name}
    return _("This posting has changed since you looked at it. Nothing was booked; please look again.")


def _match(request: HttpRequest, visit: Visit, posting_id: str) -> HttpResponse | None:
    """Books the candidate; one that is not exact to the cent needs a confirmation on the form."""
    text = request.POST.get("candidate", "1")
    place = int(text) if text.isdecimal() and len(text) < 6 else 1
    seen = request.POST.get("stamp", "")
    if not request.POST.get("sure") and _is_in_doubt(visit, posting_id, place):
        return None
    parts = assigning.suggested_parts(visit.database, visit.shop, posting_id, place, seen)
    return _match_and_answer(request, visit, posting_id, parts)


def _is_in_doubt(visit: Visit, posting_id: str, place: int) -> bool:
    """Whether the candidate is not exact to the cent, so that a person says twice that it is right."""
    with visit.transaction() as tx:
        shown = queue.show_posting(tx, posting_id, looks=False)
    found = [each for each in shown.candidates if each.place == place] if shown is not None and shown.is_open else []
    return bool(found) and queue.doubt_of(found[0]) is not None


def _split(request: HttpRequest, visit: Visit, posting_id: str) -> HttpResponse | None:
    with visit.transaction() as tx:
        shown = queue.show_posting(tx, posting_id, looks=True)
        if shown is None:
            return _to_list(request, visit)
        draft = split.of_form(request.POST, shown)
        split.complete(tx, visit, draft, shown)
    if not draft.is_bookable:
        if not draft.lines:
            _say(request, _("Add at least one order."), "red")
        return None
    return _match_and_answer(request, visit, posting_id, queue.parts_of(draft.booked_lines(), draft.kind))


def _match_and_answer(request: HttpRequest, visit: Visit, posting_id: str, parts: list[Part]) -> HttpResponse:
    seen = request.POST.get("stamp", "")
    numbers = assigning.match(visit.database, visit.shop, posting_id, parts, visit.service.clock(), seen=seen)
    return _decide_and_continue(request, visit, posting_id, "matched", numbers)


def _aside(request: HttpRequest, visit: Visit, posting_id: str) -> HttpResponse | None:
    reason, ignores = reasons.given(request, visit, posting_id)
    if not reason:
        return None
    done, decide = ("ignored", assigning.ignore) if ignores else ("aside", assigning.set_aside)
    decide(visit.database, visit.shop, posting_id, reason, visit.service.clock(), request.POST.get("stamp", ""))
    return _decide_and_continue(request, visit, posting_id, done, [])


def _comment(request: HttpRequest, visit: Visit, posting_id: str) -> HttpResponse | None:
    if not request.POST.get("said", "").strip():
        return None
    with visit.transaction() as tx:
        queue.comment(tx, posting_id, request.POST.get("said", "")[:2000])
    return redirect(visit.url("posting", posting=posting_id) + back_of(request))


def _undo(request: HttpRequest, visit: Visit, posting_id: str) -> HttpResponse:
    """Undoes the decision on this posting, by anyone and at any time."""
    with visit.transaction() as tx:
        shown = queue.show_posting(tx, posting_id, looks=True)
    undo = assigning.unmatch if shown is not None and shown.queued.status == "matched" else assigning.reconsider
    undo(visit.database, visit.shop, posting_id, visit.service.clock(), request.POST.get("stamp", ""))
    _say(request, _("Undone. The posting waits for a decision again."), "green")
    return redirect(visit.url("posting", posting=posting_id))


_ACTIONS: Final[Mapping[str, Action]] = {
    "match": _match,
    "split": _split,
    "aside": _aside,
    "comment": _comment,
    "undo": _undo,
}


def _decide_and_continue(
    request: HttpRequest, visit: Visit, posting_id: str, done: str, numbers: list[str]
) -> HttpResponse:
    """Keeps the decision for undoing it, and leads to the posting that comes next."""
    remember(request, visit, posting_id, done, numbers)
    following = request.POST.get("next", "")
    if following and len(following) <= 100 and "/" not in following:
        return redirect(visit.url("posting", posting=following) + back_of(request))
    return _to_list(request, visit)


def remember(request: HttpRequest, visit: Visit, posting_id: str, done: str, numbers: list[str]) -> None:
    """Makes the present decision on the posting this session's last one, which one key undoes."""
    with visit.transaction() as tx:
        shown = queue.show_posting(tx, posting_id, looks=False)
    assert shown is not None, "what was just decided is there"
    posting = shown.queued.posting
    step = steps.QueueStep(
        done, visit.now.isoformat(), {posting_id: shown.queued.stamp}, numbers, posting.amount_minor, posting.currency
    )
    steps.remember(request, visit, step)


def _undone(visit: Visit, done: str, posting_id: str, stamp: str) -> bool:
    undo = assigning.unmatch if done == "matched" else assigning.reconsider
    try:
        undo(visit.database, visit.shop, posting_id, visit.service.clock(), stamp)
    except Refused:
        return False
    return True


def _stamps(visit: Visit, *posting_ids: str) -> dict[str, str]:
    with visit.transaction() as tx:
        return {posting_id: queue.stamp(tx, posting_id) for posting_id in posting_ids}


def _to_list(request: HttpRequest, visit: Visit) -> HttpResponse:
    return redirect(visit.url("postings") + back_of(request))


def _say(request: HttpRequest, words: str, colour: str) -> None:
    messages.add_message(request, messages.INFO, words, extra_tags=colour)
