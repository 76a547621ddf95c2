"""By what a person is recognised, however people and programs write it."""

from __future__ import annotations

import json
import re
import unicodedata
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.privacy.person import Identifier, IdentityKind, accounts_of, name_of, pattern_of

SPELLINGS = {
    "Änne Schmidt": (
        "Aenne Schmidt", "ANNE SCHMIDT", "Schmidt, Änne", "SCHMIDT/AENNE", "A\u0308nne Schmidt", "AenneSchmidt",
        "\\u00c4nne\\nSchmidt", "\\u00E4nne Schmidt", "&#196;nne Schmidt", "&#xC4;nne Schmidt", "&Auml;nne Schmidt",
        "%C3%84nne%20Schmidt", "%C3%84nne+Schmidt", "anne_schmidt", "Änne\u00a0Schmidt", "Änne\nSchmidt",
    ),
    "Juergen Mueller": (
        "Jürgen Müller", "JUERGEN MÜLLER", "Mueller, Jürgen", "Ju\u0308rgen Mu\u0308ller", "JuErGeN mUeLlEr",
    ),
    "Anna-Lena Groß-Weber": (
        "Anna Lena Gross Weber", "Annalena Groß-Weber", "GROSS-WEBER, ANNA-LENA", "Gross Weber Anna Lena",
    ),
    "Łukasz Żółw": ("Lukasz Zolw", "ŁUKASZ ŻÓŁW", "\\u0141ukasz \\u017b\\u00f3\\u0142w"),
    "Sean O'Brien": ("Sean OBrien", "Sean O\u2019Brien", "O`Brien, Sean"),
}  # fmt: skip
OTHERS = ("Anne Schmitt", "Jürgen Möller", "Anna Weber", "Lukas Zolw", "Sean Brien", "Johanne Schmidtke")


@pytest.mark.parametrize(
    ("name", "written"), [(name, each) for name, all_ in SPELLINGS.items() for each in (name, *all_)]
)
def test_name_is_recognised(name: str, written: str) -> None:
    pattern = pattern_of([name_of(name)])
    for around in ("{}", "order 7 of {}.", '{{"name":"{}"}}', "<Nm>{}</Nm>"):
        text = around.format(written)
        assert re.sub(pattern, "X", text) == around.format("X"), text


@pytest.mark.parametrize("name", SPELLINGS)
def test_others_keep_their_name(name: str) -> None:
    pattern = pattern_of([name_of(name)])
    others = [*OTHERS, *(each for other, written in SPELLINGS.items() if other != name for each in (other, *written))]
    assert [each for each in others if re.search(pattern, each)] == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Anna Kurz", "AnnaKurz", True),  # eight letters are enough to stand without a gap
        ("Anna Ott", "AnnaOtt", False),
        ("Anna Ott", "Ott, Anna", True),
        ("Lampenladen", "the Lampenladen in Kiel", True),
        ("Lampenladen", "Lampenladens", False),
        ("Anna Kurz", r"thanks.\nAnna Kurz", True),  # a line break as JSON writes it
        ("Anna Kurz", "thanks.Anna Kurz", True),
        ("Anna Kurz", "@AnnaKurz", False),
    ],
)
def test_where_a_name_begins_and_ends(name: str, text: str, found: bool) -> None:
    assert bool(re.search(pattern_of([name_of(name)]), text)) is found


def test_short_names_are_not_found_within_another() -> None:
    assert re.search(pattern_of([name_of("Li An")]), "Lian Weber") is None
    assert re.search(pattern_of([name_of("Li An")]), "An, Li")


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        (IdentityKind.STREET, "Lindenstraße 17", ("Lindenstrasse 17", "LINDENSTR. 17", "Lindenstr.  17")),
        (IdentityKind.STREET, "Lange Str. 5", ("Lange Straße 5", "LANGE STRASSE 5")),
        (IdentityKind.PHONE, "030 1234567", ("+49 30 1234567", "0049301234567", "030/123 45 67", "+49 (0)30 1234567")),
        (IdentityKind.PHONE, "+43 1 2345678", ("01 2345678", "0043 1 234 56 78")),
        (IdentityKind.PHONE, "+352 27 12 34 56", ("27123456", "00352 27123456")),
        (IdentityKind.EMAIL, "anne@example.org", ("ANNE@EXAMPLE.ORG", "<anne@example.org>")),
    ],
)
def test_address_and_number_are_recognised(kind: IdentityKind, value: str, written: tuple[str, ...]) -> None:
    for each in (value, *written):
        assert re.search(pattern_of([Identifier(kind, value)]), f"x {each} y"), each
    assert not re.search(pattern_of([Identifier(kind, value)]), "Lindenweg 17, 030 7654321, hanne@example.org")


@pytest.mark.parametrize(
    ("kind", "value", "other"),
    [
        (IdentityKind.EMAIL, "anne@example.org", "first.anne@example.org"),
        (IdentityKind.EMAIL, "anne@example.org", "mary+anne@example.org"),
        (IdentityKind.EMAIL, "anne@example.org", "anne@example.organic"),
        (IdentityKind.PHONE, "+43 1 2345678", "2345678"),  # without its area code it may be anyone's
        (IdentityKind.PHONE, "0043 1 2345678", "2345678"),
        (IdentityKind.PHONE, "00352 27 12 34 56", "123456"),
        (IdentityKind.STREET, "Lange Str. 5", "Lange Str. 51"),
    ],
)
def test_what_only_ends_or_begins_alike_is_another(kind: IdentityKind, value: str, other: str) -> None:
    assert re.search(pattern_of([Identifier(kind, value)]), value)
    assert not re.search(pattern_of([Identifier(kind, value)]), other)


@pytest.mark.parametrize(
    "written", ["DE75 5121 0800 1245 1261 99", "de75-5121-0800-1245-1261-99", "DE75512108001245126199"]
)
def test_account_is_recognised(written: str) -> None:
    assert re.fullmatch(pattern_of(accounts_of(["DE75512108001245126199"])), written)


LETTERS = st.text(st.sampled_from("aebnostuzäöüßéèçñłøå"), min_size=4, max_size=8).map(str.capitalize)


@given(LETTERS, LETTERS)
def test_every_name_is_recognised_as_programs_write_it(first: str, last: str) -> None:
    name = f"{first} {last}"
    pattern = pattern_of([name_of(name)])
    for written in (
        name, name.upper(), name.lower(), f"{last}, {first}", json.dumps(name), quote(name), quote_plus(name),
        unicodedata.normalize("NFD", name), escape(name).encode("ascii", "xmlcharrefreplace").decode(),
    ):  # fmt: skip
        assert re.search(pattern, f"- {written} -"), written
