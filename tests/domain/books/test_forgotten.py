"""Lines of forgotten people are recognised as before, and say nothing of them any more."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paymatch.domain.books.forgotten import forget
from paymatch.domain.books.identity import identity_key_of, said_by
from paymatch.domain.books.statement_lines import ShownEntry
from paymatch.domain.postings import Posting, PostingSource
from tests.domain.books.test_fold import amounts, shown, worlds
from tests.usecases.conftest import paid
from tests.usecases.statements.bank_world import World


def fingerprint(text: str) -> str:
    return hmac.digest(b"of the shop", text.encode(), hashlib.sha256).hex()[:24]


def forgotten(posting: Posting) -> Posting:
    return forget(posting, said_by(posting), fingerprint)


def without(files: Sequence[Sequence[ShownEntry]], names: set[str]) -> list[ShownEntry]:
    """The entries of the files, those that name one of these people forgotten."""
    found = []
    for file in files:
        for entry in file:
            lines = tuple(forgotten(line) if said_by(line).name in names else line for line in entry.lines)
            found.append(ShownEntry(entry.statement, entry.position, lines, fingerprint=fingerprint))
    return found


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=12)
@given(worlds(), st.randoms(use_true_random=False))
def test_books_are_the_same_without_the_people(world: World, chance: Random) -> None:
    """Some files came before people were forgotten, some after: no payment is booked twice, none is lost."""
    files = shown(world)
    chance.shuffle(files)
    before, after = files[: len(files) // 2], files[len(files) // 2 :]
    people = sorted({said_by(line).name for file in files for entry in file for line in entry.lines})
    gone = set(chance.sample(people, len(people) // 2))
    everything = [entry for file in files for entry in file]
    assert amounts(without(before, gone) + without(after, set())) == amounts(everything)
    assert amounts(without(files, gone)) == amounts(everything)


def test_forgotten_line_says_nothing_of_the_person() -> None:
    posting = paid(
        1990, "Anna Schmidt SO-1", counterparty_name="Anna Schmidt", counterparty_iban="DE75512108001245126199",
        end_to_end_id="ANNA-1", mandate_id="M-ANNA", ultimate_name="Anna Schmidt", booking_text="Anna Schmidt",
        return_text="Anna", extra_texts=("Anna",), referred_documents=("Anna",), bank_reference="R1",
    )  # fmt: skip
    found = forgotten(posting)
    text = str([getattr(found, each.name) for each in fields(found)])
    assert not any(part in text for part in ("Anna", "anna", "ANNA", "Schmidt", "5121080", "SO-1"))
    assert (found.amount_minor, found.booking_date, found.bank_reference) == (1990, posting.booking_date, "R1")
    assert forgotten(found) == found


def test_ids_of_own_transfers_stay() -> None:
    posting = paid(-1990, "refund", counterparty_name="Anna Schmidt", end_to_end_id="PM-REFUND-1")
    found = forgotten(posting)
    assert (found.end_to_end_id, found.forgotten[0], found.counterparty_name) == ("PM-REFUND-1", "", "")
    assert said_by(found).end_to_end_id == said_by(posting).end_to_end_id


def test_equal_is_what_was_equal() -> None:
    one = paid(1990, "Danke SO-4711", counterparty_name="Jürgen Groß")
    same = paid(1990, "danke so4711", counterparty_name="JUERGEN GROSS")
    other = paid(1990, "Danke SO-4712", counterparty_name="Jürgen Groß")
    assert said_by(forgotten(one)) == said_by(forgotten(same)) != said_by(forgotten(other))
    assert said_by(replace(one, forgotten=())) == said_by(one)


def test_plain_and_forgotten_keys_have_the_same_fingerprints() -> None:
    one = paid(1990, "Danke SO-4711", counterparty_name="Jürgen Groß")
    plain, gone = (identity_key_of([each], PostingSource.FINAL, "camt", fingerprint) for each in (one, forgotten(one)))
    assert plain.prints == gone.prints
    assert identity_key_of([one], PostingSource.FINAL, "camt").prints is None
    own = paid(-1990, "refund", counterparty_name="Anna Schmidt", end_to_end_id="PM-REFUND-1")
    plain, gone = (identity_key_of([each], PostingSource.FINAL, "camt", fingerprint) for each in (own, forgotten(own)))
    assert plain.prints == gone.prints  # what stays plain has its fingerprint, too
