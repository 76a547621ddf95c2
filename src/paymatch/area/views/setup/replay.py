"""Try with your own data: files are given, the replay is watched, its figures open their lists, and it is erased."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import in_words
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.domain.refusal import Refused
from paymatch.domain.replays.figures import ReplayFigure, ReplayResult
from paymatch.domain.words.message import Message
from paymatch.store.replays.outcomes import ListedOutcome
from paymatch.store.replays.replays import ReplayRow, ReplayStatus
from paymatch.store.transactions import ShopId
from paymatch.usecases.replays import beginning, showing, summing
from paymatch.usecases.replays.beginning import ReplayFile, ReplayFiles

_LISTED: Final = 100


@page("replay", "replay", needs=Permission.READ, changes=Permission.MANAGE)
def replay(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The present replay. POST begins one with files, or erases it."""
    if request.method == "POST":
        _change(request, visit)
        return redirect(visit.url("replay"))
    with visit.transaction() as tx:
        row = beginning.state(tx)
    values: dict[str, Any] = {"row": row, "may_change": visit.may(Permission.MANAGE)}
    if row is not None:
        values["is_going_on"] = row.status in (ReplayStatus.READING, ReplayStatus.PLAYING, ReplayStatus.ERASING)
        values["is_erasing"] = row.status is ReplayStatus.ERASING
        values["failure"] = in_words(beginning.failure_of(row)) if row.status is ReplayStatus.FAILED else ""
        values["refused"] = [(place, in_words(why)) for place, why in beginning.refused_orders(row)]
        result = summing.result_of(row)
        if result is not None:
            values["figures"] = _figures(visit, result)
            values["notes"] = [in_words(each) for each in showing.notes_of(row, result)]
    return render(request, "area/setup/replay.html", values)


def _figures(visit: Visit, result: ReplayResult) -> list[Mapping[str, str]]:
    return [
        {"name": in_words(name), "value": value,
         "url": visit.url("replay_list", figure=figure.value) if figure is not None else ""}
        for name, value, figure in showing.in_figures(result)
    ]  # fmt: skip


def _change(request: HttpRequest, visit: Visit) -> None:
    clock = visit.service.clock
    try:
        if "erase" in request.POST:
            done = beginning.erase(visit.database, visit.shop, clock)
            words = _("The replay is erased.") if done else _("The replay is erased as soon as its day is played.")
        else:
            files = ReplayFiles(*(_files(request, name) for name in ("orders", "statements", "decisions")))
            beginning.begin(visit.database, visit.shop, files, clock())
            words = _("The replay has begun. You can leave this page.")
    except Refused as refusal:
        messages.error(request, in_words_of(refusal), extra_tags="red")
        return
    messages.success(request, words)


def _files(request: HttpRequest, name: str) -> list[ReplayFile]:
    uploads: list[UploadedFile] = request.FILES.getlist(name)
    return [ReplayFile(upload.name or name, upload.read()) for upload in uploads]


@page("replay/lists/<str:figure>", "replay_list", needs=Permission.READ)
def replay_list(request: HttpRequest, visit: Visit, figure: str) -> HttpResponse:
    """What a figure counts."""
    row = _finished_row(visit)
    try:
        wanted = ReplayFigure(figure)
    except ValueError:
        raise Http404 from None
    after = request.GET.get("after", "")[:64]
    rows: list[ListedOutcome] = []
    reminders = []
    with visit.database.of_shop(ShopId(row.replay_shop), at=visit.service.clock()) as tx:
        if wanted is ReplayFigure.WRONG_REMINDERS:
            reminders = summing.wrong_reminders(tx)
        else:
            rows = summing.list_of(tx, wanted, after, _LISTED + 1)
    values = {
        "title": in_words(Message(showing.FIGURES[wanted])), "rows": [_shown_outcome(each) for each in rows[:_LISTED]],
        "reminders": reminders, "following": rows[_LISTED - 1].posting_id if len(rows) > _LISTED else "",
    }  # fmt: skip
    return render(request, "area/setup/replay_list.html", values)


def _shown_outcome(each: ListedOutcome) -> Mapping[str, Any]:
    return {
        "row": each, "ours": ", ".join(each.ours), "theirs": ", ".join(each.theirs or ()),
        "our_facts": _facts(each.our_facts), "their_facts": _facts(each.their_facts), "is_judged": bool(each.verdict),
    }  # fmt: skip


def _facts(facts: tuple[str, ...]) -> str:
    return ", ".join(in_words(Message(f"replay-fact-{fact}")) for fact in facts or ("none",))


@page("replay/pdf", "replay_pdf", needs=Permission.READ)
def replay_pdf(_request: HttpRequest, visit: Visit) -> HttpResponse:
    """The result as PDF."""
    row = _finished_row(visit)
    result = summing.result_of(row)
    assert result is not None, "a finished replay has its figures"
    content = showing.write_pdf(visit.shop, row, result, in_words, (get_language() or "en")[:2])
    found = HttpResponse(content, content_type="application/pdf")
    found["Content-Disposition"] = 'attachment; filename="replay.pdf"'
    return found


def _finished_row(visit: Visit) -> ReplayRow:
    with visit.transaction() as tx:
        row = beginning.state(tx)
    if row is None or row.status is not ReplayStatus.FINISHED:
        raise Http404
    return row
