"""Which functions are named by a bare participle: `listed`, `_told`, `failing`.

The rule: the name without its leading underscores is one word; it ends in `-ed` or `-ing`, or is one of the irregular
participles below; and it is neither a noun nor a verb of the lists below. Properties are left out, because they name a
value as fields do (`future.done`). Names of several words are left out: `read_list` says what is done, `held_refunds`
what comes back.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

IRREGULAR: Final = frozenset(
    [
        "begun", "bought", "bound", "broken", "brought", "built", "caught", "chosen", "done",
        "drawn", "driven", "eaten", "fallen", "fed", "forgotten", "given", "gone", "grown", "held",
        "hidden", "kept", "known", "left", "lost", "made", "meant", "met", "paid", "proven", "said",
        "seen", "sent", "shown", "spoken", "stolen", "sworn", "taken", "taught", "thought",
        "thrown", "told", "torn", "worn", "written",
    ]
)  # fmt: skip

NOUNS: Final = frozenset(
    [
        "ageing", "beginning", "binding", "booking", "branding", "closing", "drawing", "ending", "finding", "greeting",
        "heading", "mapping", "opening", "posting", "setting", "thing", "timing", "wording",
    ]
)  # fmt: skip
"""Nouns that end in -ing: each names the thing that the function returns."""

VERBS: Final = frozenset(["bring", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"])
"""Verbs that happen to end so."""

_PROPERTIES: Final = frozenset({"property", "cached_property", "setter"})


def is_participle(name: str) -> bool:
    """Whether a function of this name is named by a bare participle."""
    word = name.strip("_")
    if "_" in word or word in NOUNS or word in VERBS:
        return False
    return word in IRREGULAR or re.fullmatch(r"[a-z]+(ed|ing)", word) is not None


def named_functions(tree: ast.Module) -> Iterator[str]:
    """Names of all functions and methods, also those inside of others; not of properties."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
            if not marks & _PROPERTIES:
                yield node.name
