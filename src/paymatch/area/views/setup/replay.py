"""Try with your own data: files are given, the replay is watched, its figures open their lists, and it is erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from paymatch.area.charts import ChartPoint, shares
from paymatch.area.language.sentences import in_words
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.domain.refusal import Refused
from paymatch.domain.replays.figures import CLICKS_BY_HAND, CLICKS_OF_SUGGESTION, ReplayFigure, ReplayResult
from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.domain.words.message import Message
from paymatch.store.replays.outcomes import ListedOutcome, ReplayedReminder
from paymatch.store.replays.replays import ReplayRow, ReplayStatus
from paymatch.store.transactions import ShopId
from paymatch.usecases.replays import beginning, showing, summing
from paymatch.usecases.replays.beginning import ReplayFile, ReplayFiles

_LISTED: Final = 100
_SKIP_DIGITS: Final = 9
_VERDICTS: Final = (ReplayFigure.OURS, ReplayFigure.THEIRS, ReplayFigure.BOTH)
_COLOURS: Final[Mapping[str, str]] = {
    ReplayFigure.OURS: "accent", ReplayFigure.THEIRS: "red", ReplayFigure.BOTH: "grey",
}  # fmt: skip


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
            values |= _result(visit, row, result)
    return render(request, "area/setup/replay.html", values)


def _result(visit: Visit, row: ReplayRow, result: ReplayResult) -> Mapping[str, Any]:
    """The figures by subject, the first differences, and when the replay is erased."""
    found = showing.shown(result)
    marks = {ReplayFigure.MATCHED: "three", ReplayFigure.SUGGESTED: "two", ReplayFigure.LEFT: "one"}
    bar = [
        ChartPoint("", each.count, f"{in_words(each.name)}: {each.value}", marks[each.figure])
        for each in found.payments if each.figure in marks
    ]  # fmt: skip
    with visit.database.of_shop(ShopId(row.replay_shop), at=visit.service.clock()) as tx:
        first = [one for figure in _VERDICTS for one in summing.list_of(tx, figure, "", 1)]
    return {
        "result": result, "matched": result.matched_tenths / 10,
        "payments": [_figure(visit, each) | {"mark": marks.get(each.figure, "")} for each in found.payments],
        "differences": [_figure(visit, each) for each in found.differences],
        "reminders": [_figure(visit, each) for each in found.reminders],
        "times": [_figure(visit, each) for each in found.times], "clicks": found.clicks, "days": found.days,
        "bar": shares(bar, name=_("Result of the payments")), "first": [_shown_outcome(each) for each in first],
        "notes": [in_words(each) for each in showing.notes_of(row)],
        "clicks_by_hand": CLICKS_BY_HAND, "clicks_of_suggestion": CLICKS_BY_HAND - CLICKS_OF_SUGGESTION,
        "erased_on": beginning.erased_on(visit.shop, row), "wrong_url": _list_url(visit, ReplayFigure.WRONG_REMINDERS),
        "slow_url": _list_url(visit, ReplayFigure.SLOW), "matched_url": _list_url(visit, ReplayFigure.MATCHED),
    }  # fmt: skip


def _figure(visit: Visit, each: showing.ShownFigure) -> dict[str, Any]:
    return {
        "name": in_words(each.name), "count": each.count, "of_all": each.of_all, "url": _list_url(visit, each.figure),
        "verdict": _COLOURS.get(each.figure, ""),
    }  # fmt: skip


def _list_url(visit: Visit, figure: ReplayFigure) -> str:
    return visit.url("replay_list", figure=figure.value)


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
    skip = int(after) if after.isascii() and after.isdigit() and len(after) < _SKIP_DIGITS else 0
    values: dict[str, Any] = {"title": in_words(Message(showing.FIGURES[wanted])), "figure": wanted.value}
    with visit.database.of_shop(ShopId(row.replay_shop), at=visit.service.clock()) as tx:
        found: Sequence[ReplayedReminder | OldDecision | ListedOutcome]
        if wanted in (ReplayFigure.WRONG_REMINDERS, ReplayFigure.REMINDERS):
            found = values["reminders"] = summing.reminders_of(tx, wanted, skip, _LISTED + 1)
        elif wanted is ReplayFigure.UNKNOWN:
            found = values["decisions"] = summing.unknown_decisions(tx, skip, _LISTED + 1)
        else:
            found = outcomes = summing.list_of(tx, wanted, after, _LISTED + 1)
            values["rows"] = [_shown_outcome(each) for each in outcomes]
    if len(found) > _LISTED:
        last = found[_LISTED - 1]
        values["following"] = last.posting_id if isinstance(last, ListedOutcome) else str(skip + _LISTED)
    return render(request, "area/setup/replay_list.html", values)


def _shown_outcome(each: ListedOutcome) -> Mapping[str, Any]:
    return {
        "row": each, "ours": ", ".join(each.ours), "theirs": ", ".join(each.theirs or ()),
        "our_facts": _facts(each.our_facts), "their_facts": _facts(each.their_facts),
        "verdict": in_words(Message(f"replay-verdict-{each.verdict}")) if each.verdict else "",
        "colour": _COLOURS.get(each.verdict, ""),
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
