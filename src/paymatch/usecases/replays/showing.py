"""The readable result of a replay: each figure with its name, for the page, the PDF and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from paymatch.domain.replays.figures import CLICKS_BY_HAND, CLICKS_OF_SUGGESTION, SLOW_DAYS, ReplayFigure, ReplayResult
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.replays.result_sheet import write_result
from paymatch.store.replays.replays import ReplayRow

FIGURES: Final[Mapping[ReplayFigure, str]] = {
    ReplayFigure.POSTINGS: "replay-figure-postings",
    ReplayFigure.MATCHED: "replay-figure-matched",
    ReplayFigure.SUGGESTED: "replay-figure-suggested",
    ReplayFigure.SUGGESTED_RIGHT: "replay-figure-suggested-right",
    ReplayFigure.LEFT: "replay-figure-left",
    ReplayFigure.ASIDE: "replay-figure-aside",
    ReplayFigure.OURS: "replay-figure-ours",
    ReplayFigure.THEIRS: "replay-figure-theirs",
    ReplayFigure.BOTH: "replay-figure-both",
    ReplayFigure.SLOW: "replay-figure-slow",
    ReplayFigure.REMINDERS: "replay-figure-reminders",
    ReplayFigure.WRONG_REMINDERS: "replay-figure-wrong-reminders",
    ReplayFigure.UNKNOWN: "replay-figure-unknown",
}
"""The name of each figure that links to a list."""


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure as the page and the PDF show it: how many its list has, and what that is of the whole, or ""."""

    figure: ReplayFigure
    count: int
    of_all: str = ""

    @property
    def name(self) -> Message:
        """Its name."""
        return Message(FIGURES[self.figure])

    @property
    def value(self) -> str:
        """Count and share as one text."""
        return f"{self.count} ({self.of_all})" if self.of_all else str(self.count)


@dataclass(frozen=True, slots=True)
class ShownResult:
    """The figures of a replay by subject, each with a list; and the two that are reckoned from several."""

    payments: tuple[ShownFigure, ...]
    differences: tuple[ShownFigure, ...]
    reminders: tuple[ShownFigure, ...]
    times: tuple[ShownFigure, ...]
    clicks: str
    days: str

    @property
    def rows(self) -> list[tuple[Message, str]]:
        """(name, value) of all figures, as the PDF lists them."""
        counted = (*self.payments, *self.differences, *self.reminders, *self.times)
        return [
            *((each.name, each.value) for each in counted),
            (Message("replay-figure-clicks"), self.clicks), (Message("replay-figure-days"), self.days),
        ]  # fmt: skip


def shown(result: ReplayResult) -> ShownResult:
    """The result in the order in which it is read."""

    def part(figure: ReplayFigure, count: int) -> ShownFigure:
        return ShownFigure(figure, count, _percent(result.tenths_of(count)))

    payments = [part(ReplayFigure.MATCHED, result.matched), part(ReplayFigure.SUGGESTED, result.suggested)]
    if result.hit_tenths is not None:
        hits = f"{_percent(result.hit_tenths)} / {result.suggested_compared}"
        payments.append(ShownFigure(ReplayFigure.SUGGESTED_RIGHT, result.suggested_right, hits))
    payments += [
        part(ReplayFigure.LEFT, result.left), ShownFigure(ReplayFigure.ASIDE, result.aside),
        ShownFigure(ReplayFigure.POSTINGS, result.postings),
    ]  # fmt: skip
    verdicts = (
        (ReplayFigure.OURS, result.ours),
        (ReplayFigure.THEIRS, result.theirs),
        (ReplayFigure.BOTH, result.both),
    )
    differences = [ShownFigure(figure, count) for figure, count in verdicts]
    if result.decisions_unknown:
        differences.append(ShownFigure(ReplayFigure.UNKNOWN, result.decisions_unknown))
    return ShownResult(
        tuple(payments), tuple(differences) if result.compared or result.decisions_unknown else (),
        (ShownFigure(ReplayFigure.WRONG_REMINDERS, result.wrong_reminders),
         ShownFigure(ReplayFigure.REMINDERS, result.reminders)),
        (ShownFigure(ReplayFigure.SLOW, result.slow),),
        str(result.clicks_saved), f"{result.days} / {result.longest_days}",
    )  # fmt: skip


def _percent(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10} %"


def notes_of(row: ReplayRow) -> list[Message]:
    """How the figures were counted, and what they leave out."""
    notes = [
        Message("replay-note-clicks", by_hand=CLICKS_BY_HAND, suggestion=CLICKS_OF_SUGGESTION),
        Message("replay-note-reminders"),
        Message("replay-note-slow", days=SLOW_DAYS),
    ]
    if row.refused:
        notes.append(Message("replay-note-refused", count=row.refused))
    return notes


def write_pdf(
    shop: Shop, row: ReplayRow, result: ReplayResult, words: Callable[[str], str] = str, language: str = "en"
) -> bytes:
    """The result as PDF; `words` puts each sentence into the reader's language."""
    played = row.day or shop.day_of(row.finished_at or row.created_at)
    about = Message("replay-about", shop=shop.name, count=row.orders, day=played)
    figures = {words(name): value for name, value in shown(result).rows}
    return write_result(words(Message("replay-title")), words(about), figures,
                        [words(each) for each in notes_of(row)], language)  # fmt: skip
