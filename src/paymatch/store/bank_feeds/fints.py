"""Dialogues with FinTS banks in PostgreSQL, and transfer files sent by FinTS. No PIN is stored."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind, DialogueStatus, SendPhase
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.refunds.payee_check import PayeeAnswer
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build, text_array
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.sealing import FINTS_ANSWER, FINTS_QUESTION, Vault
from paymatch.store.transactions import ShopTx

_OPEN: Final = "status IN ('RUNNING', 'ASKING')"


@dataclass(frozen=True, slots=True)
class DialogueRow:
    """A dialogue. `file_id` "": it fetches statements; `question` None: the bank asks nothing."""

    id: str
    accounts: tuple[str, ...]
    file_id: str
    person: str
    status: DialogueStatus
    asked: int
    question: BankQuestion | None
    outcome: list[dict[str, Any]]
    error: str
    began_at: datetime
    alive_until: datetime
    ended_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether the dialogue is still open."""
        return self.status in (DialogueStatus.RUNNING, DialogueStatus.ASKING)


_SELECT: Final = """SELECT id, accounts, file_id, person, status, asked, question, outcome, error, began_at,
    alive_until, ended_at FROM fints_dialogues WHERE shop_id = $1"""


def begin(
    tx: ShopTx, dialogue: str, accounts: Sequence[str], file_id: str, person: str, now: datetime, until: datetime
) -> bool:
    """Begins a dialogue; False if the shop has an open one."""
    return bool(
        tx.run(
            "INSERT INTO fints_dialogues (shop_id, id, accounts, file_id, person, status, began_at, alive_until)"
            " VALUES ($1, $2, $3, $4, $5, 'RUNNING', $6, $7) ON CONFLICT DO NOTHING RETURNING 1",
            tx.shop_id, dialogue, text_array(accounts), file_id, person, now, until,
        )
    )  # fmt: skip


def dialogue(tx: ShopTx, dialogue_id: str) -> DialogueRow | None:
    """A dialogue of the shop."""
    row = tx.row(f"{_SELECT} AND id = $2", tx.shop_id, dialogue_id)
    return None if row is None else _dialogue(row, tx.vault())


def open_dialogue(tx: ShopTx) -> DialogueRow | None:
    """The shop's open dialogue."""
    row = tx.row(f"{_SELECT} AND {_OPEN}", tx.shop_id)
    return None if row is None else _dialogue(row, tx.vault())


def latest_dialogues(tx: ShopTx, limit: int) -> list[DialogueRow]:
    """The dialogues that ended last, the newest first."""
    rows = tx.rows(f"{_SELECT} AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT $2", tx.shop_id, limit)
    return [_dialogue(row, tx.vault()) for row in rows]


def _dialogue(row: Row, vault: Vault) -> DialogueRow:
    sealed = vault.open(FINTS_QUESTION, row.question)
    return build(
        DialogueRow, row, accounts=tuple(row.accounts), status=DialogueStatus(row.status),
        question=_question(sealed) if sealed else None, error=message_of(row.error),
        outcome=msgspec.json.decode(row.outcome),
    )  # fmt: skip


def renew(tx: ShopTx, dialogue_id: str, until: datetime) -> bool:
    """Renews the process's lease of the dialogue; False if it is over."""
    return bool(
        tx.run(
            f"UPDATE fints_dialogues SET alive_until = $3 WHERE shop_id = $1 AND id = $2 AND {_OPEN} RETURNING 1",
            tx.shop_id,
            dialogue_id,
            until,
        )
    )


def ask(tx: ShopTx, dialogue_id: str, question: BankQuestion) -> int:
    """Asks a person; the number of the question, 0 if the dialogue is over."""
    text = tx.vault().seal_once(FINTS_QUESTION, _to_json(question))
    found = tx.value(
        "UPDATE fints_dialogues SET status = 'ASKING', question = $3, answer = '', asked = asked + 1"
        f" WHERE shop_id = $1 AND id = $2 AND {_OPEN} RETURNING asked",
        tx.shop_id,
        dialogue_id,
        text,
    )
    return int(found or 0)


def set_answer(tx: ShopTx, dialogue_id: str, asked: int, answer: str) -> bool:
    """Keeps a person's answer to a question, once; False if it is not asked any more."""
    return bool(
        tx.run(
            "UPDATE fints_dialogues SET answer = $4, status = 'RUNNING', question = ''"
            " WHERE shop_id = $1 AND id = $2 AND asked = $3"
            " AND status = 'ASKING' AND answer = '' RETURNING 1",
            tx.shop_id,
            dialogue_id,
            asked,
            tx.vault().seal_once(FINTS_ANSWER, answer),
        )
    )


def take_answer(tx: ShopTx, dialogue_id: str) -> str | None:
    """A person's answer, which is deleted on reading; "" if there is none yet, None if the dialogue is over."""
    row = tx.row(
        f"SELECT answer FROM fints_dialogues WHERE shop_id = $1 AND id = $2 AND {_OPEN} FOR UPDATE",
        tx.shop_id,
        dialogue_id,
    )
    if row is None:
        return None
    if row[0]:
        go_on(tx, dialogue_id)
    return tx.vault().open(FINTS_ANSWER, row[0])


def go_on(tx: ShopTx, dialogue_id: str) -> None:
    """Resumes the dialogue with the bank, and deletes its question."""
    tx.run(
        "UPDATE fints_dialogues SET status = 'RUNNING', question = '', answer = ''"
        f" WHERE shop_id = $1 AND id = $2 AND {_OPEN}",
        tx.shop_id,
        dialogue_id,
    )


def finish(
    tx: ShopTx, dialogue_id: str, status: DialogueStatus, now: datetime, error: str = "", outcome: Sequence[Any] = ()
) -> bool:
    """Ends an open dialogue; False if it is already over."""
    return bool(
        tx.run(
            "UPDATE fints_dialogues SET status = $3, ended_at = $4, error = $5, outcome = $6, question = '',"
            f" answer = '' WHERE shop_id = $1 AND id = $2 AND {_OPEN} RETURNING 1",
            tx.shop_id, dialogue_id, status, now, message_to_json(error) if error else None,
            msgspec.json.encode(list(outcome), enc_hook=as_text).decode(),
        )
    )  # fmt: skip


def forget_old(tx: ShopTx, before: datetime) -> None:
    """Deletes dialogues that ended long ago; files keep their status."""
    tx.run("DELETE FROM fints_dialogues WHERE shop_id = $1 AND ended_at < $2", tx.shop_id, before)


@dataclass(frozen=True, slots=True)
class FintsUpload:
    """A transfer file that goes by FinTS. `sent_at`: when the bank may first have acted on it."""

    file_id: str
    message_id: str
    dialogue_id: str
    status: UploadStatus
    phase: SendPhase
    said: str
    decided_by: str
    sent_at: datetime | None


_UPLOAD: Final = """SELECT u.file_id, f.message_id, u.dialogue_id, u.status, u.phase, u.said, u.decided_by, u.sent_at
    FROM fints_uploads u JOIN transfer_files f ON f.shop_id = u.shop_id AND f.id = u.file_id WHERE u.shop_id = $1"""


def begin_upload(tx: ShopTx, file_id: str, dialogue_id: str, now: datetime) -> bool:
    """Assigns the file to FinTS; False if the bank has it, or may have it."""
    return bool(
        tx.run(
            "INSERT INTO fints_uploads AS u (shop_id, file_id, dialogue_id, status, phase, created_at, updated_at)"
            " VALUES ($1, $2, $3, 'OPEN', 'PREPARED', $4, $4) ON CONFLICT (shop_id, file_id) DO UPDATE"
            " SET dialogue_id = $3, status = 'OPEN', phase = 'PREPARED', said = NULL, decided_by = '', sent_at = NULL,"
            " updated_at = $4 WHERE u.status = 'REFUSED' RETURNING 1",
            tx.shop_id,
            file_id,
            dialogue_id,
            now,
        )
    )


def set_phase(tx: ShopTx, file_id: str, dialogue_id: str, phase: SendPhase, now: datetime) -> bool:
    """Records the phase before a message; False if this dialogue no longer sends the file."""
    return bool(
        tx.run(
            "UPDATE fints_uploads SET phase = $4, updated_at = $5,"
            " sent_at = CASE WHEN $4 = 'SENT' THEN coalesce(sent_at, $5) ELSE sent_at END"
            " WHERE shop_id = $1 AND file_id = $2 AND dialogue_id = $3 AND status = 'OPEN' RETURNING 1",
            tx.shop_id,
            file_id,
            dialogue_id,
            phase,
            now,
        )
    )


def set_upload(
    tx: ShopTx, file_id: str, status: UploadStatus, said: str, now: datetime, decided_by: str = ""
) -> None:  # fmt: skip
    """Stores the file's known state, and why."""
    tx.run(
        "UPDATE fints_uploads SET status = $3, said = $4, decided_by = $5, updated_at = $6"
        " WHERE shop_id = $1 AND file_id = $2",
        tx.shop_id,
        file_id,
        status,
        message_to_json(said) if said else None,
        decided_by,
        now,
    )


def upload(tx: ShopTx, file_id: str, *, lock: bool = False) -> FintsUpload | None:
    """The upload of a file; `lock` locks it until the transaction ends."""
    row = tx.row(f"{_UPLOAD} AND u.file_id = $2{' FOR UPDATE OF u' if lock else ''}", tx.shop_id, file_id)
    return None if row is None else _upload(row)


def uploads(tx: ShopTx, statuses: Collection[UploadStatus], file_ids: Sequence[str] | None = None) -> list[FintsUpload]:
    """Uploads in these states, of these files or of all, the oldest first."""
    rows = tx.rows(
        f"{_UPLOAD} AND u.status = ANY($2) AND ($3::text[] IS NULL OR u.file_id = ANY($3)) ORDER BY u.file_id",
        tx.shop_id,
        text_array(sorted(statuses)),
        None if file_ids is None else text_array(file_ids),
    )
    return [_upload(row) for row in rows]


def _upload(row: Row) -> FintsUpload:
    return build(
        FintsUpload, row, status=UploadStatus(row.status), phase=SendPhase(row.phase), said=message_of(row.said)
    )


class _Question(msgspec.Struct):
    kind: BankQuestionKind
    text: str
    options: tuple[tuple[str, str], ...]
    picture: str
    needs_start_code: bool
    payees: tuple[PayeeAnswer, ...]


def _to_json(question: BankQuestion) -> str:
    kept = _Question(
        question.kind, question.text, question.options, b64encode(question.picture).decode(),
        question.needs_start_code, question.payees,
    )  # fmt: skip
    return msgspec.json.encode(kept).decode()


def _question(text: str) -> BankQuestion:
    kept = msgspec.json.decode(text, type=_Question)
    return BankQuestion(
        kept.kind, kept.text, kept.options, b64decode(kept.picture), kept.needs_start_code, kept.payees
    )  # fmt: skip
