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
    ways: tuple[tuple[Message, int], ...] = ()  # evidence that found the matches

    @property
    def groups(self) -> list[tuple[Message, list[tuple[Message, str]]]]:
        """(subject, (name, value) of its figures), as the PDF lists them; subjects without figures are left out."""

        def rows(figures: tuple[ShownFigure, ...]) -> list[tuple[Message, str]]:
            return [(each.name, each.value) for each in figures]

        times = [(Message("replay-figure-clicks"), self.clicks), (Message("replay-figure-days"), self.days)]
        found = (
            ("payments", rows(self.payments)),
            ("ways", [(way, str(count)) for way, count in self.ways]),
            ("differences", rows(self.differences)),
            ("reminders", rows(self.reminders)),
            ("times", times + rows(self.times)),
        )
        return [(Message(f"replay-group-{name}"), own) for name, own in found if own]


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
        tuple((_way(way), count) for way, count in result.found_by.items()),
    )  # fmt: skip


def _way(way: str) -> Message:
    """The words of a family of evidence."""
    return Message(f"replay-way-{way.replace(',', '').replace(' ', '-')}")


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
    shop: Shop,
    row: ReplayRow,
    result: ReplayResult,
    words: Callable[[str], str] = str,
    language: str = "en",
    in_figures: Callable[[str], str] = str,
) -> bytes:
    """The result as PDF; `words` and `in_figures` put sentences and figures into the reader's language."""
    played = row.day or shop.day_of(row.finished_at or row.created_at)
    about = Message("replay-about", shop=shop.name, count=row.orders, day=played)
    groups = [
        (words(subject), [(_capital(words(name)), in_figures(value)) for name, value in rows])
        for subject, rows in shown(result).groups
    ]
    notes = [words(each) for each in notes_of(row)]
    return write_result(words(Message("replay-title")), words(about), groups, notes, language)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:] if not words.startswith("paymatch") else words
