"""Sentences about files are recognised by their words, and every one that the code can say is known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.domain.words.message import Message
from paymatch.domain.words.recognised import recognise
from paymatch.formats.recognise import _FOREIGN, _OTHER_MESSAGES

ROOT = Path(__file__).parents[2] / "src" / "paymatch"
REFUSALS = frozenset(
    {"FileRefused", "AmountUnreadable", "LineUnreadable", "RowUnreadable", "ValueUnreadable", "NotXml"}
)
READERS = [
    *(ROOT / "formats" / "camt").glob("*.py"), *(ROOT / "formats" / "mt940").glob("*.py"),
    *(ROOT / "formats" / "tables").glob("*.py"), *(ROOT / "formats").glob("*.py"),
    *(ROOT / "usecases" / "statements").rglob("*.py"),
]  # fmt: skip
FILLED = "the row has no amount"
"""Fills a gap at the end of a text, where a sentence may stand."""

FOREIGN = "This rule exists already"
"""A sentence of the area, which no file and no match is told in."""


def said_of(tree: ast.AST) -> Iterator[str]:
    """The texts of refusals that stand in the code, their gaps filled."""
    for node in ast.walk(tree):
        call = node.exc if isinstance(node, ast.Raise) else None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in REFUSALS):
            continue
        for text in call.args:
            if isinstance(text, ast.Constant):
                yield str(text.value)
            elif isinstance(text, ast.JoinedStr):
                *parts, last = text.values
                filled = [str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts]
                yield "".join(filled) + (str(last.value) if isinstance(last, ast.Constant) else FILLED)


def test_every_refusal_of_a_file_is_a_sentence() -> None:
    texts = {text for path in READERS for text in said_of(ast.parse(path.read_text("utf-8")))}
    assert len(texts) > 60
    assert sorted(text for text in texts if not isinstance(recognise(text), Message)) == []


@pytest.mark.parametrize(
    ("words", "code", "values"),
    [
        ("the file is empty", "file-is", {"what": "empty"}),
        ("line 3: '19;90' is not an amount", "file-line", {"line": "3", "what": "'19;90' is not an amount"}),
        ("a.sta: line 1: the row has no amount", "file-named",
         {"name": "a.sta", "what": "line 1: the row has no amount"}),
        ("statement S 1: opening + booked <> closing", "file-mismatch", {"statement": "S 1"}),
        ("lines 3, 4: no transaction type; the balances prove the amount", "file-lines",
         {"lines": "3, 4", "what": "no transaction type; the balances prove the amount"}),
        ("the payment text contains order number WT-1", "has-number", {"order": "WT-1"}),
        ("next was WT-1 with 0.4%: the order is 15 days old", "runner-up-against",
         {"orders": "WT-1", "share": "0.4", "why": "the order is 15 days old"}),
        ("the order is 15 days old", "date-age", {"count": 15}),
        ("receiver answered 503", "call-answered", {"status": "503"}),
        ("receiver did not answer within 15 s", "call-late", {"seconds": "15"}),
        ("the name shop.example has no address", "call-name-none", {"host": "shop.example"}),
        ("receiver refused the connection", "call-refused", {}),
        ("a.sta: unknown currency EUX", "file-named", {"name": "a.sta", "what": "unknown currency EUX"}),
        ("the file is XML with the root element Invoice, not a bank statement", "file-unknown-root",
         {"element": "Invoice"}),
        ("the payment text names order WT-1: EUR 5.00 stays open", "payout-left",
         {"why": "the payment text names order WT-1", "left": "EUR 5.00"}),
    ],
)  # fmt: skip
def test_words_are_recognised_with_their_values(words: str, code: str, values: dict[str, str]) -> None:
    said = recognise(words)
    assert isinstance(said, Message)
    assert (said, said.code, said.values) == (words, code, values)


def test_what_a_file_is_instead_of_a_statement_is_a_sentence_itself() -> None:
    kinds = {what for _mark, what in (*_FOREIGN, *_OTHER_MESSAGES)}
    assert len(kinds) == 10
    told = {kind: recognise(f"the file is {kind}") for kind in kinds}
    whats = {kind: said.values["what"] for kind, said in told.items() if isinstance(said, Message)}
    assert whats.keys() == kinds
    assert [kind for kind, what in whats.items() if not isinstance(what, Message)] == []


def test_a_sentence_within_a_sentence_is_one_itself() -> None:
    said = recognise("a.sta: line 1: unknown currency EUX")
    assert isinstance(said, Message)
    line = said.values["what"]
    assert isinstance(line, Message)
    assert (line.code, line.values["line"]) == ("file-line", "1")
    amount = line.values["what"]
    assert isinstance(amount, Message)
    assert (amount.code, amount.values) == ("amount-currency", {"currency": "EUX"})


def test_sentences_stand_within_each_other_four_deep() -> None:
    """A line of a file in an archive in an archive is the deepest; what is deeper stays words."""
    deepest = "mails.zip: march.zip: a.sta: the row has no amount"
    assert isinstance(recognise(deepest), Message)
    assert not isinstance(recognise(f"all.zip: {deepest}"), Message)


def test_a_sentence_has_at_most_2000_characters() -> None:
    ending = ": line 3: the row has no amount"
    longest = "x" * (2000 - len(ending)) + ending
    assert isinstance(recognise(longest), Message)
    assert recognise("x" + longest) == "x" + longest
    assert not isinstance(recognise("x" + longest), Message)


@pytest.mark.parametrize(
    "words", ["", "hello: you", "line 3: hello", " is not an amount", "x" * 3000, "7 {what}", FOREIGN]
)
def test_other_words_stay_as_they_are(words: str) -> None:
    assert recognise(words) is words
