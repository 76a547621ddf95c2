"""The sender of a mail: read in one way only, and proved by the mailbox's own host alone."""

from __future__ import annotations

from email import message_from_string, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.formats.mail.authentication import SenderProof, proof_of_sender, sender_of

HOST = "mx.shop.example"
PROVED = f"{HOST}; dkim=pass header.d=kurier.example"


def proof(results: str, sender: str = "avis@kurier.example", more: str = "") -> SenderProof:
    text = f"Authentication-Results: {results}\n{more}From: {sender}\n\n"
    return proof_of_sender(message_from_string(text, policy=policy.compat32), HOST)


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        ("avis@Kurier.example", "avis@kurier.example"),
        ("Kurier Blitz <avis@kurier.example>", "avis@kurier.example"),
        ('"avis@kurier.example" <a@evil.example>', "a@evil.example"),
        ("a@evil.example, avis@kurier.example", ""),
        ("<a@evil.example> <avis@kurier.example>", ""),
        ('"x\\" <a@evil.example>" <avis@kurier.example>', ""),
        ("avis@kurier.example\nFrom: a@evil.example", ""),
    ],
)
def test_the_address_reads_in_one_way_only(sender: str, address: str) -> None:
    assert sender_of(message_from_string(f"From: {sender}\n\n", policy=policy.compat32)) == address


def test_a_signature_of_only_the_beginning_proves_no_attachment() -> None:
    assert proof(PROVED, more="DKIM-Signature: v=1; d=kurier.example; b=x\n") is SenderProof.DKIM
    assert proof(PROVED, more="DKIM-Signature: v=1; d=kurier.example; l=20; b=x\n") is SenderProof.NONE


@given(st.lists(st.sampled_from([*' ;="()\\,<>@a', "dkim=pass header.d=kurier.example"]), max_size=12).map("".join))
def test_nothing_that_a_sender_chooses_within_quotes_or_comments_proves_anything(chosen: str) -> None:
    quoted = chosen.replace("\\", "\\\\").replace('"', '\\"')
    commented = chosen.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    assert proof(f'{HOST}; spf=pass smtp.mailfrom="{quoted}"@evil.example') is SenderProof.NONE
    assert proof(f"{HOST}; spf=pass ({commented}) smtp.mailfrom=evil.example") is SenderProof.NONE
    assert proof(f"{HOST}; spf=pass ({commented}) smtp.mailfrom=kurier.example") is SenderProof.SPF
