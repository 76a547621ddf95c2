"""Proof by a statement's balances where a bank's habit and the standard read its entries differently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.formats.statement import Balance, Entry, EntryStatus, UnreadableEntry

Reading = Entry | UnreadableEntry
_OPENING: Final = ("OPBD", "PRCD")
_BOOKED: Final = frozenset({"OPBD", "PRCD", "CLBD", "ITBD"})
_SHOWN: Final = 10

_TURNED: Final = Message("mt940-proven-turn")


class Proof:
    """Delays the entries of a statement, from the first one with two readings, until its balances are known."""

    def __init__(self, turned: Message = _TURNED) -> None:
        self._turned = turned  # what is said of entries whose sign the balances turned
        self.booked_minor = 0  # of the entries that were handed on
        self._lost = False  # one of those could not be read: nothing is proven from here on
        self._held: list[tuple[Reading, Entry | None]] = []

    @property
    def waits(self) -> bool:
        """Whether an entry with two readings is held."""
        return bool(self._held)

    def count(self, entry: Reading) -> None:
        """Counts an entry that was handed on."""
        minor = booked_minor(entry)
        self._lost = self._lost or minor is None
        self.booked_minor += minor or 0

    def hold(self, usual: Reading, habit: Entry | None) -> None:
        """Holds an entry as the standard reads it, and as the bank may mean it; None where that is the same."""
        self._held.append((usual, habit))

    def settle(self, balances: list[Balance]) -> tuple[list[Reading], list[Message]]:
        """The entries that were held, as the balances prove them, and notes; as the standard has it if they do not."""
        usual = [each for each, _ in self._held]
        if not self._held or self._proves(usual, balances):
            return usual, []
        completed = [habit if habit and isinstance(each, UnreadableEntry) else each for each, habit in self._held]
        meant = [habit or each for each, habit in self._held]
        for reading in (completed, meant):
            if self._proves(reading, balances):
                return reading, _notes(usual, reading, self._turned)
        return usual, []

    def _proves(self, entries: list[Reading], balances: list[Balance]) -> bool:
        """Whether the entries lead from the opening to the closing balance."""
        return self.excess_minor(entries, balances) == 0

    def excess_minor(self, entries: Sequence[Reading], balances: list[Balance]) -> int | None:
        """By how much all entries, with these, exceed what the balances say was booked; None if that is unknown."""
        booked = [balance for balance in balances if balance.code in _BOOKED]
        if {balance.code for balance in booked} >= set(_OPENING):  # the same twice: closing of before, opening of now
            booked = [balance for balance in booked if balance.code != "PRCD"]
        if booked and booked[-1].code in _OPENING:
            booked.reverse()
        minors = [booked_minor(entry) for entry in entries]
        if self._lost or len(booked) != 2 or booked[0].currency != booked[1].currency:
            return None
        moved = booked[1].amount_minor - booked[0].amount_minor - self.booked_minor
        return None if None in minors else sum(minor or 0 for minor in minors) - moved


def booked_minor(entry: Reading) -> int | None:
    """The entry's effect on the balance; None if unknown."""
    if isinstance(entry, UnreadableEntry):
        return None
    return entry.amount_minor if entry.status is EntryStatus.BOOKED else 0


def _notes(usual: list[Reading], proven: list[Reading], said_of_turned: Message) -> list[Message]:
    completed = [one.line for one, other in zip(usual, proven, strict=True) if one is not other and _unreadable(one)]
    turned = [one.line for one, other in zip(usual, proven, strict=True) if one is not other and not _unreadable(one)]
    notes = []
    if completed:
        notes.append(_of_lines(completed, Message("mt940-proven-amount")))
    if turned:
        notes.append(_of_lines(turned, said_of_turned))
    return notes


def _unreadable(entry: Reading) -> bool:
    return isinstance(entry, UnreadableEntry)


def _of_lines(numbers: list[int], what: Message) -> Message:
    if len(numbers) == 1:
        return Message("file-line", line=str(numbers[0]), what=what)
    more = " ..." if len(numbers) > _SHOWN else ""
    return Message("file-lines", lines=", ".join(map(str, numbers[:_SHOWN])) + more, what=what)
