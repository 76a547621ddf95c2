"""Days whose statements may be one shown twice or two: their balances lead back, and nothing counts them (D-81)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from paymatch.domain.books.overlap import Extent, Stretch

FAR: Final = 50
"""Numbers that jump further do not count statements."""

_Span = tuple[int, int]


class ShownStretch(NamedTuple):
    """A final statement that adds up, and the import that brought it."""

    id: str
    stretch: Stretch
    import_id: str


def ambiguous_pairs(statements: Iterable[ShownStretch]) -> Iterator[tuple[str, str]]:
    """Pairs of statements that count as one but may be two: the first, and the one that says the same."""
    by_day: dict[Any, list[ShownStretch]] = defaultdict(list)
    numbers: set[tuple[str, int, int]] = set()
    for shown in sorted(statements, key=lambda shown: (shown.stretch.place, shown.id)):
        extent = shown.stretch.extent
        if extent.balances is None or extent.balances.opening_minor == extent.balances.closing_minor:
            continue
        by_day[extent.format, extent.balances.closing_date, extent.number is None].append(shown)
        if extent.number is not None:
            numbers.add((extent.format, extent.last_date.year, extent.number))
    for (_, _, is_bare), of_day in by_day.items():
        yield from _ways_back(of_day) if is_bare else _left_out(of_day, numbers)


def _ways_back(of_day: Sequence[ShownStretch]) -> Iterator[tuple[str, str]]:
    """Without numbers: a way that is shown more often than the way back, or twice by one file."""
    by_span: dict[_Span, list[ShownStretch]] = defaultdict(list)
    for shown in of_day:
        by_span[_span(shown)].append(shown)
    told: set[int] = set()  # balances of ways that were told of
    for span, same in by_span.items():
        back = _reachable_balances(span[1], by_span)
        if len(same) < 2 or span[0] not in back or span[0] in told:
            continue
        circle = [other for other in by_span if other[0] in back and span[0] in _reachable_balances(other[1], by_span)]
        in_one_file = max(Counter(shown.import_id for shown in same).values()) > 1
        if in_one_file or len({len(by_span[other]) for other in circle}) > 1:
            told |= back
            yield same[0].id, same[1].id


def _reachable_balances(balance: int, spans: Iterable[_Span]) -> set[int]:
    """The balances to which statements of the day lead from a balance, with itself."""
    onward: dict[int, list[int]] = defaultdict(list)
    for begin, end in spans:
        onward[begin].append(end)
    found, waiting = {balance}, [balance]
    while waiting:
        for end in onward[waiting.pop()]:
            if end not in found:
                found.add(end)
                waiting.append(end)
    return found


def _left_out(of_day: Sequence[ShownStretch], numbers: set[tuple[str, int, int]]) -> Iterator[tuple[str, str]]:
    """With numbers: between two that say the same a number is left out, which may be the way back."""
    first_of: dict[_Span, ShownStretch] = {}
    for shown in sorted(of_day, key=lambda shown: (_number(shown.stretch.extent), shown.id)):
        before = first_of.setdefault(_span(shown), shown)
        one, other = before.stretch.extent, shown.stretch.extent
        first, last = _number(one), _number(other)
        if before.stretch.run == shown.stretch.run or not 1 < last - first <= FAR:
            continue
        year = other.last_date.year
        if not any((other.format, year, number) in numbers for number in range(first + 1, last)):
            yield before.id, shown.id


def _span(shown: ShownStretch) -> _Span:
    assert shown.stretch.extent.balances is not None, "only statements with balances are asked"
    return shown.stretch.extent.balances.span


def _number(extent: Extent) -> int:
    return extent.number or 0
