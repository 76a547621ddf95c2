"""Readers that ask together: what each of them needs next is asked in one round trip, whoever wrote the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn, TypeVar, overload

from psycopg.pq.abc import PGresult

from paymatch.store.database import Tx

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


@overload
def ask_together(tx: Tx, first: Callable[[Tx], A], second: Callable[[Tx], B], /) -> tuple[A, B]: ...


@overload
def ask_together(
    tx: Tx, first: Callable[[Tx], A], second: Callable[[Tx], B], third: Callable[[Tx], C], /
) -> tuple[A, B, C]: ...


@overload
def ask_together(
    tx: Tx, first: Callable[[Tx], A], second: Callable[[Tx], B], third: Callable[[Tx], C], last: Callable[[Tx], D], /
) -> tuple[A, B, C, D]: ...


@overload
def ask_together(tx: Tx, /, *readers: Callable[[Tx], A]) -> tuple[A, ...]: ...


def ask_together(tx: Tx, /, *readers: Callable[[Tx], Any]) -> tuple[Any, ...]:
    """What each reader returns, in as many round trips as that one needs which asks most often.

    A reader asks of the transaction that it is handed, and changes nothing. What is asked at once is answered in the
    order of the readers, each question as of its own moment. A reader is called anew with each answer, up to
    its next question, so that it needs no knowledge of the others; it may ask together in turn.
    """
    if isinstance(tx, _Asking):
        return tx.ask_together(readers)
    questions: list[_Question] = []
    asking = [_Asking(tx, read, questions) for read in readers]
    while not _all_go_through(asking):
        for _, statement, params in questions:
            tx.put(statement, *params)
        answers = tx.send()[-len(questions) :]
        for (who, statement, _), answer in zip(questions, answers, strict=True):
            who.take(statement, answer)
        questions.clear()
    return tuple(each.found for each in asking)


class _Unanswered(BaseException):
    """The reader has come to a question that is not answered yet; no reader's `except Exception` takes it."""


class _Asking(Tx):
    """The transaction as one reader sees it: it has the answers that are there, in the order of the questions."""

    __slots__ = ("_answers", "_is_through", "_place", "_questions", "_read", "found")

    def __init__(self, tx: Tx, read: Callable[[Tx], Any], questions: list[_Question]) -> None:
        super().__init__(tx._connection, tx._lock_wait_seconds, tx.actor, tx.clock, tx._keyring)
        self._read = read
        self._questions = questions
        self._answers: list[tuple[str, PGresult] | list[_Asking]] = []  # a list: of readers that ask together
        self._place = 0
        self._is_through = False
        self.found: Any = None

    def goes_through(self) -> bool:
        """Whether the reader has returned; if not, its next question is among the questions."""
        if not self._is_through:
            self._place = 0
            with suppress(_Unanswered):
                self.found = self._read(self)
                self._is_through = True
        return self._is_through

    def take(self, statement: str, answer: PGresult) -> None:
        """The answer to the question that the reader stopped at."""
        self._answers.append((statement, answer))

    def ask_together(self, readers: Sequence[Callable[[Tx], Any]]) -> tuple[Any, ...]:
        """What readers within this one return."""
        if self._place == len(self._answers):
            self._answers.append([_Asking(self, read, self._questions) for read in readers])
        asking = self._answers[self._place]
        assert isinstance(asking, list)
        self._place += 1
        if not _all_go_through(asking):
            raise _Unanswered
        return tuple(each.found for each in asking)

    def _ask(self, statement: str, params: Sequence[Any]) -> PGresult:
        if self._place == len(self._answers):
            self._questions.append((self, statement, params))
            raise _Unanswered
        asked, answer = self._answers[self._place]
        assert asked == statement, "a reader asks the same when it is called anew"
        self._place += 1
        assert not isinstance(answer, _Asking)
        return answer

    def run(self, statement: str, *params: Any) -> NoReturn:
        raise AssertionError(f"a reader changes nothing: {statement}")

    def put(self, statement: str, *params: Any) -> NoReturn:
        raise AssertionError(f"a reader changes nothing: {statement}")

    def send(self) -> NoReturn:
        raise AssertionError("a reader only asks")


def _all_go_through(asking: Sequence[_Asking]) -> bool:
    """Whether every reader has returned. Each is called: those that have not have all asked their next question."""
    return sum(each.goes_through() for each in asking) == len(asking)


_Question = tuple[_Asking, str, Sequence[Any]]
