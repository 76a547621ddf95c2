"""The readable result of a replay: each figure with its name, for the page, the PDF and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from paymatch.domain.replays.figures import CLICKS_BY_HAND, CLICKS_OF_SUGGESTION, SLOW_DAYS, ReplayFigure, ReplayResult
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.replays.result_sheet import write_result
from paymatch.store.replays.replays import ReplayRow

FIGURES: Final[Mapping[ReplayFigure, str]] = {
    ReplayFigure.MATCHED: "replay-figure-matched",
    ReplayFigure.SUGGESTED: "replay-figure-suggested",
    ReplayFigure.SUGGESTED_RIGHT: "replay-figure-suggested-right",
    ReplayFigure.LEFT: "replay-figure-left",
    ReplayFigure.OURS: "replay-figure-ours",
    ReplayFigure.THEIRS: "replay-figure-theirs",
    ReplayFigure.BOTH: "replay-figure-both",
    ReplayFigure.SLOW: "replay-figure-slow",
    ReplayFigure.WRONG_REMINDERS: "replay-figure-wrong-reminders",
}
"""The name of each figure that links to a list."""


def in_figures(result: ReplayResult) -> list[tuple[Message, str, ReplayFigure | None]]:
    """(name, value, the figure whose list it opens) in display order."""
    rows: list[tuple[Message, str, ReplayFigure | None]] = [
        (Message("replay-figure-postings"), str(result.postings), None),
        _figure_row(ReplayFigure.MATCHED, f"{result.matched} ({_percent(result.matched_tenths)})"),
        _figure_row(ReplayFigure.SUGGESTED, str(result.suggested)),
    ]
    if result.hit_tenths is not None:
        hits = f"{result.suggested_right} / {result.suggested_compared} ({_percent(result.hit_tenths)})"
        rows.append(_figure_row(ReplayFigure.SUGGESTED_RIGHT, hits))
    rows += [
        _figure_row(ReplayFigure.LEFT, str(result.left)),
        (Message("replay-figure-clicks"), str(result.clicks_saved), None),
        _figure_row(ReplayFigure.WRONG_REMINDERS, f"{result.wrong_reminders} / {result.reminders}"),
        (Message("replay-figure-days"), f"{result.days} / {result.longest_days}", None),
        _figure_row(ReplayFigure.SLOW, str(result.slow)),
    ]
    if result.compared:
        rows += [
            _figure_row(ReplayFigure.OURS, str(result.ours)),
            _figure_row(ReplayFigure.THEIRS, str(result.theirs)),
            _figure_row(ReplayFigure.BOTH, str(result.both)),
        ]
    return rows


def _figure_row(figure: ReplayFigure, value: str) -> tuple[Message, str, ReplayFigure | None]:
    return Message(FIGURES[figure]), value, figure


def _percent(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10} %"


def notes_of(row: ReplayRow, result: ReplayResult) -> list[Message]:
    """How the figures were counted, and what they leave out."""
    notes = [
        Message("replay-note-clicks", by_hand=CLICKS_BY_HAND, suggestion=CLICKS_OF_SUGGESTION),
        Message("replay-note-reminders"),
        Message("replay-note-slow", days=SLOW_DAYS),
    ]
    if result.decisions_unknown:
        notes.append(Message("replay-note-unknown", count=result.decisions_unknown))
    if row.refused:
        notes.append(Message("replay-note-refused", count=row.refused))
    return notes


def write_pdf(
    shop: Shop, row: ReplayRow, result: ReplayResult, words: Callable[[str], str] = str, language: str = "en"
) -> bytes:
    """The result as PDF; `words` puts each sentence into the reader's language."""
    played = row.day or shop.day_of(row.finished_at or row.created_at)
    about = Message("replay-about", shop=shop.name, count=row.orders, day=played)
    figures = {words(name): value for name, value, _ in in_figures(result)}
    return write_result(words(Message("replay-title")), words(about), figures,
                        [words(each) for each in notes_of(row, result)], language)  # fmt: skip
