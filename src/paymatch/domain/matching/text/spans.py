"""Stretches of a text that are no numbers of ours: dates, accounts."""

from __future__ import annotations


class Spans:
    """Stretches of a text, asked for places from left to right."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._ahead = sorted(spans, reverse=True)
        self._until = 0  # where the furthest of those ends that began before the last place

    def hold(self, place: int) -> bool:
        """True if the place, which is not left of any asked for before, stands in one of them."""
        while self._ahead and self._ahead[-1][0] <= place:
            self._until = max(self._until, self._ahead.pop()[1])
        return place < self._until
