"""The audit chain: every later change, removal, addition or emptying is detected (D-45)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from paymatch.domain.shops.audit import (
    INSTALLATION,
    START,
    Actor,
    ActorKind,
    AuditEntry,
    Recorded,
    Verified,
    chain_hash,
    digest_of,
    link,
    verify,
)

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ACTOR = Actor(ActorKind.PERSON, "owner@shop.example", "192.0.2.7", "r1")
AUDIT_ENTRIES = [AuditEntry("settings-changed", f"field-{number}", AT, ACTOR, "1", "2") for number in range(1, 5)]
CHAIN = link(START, 0, [(entry, b"salt%d" % number) for number, entry in enumerate(AUDIT_ENTRIES)])
ENDS = [(0, START), *((row.seq, row.hash) for row in CHAIN)]
END = ENDS[-1]


def emptied(row: Recorded) -> Recorded:
    """The entry without its erasable parts."""
    bare = replace(row.entry, before="", after="", actor=replace(row.entry.actor, address=""))
    return replace(row, entry=bare, salt=b"", is_erased=True)


def without_digests() -> list[Recorded]:
    """The same entries as older versions recorded them."""
    rows: list[Recorded] = []
    for number, entry in enumerate(AUDIT_ENTRIES, 1):
        rows.append(Recorded(number, entry, chain_hash(rows[-1].hash if rows else START, number, entry)))
    return rows


def test_what_was_recorded_once_stands_in_every_later_version() -> None:
    """The bytes that are hashed never change: chains are verified against ends that were noted years ago."""
    assert (
        chain_hash(START, 1, AUDIT_ENTRIES[0]).hex()
        == "f7285085b53868ba7a1d97755aa94ea419c1f7c324646d92fa8781c75b8da835"
    )
    assert (
        digest_of(b"salt", AUDIT_ENTRIES[0]).hex() == "a9ce8e8a1ec9e965ba354035c257db2b397a84c312c9e8d551d365532bc3d52d"
    )
    assert (
        chain_hash(START, 1, AUDIT_ENTRIES[0], b"digest").hex()
        == "94d6d664c83e03d18f7d677f781cc610c11788914a7c9ad1ee176ef05cd8050a"
    )
    assert INSTALLATION.id.int == 0


def test_deeds_are_numbered_and_chained_one_to_the_next() -> None:
    assert [row.seq for row in CHAIN] == [1, 2, 3, 4]
    assert [row.entry for row in CHAIN] == AUDIT_ENTRIES
    assert link(CHAIN[1].hash, 2, [(AUDIT_ENTRIES[2], b"salt2"), (AUDIT_ENTRIES[3], b"salt3")]) == CHAIN[2:]


@pytest.mark.parametrize("noted", [None, *ENDS])
def test_a_whole_chain_stands_whatever_end_of_it_was_noted(noted: tuple[int, bytes] | None) -> None:
    assert verify(CHAIN, END, noted) == Verified(4, CHAIN[-1].hash, "")
    assert verify([], (0, START)) == Verified(0, START, "")


def changed(place: int, **values: object) -> list[Recorded]:
    return [*CHAIN[:place], replace(CHAIN[place], **values), *CHAIN[place + 1 :]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "passed", "fault"),
    [
        (CHAIN[1:], 0, "entry 1 is missing"),
        ([*CHAIN[:2], *CHAIN[3:]], 2, "entry 3 is missing"),
        ([CHAIN[0], *CHAIN], 1, "entry 2 is missing"),  # one stands twice
        (CHAIN[:3], 3, "the last entries are missing: 3 of 4 stand"),
        (changed(1, entry=replace(AUDIT_ENTRIES[1], subject="another")), 1, "entry 2 or the one before it was changed"),
        (changed(1, hash=b"another"), 1, "entry 2 or the one before it was changed"),
        (changed(2, entry=replace(AUDIT_ENTRIES[2], after="9")), 2, "the values of entry 3 were changed"),
        (changed(2, salt=b"another"), 2, "the values of entry 3 were changed"),
        (changed(0, is_erased=True), 0, "entry 1 was erased, and has values"),
        (changed(3, digest=b""), 3, "entry 4 or the one before it was changed"),
        (changed(3, digest=b"", is_erased=True), 3, "entry 4 or the one before it was changed"),
    ],
)
def test_each_change_is_told_by_its_place(rows: list[Recorded], passed: int, fault: str) -> None:
    assert verify(rows, END) == Verified(passed, ENDS[passed][1], fault)


@pytest.mark.parametrize("value", [{"before": "1"}, {"after": "2"}, {"actor": ACTOR}])
def test_an_erased_deed_keeps_none_of_its_values(value: dict[str, object]) -> None:
    row = emptied(CHAIN[1])
    rows = [CHAIN[0], replace(row, entry=replace(row.entry, **value)), *CHAIN[2:]]  # type: ignore[arg-type]
    assert verify(rows, END).fault == "entry 2 was erased, and has values"


def test_the_chain_stands_by_digests_once_values_are_erased() -> None:
    rows = [emptied(row) if row.seq in (2, 3) else row for row in CHAIN]
    assert verify(rows, END) == Verified(4, CHAIN[-1].hash, "", erased=2, links_only=0)


def test_of_erased_deeds_of_older_versions_only_the_place_is_verified() -> None:
    old = without_digests()
    end = (4, old[-1].hash)
    assert verify(old, end) == Verified(4, old[-1].hash, "")
    assert verify([old[0], emptied(old[1]), *old[2:]], end) == Verified(4, old[-1].hash, "", erased=1, links_only=1)
    moved = [old[0], replace(emptied(old[1]), hash=b"another"), *old[2:]]
    assert verify(moved, end).fault == "entry 3 or the one before it was changed"


@pytest.mark.parametrize(
    ("noted", "passed", "fault"),
    [
        ((1, b"another"), 1, "entry 1 is not the one that was recorded elsewhere"),
        ((2, b"another"), 2, "entry 2 is not the one that was recorded elsewhere"),
        ((5, b"another"), 4, "entry 5, which was recorded elsewhere, is missing"),
    ],
)
def test_a_chain_that_was_computed_anew_does_not_meet_the_noted_end(
    noted: tuple[int, bytes], passed: int, fault: str
) -> None:
    assert verify(CHAIN, END, noted) == Verified(passed, ENDS[passed][1], fault)
