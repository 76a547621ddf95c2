"""No expression on a stranger's text takes more than linear time, for any text."""

from __future__ import annotations

import re

import pytest

from paymatch.domain.matching.clerk.later import codes_like
from paymatch.domain.privacy.person import Identifier, IdentityKind, pattern_of
from paymatch.formats import read
from paymatch.formats.sepa import pain001
from paymatch.formats.tables import column_signals
from paymatch.formats.tables.bank_exports import bank_exports
from paymatch.formats.tables.column_words import words
from tests.hostile.expressions import PACKAGE, Use, hostile_texts, uses_in
from tests.hostile.growth import TIMES, grows_too_fast

SIZE = 1_000
ROOMS = [path.name for path in sorted(PACKAGE.iterdir()) if path.stem not in ("area", "__pycache__", "__main__")]
"""All but the merchant area, which has no expression of its own."""
FOUND = list(uses_in(*ROOMS))
PERSON = re.compile(
    pattern_of(
        [
            Identifier(IdentityKind.EMAIL, "zoe.muller@example.com"),
            Identifier(IdentityKind.NAME, "Zoë Müller"),
            Identifier(IdentityKind.IBAN, "DE89370400440532013000"),
            Identifier(IdentityKind.PHONE, "+49 30 123456"),
            Identifier(IdentityKind.STREET, "Am Weg 1"),
        ]
    )
)
"""By which a person is found everywhere; made of what they are called."""
AT_RUN_TIME = {
    "api/router.py": [],  # a pattern of our own, which is none of these
    "outbound/ebics/answers.py": [],  # these three find elements of a tree
    "outbound/ebics/offers.py": [],
    "outbound/ebics/signed_xml.py": [],
    "formats/read.py": [Use("formats/read.py", look, "match") for look, _ in read._FOREIGN_TEXTS],
    "formats/tables/columns.py": [Use("formats/tables/column_words.py", words().other_side, "search")],
    "formats/tables/detect.py": [
        Use(f"formats/tables/bank_exports.toml:{export.name}", cell, "fullmatch")
        for export in bank_exports()
        for cell in export.cells
    ],
    "formats/tables/column_signals.py": [
        Use("formats/tables/column_signals.py", labels, "finditer")
        for labels in (column_signals._POLISH, column_signals._DUTCH)
    ],
    "formats/tables/shapes.py": [Use("formats/tables/column_words.py", words().booked, "search")],
    "domain/matching/clerk/later.py": [Use("domain/matching/clerk/later.py", codes_like("TK", 6), "finditer")],
    "formats/advices/edifact.py": [],  # one of a few signs
    "formats/sepa/pain001.py": [
        Use("formats/sepa/pain001.py", characters, "sub") for characters in (pain001._NOT_SENT, pain001._NOT_SEPA)
    ],
    # Words of our own data, with nothing but literals and `*`, which fnmatch makes possessive.
    "formats/settlements/layouts.py": [],
    "domain/payouts/providers.py": [],
    "store/privacy/erasing.py": [Use("domain/privacy/person.py", PERSON, method) for method in ("search", "sub")],
    "usecases/privacy/files.py": [],  # the same
}
"""Places that are handed an expression, and which ones."""
KNOWN = [use for use in FOUND if isinstance(use, Use)] + [use for uses in AT_RUN_TIME.values() for use in uses]
USES = list({(use.pattern, use.method): use for use in KNOWN}.values())


def worst(use: Use) -> list[str]:
    """The hostile texts with which the cost of the expression grows too fast, and by how much."""
    found = []
    for (what, small), (_, large) in zip(
        hostile_texts(use.pattern, SIZE), hostile_texts(use.pattern, TIMES * SIZE), strict=True
    ):
        texts = {SIZE: small, TIMES * SIZE: large}
        growth = grows_too_fast(lambda size, texts=texts: lambda: use.run(texts[size]), SIZE)  # type: ignore[misc]
        if growth:
            found.append(f"{use.pattern.pattern!r}: {what}: {growth:.0f} times what {TIMES} shorter texts cost")
            break
    return found


def test_all_expressions_are_known_before_a_file_comes() -> None:
    unknown = {place.partition(":")[0] for place in FOUND if isinstance(place, str)}
    assert unknown == set(AT_RUN_TIME)
    assert len(USES) > 220


def test_the_merchant_area_has_no_expression_of_its_own() -> None:
    assert [path for path in (PACKAGE / "area").rglob("*.py") if "import re\n" in path.read_text("utf-8")] == []


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
