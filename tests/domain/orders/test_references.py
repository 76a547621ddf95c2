"""References: the payload of the payment reference, the refund reference and its attempts (D-19, D-31)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.refunds.transfers import REFUND_PREFIX, end_to_end_id, refund_attempt, refund_reference
from paymatch.store.ids import LOOK_ALIKE_FREE, REFERENCE_LENGTH

PAYLOADS = st.text(alphabet=LOOK_ALIKE_FREE, min_size=1, max_size=21)


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
