"""References: the ISO 11649 creditor reference, the refund reference and its attempts (D-19, D-31)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import iso11649

from paymatch.domain.orders.references import (
    LOOK_ALIKE_FREE,
    REFERENCE_LENGTH,
    REFUND_PREFIX,
    creditor_reference,
    end_to_end_id,
    is_creditor_reference,
    refund_attempt,
    refund_reference,
)

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


def test_payload_has_no_look_alikes_and_room_enough() -> None:
    assert not set("0O1IL5S8BZ") & set(LOOK_ALIKE_FREE)
    assert len(set(LOOK_ALIKE_FREE)) == len(LOOK_ALIKE_FREE) == 26
    assert len(LOOK_ALIKE_FREE) ** REFERENCE_LENGTH > 10**14


def test_refund_reference_fits_an_end_to_end_id() -> None:
    assert refund_reference("A" * 16) == "PMR" + "A" * 16
    assert len(end_to_end_id(refund_reference("A" * 16), 9999)) <= 35


@pytest.mark.parametrize(
    ("attempt", "text"), [(1, "PMRACDEF"), (2, "PMRACDEF-2"), (10, "PMRACDEF-10"), (9999, "PMRACDEF-9999")]
)
def test_attempts_are_told_apart(attempt: int, text: str) -> None:
    assert end_to_end_id("PMRACDEF", attempt) == text
    assert refund_attempt(text) == ("PMRACDEF", attempt)


@pytest.mark.parametrize(
    "text", ["", "NOTPROVIDED", "XPMRACDEF", "PMRACDEF-", "PMRACDEF-1", "PMRACDEF-0", "PMRACDEF-x", "PMRACDEF--2",
             "PMRACDEF-٢", "PMRACDEF-99999", "pmracdef"],
)  # fmt: skip
def test_what_names_no_attempt_of_ours(text: str) -> None:
    assert refund_attempt(text) is None


@given(PAYLOADS, st.integers(1, 9999))
def test_every_attempt_is_read_again(payload: str, attempt: int) -> None:
    reference = refund_reference(payload)
    assert reference.startswith(REFUND_PREFIX)
    assert refund_attempt(end_to_end_id(reference, attempt)) == (reference, attempt)
