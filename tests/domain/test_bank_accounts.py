"""Check digits of accounts and references: IBAN, ISO 11649, Switzerland, Belgium, Germany, Poland."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schwifty import IBAN
from stdnum import iso11649

from paymatch.domain.bank_accounts import (
    IbanRefused,
    RegisteredIban,
    creditor_reference,
    german_iban,
    has_iban_form,
    has_qrr_form,
    is_account_number,
    is_belgian_communication,
    is_bic,
    is_creditor_reference,
    is_iban,
    is_national_account,
    is_number_of,
    is_swiss_reference,
    masked_account,
    polish_iban,
    registered_iban,
    same_account,
)
from paymatch.store.ids import LOOK_ALIKE_FREE

PAYLOADS = st.text(alphabet=LOOK_ALIKE_FREE, min_size=1, max_size=21)


@pytest.mark.parametrize(("payload", "expected"), [("539007547034", "RF18539007547034"), ("2348231", "RF712348231")])
def test_known_creditor_references(payload: str, expected: str) -> None:
    assert creditor_reference(payload) == expected


@given(PAYLOADS)
def test_creditor_reference_is_valid_for_others_too(payload: str) -> None:
    reference = creditor_reference(payload)
    assert is_creditor_reference(reference)
    assert iso11649.is_valid(reference)
    assert is_creditor_reference(
        " ".join(reference[place : place + 4] for place in range(0, len(reference), 4)).lower()
    )


@given(PAYLOADS, st.data())
def test_one_wrong_character_is_found(payload: str, data: st.DataObject) -> None:
    reference = creditor_reference(payload)
    place = data.draw(st.integers(4, len(reference) - 1))
    here = reference[place]
    # A letter counts as two digits: mod 97 is sure of a letter for a letter and of a digit for a digit.
    alike = [char for char in LOOK_ALIKE_FREE if char != here and char.isdigit() == here.isdigit()]
    other = data.draw(st.sampled_from(alike))
    assert not is_creditor_reference(reference[:place] + other + reference[place + 1 :])


@given(PAYLOADS.filter(lambda text: len(text) > 1), st.data())
def test_two_neighbours_that_changed_places_are_found(payload: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(payload) - 2))
    swapped = payload[:place] + payload[place + 1] + payload[place] + payload[place + 2 :]
    # A letter counts as two digits, so mod 97 is sure of two letters and of two digits, not of a letter and a digit.
    alike = payload[place].isdigit() == payload[place + 1].isdigit()
    if swapped != payload and alike:
        assert not is_creditor_reference(creditor_reference(payload)[:4] + swapped)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RF",
        "RF18",
        "RF00539007547034",
        "XF18539007547034",
        "RF1853900754703",
        "RF18" + "1" * 22,
        "RFA8539007547034",
        "RF18ü",
    ],
)
def test_what_is_no_creditor_reference(text: str) -> None:
    assert not is_creditor_reference(text)


@pytest.mark.parametrize(
    ("digits", "valid"),
    [
        ("210000000003139471430009017", True),
        ("210000000003139471430009018", False),
        ("0" * 27, False),
        ("2100000000031394", False),
        ("21000000000313947143000901", False),
        ("21000000000313947143000901\u0667", False),
        ("", False),
    ],
)
def test_swiss_reference(digits: str, valid: bool) -> None:
    assert is_swiss_reference(digits) is valid


def test_a_swiss_reference_has_27_or_16_digits() -> None:
    checked = "313947143000901"
    valid = [checked + str(digit) for digit in range(10) if is_swiss_reference(checked + str(digit))]
    assert valid == ["3139471430009018"]
    assert is_swiss_reference(valid[0].zfill(27))
    assert not is_swiss_reference("31 39471430009018".zfill(27))  # blanks are no digits
    assert not is_swiss_reference(valid[0].zfill(20))


@pytest.mark.parametrize(
    ("digits", "valid"),
    [
        ("010806817183", True),
        ("010806817180", False),
        ("000000009797", True),  # where nothing remains, 97 is written
        ("000000009700", False),
        ("01080681718", False),
        ("0108068171833", False),
    ],
)
def test_belgian_communication(digits: str, valid: bool) -> None:
    assert is_belgian_communication(digits) is valid


@pytest.mark.parametrize(
    ("text", "form", "valid"),
    [
        ("DE89370400440532013000", True, True),
        ("DE88370400440532013000", True, False),
        ("NL92KNAB0123456789", True, False),
        ("RF18539007547034000", False, False),  # a creditor reference
        ("DE8937040044", False, False),
        ("de89370400440532013000", False, False),
        ("DE89 3704 0044 0532 0130 00", False, False),
    ],
)
def test_iban(text: str, form: bool, valid: bool) -> None:
    assert has_iban_form(text) is form
    assert is_iban(text) is valid


def test_what_is_an_account_by_itself() -> None:
    assert is_account_number("DE89370400440532013000")
    assert is_account_number("NL92KNAB0123456789")  # a Dutch account in a text whose check digits were changed
    assert is_account_number("P001234567")
    assert not is_account_number("0532013000")


def test_bic() -> None:
    assert is_bic("COBADEFF")
    assert is_bic("COBADEFFXXX")
    assert not is_bic("COBADEFFX")


def test_registered_iban_names_its_bank() -> None:
    assert registered_iban("DE89 3704 0044 0532 0130 00") == RegisteredIban(
        "DE89370400440532013000", "COBADEFFXXX", "Commerzbank"
    )
    assert registered_iban("GB33BUKB20201555555555").iban == "GB33BUKB20201555555555"


@pytest.mark.parametrize("text", ["", "DE88370400440532013000", "DE8937040044053201300", "XX89370400440532013000"])
def test_an_iban_that_no_registry_allows_is_refused(text: str) -> None:
    with pytest.raises(IbanRefused):
        registered_iban(text)


def test_german_account_and_iban_are_the_same() -> None:
    assert german_iban("37040044/532013000") == "DE89370400440532013000"
    assert same_account("37040044/0532013000", "DE89 3704 0044 0532 0130 00")
    assert not same_account("37040044/0532013001", "DE89370400440532013000")
    assert not same_account("", "")


@given(st.integers(10_000_000, 99_999_999), st.integers(1, 10**10 - 1))
def test_german_ibans_are_valid_for_others_too(bank: int, account: int) -> None:
    made = german_iban(f"{bank}/{account}")
    assert is_iban(made)
    assert IBAN(made, allow_invalid=True).country_code == "DE"


def test_what_is_no_german_account_has_no_iban() -> None:
    assert [german_iban(text) for text in ("", "3704004/1", "37040044/12345678901", "37040044")] == [""] * 4


def test_polish_iban() -> None:
    assert polish_iban("37109024020000000610000434") == "PL37109024020000000610000434"
    assert polish_iban("PL37109024020000000610000434") == "PL37109024020000000610000434"
    assert polish_iban("38109024020000000610000434") == ""
    assert polish_iban("3710902402") == ""


@pytest.mark.parametrize(
    ("account", "shown"),
    [
        ("DE89370400440532013000", "DE89…3000"),
        ("NO9386011117947", "NO93…7947"),
        ("123456789012", "1234…9012"),
        ("12345678901", "…"),  # of so short a one too little would stay hidden
        ("", ""),
    ],
)
def test_a_masked_account_shows_its_begin_and_end(account: str, shown: str) -> None:
    assert masked_account(account) == shown


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("210000000003139471430009017", True),
        ("210000000003139471430009018", True),  # with any check digit
        ("21000000000313947143000901", False),
        ("2100000000031394714300090178", False),
        ("21000000000313947143000901X", False),
        ("21000000000313947143000901\u0667", False),
    ],
)
def test_the_form_of_a_swiss_qr_reference_is_27_digits(text: str, form: bool) -> None:
    assert has_qrr_form(text) is form


@pytest.mark.parametrize(
    ("text", "can_be"),
    [
        ("01-162-8", True), ("37040044/532013000", True), ("532013", True), ("0532 0130 00", True), ("1abc", True),
        ("123", False), ("DE89370400440532013000", False), ("DE00000000000000000000", False), ("", False),
        ("1" * 34, True), ("1" * 35, False), ("12_34", False),
    ],
)  # fmt: skip
def test_what_can_be_an_account_without_an_iban(text: str, can_be: bool) -> None:
    assert is_national_account(text) is can_be


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("de89 3704 0044 0532 0130 00", "DE89370400440532013000", True),
        ("01-162-8", "011628", True),
        ("DE89370400440532013000", "", False),
        ("", "DE89370400440532013000", False),
        (" ", "-", False),
        ("37040044/532013000", "37040044/0532013000", True),
        ("532013000", "0532013000", False),
    ],
)
def test_the_same_account_is_known_however_it_is_written(one: str, other: str, same: bool) -> None:
    assert same_account(one, other) is same


@pytest.mark.parametrize(
    ("text", "iban"),
    [
        ("417164300", "NL91ABNA0417164300"), ("0417164300", "NL91ABNA0417164300"),
        ("61 1090 1014 0000 0712 1981 2874", "PL61109010140000071219812874"),
        ("19-2000145399/0800", "CZ6508000000192000145399"), ("539-0075470-34", "BE68539007547034"),
        ("31926819", "GB29NWBK60161331926819"), ("60-16-13 31926819", "GB29NWBK60161331926819"),
        ("19043/00234573201", "AT611904300234573201"), ("00234573201", "AT611904300234573201"),
        ("8601.11.17947", "NO9386011117947"), ("0040 0440116243", "DK5000400440116243"),
        ("20041 01005 0500013M026 06", "FR1420041010050500013M02606"), ("9691425502", "DE53677979049691425502"),
        ("67797904/9691425502", "DE53677979049691425502"), ("2100 0418 45 0200051332", "ES9121000418450200051332"),
    ],
)  # fmt: skip
def test_the_national_number_of_an_account_is_that_of_its_iban(text: str, iban: str) -> None:
    assert is_number_of(text, iban)


@pytest.mark.parametrize(
    ("text", "iban"),
    [
        ("691425502", "DE53677979049691425502"),  # its last digits only
        ("50040000/9691425502", "DE53677979049691425502"),  # the same number at another bank
        ("164300", "NL91ABNA0417164300"), ("417164301", "NL91ABNA0417164300"), ("0300", "NL91ABNA0417164300"),
        ("", "NL91ABNA0417164300"), ("000000", "NL91ABNA0417164300"), ("417164300", "NL92ABNA0417164300"),
        ("Main", "NL91ABNA0417164300"), ("417164300", "417164300"),
    ],
)  # fmt: skip
def test_the_number_of_another_account_is_none_of_the_iban(text: str, iban: str) -> None:
    assert not is_number_of(text, iban)
