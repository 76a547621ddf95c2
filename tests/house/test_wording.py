"""Words that readers neither search for nor read easily are refused in everything that people read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.wording import docstrings, found_in, problems


def test_everything_that_people_read_is_free_of_refused_words() -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The file lies in a folder that nobody reads.", ["Nobody", "lies in"]),
        ("Whoever asks is told.", ["Whoever", "is told"]),
        ("It goes by itself, and stands there.", ["goes by itself", "stands"]),
        ("An advice is no payment.", ["is no "]),
        ("Who changes it, pays.", ["Who changes"]),
        ("Nothing can be told apart.", ["be told", "told apart"]),
        ("The days tell all of them apart.", ["tell all of them apart"]),
    ],
)
def test_a_refused_word_is_found(text: str, said: list[str]) -> None:
    found = " ".join(each for _, each in found_in(text)).lower()
    assert [word for word in said if word.lower() not in found] == []


@pytest.mark.parametrize(
    "text",
    [
        "There is no such order; it is no longer open.",
        "`nobody` and ```\nwhoever\n``` are code.",
        "Who may do this?",
        "The command stands for another one.",
    ],
)
def test_what_may_be_said(text: str) -> None:
    assert list(found_in(text)) == []


def test_docstrings_of_modules_functions_and_constants_are_read(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""One."""\n\nLIMIT = 3\n"""Two."""\n\n\ndef f() -> str:\n    """Three."""\n    return "told"\n')
    assert sorted(docstrings(module)) == [(1, "One."), (4, "Two."), (8, "Three.")]
