"""The thread of a dialogue with a FinTS bank: it keeps the PIN in memory, and asks a person on the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import structlog

from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind, DialogueStatus, SendPhase
from paymatch.domain.bank_feeds.uploads import UploadEvent
from paymatch.domain.refunds.payee_check import PayeeAnswer
from paymatch.domain.words.message import Message, to_json
from paymatch.outbound.fints.access import BankRefused, FintsOrderRefused
from paymatch.outbound.fints.transfers import FintsSender
from paymatch.store.bank_feeds import fints as store
from paymatch.store.statements import bank_connections
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.fints import uploads
from paymatch.usecases.fints.dialogues import ACCEPTED, LEASE, BankDesk, BegunDialogue, DialogueRefused
from paymatch.usecases.statements import bank_connections as fetching

ANSWER_MINUTES: Final = 5
"""How long a person has for a question; banks end a dialogue after a longer silence."""
_LOOK_SECONDS: Final = 0.3
_AT_ONCE: Final = threading.BoundedSemaphore(16)
_REPORTED: Final = ("file", "format", "entries", "new", "known", "matched", "suggested", "importId", "pending")

_log = structlog.get_logger("paymatch.fints")


class DialogueOver(BankRefused):
    """The dialogue was ended on the page, or counts as lost."""


def talk(desk: BankDesk, begun: BegunDialogue, pin: str) -> None:
    """Starts a thread for the dialogue. DialogueRefused if there are too many."""
    if not _AT_ONCE.acquire(blocking=False):
        _finish(desk, begun, DialogueStatus.REFUSED, Message("fints-busy"), ())
        raise DialogueRefused(Message("fints-busy"))
    person = PersonOnPage(desk, begun.id, pin)
    threading.Thread(target=_hold, args=(desk, begun, person), name="FinTS dialogue", daemon=True).start()


class PersonOnPage:
    """Answers the bank through the page: a question is shown there until the person has answered it."""

    def __init__(self, desk: BankDesk, dialogue: str, pin: str) -> None:
        self._desk = desk
        self._dialogue = dialogue
        self._pin = pin
        self._asked_until = 0.0

    def forget(self) -> None:
        """Lets go of the PIN."""
        self._pin = ""

    def pin(self) -> str:
        """The PIN, while the dialogue goes on."""
        return self._pin

    def tan(self, question: BankQuestion, wait_seconds: int) -> str:
        """The TAN; for approval in an app the bank is polled, while the question stays on the page."""
        if question.kind is not BankQuestionKind.APP:
            return self._ask(question)
        if not self._asked_until:
            self._asked_until = _deadline()
            self._put(question)
        return self._wait(min(time.monotonic() + wait_seconds, self._asked_until) if wait_seconds else 0.0, question)

    def choose(self, kind: BankQuestionKind, options: Mapping[str, str]) -> str:
        """The method that the person has chosen."""
        return self._ask(BankQuestion(kind, options=tuple(options.items())))

    def accepts(self, payees: Sequence[PayeeAnswer], notice: str) -> bool:
        """Whether the person wants to pay although the bank's answer is not a full match."""
        return self._ask(BankQuestion(BankQuestionKind.PAYEES, notice, payees=tuple(payees))) == ACCEPTED

    def _ask(self, question: BankQuestion) -> str:
        self._asked_until = _deadline()
        self._put(question)
        found = self._wait(0.0, question)
        self._asked_until = 0.0
        return found

    def _put(self, question: BankQuestion) -> None:
        if not self._in_transaction(lambda tx: store.ask(tx, self._dialogue, question)):
            raise DialogueOver(Message("fints-not-asked"))

    def _wait(self, at_most_until: float, question: BankQuestion) -> str:
        """The answer; "" once `at_most_until` is over, if that is not zero."""
        while True:
            found: str | None = self._in_transaction(lambda tx: store.take_answer(tx, self._dialogue))
            if found is None:
                raise DialogueOver(Message("fints-not-asked"))
            if found:
                if question.kind is BankQuestionKind.APP:
                    self._put(question)  # the bank may answer that it was not approved
                return found
            now = time.monotonic()
            if now >= self._asked_until:
                raise BankRefused(Message("fints-late", minutes=ANSWER_MINUTES))
            if at_most_until and now >= at_most_until:
                return ""
            time.sleep(_LOOK_SECONDS)

    def _in_transaction(self, action: Callable[[ShopTx], Any]) -> Any:
        with self._desk.database.of_shop(self._desk.shop, at=self._desk.clock()) as tx:
            return action(tx)


def _deadline() -> float:
    return time.monotonic() + ANSWER_MINUTES * 60


def _hold(desk: BankDesk, begun: BegunDialogue, person: PersonOnPage) -> None:
    """The whole dialogue, renewed while it runs; at any end the page shows it and the PIN is gone."""
    over = threading.Event()
    threading.Thread(target=_keep_alive, args=(desk, begun.id, over), name="FinTS lease", daemon=True).start()
    status, error, outcome = DialogueStatus.DONE, "", list[dict[str, Any]]()
    try:
        if begun.file_id:
            _send(desk, begun, person)
        else:
            error = _fetch(desk, begun, person, outcome)
            status = DialogueStatus.REFUSED if error else DialogueStatus.DONE
    except BankRefused as refused:
        status, error = DialogueStatus.REFUSED, refused.message
    except Exception:
        _log.exception("FinTS dialogue failed", shop=str(desk.shop.id))
        status, error = DialogueStatus.REFUSED, Message("fints-failed")
    finally:
        person.forget()
        over.set()
        _AT_ONCE.release()
    _finish(desk, begun, status, error, outcome)


def _fetch(desk: BankDesk, begun: BegunDialogue, person: PersonOnPage, outcome: list[dict[str, Any]]) -> str:
    """Fetches account by account; returns why the bank refused, which ends it: a wrong PIN is not tried again."""
    for row in begun.rows:
        found = fetching.fetch(
            desk.database, desk.shop, row.account, lambda each: desk.gateway.channel(each, person), desk.clock()
        )
        for each in found:
            outcome.extend(_report(each.account, report) for report in each.reports)
            if each.refused:
                return each.refused
            if not each.reports:
                outcome.append({"account": each.account})
    return ""


def _report(account: str, report: Mapping[str, Any]) -> dict[str, Any]:
    error = report.get("error", "")
    shown = {"text": str(error), **to_json(error)} if error else {}
    return {"account": account, **{name: report.get(name) for name in _REPORTED}, "error": shown}


def _send(desk: BankDesk, begun: BegunDialogue, person: PersonOnPage) -> None:
    row, clock = begun.rows[0], desk.clock
    with desk.database.of_shop(desk.shop, at=clock()) as tx:
        order = uploads.order_of(tx, uploads.transfers_file(tx, begun.file_id))

    def keep(phase: SendPhase) -> None:
        with desk.database.of_shop(desk.shop, at=clock()) as tx:
            if not store.set_phase(tx, begun.file_id, begun.id, phase, clock()):
                raise DialogueOver(Message("fints-not-asked"))
            if phase is SendPhase.SENT:
                store.go_on(tx, begun.id)

    session = desk.gateway.channel(row, person)
    sender = FintsSender(session, order, keep, person.accepts)
    try:
        said = sender.send()
    except BankRefused as refused:
        with desk.database.of_shop(desk.shop, at=clock()) as tx:
            _settle_refused(tx, begun, refused)
        raise
    finally:
        _keep_way(desk, row, session)
    with desk.database.of_shop(desk.shop, at=clock()) as tx:
        uploads.settle(tx, begun.file_id, begun.id, UploadEvent.ACCEPTED, Message("text", value=said))


def _settle_refused(tx: ShopTx, begun: BegunDialogue, refused: BankRefused) -> None:
    found = store.upload(tx, begun.file_id, lock=True)
    if found is None:
        return
    event, said = uploads.end_without_answer(found.phase, refused.message)
    if isinstance(refused, FintsOrderRefused):
        event, said = UploadEvent.REFUSED, Message("fints-not-sent", why=refused.message)
    uploads.settle(tx, begun.file_id, begun.id, event, said)


def _keep_way(desk: BankDesk, row: ConnectionRow, session: Any) -> None:
    """The data for the start of the next dialogue."""
    with suppress(Exception), desk.database.of_shop(desk.shop, at=desk.clock()) as tx:
        way = (session.tan_mechanism, session.tan_medium)
        bank_connections.record_identification(tx, row.account, session.system_id, way, None)


def _keep_alive(desk: BankDesk, dialogue: str, over: threading.Event) -> None:
    while not over.wait(LEASE.total_seconds() / 4):
        with suppress(Exception), desk.database.of_shop(desk.shop, at=desk.clock()) as tx:
            store.renew(tx, dialogue, desk.clock() + LEASE)


def _finish(
    desk: BankDesk, begun: BegunDialogue, status: DialogueStatus, error: str, outcome: Sequence[Any]
) -> None:  # fmt: skip
    with desk.database.of_shop(desk.shop, at=desk.clock()) as tx:
        store.finish(tx, begun.id, status, desk.clock(), error, outcome)
        if begun.file_id and status is not DialogueStatus.DONE:
            # Our own failure; refusals by the bank are settled by now.
            uploads.settle_lost(tx, begun.file_id, begun.id)
