"""The tables of banks that are shipped as data: complete, and refused where they could not serve."""

from __future__ import annotations

from importlib.resources import files

import pytest

from paymatch.formats.tables.bank_exports import bank_exports, parse_bank_exports
from paymatch.formats.tables.column_words import parse_words, words
from paymatch.formats.tables.data_files import DataFileBroken
from paymatch.formats.tables.profiles import CsvField

WORDS = (files("paymatch.formats.tables") / "words.toml").read_text("utf-8")


def test_each_bank_is_known_once_per_kind_of_export() -> None:
    exports = bank_exports()
    assert len(exports) == 32
    assert [export.name for export in exports[:4]] == [
        "Sparkasse CAMT v8",
        "Sparkasse CAMT v2",
        "Sparkasse MT940-CSV",
        "DKB",
    ]
    assert exports[1].columns == exports[0].columns
    assert all(CsvField.BOOKING_DATE in export.columns for export in exports)
    assert all({CsvField.AMOUNT, CsvField.CREDIT} & set(export.columns) for export in exports)


def test_the_files_are_read_once() -> None:
    assert bank_exports() is bank_exports()
    assert words() is words()


def test_words_say_what_they_stand_for() -> None:
    known = words()
    assert known.headers["buchungstag"] is CsvField.BOOKING_DATE
    assert known.headers["kontonummer"] is CsvField.IBAN
    assert (known.marks["af"], known.marks["bij"]) == ("debit", "credit")
    assert (known.months["jänner"], known.months["gru"]) == (1, 12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[[export]]\nname = "A"\n', "A: recognised either by `headers` or by `cells`"),
        ('[[export]]\nname = "A"\nheaders = [["X"]]\n', "A: has either `columns` or those of an export it is `like`"),
        ('[[export]]\nname = "A"\nheaders = [["X"]]\nlike = "B"\n', "A: no export above is called 'B'"),
        ('[[export]]\nname = "A"\ncells = ["("]\ncolumns = {amount = ["#1"]}\n', "A: '(' is not a regular expression"),
        ('[[export]]\nname = "A"\nheaders = [["X"]]\ncolumns = {amont = ["X"]}\n', "Invalid enum value 'amont'"),
        ('[[export]]\nname = "A"\nheader = [["X"]]\n', "unknown field `header`"),
        ('[[export]]\nname = "A"\nheaders = ["X"]\n', "Expected `array`, got `str`"),
        ('[[export]]\nname = "A"\ndate_order = "myd"\n', "Invalid enum value 'myd'"),
        ("[[export]\n", "bank_exports.toml: "),
    ],
)
def test_an_export_that_could_never_be_read_is_refused(text: str, reason: str) -> None:
    with pytest.raises(DataFileBroken) as refused:
        parse_bank_exports(text)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"netto"', '"Netto"', "'Netto' is written 'netto' where it is compared"),
        ('"netto"', '""', "'' is written '' where it is compared"),
        ('"haben"', '"s"', "marks: 's' appears twice"),
        ("[headers]", 'status = ["x"]\n[headers]', "unknown field `status`"),
        ("account = [", 'account = ["status", ', "headers: 'status' appears twice"),
        ("months = [", "months = [[],", "months: 13 lists instead of 12"),
    ],
)
def test_a_word_that_could_never_be_found_is_refused(old: str, new: str, reason: str) -> None:
    assert old in WORDS
    with pytest.raises(DataFileBroken) as refused:
        parse_words(WORDS.replace(old, new, 1))
    assert reason in str(refused.value)
