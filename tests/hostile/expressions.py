"""All regular expressions that the source uses, how it uses them, and texts that each of them likes least."""

from __future__ import annotations

import ast
import importlib
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import Any

import paymatch

METHODS = frozenset({"search", "match", "fullmatch", "finditer", "findall", "sub", "split"})
PACKAGE = Path(paymatch.__file__).parent
MOST_CHARACTERS = 7
MOST_STARTS = 7
MISFITS = ("", "\x01", "7", "x")


@dataclass(frozen=True)
class Use:
    """One expression and the method that the source at `place` asks it with."""

    place: str
    pattern: re.Pattern[Any]
    method: str

    def run(self, text: str) -> object:
        """What the source does with a text."""
        subject = text.encode("utf-8") if isinstance(self.pattern.pattern, bytes) else text
        if self.method == "sub":
            return self.pattern.sub(b"" if isinstance(subject, bytes) else "", subject)
        found = getattr(self.pattern, self.method)(subject)
        return list(found) if self.method == "finditer" else found


def uses_in(*rooms: str) -> Iterator[Use | str]:
    """Each use of an expression in these rooms; a text names a place whose expression is not known before it runs."""
    for room in rooms:
        for path in sorted((PACKAGE / room).rglob("*.py") if (PACKAGE / room).is_dir() else [PACKAGE / room]):
            text = path.read_text("utf-8")
            if not any(f".{method}(" in text for method in METHODS):
                continue  # most files: to parse all of them would cost each process of a test run two seconds
            dotted = ".".join(("paymatch", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
            module = importlib.import_module(dotted)
            nodes = list(ast.walk(ast.parse(text)))
            lent = {each.name for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names}
            for node in nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    place = f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}"
                    yield from _uses(node, node.func, module, lent, place)


def _uses(call: ast.Call, function: ast.Attribute, module: Any, lent: set[str], place: str) -> Iterator[Use | str]:
    """`lent`: names that the file imports, some of them only where they are used: modules with a `match` of theirs."""
    owner, method = function.value, function.attr
    if isinstance(owner, ast.Name) and owner.id == "re":
        if method in METHODS:
            if isinstance(call.args[0], ast.Constant):
                yield Use(place, re.compile(call.args[0].value, _flags(call, method)), method)
            else:
                yield place
        return
    if method not in METHODS:
        return
    if isinstance(owner, ast.Name):
        known = getattr(module, owner.id, None)
    elif isinstance(owner, ast.Subscript) and isinstance(owner.value, ast.Name):
        known = getattr(module, owner.value.id, None)
    else:
        known = None
    found = [each for each in (known.values() if isinstance(known, dict) else [known]) if isinstance(each, re.Pattern)]
    for pattern in found:
        yield Use(place, pattern, method)
    if not found and method != "split" and not (isinstance(owner, ast.Name) and owner.id in lent):  # texts split, too
        yield place


def _flags(call: ast.Call, method: str) -> int:
    """The flags of `re.search("...", text, re.DOTALL)`."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] + call.args[_FLAGS_AT[method] :]
    names = [node.attr for each in given for node in ast.walk(each) if isinstance(node, ast.Attribute)]
    return sum(getattr(re, name) for name in names)


_FLAGS_AT = {"search": 2, "match": 2, "fullmatch": 2, "finditer": 2, "findall": 2, "split": 3, "sub": 4}


def hostile_texts(pattern: re.Pattern[Any], size: int) -> Iterator[tuple[str, str]]:
    """(what it is, text): what the expression wants up to one of its repetitions, that one on and on, and a misfit."""
    source = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    parsed = parser.parse(source, pattern.flags & ~re.DEBUG)
    characters = list(dict.fromkeys(_characters(parsed)))[:MOST_CHARACTERS]
    starts = list(dict.fromkeys(["", *_starts(parsed, "")]))[:MOST_STARTS]
    pumps = [
        *characters,
        *("".join(pair) for pair in permutations(characters, 2)),
        *filter(None, starts),
        _example(parsed),
    ]
    for start, pump, end in product(starts, dict.fromkeys(filter(None, pumps)), MISFITS):
        yield f"{start!r} + {pump!r} * n + {end!r}", start + pump * (size // len(pump)) + end


def _starts(parsed: Any, before: str) -> Iterator[str]:
    """What stands before each repetition of an expression, in the shortest words."""
    for code, value in parsed:
        if code in _REPEATS:
            yield before
            yield from _starts(value[2], before)
        elif code is sre.SUBPATTERN:
            yield from _starts(value[3], before)
        elif code is sre.ATOMIC_GROUP:
            yield from _starts(value, before)
        elif code is sre.BRANCH:
            for branch in value[1]:
                yield from _starts(branch, before)
        before += _example([(code, value)])


def _example(parsed: Any) -> str:
    """A text that the expression matches, or nearly: first branches, each repetition once or as often as it must."""
    return "".join(_example_of(code, value) for code, value in parsed)


def _example_of(code: Any, value: Any) -> str:
    if code is sre.LITERAL:
        return chr(value)
    if code in (sre.ANY, sre.NOT_LITERAL):
        return "x"
    if code is sre.IN:
        return _of_class(value)[0]
    if code in _REPEATS:
        least: int = value[0]
        return _example(value[2]) * max(1, least)
    if code is sre.SUBPATTERN:
        return _example(value[3])
    if code is sre.ATOMIC_GROUP:
        return _example(value)
    return _example(value[1][0]) if code is sre.BRANCH else ""


def _characters(parsed: Any) -> Iterator[str]:
    """The characters that an expression names, one of each class."""
    for code, value in parsed:
        if code is sre.LITERAL:
            yield chr(value)
        elif code in (sre.ANY, sre.NOT_LITERAL):
            yield "x"
        elif code is sre.IN:
            yield from _of_class(value)
        elif code in _REPEATS:
            yield from _characters(value[2])
        elif code is sre.SUBPATTERN:
            yield from _characters(value[3])
        elif code is sre.ATOMIC_GROUP:
            yield from _characters(value)
        elif code is sre.BRANCH:
            for branch in value[1]:
                yield from _characters(branch)
        elif code in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _characters(value[1])


def _of_class(members: Any) -> list[str]:
    if members[0][0] is sre.NEGATE:
        return ["x"]
    return [_of_member(kind, item) for kind, item in members]


def _of_member(kind: Any, item: Any) -> str:
    if kind is sre.CATEGORY:
        return _OF_CATEGORY[item]
    return chr(item if kind is sre.LITERAL else item[0])


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_OF_CATEGORY: dict[Any, str] = {
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_NOT_DIGIT: "x",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "x",
    sre.CATEGORY_WORD: "w",
    sre.CATEGORY_NOT_WORD: "-",
}
