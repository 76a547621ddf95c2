"""Readability of the documents: Flesch reading ease, words per sentence, and sentences that are too long.

`python -m lab.readability` prints a row per page; `--long` also prints every sentence of more than 30 words on pages
for merchants. `--check` ends with exit code 1 if a page for merchants misses a goal. Code and tables are left out:
a reader looks them up.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
LEAST_EASE: Final = 55.0
MOST_MEDIAN: Final = 15
MOST_WORDS: Final = 30

_SECTIONS: Final = ("Start", "You have a shop", "Clerk", "Bookkeeper")
_GENERATED: Final = frozenset(
    {"docs/clerks-rules.md", "docs/evidence.md", "docs/witnesses.md", "docs/refund-states.md"}
)
"""Written from the code: tables, not pages that a person reads from the top."""


def for_merchants() -> frozenset[str]:
    """README, banks, and the pages that the navigation gives to shops, clerks and bookkeepers, not generated ones."""
    nav = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    sections = [part for each in nav for name, part in each.items() if name in _SECTIONS]
    pages = {f"docs/{page}" for part in sections for page in ([part] if isinstance(part, str) else _named(part))}
    return frozenset({"README.md", "docs/banks.md", *pages}) - _GENERATED


def _named(part: list[dict[str, str]]) -> list[str]:
    return [page for each in part for page in each.values()]


_CODE: Final = re.compile(
    r"^```.*?^```|^(?: {4}|\t)[^\n]*$|<!--.*?-->|^\|[^\n]*$|^!\[[^\n]*$", re.MULTILINE | re.DOTALL
)
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_INLINE: Final = re.compile(r"`[^`]*`")
_BLOCK: Final = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)")
_END: Final = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z\d\"(*]|paymatch\b|code\b)")
_VOWELS: Final = re.compile(r"[aeiouy]+")


@dataclass(frozen=True, slots=True)
class Readability:
    """What was counted on a page."""

    sentences: Sequence[str]
    words: int
    ease: float
    median_words: float


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a page, without code, tables and headings. Code within a sentence counts as one word."""
    plain = _INLINE.sub("code", _LINK.sub(r"\1", _CODE.sub("", text)))
    for block in _BLOCK.split(plain):
        line = " ".join(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", block).replace("*", "").split())
        if line and not line.startswith("#"):
            yield from (each for each in _END.split(line) if _words(each))


def readability_of(text: str) -> Readability:
    """The figures of a page. Flesch (1948): 206.835 - 1.015 words per sentence - 84.6 syllables per word."""
    sentences = list(sentences_of(text))
    words = [word for each in sentences for word in _words(each)]
    if not words:
        return Readability((), 0, 100.0, 0)
    syllables = sum(syllables_of(word) for word in words)
    ease = 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * syllables / len(words)
    return Readability(sentences, len(words), ease, median(len(_words(each)) for each in sentences))


def syllables_of(word: str) -> int:
    """Groups of vowels, without a silent e at the end; at least one."""
    word = word.lower()
    found = len(_VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee")) and found > 1:
        found -= 1
    if word.endswith("ed") and not word.endswith(("ted", "ded")) and found > 1:
        found -= 1
    return max(found, 1)


def _words(sentence: str) -> list[str]:
    return re.findall(r"[A-Za-zÀ-ž]+(?:['-][A-Za-zÀ-ž]+)*", sentence)


def main() -> int:
    """Prints the figures; with --check 1 if a page for merchants misses a goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="print sentences that are too long")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a goal is missed")
    asked = parser.parse_args()
    pages = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))]
    merchants = for_merchants()
    missed = 0
    print("| page | for merchants | words | ease | median words | longest |\n|---|---|---|---|---|---|")
    for page in pages:
        found = readability_of((ROOT / page).read_text("utf-8"))
        long = [each for each in found.sentences if len(_words(each)) > MOST_WORDS]
        ours = page in merchants
        misses = ours and (found.ease < LEAST_EASE or found.median_words > MOST_MEDIAN or bool(long))
        missed += misses
        longest = max((len(_words(each)) for each in found.sentences), default=0)
        mark = ("missed" if misses else "yes") if ours else ""
        print(f"| {page} | {mark} | {found.words} | {found.ease:.0f} | {found.median_words:g} | {longest} |")
        if asked.long and ours:
            for each in long:
                print(f"    {len(_words(each))}: {each}")
    return 1 if asked.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
