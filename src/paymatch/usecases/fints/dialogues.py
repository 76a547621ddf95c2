"""Dialogues with FinTS banks in which a person answers on the pages (D-138).

A thread of the process that received the PIN keeps the dialogue and the PIN. The bank's questions and the person's
answers go through the database, so any process can show the page. If the thread's process ends, the dialogue is lost,
and so is the PIN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.bank_feeds.fints import BankQuestionKind, DialogueStatus
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.outbound import transfer_folder
from paymatch.store.bank_feeds import fints as store
from paymatch.store.bank_feeds.fints import DialogueRow
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.refunds import transfers
from paymatch.store.statements import bank_connections
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.fints import uploads
from paymatch.usecases.fints.gateway import FintsGateway

LEASE: Final = timedelta(seconds=30)
"""How long a dialogue counts as running without a renewal by its process."""
LOOKED_AT_AFTER: Final = timedelta(minutes=30)
"""When a dialogue is over at the latest: if its process has ended, its question is deleted and its file settled."""
KEPT: Final = timedelta(days=7)
"""How long an ended dialogue can be viewed."""
LISTED: Final = 5
ACCEPTED: Final = "accepted"
_LONGEST_PIN: Final = 100
_LONGEST_ANSWER: Final = 100


class DialogueUnknown(Unknown):
    """The shop has no dialogue of this id."""

    def __init__(self) -> None:
        super().__init__(Message("fints-no-dialogue"))


class DialogueRefused(Refused):
    """The dialogue cannot begin, or does not accept this answer."""


@dataclass(frozen=True, slots=True)
class BankDesk:
    """The environment of a dialogue: the shop's database in the person's name, the gateway, and the real clock."""

    database: Database
    shop: Shop
    gateway: FintsGateway
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class BegunDialogue:
    """A new dialogue, run by a thread, with the connections of one login. `file` "": it fetches."""

    id: str
    rows: tuple[ConnectionRow, ...]
    file_id: str = ""


def begin_fetch(desk: BankDesk, accounts: Sequence[str], pin: str) -> BegunDialogue:
    """Begins to fetch the statements of accounts of one login. DialogueRefused."""
    _check(desk, pin)
    with desk.database.of_shop(desk.shop, at=desk.clock()) as tx:
        rows = tuple(row for row in bank_connections.connections(tx) if row.account in accounts)
        if not rows:
            raise DialogueRefused(Message("fints-choose-accounts"))
        if len({(row.bank_code, row.server_url, row.user) for row in rows}) > 1:
            raise DialogueRefused(Message("fints-one-login"))
        return BegunDialogue(_begin(tx, rows, ""), rows)


def begin_transfer(desk: BankDesk, name: str, pin: str, folder: Path, *, not_taken: bool) -> BegunDialogue:
    """Begins to send a transfer file. `not_taken`: a person says that it was not uploaded elsewhere. Refused.

    From now on the file goes to no folder and cannot be downloaded.
    """
    _check(desk, pin)
    with desk.database.of_shop(desk.shop, at=desk.clock()) as tx:
        transfers.lock_runs(tx)
        file = uploads.file_to_send(tx, name)
        if file.written_at is not None and not not_taken:
            raise DialogueRefused(Message("fints-file-taken", file=name))
        rows = tuple(row for row in bank_connections.connections(tx) if row.account == file.account)
        if not rows:
            raise DialogueRefused(Message("setting-account-no-connection", wanted=file.account))
        dialogue = _begin(tx, rows, file.id)
        if not store.begin_upload(tx, file.id, dialogue, desk.clock()):
            raise DialogueRefused(Message("fints-file-sent", file=name))
        transfers.set_written(tx, file.id, tx.now)
    transfer_folder.remove(folder, f"{file.message_id}.xml")
    return BegunDialogue(dialogue, rows, file.id)


def _check(desk: BankDesk, pin: str) -> None:
    problem = desk.gateway.problem()
    if desk.shop.sandbox:
        problem = Message("fints-sandbox")
    if problem is None and not 0 < len(pin) <= _LONGEST_PIN:
        problem = Message("fints-enter-pin")
    if problem is not None:
        raise DialogueRefused(problem)


def _begin(tx: ShopTx, rows: Sequence[ConnectionRow], file_id: str) -> str:
    now = tx.wall_time
    end_lost(tx)
    store.forget_old(tx, now - KEPT)
    dialogue, accounts = new_id("fd", now), [row.account for row in rows]
    if not store.begin(tx, dialogue, accounts, file_id, tx.actor.name, now, now + LEASE):
        raise DialogueRefused(Message("fints-dialogue-open"))
    shop_jobs.wake(tx, ALERTS, tx.now + LOOKED_AT_AFTER)
    details = {"accounts": [masked_account(each) for each in accounts], "file": file_id}
    record(tx, tx.shop, AuditAction.FINTS_BEGUN, dialogue, after=details)
    return dialogue


def end_lost(tx: ShopTx) -> None:
    """Ends the shop's open dialogue if its process is gone, and settles its file."""
    row = store.open_dialogue(tx)
    if row is None or row.alive_until > tx.wall_time:
        return
    if store.finish(tx, row.id, DialogueStatus.LOST, tx.wall_time, Message("fints-lost")) and row.file_id:
        uploads.settle_lost(tx, row.file_id, row.id)


def dialogue_of(tx: ShopTx, dialogue: str) -> DialogueRow:
    """A dialogue in its present state. DialogueUnknown."""
    end_lost(tx)
    row = store.dialogue(tx, dialogue)
    if row is None:
        raise DialogueUnknown
    return row


def open_dialogue(tx: ShopTx) -> DialogueRow | None:
    """The shop's open dialogue, or None."""
    end_lost(tx)
    return store.open_dialogue(tx)


def last_dialogues(tx: ShopTx) -> list[DialogueRow]:
    """The shop's last dialogues that ended, the newest first."""
    return store.latest_dialogues(tx, LISTED)


def answer(tx: ShopTx, dialogue: str, asked: int, text: str) -> None:
    """Answers the bank's question number `asked`, once. DialogueUnknown; DialogueRefused."""
    row = dialogue_of(tx, dialogue)
    question, given = row.question, text.strip()[:_LONGEST_ANSWER]
    if row.status is not DialogueStatus.ASKING or question is None or row.asked != asked:
        raise DialogueRefused(Message("fints-not-asked"))
    if row.person != tx.actor.name:
        raise DialogueRefused(Message("fints-other-person", person=row.person))
    if question.kind is BankQuestionKind.TAN and not given:
        raise DialogueRefused(Message("fints-enter-tan"))
    if question.options and given not in dict(question.options):
        raise DialogueRefused(Message("fints-choose-option"))
    if not store.set_answer(tx, dialogue, asked, given or ACCEPTED):
        raise DialogueRefused(Message("fints-not-asked"))
    details = {"question": str(question.kind), "number": asked}
    record(tx, tx.shop, AuditAction.FINTS_ANSWERED, dialogue, after=details)


def stop(tx: ShopTx, dialogue: str) -> None:
    """Ends a dialogue; its thread notices before its next message. DialogueUnknown; DialogueRefused."""
    row = dialogue_of(tx, dialogue)
    why = Message("fints-stopped", person=tx.actor.name)
    if not store.finish(tx, dialogue, DialogueStatus.REFUSED, tx.wall_time, why):
        raise DialogueRefused(Message("fints-not-asked"))
    if row.file_id:
        upload = store.upload(tx, row.file_id, lock=True)
        if upload is not None:
            event, said = uploads.end_without_answer(upload.phase, why)
            uploads.settle(tx, row.file_id, row.id, event, said)
    record(tx, tx.shop, AuditAction.FINTS_ENDED, dialogue, after={"by": "person"})


def fints_alerts(tx: ShopTx) -> Iterator[Alert]:
    """A file for which only a person can say whether the bank has it."""
    end_lost(tx)
    for each in store.uploads(tx, {UploadStatus.UNCERTAIN}):
        said = Message("alert-fints-uncertain", file=each.message_id)
        yield Alert(AlertKind.FINTS, f"upload {each.file_id} {_moment(each.sent_at)}", said)


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}" if at else ""
