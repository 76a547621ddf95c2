"""Charts as SVG, drawn here: bars, a line, a bar of shares. Colours are the style sheet's; each says what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from paymatch.area.language.reader_language import in_figures

WIDTH: Final = 720
WIDE: Final = 1104
HALF: Final = 520
NARROW: Final = 360
"""Of a drawing for the phone: a wide one would shrink with its words."""
_DRAWINGS: Final[Mapping[int, Sequence[tuple[str, int]]]] = {
    WIDE: (("full", WIDE), ("wide", WIDTH), ("narrow", NARROW)),
    WIDTH: (("wide", WIDTH), ("narrow", NARROW)),
    HALF: (("half", HALF), ("narrow", NARROW)),
}
"""Width that a chart has at most -> its drawings; the style sheet shows the one that fits its place."""
_FEW_LABELS: Final = 3
HEIGHT: Final = 240
SPARK_WIDTH: Final = 80
SPARK_HEIGHT: Final = 32
TICK_HEIGHT: Final = 18
_TICK: Final = 4
_LEFT: Final = 56
_BOTTOM: Final = 24
_TOP: Final = 12
_THICKEST: Final = 72


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One value: its label on the axis, its number, and its text."""

    label: str
    value: float
    title: str
    mark: str = ""  # a class of the style sheet, "today" for example


def bars(
    points: Sequence[ChartPoint], *, name: str, labels: Sequence[int] = (), average: float = 0, width: int = WIDTH
) -> SafeString:
    """A bar chart with a scale, and a line at the average if there is one.

    `labels` are the places whose label is shown below the axis; `name` describes the chart. Without any value it is
    replaced by a sentence.
    """
    if not any(point.value for point in points):
        return _empty_chart()
    return _fit_to_width(width, lambda wide: _bars(points, name, _some(labels, wide), average, wide))


def _empty_chart() -> SafeString:
    return format_html('<p class="chart-empty">{}</p>', _("Nothing to show yet"))


def _fit_to_width(width: int, draw: Callable[[int], SafeString]) -> SafeString:
    """The chart as `draw` draws it for places as wide as this, and for narrower ones."""
    drawings = [(name, draw(wide)) for name, wide in _DRAWINGS[width]]
    return format_html('<div class="charts">{}</div>', format_html_join("", '<div class="chart-{}">{}</div>', drawings))


def _some(labels: Sequence[int], width: int) -> Sequence[int]:
    """The places whose label has room."""
    return labels[::2] if width == NARROW and len(labels) > _FEW_LABELS else labels


def _bars(points: Sequence[ChartPoint], name: str, labels: Sequence[int], average: float, width: int) -> SafeString:
    top = scale_top(max((point.value for point in points), default=0))
    wide = (width - _LEFT) / max(len(points), 1)
    thick = min(wide * 0.7, _THICKEST)
    drawn = format_html_join(
        "",
        '<rect class="bar {}" x="{}" y="{}" width="{}" height="{}" rx="2"><title>{}</title></rect>',
        (
            (
                p.mark,
                *_px(_LEFT + (n + 0.5) * wide - thick / 2, _y(p.value, top), thick, _height(p.value, top)),
                p.title,
            )
            for n, p in enumerate(points)
        ),
    )
    below = format_html_join(
        "",
        '<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>',
        ((*_px(_LEFT + (n + 0.5) * wide), HEIGHT - 6, points[n].label) for n in labels),
    )
    return _svg(name, format_html("{}{}{}{}", _grid(top, width), drawn, below, _average(average, top, width)), width)


def _average(value: float, top: float, width: int) -> SafeString:
    if not value:
        return SafeString("")
    [at] = _px(_y(value, top))
    return format_html('<line class="average" x1="{}" y1="{}" x2="{}" y2="{}"/>', _LEFT, at, width, at)


def stacked_columns(
    columns: Sequence[Sequence[ChartPoint]], *, name: str, labels: Mapping[int, str], width: int = WIDE
) -> SafeString:
    """Columns of parts, the first part at the bottom; `labels`: place of a column -> text below.

    Without any value they are replaced by a sentence.
    """
    if not any(part.value for column in columns for part in column):
        return _empty_chart()
    return _fit_to_width(
        width,
        lambda wide: _draw_stack(columns, name, {place: labels[place] for place in _some(list(labels), wide)}, wide),
    )


def _draw_stack(
    columns: Sequence[Sequence[ChartPoint]], name: str, labels: Mapping[int, str], width: int
) -> SafeString:
    top = scale_top(max((sum(part.value for part in column) for column in columns), default=0))
    wide = (width - _LEFT) / max(len(columns), 1)
    drawn = []
    for place, column in enumerate(columns):
        below = 0.0
        for part in (part for part in column if part.value):
            high = _height(part.value, top)
            x, y = _LEFT + (place + 0.1) * wide, _y(below + part.value, top)
            drawn.append((part.mark, *_px(x, y, wide * 0.8, max(high - 1, 1)), part.title))
            below += part.value
    bars_ = format_html_join(
        "", '<rect class="bar {}" x="{}" y="{}" width="{}" height="{}" rx="2"><title>{}</title></rect>', drawn
    )
    texts = format_html_join(
        "",
        '<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>',
        ((*_px(_LEFT + (place + 0.5) * wide), HEIGHT - 6, text) for place, text in labels.items()),
    )
    return _svg(name, format_html("{}{}{}", _grid(top, width), bars_, texts), width)


def line(points: Sequence[ChartPoint], *, name: str, labels: Sequence[int] = (), width: int = WIDTH) -> SafeString:
    """A line with the area below it, scaled from 0."""
    return _fit_to_width(width, lambda wide: _line(points, name, _some(labels, wide), wide))


def _line(points: Sequence[ChartPoint], name: str, labels: Sequence[int], width: int) -> SafeString:
    if not points:
        return _svg(name, _grid(1, width), width)
    top = scale_top(max(point.value for point in points))
    step = (width - _LEFT - 8) / max(len(points) - 1, 1)
    places = [(_LEFT + n * step, _y(p.value, top)) for n, p in enumerate(points)]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    area = f"M{path} L{places[-1][0]:.1f} {HEIGHT - _BOTTOM} L{places[0][0]:.1f} {HEIGHT - _BOTTOM} Z"
    dots = format_html_join(
        "",
        '<circle class="dot" cx="{}" cy="{}" r="3"><title>{}</title></circle>',
        ((*_px(x, y), p.title) for (x, y), p in zip(places, points, strict=True)),
    )
    below = format_html_join(
        "",
        '<text class="axis" x="{}" y="{}" text-anchor="{}">{}</text>',
        (
            (*_px(places[n][0]), HEIGHT - 6, "end" if n == len(points) - 1 else "middle", points[n].label)
            for n in labels
        ),
    )
    shape = format_html('<path class="area" d="{}"/><path class="line" d="M{}"/>', area, path)
    return _svg(name, format_html("{}{}{}{}", _grid(top, width), shape, dots, below), width)


def spark(values: Sequence[float | None], *, name: str, said: Callable[[float], str]) -> SafeString:
    """A small line of a figure's course, from its lowest to its highest value; empty for fewer than two.

    `name` is its title, `said` formats a value: screen readers get all values as text.
    """
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    if len(known) < 2:
        return SafeString("")
    low, high = (pick(value for _place, value in known) for pick in (min, max))
    step, span = (SPARK_WIDTH - 8) / (len(values) - 1), (high - low) or 1
    places = [
        _px(4 + place * step, SPARK_HEIGHT - 4 - (value - low) / span * (SPARK_HEIGHT - 8)) for place, value in known
    ]
    path = " L".join(f"{x} {y}" for x, y in places)
    return format_html(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}: {}"><path class="line" d="M{}"/>'
        '<circle class="dot" cx="{}" cy="{}" r="2.5"/></svg>',
        SPARK_WIDTH, SPARK_HEIGHT, name, " · ".join(said(value) for _place, value in known), path, *places[-1],
    )  # fmt: skip


def shares(parts: Sequence[ChartPoint], *, name: str) -> SafeString:
    """One bar divided by shares."""
    total, left, drawn = sum(part.value for part in parts) or 1.0, 0.0, []
    for part in parts:
        width = WIDTH * part.value / total
        drawn.append((part.mark, *_px(left, max(width - 2, 0)), part.title))
        left += width
    body = format_html_join(
        "", '<rect class="share {}" x="{}" y="0" width="{}" height="10" rx="2"><title>{}</title></rect>', drawn
    )
    return format_html(
        '<svg class="chart shares" viewBox="0 0 {} 10" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        WIDTH, name, body,
    )  # fmt: skip


def ticks(points: Sequence[ChartPoint], *, name: str) -> SafeString:
    """A small bar per day: `value` is its height of at most TICK_HEIGHT, `mark` its colour.

    Days without a bar, weekends and holidays, are points of the mark "closed": a small dot with room around it.
    """
    drawn, left = [], 0.0
    for point in points:
        width = 2 if point.mark == "closed" else _TICK
        drawn.append((point.mark, *_px(left, TICK_HEIGHT - point.value, width, point.value), point.title))
        left += width + _TICK / 2
    body = format_html_join(
        "", '<rect class="tick {}" x="{}" y="{}" width="{}" height="{}" rx="1"><title>{}</title></rect>', drawn
    )
    [wide] = _px(max(left - _TICK / 2, 1))
    return format_html(
        '<svg class="ticks" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}</svg>',
        wide, TICK_HEIGHT, wide, TICK_HEIGHT, name, body,
    )  # fmt: skip


def scale_top(highest: float) -> float:
    """The round number at the top of a scale of four steps that holds `highest`."""
    if highest <= 0:
        return 4.0
    unit = 1.0
    while unit * 40 < highest:
        unit *= 10
    for factor in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10):
        if unit * factor * 4 >= highest and (unit * factor).is_integer():
            return unit * factor * 4
    return unit * 40


def _grid(top: float, width: int = WIDTH) -> SafeString:
    rows = []
    for step in range(5):
        value = top * step / 4
        [at, below] = _px(_y(value, top), _y(value, top) + 4)
        rows.append((_LEFT - 8, below, _scale(value, top), _LEFT, at, width, at))
    return format_html_join(
        "",
        '<text class="axis" x="{}" y="{}" text-anchor="end">{}</text>'
        '<line class="grid-line" x1="{}" y1="{}" x2="{}" y2="{}"/>',
        rows,
    )


def _scale(value: float, top: float) -> str:
    """A number of the scale; thousands where there is no room for all its digits."""
    if top >= 100_000 and value:
        return pgettext("thousands", "{number}k").format(number=in_figures(f"{value / 1000:,.0f}"))
    return in_figures(f"{value:,.0f}")


def _px(*places: float) -> tuple[str, ...]:
    """Coordinates in the form of the drawing: escaping would turn them into texts first."""
    return tuple(f"{place:.1f}" for place in places)


def _y(value: float, top: float) -> float:
    return HEIGHT - _BOTTOM - _height(value, top)


def _height(value: float, top: float) -> float:
    return max(value, 0) / top * (HEIGHT - _BOTTOM - _TOP)


def _svg(name: str, body: SafeString, width: int = WIDTH) -> SafeString:
    return format_html(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>', width, HEIGHT, name, body
    )
