"""The initialisation letter of an EBICS user, in three languages."""

from __future__ import annotations

from datetime import date

import pypdfium2
import pytest

from paymatch.formats.letters.bank_letter import LANGUAGES, BankLetter, LanguageUnknown, bank_letter_pdf

PRINT = " ".join(f"{number:02X}" for number in range(32))
LETTER = BankLetter(
    "Müller & Söhne Bank", "#panic(1) *GmbH*", "PMBANK", "KUNDE01", "USER01", date(2026, 3, 2), PRINT,
    PRINT.replace("00", "AA"), PRINT.replace("00", "BB"),
)  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_letter_shows_who_and_the_fingerprints_of_all_three_keys(language: str) -> None:
    pages = [
        page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(bank_letter_pdf(LETTER, language))
    ]
    assert len(pages) == 2
    first = "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
    assert first in pages[0] and "A006" in pages[0] and "INI" in pages[0]
    assert first.replace("00", "AA") in pages[1] and first.replace("00", "BB") in pages[1]
    assert all(
        word in pages[1] for word in ("X002", "E002", "HIA", "Müller & Söhne Bank", "#panic(1) *GmbH*", "USER01")
    )
    day = {"de": "02.03.2026", "en": "2026-03-02", "fr": "02/03/2026"}[language]
    assert all(day in page for page in pages)
    title = {"de": "Initialisierungsbrief", "en": "Initialisation letter", "fr": "Lettre d"}[language]
    assert all(title in page for page in pages)


def test_other_languages_are_refused() -> None:
    with pytest.raises(LanguageUnknown, match="de, en, fr"):
        bank_letter_pdf(LETTER, "it")
