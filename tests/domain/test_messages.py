"""Messages: a code with values, whose English is written once, in the catalogue."""

from __future__ import annotations

import ast
import copy
import pickle
from collections import Counter
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from string import Formatter
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.words import english_only, sentences
from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.message import Message, Percentage, Rate, Sum, from_json, message_of, said_today, to_json
from paymatch.formats.foreign_text import plain

ROOT = Path(__file__).parents[2] / "src" / "paymatch"
SOURCES = [path for path in ROOT.rglob("*.py") if not {"sentences", "english_only"} & set(path.parts)]
OTHERS_WORDS = {
    "cli/connectors/connectors.py", "cli/statements/account_information.py", "cli/statements/ebics.py",
    "confined/tables.py", "formats/codes/swiss_qr.py", "formats/settlements/learnt.py",
    "formats/tables/text.py", "usecases/fints/talking.py",
}  # fmt: skip
"""Modules that pass on what a library says; their words have the code `text`."""

values = st.one_of(
    st.text(max_size=30), st.integers(-(10**12), 10**12), st.dates(),
    st.builds(Sum, st.integers(-(10**9), 10**9), st.sampled_from(["EUR", "JPY", "KWD"])),
    st.builds(Percentage, st.integers(0, 1000)), st.builds(Rate, st.integers(0, 10_000)),
)  # fmt: skip
inner = st.builds(lambda value: Message("day-none", text=value), values)
lines = st.builds(lambda line, what: Message("file-line", line=line, what=what), values, st.one_of(values, inner))


@given(lines)
def test_a_message_is_the_same_after_json_and_pickle(message: Message) -> None:
    for again in (message_of(to_json(message)), pickle.loads(pickle.dumps(message)), copy.deepcopy(message)):  # noqa: S301
        assert (again, again.code, dict(again.values)) == (message, message.code, dict(message.values))
        assert hash(again) == hash(message)


def test_a_message_cannot_be_changed() -> None:
    message = Message("day-none", text="31.02.")
    with pytest.raises(AttributeError):
        message.code = "day-far"
    with pytest.raises(TypeError):
        message.values["text"] = "1.2."  # type: ignore[index]
    assert message == "31.02. is not a date"


def test_texts_within_a_message_are_changed_everywhere() -> None:
    message = Message("file-line", line="3", what=Message("day-none", text="\x1b[2J31"))
    changed = message.with_texts(plain)
    assert (changed, changed.code) == ("line 3:  [2J31 is not a date", "file-line")
    assert message == "line 3: \x1b[2J31 is not a date"


def test_words_that_their_code_says_otherwise_today_stay_as_they_were() -> None:
    kept = to_json(Message("file-too-many-bytes", bytes=7))
    assert from_json("the file has over 7 bytes", **kept) == "the file has over 7 bytes"
    assert not isinstance(from_json("the file has over 7 bytes", **kept), Message)
    assert said_today("the file has over 7 bytes", **kept) == "the file has more than 7 bytes"
    assert said_today("words", "no-such-code", {}) == "words"


Trees = dict[Path, ast.Module]


@pytest.fixture(scope="module")
def trees() -> Trees:
    """The syntax of all sources, which several tests look through."""
    return {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}


def codes_in(tree: ast.AST) -> Iterator[tuple[str, set[str], ast.Call]]:
    """Code and names of the values of each message that a module makes of a code written there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message" and node.args:
            first = node.args[0]
            for code in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                if isinstance(code, ast.Constant):
                    yield str(code.value), {each.arg or "**" for each in node.keywords}, node


NAME_BRACES: Final = {
    "url-characters", "words-texts-alone-can-compared", "sandbox-shop-settings-such-timezone",
    "sandbox-expect-mapping-expected-such",
}  # fmt: skip
"""Sentences that name braces themselves, and have no gap."""


def gaps_of(code: str) -> set[str]:
    """The names of a sentence's gaps."""
    template = SENTENCES[code]
    if code in NAME_BRACES:
        return set()
    forms = (template,) if isinstance(template, str) else template
    return {name for form in forms for _, name, _, _ in Formatter().parse(form) if name}


def test_each_message_has_its_sentence_and_all_values_of_it(trees: Trees) -> None:
    """What the constructor would say only when the message is made."""
    wrong = []
    for path, tree in trees.items():
        for code, names, _ in codes_in(tree):
            if code not in SENTENCES:
                wrong.append(f"{path.name}: no sentence {code}")
            elif "**" not in names and not gaps_of(code) <= names:
                wrong.append(f"{path.name}: {code} lacks {sorted(gaps_of(code) - names)}")
    assert wrong == []


def test_no_two_subjects_share_a_code() -> None:
    """A code of one subject would take the place of the other's."""
    folders = (sentences, sentences.refusals, english_only)
    modules = [
        import_module(f"{folder.__name__}.{each.name}") for folder in folders for each in iter_modules(folder.__path__)
    ]
    modules.remove(sentences.refusals)
    counted = Counter(code for module in modules for code in module.SENTENCES)
    assert [code for code, count in counted.items() if count > 1] == []
    assert counted.keys() == SENTENCES.keys()


def test_a_sentence_stands_once(trees: Trees) -> None:
    """No module has the words of the catalogue of files again, and no two codes have the same words."""
    counted = Counter(SENTENCES.values())
    assert [words for words, count in counted.items() if count > 1 and words not in SAME_WORDS] == []
    long = {each for each in SENTENCES.values() if isinstance(each, str) and len(each) > 25 and "{" not in each}
    unlike = long - SAME_WORDS
    again = [
        (path.name, node.value)
        for path, tree in trees.items()
        if "api" not in path.parts  # documents the contract's errors in the contract's words
        for node in set(ast.walk(tree)) - enum_values(tree)
        if isinstance(node, ast.Constant) and node.value in unlike
    ]
    assert again == []


def enum_values(tree: ast.AST) -> set[ast.AST]:
    """The values of enumerations: exports and answers of the API have them as they are, a page has the sentence."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    enums = (
        node for node in classes if any(isinstance(base, ast.Name) and base.id == "StrEnum" for base in node.bases)
    )
    return {each.value for node in enums for each in node.body if isinstance(each, ast.Assign)}


SAME_WORDS: Final = {"amount", "the amount is far more than what is open"}
"""A column of a table and what matches were found by; evidence, and what holds a posting back."""


BEHIND_NO_PAGE: Final = (
    "api/", "cli/", "embedded/", "formats/contract/bodies.py", "installation.py",
    "outbound/folders.py", "outbound/letters.py", "outbound/mail/", "settings.py", "store/", "traces.py",
    "usecases/work/backup.py", "usecases/work/moving.py", "web.py",
)  # fmt: skip
"""What answers the API, the command line and the people who run an installation."""


def test_english_alone_is_said_where_no_page_shows_it(trees: Trees) -> None:
    """A sentence that a page could show is translated: it stands among those of its subject."""
    found = {
        str(path.relative_to(ROOT))
        for path, tree in trees.items()
        for code, _, _ in codes_in(tree)
        if code in english_only.SENTENCES
    }
    assert {each for each in found if not each.startswith(BEHIND_NO_PAGE)} == set()


def test_words_of_others_are_marked_as_such(trees: Trees) -> None:
    found = {
        str(path.relative_to(ROOT)) for path, tree in trees.items() for code, _, _ in codes_in(tree) if code == "text"
    }
    assert found == OTHERS_WORDS


def test_values_are_written_in_english() -> None:
    said = Message("gap-sum", one="1", other="2", amount=Sum(1230, "EUR"))
    assert said == "between the balances of 1 and 2 the postings do not add up: 12.30 EUR differ"
    assert Message("alert-silent-feed", account="A", day=date(2026, 3, 31)).startswith(
        "Account A: no statement since 2026"
    )
