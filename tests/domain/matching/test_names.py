"""Names: what identifies them, and how alike two of them are."""

from __future__ import annotations

import pytest

from paymatch.domain.matching.text.names import Likeness, compare, one_error, pair_words, parse_name
from paymatch.domain.matching.text.normalise import canonical, flat

L = Likeness


@pytest.mark.parametrize(
    ("payer", "order", "likeness"),
    [
        ("CLAIRE GOTTHARD", "Claire Gotthard", L.EQUAL),
        ("Gotthard, Claire", "Claire Gotthard", L.EQUAL),
        ("Mueller", "Müller", L.EQUAL),
        ("MUELLER ANNA", "Anna Müller", L.EQUAL),
        ("Anna Weiss", "Anna Weiß", L.EQUAL),
        ("Lukasz Switek", "Łukasz Świtek", L.EQUAL),
        ("MansRuth", "Ruth Mans", L.EQUAL),
        ("KADE BUEROAUSSTATTUNG GMBH & CO. KG", "Kade Büroausstattung GmbH & Co. KG", L.EQUAL),
        ("Mangold Misicher Kommanditgesellschaft", "Mangold Misicher KG", L.EQUAL),
        ("Gerlachtechnik A.G.", "Gerlachtechnik AG", L.EQUAL),
        ("FA. HERMANN GMBH+CO KGAA", "Hermann GmbH & Co. KGaA", L.EQUAL),
        ("RITA KAUFM", "Rita Kaufmann", L.VARIANT),
        ("Dietlinde Maria Anders", "Dietlinde Anders", L.VARIANT),
        ("Inge u. Petra Mälzer", "Inge Mälzer", L.VARIANT),
        ("Philipp Tr.st", "Philipp Tröst", L.VARIANT),
        ("T. Klein", "Torsten Klein", L.CLOSE),
        ("Hr W.J M  Schouestra", "Wilhelmina Schouestra", L.CLOSE),
        ("Ingrid Kalelke", "Ingrid Kaletke", L.CLOSE),
        ("Salz", "Georg Salz", L.PART),
        ("F. Wagner", "Wagner OHG", L.PART),
        ("Mahmoud Koch", "Eugenie Koch", L.SURNAME),
        ("LJ M  van den Berg", "Loes van den Berg", L.CLOSE),
        ("LJ M  van den Berg", "Daniel Lampeke-Berger", L.SURNAME),
        ("SANNE VAN DEN BERG", "Willem van den Berg", L.SURNAME),
        ("Hans Pruschke", "Claire Gotthard", L.OTHER),
        ("", "Claire Gotthard", L.UNKNOWN),
        ("ZOE TRESKOW", "Zoë Treskow", L.EQUAL),
        ("Zoë Treskow", "Treskow GmbH", L.PART),
        ("Zoë Treskow", "Stefan Treskow", L.SURNAME),
        ("PETER SASS", "Peter Saß", L.EQUAL),
        ("Peter Sass", "Peter Coe", L.SURNAME),
        ("Maria Sá", "Maria Lopes", L.SURNAME),
        ("Anh Le", "Anh Du", L.SURNAME),
        ("Anh Lê", "Anh Le", L.EQUAL),
        ("Dupont S.A.", "Dupont SA", L.EQUAL),
        ("REITER HANDELS GES.M.B.H.", "Reiter Handels GmbH", L.EQUAL),
        ("Reiter Handels Ges.m.b.H.", "Reiter Handels", L.EQUAL),
        ("Nordlicht OÜ", "Nordlicht", L.EQUAL),
        ("Bolm Sp. z o.o.", "BOLM SP Z O O", L.EQUAL),
        ("Ahlen, Anna von", "Anna von Ahlen", L.EQUAL),
    ],
)
def test_likeness(payer: str, order: str, likeness: Likeness) -> None:
    assert compare(parse_name(payer), parse_name(order)) is likeness


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1834", "1843", True),
        ("1834", "183", True),
        ("1834", "18834", True),
        ("1834", "1835", True),
        ("1834", "1385", False),
        ("12", "1234", False),
    ],
)
def test_one_error(one: str, other: str, expected: bool) -> None:
    assert one_error(one, other) is expected
    assert one_error(other, one) is expected


def test_keys_of_names_survive_shortening_and_swapping() -> None:
    assert pair_words(parse_name("Frida Hermighausen")) == pair_words(parse_name("HERMIGHAU, FRIDA"))


def test_flat_keeps_every_place() -> None:
    text = "Rückzahlung für Weiß, Łódź – é"
    assert len(flat(text)) == len(text)
    assert flat(text) == "RUCKZAHLUNG FUR WEIS, LODZ - E"
    assert canonical(flat("Müller")) == canonical(flat("MUELLER")) == "MULLER"
