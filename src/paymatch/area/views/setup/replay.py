"""Try with your own data: files are given, the replay is watched, its figures open their lists, and it is erased."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any, Final

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from paymatch.area.charts import ChartPoint, shares
from paymatch.area.language.reader_language import in_figures
from paymatch.area.language.sentences import in_words
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.domain.money import CURRENCIES
from paymatch.domain.refusal import Refused
from paymatch.domain.replays.figures import CLICKS_BY_HAND, CLICKS_OF_SUGGESTION, ReplayFigure, ReplayResult
from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.domain.words.message import Message
from paymatch.formats.accounting.sheets import csv_chunks
from paymatch.store.replays.outcomes import ListedOutcome, ReplayedReminder
from paymatch.store.replays.replays import ReplayRow, ReplayStatus
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.replays import beginning, showing, summing
from paymatch.usecases.replays.beginning import ReplayFile, ReplayFiles

_LISTED: Final = 100
_SKIP_DIGITS: Final = 9
_EXPORTED: Final = 1000
_OF_REMINDERS: Final = (ReplayFigure.WRONG_REMINDERS, ReplayFigure.REMINDERS)
_OF_DECISIONS: Final = (ReplayFigure.UNKNOWN,)
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
            values["asks_another"] = "another" in request.GET and values["may_change"]
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
        "ways": _ways(found),
        "bar": shares(bar, name=_("Result of the payments")), "first": [_shown_outcome(each) for each in first],
        "notes": [in_words(each) for each in showing.notes_of(row)],
        "clicks_by_hand": CLICKS_BY_HAND, "clicks_of_suggestion": CLICKS_BY_HAND - CLICKS_OF_SUGGESTION,
        "erased_on": beginning.erased_on(visit.shop, row), "wrong_url": _list_url(visit, ReplayFigure.WRONG_REMINDERS),
        "slow_url": _list_url(visit, ReplayFigure.SLOW), "matched_url": _list_url(visit, ReplayFigure.MATCHED),
    }  # fmt: skip


def _figure(visit: Visit, each: showing.ShownFigure) -> dict[str, Any]:
    return {
        "name": in_words(each.name), "count": each.count, "of_all": in_figures(each.of_all),
        "url": _list_url(visit, each.figure), "verdict": _COLOURS.get(each.figure, ""),
    }  # fmt: skip


def _ways(found: showing.ShownResult) -> list[dict[str, Any]]:
    """The evidence that found the matches, each with its length beside the most frequent one."""
    most = max((count for _way, count in found.ways), default=0)
    return [{"name": in_words(way), "count": n, "percent": max(100 * n // most, 1)} for way, n in found.ways]


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
            if "another" in request.POST:
                beginning.begin_another(visit.database, visit.shop, files, clock)
            else:
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
def replay_list(request: HttpRequest, visit: Visit, figure: str) -> HttpResponseBase:
    """What a figure counts, or all of it as a file."""
    row = _finished_row(visit)
    try:
        wanted = ReplayFigure(figure)
    except ValueError:
        raise Http404 from None
    if request.GET.get("format") == "csv":
        return _export(visit, row, wanted)
    after = request.GET.get("after", "")[:64]
    skip = int(after) if after.isascii() and after.isdigit() and len(after) < _SKIP_DIGITS else 0
    values: dict[str, Any] = {"title": in_words(Message(showing.FIGURES[wanted])), "figure": wanted.value}
    with visit.database.of_shop(ShopId(row.replay_shop), at=visit.service.clock()) as tx:
        found = _listed(tx, wanted, after, skip, _LISTED + 1)
    name = "reminders" if wanted in _OF_REMINDERS else "decisions" if wanted in _OF_DECISIONS else "rows"
    values[name] = [_shown_outcome(each) if isinstance(each, ListedOutcome) else each for each in found]
    if len(found) > _LISTED:
        last = found[_LISTED - 1]
        values["following"] = last.posting_id if isinstance(last, ListedOutcome) else str(skip + _LISTED)
    return render(request, "area/setup/replay_list.html", values)


def _export(visit: Visit, row: ReplayRow, figure: ReplayFigure) -> StreamingHttpResponse:
    """The whole list of a figure as CSV: postings, reminders, or decisions of the other system."""
    replay_shop = ShopId(row.replay_shop)

    def rows() -> Iterator[dict[str, Any]]:
        after, skip = "", 0
        while True:
            with visit.database.of_shop(replay_shop, at=visit.service.clock()) as tx:
                found = _listed(tx, figure, after, skip, _EXPORTED)
            yield from (asdict(each) for each in found)
            if len(found) < _EXPORTED:
                return
            last = found[-1]
            after, skip = (last.posting_id if isinstance(last, ListedOutcome) else ""), skip + len(found)

    kind = ReplayedReminder if figure in _OF_REMINDERS else OldDecision if figure in _OF_DECISIONS else ListedOutcome
    columns = [each.name for each in fields(kind)]
    answer = StreamingHttpResponse(
        csv_chunks(
            [each.removesuffix("_minor") for each in columns],
            ([_cell(visit, each, column) for column in columns] for each in rows()),
        ),
        content_type="text/csv; charset=utf-8",
    )
    answer["Content-Disposition"] = f'attachment; filename="replay-{figure}.csv"'
    return answer


def _cell(visit: Visit, row: Mapping[str, Any], column: str) -> Any:
    value = row[column]
    if column == "amount_minor" and value is not None:
        return Decimal(value).scaleb(-CURRENCIES[row.get("currency", visit.shop.currency)])
    return " ".join(value) if isinstance(value, tuple) else value


def _listed(
    tx: ShopTx, figure: ReplayFigure, after: str, skip: int, limit: int
) -> Sequence[ReplayedReminder | OldDecision | ListedOutcome]:
    """What a figure counts, behind the posting `after`, or behind the first `skip` reminders or decisions."""
    if figure in _OF_REMINDERS:
        return summing.reminders_of(tx, figure, skip, limit)
    if figure in _OF_DECISIONS:
        return summing.unknown_decisions(tx, skip, limit)
    return summing.list_of(tx, figure, after, limit)


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
    content = showing.write_pdf(visit.shop, row, result, in_words, (get_language() or "en")[:2], in_figures)
    found = HttpResponse(content, content_type="application/pdf")
    found["Content-Disposition"] = 'attachment; filename="replay.pdf"'
    return found


def _finished_row(visit: Visit) -> ReplayRow:
    with visit.transaction() as tx:
        row = beginning.state(tx)
    if row is None or row.status is not ReplayStatus.FINISHED:
        raise Http404
    return row
