"""No expression on a stranger's text takes more than linear time, whatever the text."""

from __future__ import annotations

import re

import pytest

from tests.hostile.expressions import Use, hostile_texts, uses_in
from tests.hostile.growth import TIMES, grows_too_fast

SIZE = 1_000
FOUND = list(uses_in("formats", "domain"))
USES = list({(use.pattern, use.method): use for use in FOUND if isinstance(use, Use)}.values())


def worst(use: Use) -> list[str]:
    """The hostile texts with which the cost of the expression grows too fast, and by how much."""
    found = []
    for (what, small), (_, large) in zip(
        hostile_texts(use.pattern, SIZE), hostile_texts(use.pattern, TIMES * SIZE), strict=True
    ):
        texts = {SIZE: small, TIMES * SIZE: large}
        growth = grows_too_fast(lambda size, texts=texts: lambda: use.run(texts[size]), SIZE)  # type: ignore[misc]
        if growth:
            found.append(f"{use.pattern.pattern!r}: {what}: {growth:.0f} times the cost for {TIMES} times the text")
            break
    return found


def test_all_expressions_are_known_before_a_file_comes() -> None:
    assert [place for place in FOUND if isinstance(place, str)] == []
    assert len(USES) > 130


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.place}-{use.method}")
def test_an_expression_is_linear(use: Use) -> None:
    assert worst(use) == []


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (
            r"\s*(?:Auftraggeber|Empfänger): ?(.*?)\s*(?:Kto: ?(\S+)\s*)?Buchungstext: ?(.*?)\s*(?:Ref\. ?(\S+))?\s*",
            "fullmatch",
        ),
        (r",(\d*)\D*$", "search"),
        (r"[0-9]{6,16}\s*[CD]\s*[0-9.,' ]*[0-9.,]\s*[A-Z]{4}", "fullmatch"),
        (r"\s+$", "sub"),
        (r"x*y", "findall"),
    ],
)
def test_a_quadratic_expression_is_found(pattern: str, method: str) -> None:
    assert worst(Use("here", re.compile(pattern), method)) != []
