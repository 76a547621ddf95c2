"""Lines of forgotten people are recognised as before, and say nothing of them any more."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paymatch.domain.books.forgotten import (
    ForgottenText,
    begin_or_end_alike,
    fingerprints,
    forget,
    numbers_contradict,
    share_words,
    tokens,
)
from paymatch.domain.books.identity import closeness, identity_key_of, said_by
from paymatch.domain.books.statement_lines import ShownEntry
from paymatch.domain.postings import Posting, PostingSource
from tests.domain.books.file_formats import CAMT, SWIFT_MT
from tests.domain.books.test_fold import amounts, shown, worlds
from tests.length import times
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


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=times(5, 12))
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
    plain, gone = (identity_key_of([each], PostingSource.FINAL, CAMT, fingerprint) for each in (one, forgotten(one)))
    assert plain.prints == gone.prints
    assert identity_key_of([one], PostingSource.FINAL, CAMT).prints is None
    own = paid(-1990, "refund", counterparty_name="Anna Schmidt", end_to_end_id="PM-REFUND-1")
    plain, gone = (identity_key_of([each], PostingSource.FINAL, CAMT, fingerprint) for each in (own, forgotten(own)))
    assert plain.prints == gone.prints  # what stays plain has its fingerprint, too


@pytest.mark.parametrize(
    ("whole", "part", "alike"),
    [
        ("ABCDEFGHIJKLMNOP", "ABCDEFGH", True),  # eight characters at least
        ("ABCDEFGHIJKLMNOP", "ABCDEFG", False),
        ("ABCDEFGHIJKLMNOP", "IJKLMNOP", False),  # only numbers are told by their end
        ("X" * 50, "X" * 34, True),
        ("ABCDEFGHIJ" * 5, ("ABCDEFGHIJ" * 5)[:34], True),
        ("ABCDEFGHIJ" * 5, ("ABCDEFGHIJ" * 5)[:35], False),  # no format cuts there
        ("99991234567", "1234567", True),
        ("99991234567", "234567", False),
        ("1234567", "0001234567", True),
        ("ABCDEFGHXXXX", "ABCDEFGHYYYY", False),  # both begin alike, and neither is cut
        ("", "ABCDEFGH", False),
    ],
)
def test_a_forgotten_number_is_known_by_what_another_format_cut_it_to(whole: str, part: str, alike: bool) -> None:
    one, other = (
        fingerprints(ForgottenText(each, "", "", "", ""), fingerprint).end_to_end_id for each in (whole, part)
    )
    assert begin_or_end_alike(one, other) is begin_or_end_alike(other, one) is alike


@pytest.mark.parametrize(
    ("one", "other", "shared", "contradict"),
    [
        ("rechnung4711vielendank", "rechnung4711vie", True, False),  # the beginning
        ("kundenummerrechnung4711", "wegenrechnung4711", True, False),  # the end
        ("rechnung4711vielendank", "rechnung4712vielendank", False, True),
        ("rechnungvielendank4711", "rechnungvielendank", True, False),  # only one has a number
        ("rechnung4711und4712", "bestellung4712", False, False),  # a number is no word
        ("wegenihrerechnung", "ihrerechnung", True, False),  # twelve characters are an end, and fewer are not
        ("wegenderrechnung", "derrechnung", False, False),
        ("miete", "rechnung", False, False),
    ],
)
def test_forgotten_texts_share_words_or_contradict(one: str, other: str, shared: bool, contradict: bool) -> None:
    mine, yours = (fingerprints(ForgottenText("", "", "", "", each), fingerprint).text for each in (one, other))
    assert share_words(mine, yours) is share_words(yours, mine) is shared
    assert numbers_contradict(mine, yours) is numbers_contradict(yours, mine) is contradict


def test_a_forgotten_line_is_the_payment_that_another_format_shows_cut() -> None:
    nobody = {"counterparty_name": "", "counterparty_iban": ""}
    whole = paid(1990, "Rechnung 4711 vielen Dank", **nobody)
    cut = forgotten(paid(1990, "Rechnung 4711 vie", **nobody))
    other = forgotten(paid(1990, "Miete Januar", **nobody))
    key = identity_key_of([whole], PostingSource.FINAL, CAMT, fingerprint)
    found = [
        bool(closeness(key, identity_key_of([each], PostingSource.FINAL, SWIFT_MT, fingerprint)))
        for each in (cut, other)
    ]
    assert found == [True, False]
    named = identity_key_of([paid(1990, "", end_to_end_id="ABCDEFGHIJKLMN", **nobody)], PostingSource.FINAL, CAMT,
                            fingerprint)  # fmt: skip
    short, another = (
        identity_key_of([forgotten(paid(1990, "", end_to_end_id=each, **nobody))], PostingSource.FINAL, SWIFT_MT,
                        fingerprint)
        for each in ("ABCDEFGHIJ", "ZYXWVUTSRQ")
    )  # fmt: skip
    assert [bool(closeness(named, each)) for each in (short, another)] == [True, False]


@pytest.mark.parametrize(("amount", "kept"), [(-1, "E2E-1"), (0, ""), (1, "")])
def test_only_ids_of_payments_that_the_shop_has_sent_stay(amount: int, kept: str) -> None:
    assert forgotten(paid(amount, "SO-1", end_to_end_id="E2E-1")).end_to_end_id == kept


def test_a_fingerprint_has_no_more_parts_than_comparing_needs() -> None:
    """The whole twice, for itself and as a part; an id without its zeros, and each beginning of eight characters.

    A number of seven digits has no end of its own, and a text of twelve characters is a beginning and an end.
    """
    told = fingerprints(ForgottenText("ABCDEFGHIJK", "M", "1234567", "", "wegenmiete47"), fingerprint)
    assert [len(tokens(each)) for each in told] == [6, 3, 3, 0, 4]
