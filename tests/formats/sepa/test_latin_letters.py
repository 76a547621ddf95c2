"""Names of payees in the letters that banks take (EPC217-08), by the country of the shop's bank."""

from __future__ import annotations

import pytest

from paymatch.formats.sepa.pain001 import sendable, sendable_name


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Γιώργος Παπαδόπουλος", "Giorgos Papadopoylos"),
        ("ΘΕΟΔΩΡΑ Χ", "THEODORA CH"),
        ("Иван Щерев", "Ivan Shterev"),
        ("Георги Чакъров", "Georgi Chakarov"),
        ("Ђорђе Ђоковић", "Dorde Dokovic"),
        ("Müller & Söhne", "Müller & Söhne"),
        ("王小明", ""),
        ("...", ""),
    ],
)
def test_names_are_written_in_latin_letters(name: str, sent: str) -> None:
    """Before, each of these letters was a full stop, and a name of none but them went to the bank as `......`."""
    assert sendable_name(name) == sent


def test_umlauts_and_ampersands_go_only_to_banks_that_take_them() -> None:
    assert sendable("Müller & Groß", 70, umlauts=False) == "Muller + Gross"
    assert sendable("Müller & Groß", 70, umlauts=True) == "Müller & Groß"
