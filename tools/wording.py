"""Words that readers neither search for nor read easily, refused in everything that people read (`make lint`).

It reads the documents, the texts of the OpenAPI document, the help of the command line (in docs/command-line.md), and
all English texts of pages, mails and letters (in the catalogues). Of the code it reads the docstrings.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from babel.messages.pofile import read_po

import paymatch.api.app  # noqa: F401  registers the endpoints
from paymatch.api.openapi.document import document

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUES: Final = (
    "src/paymatch/area/locale/de/LC_MESSAGES/django.po",
    "src/paymatch/formats/languages/locale/de/LC_MESSAGES/customers.po",
)
CODE: Final = ("src", "client/src", "tools")
GENERATED_FROM_CODE: Final = frozenset({"where.md", "house.md", "glossary.md"})
"""Pages made of the first sentences of modules: they are for people who read the code."""

REFUSED: Final[Mapping[str, str]] = {
    r"who(m)?(so)?ever": "name the person: the customer, the operator, you",
    r"whatever": "name the thing, or say 'any'",
    r"(some|any)body": "name the person, or say 'someone', 'anyone'",
    r"nobody": "name the person, or say 'no one'",
    r"(is|are|was|were|be|been|being) told": "'gets', 'receives', 'learns'; name who says it",
    r"(told|tells?|telling)( \w+){0,4} apart": "'distinguish', 'recognise'",
    r"stands?(?! (by|for|out)\b)(?=[ .,;:)])": "'is', 'appears', 'is listed'",
    r"in place of": "'instead of'",
    r"(of|by) which(?! account)": "begin a new sentence, or use 'whose', 'that'",
    r"g(ave|ives?|iven|iving) back": "'return', 'reverse', 'refund'",
    r"t(akes?|ook|aken|aking) back": "'undo', 'reverse', 'withdraw'",
    r"comes? along": "'is bundled', 'is included'",
    r"mended": "'fixed'",
    r"shall": "'must', 'should', or the plain verb",
    r"goes? by (itself|themselves)": "'is automatic'",
    r"one's own": "'your own'",
    r"go(es)? out": "'is sent', 'is paid out', 'leaves'",
    r"by (itself|themselves)": "'automatically', 'alone'",
    r"anew": "'again'",
    r"all the same": "'nevertheless'",
    r"under way": "'in progress'",
    r"everybody": "'everyone'",
    r"what became of": "'the result of', 'the status of'",
    r"deeds?": "'audit entry', 'action'",
    r"(?<!there )(is|are) no (?!(longer|more|less|later|older|need|one|such|\w+s)\b)": "'is not a'",
    r"lies? (in|beside|behind|there|below|beyond)": "'is in', 'is beside'",
    r"powers": "'permissions', 'limits'",
}
"""Pattern of a word -> what to say. A pattern matches whole words in any case."""

_BEGINS_WITH_WHO: Final = re.compile(
    r"(?:^|[.:;!?)] )Who (?!(?:is|was|may|can|has|did|does|gets|owes|needs|will|states|paid|pays|prints)\b)\w+"
)
_WORDS: Final = {re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): said for pattern, said in REFUSED.items()}
_LEFT_OUT: Final = re.compile(
    r"^```.*?^```|`[^`]*`|\]\([^)]*\)|<!--.*?-->|^    [^\n]*$|%\([a-z_]+\)[sd]", re.MULTILINE | re.DOTALL
)


def found_in(text: str) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) of every refused word."""
    plain = _LEFT_OUT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for pattern, said in _WORDS.items():
        for match in pattern.finditer(plain):
            yield plain.count("\n", 0, match.start()) + 1, f"{match[0]!r}: {said}"
    for match in _BEGINS_WITH_WHO.finditer(plain):
        yield plain.count("\n", 0, match.start()) + 1, f"{match[0]!r}: begin with 'if you' or with the person"


def documents() -> list[Path]:
    """The pages that people read: of the decisions only the titles, as their text keeps the words of its day."""
    pages = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in GENERATED_FROM_CODE)
    titles = ROOT / "docs" / "decisions" / "README.md"
    return [*pages, titles, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))]


def openapi_texts(part: Any, place: str = "openapi") -> Iterator[tuple[str, str]]:
    """(place, text) of every title and description of the API's document."""
    if isinstance(part, Mapping):
        for name, inner in part.items():
            if name in ("summary", "description", "title") and isinstance(inner, str):
                yield f"{place}/{name}", inner
            else:
                yield from openapi_texts(inner, f"{place}/{name}")
    elif isinstance(part, list):
        for number, inner in enumerate(part):
            yield from openapi_texts(inner, f"{place}/{number}")


def catalogue_texts(path: Path) -> Iterator[tuple[str, str]]:
    """(place, text) of every English text of a catalogue."""
    with path.open("rb") as file:
        for message in read_po(file):
            texts = message.id if isinstance(message.id, list | tuple) else (message.id,)
            where = message.locations[0][0] if message.locations else path.name
            yield from ((where, text) for text in texts if text)


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of every docstring of a module, those below constants and fields too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def problems() -> list[str]:
    """`place:line: what is wrong` of everything that people read."""
    found = []
    for path in documents():
        name = path.relative_to(ROOT).as_posix()
        found += [f"{name}:{line}: {said}" for line, said in found_in(path.read_text("utf-8"))]
    texts = list(openapi_texts(document()))
    for catalogue in CATALOGUES:
        texts += catalogue_texts(ROOT / catalogue)
    for path in (each for room in CODE for each in sorted((ROOT / room).rglob("*.py"))):
        name = path.relative_to(ROOT).as_posix()
        texts += [(f"{name}:{line}", text) for line, text in docstrings(path)]
    for place, text in texts:
        found += [f"{place}: {said} in {text[:90]!r}" for _, said in found_in(text)]
    return list(dict.fromkeys(found))


def main() -> int:
    """Prints the problems; exit code 1 if there are any."""
    found = problems()
    print("\n".join(found) if found else "words: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
