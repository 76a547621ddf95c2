"""Remittance advices of a shop: imported whole or not at all, shown with the postings they explain, undone (D-94)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, Tell, WorkFailed
from paymatch.domain.advices.advice import Advice
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.postings import PostingStatus
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message, message_of, to_json
from paymatch.formats.advices.reading import MAX_BYTES, read_advice
from paymatch.formats.advices.refusals import AdviceUnreadable
from paymatch.formats.statement import FileRefused
from paymatch.store.advices import advice_list, senders
from paymatch.store.advices import advices as store
from paymatch.store.advices.advice_list import ListedAdvice
from paymatch.store.advices.advices import AdviceRow
from paymatch.store.database import Database
from paymatch.store.ids import Ids
from paymatch.store.matching import matching as match_store
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import LockNotAcquired, ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.matching.advised import call_explained, reopen
from paymatch.usecases.matching.matching import match_batch

BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=20, wall_seconds=60)


class AdviceUnknown(Unknown):
    """The shop has no advice of this id."""

    def __init__(self, advice_id: str) -> None:
        super().__init__(Message("advice-unknown", advice_id=repr(advice_id)))


class MailedBy(NamedTuple):
    """The sender's address of a mail, and its proof; "" if there is none."""

    address: str
    proof: str


def read_confined(files: list[BinaryIO], _tell: Tell, currency: str) -> dict[str, Any]:
    """The content of the file as JSON values; runs in its own process."""
    try:
        found = read_advice(files[0].read(MAX_BYTES + 1), currency)
    except AdviceUnreadable as refusal:
        return {"problem": to_json(refusal.message), "shown": refusal.text}
    except FileRefused as refusal:
        return {"refused": to_json(refusal.message)}
    return {"format": found.format, "advices": [msgspec.to_builtins(each) for each in found.advices]}


def import_advice(
    database: Database,
    shop: Shop,
    stream: BinaryIO,
    name: str,
    clock: datetime,
    channel: StatementChannel,
    posting_id: str = "",
    mailed: MailedBy | None = None,
) -> list[dict[str, Any]]:
    """Keeps the advices of a file and matches the postings they explain; returns them like `list_advices`.

    With `posting_id` a person says which posting the file is for; `mailed` is the sender of the mail that brought it.
    A damaged file from a mail is kept for a person to see: no one else would notice it.

    FileRefused gives the reason in one sentence, and nothing is kept. A text with uncertain payments is kept for a
    person to see, and explains nothing. A repeated file is the same one; it is vouched for once it arrives by a channel
    that vouches for it.
    """
    now = shop.now(clock)
    with confined.as_file(stream) as file:
        found = _read(file, shop, is_kept=mailed is not None)
        file.seek(0)
        digest = sha256(file.read(MAX_BYTES + 1)).hexdigest()
    ids = Ids(now)
    problem = message_of(found["problem"]) if "problem" in found else ""
    said: list[Advice | None] = [msgspec.convert(each, Advice) for each in found.get("advices", [])] or [None]
    with database.of_shop(shop, at=clock) as tx:
        statement_store.lock_matching(tx)
        rows = [
            AdviceRow(
                ids.new("av"), digest, place, name[:200], found.get("format", ""), channel, shop.today(clock),
                advice, problem, found.get("shown", ""), posting_id, *(mailed or ()),
            )
            for place, advice in enumerate(said)
        ]  # fmt: skip
        is_confirmed = mailed is not None and mailed.address in senders.payers_by_address(tx)
        added = [added for row in rows if (added := store.add(tx, row, now, is_confirmed=is_confirmed))]
        if added:
            decide_anew(tx, added, now)
            record(tx, shop, AuditAction.ADVICE_IMPORTED, added[0], after={"file": name[:200]})
    match_now(database, shop, clock)
    with database.of_shop(shop, at=clock) as tx:
        listed = advice_list.list_advices(tx, digest=digest)
    return [_advice_row(each) for each in sorted(listed, key=lambda each: each.place)]


def _read(file: BinaryIO, shop: Shop, *, is_kept: bool) -> dict[str, Any]:
    try:
        found: dict[str, Any] = confined.run(read_confined, BUDGET, [file], currency=shop.currency)
    except (Overrun, Crashed, WorkFailed):
        found = {"refused": to_json(Message("file-unreadable"))}
    if "refused" in found and is_kept:
        return {"problem": found["refused"]}
    if "refused" in found:
        raise FileRefused(message_of(found["refused"]))
    return found


def list_advices(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """All advices, the latest first, each with the postings that it explains."""
    with database.of_shop(shop) as tx:
        return [_advice_row(row) for row in advice_list.list_advices(tx)]


def show_advice(database: Database, shop: Shop, advice_id: str) -> dict[str, Any]:
    """One advice with its lines, or with the text that was read. AdviceUnknown."""
    with database.of_shop(shop) as tx:
        row = store.find(tx, advice_id)
        if row is None:
            raise AdviceUnknown(advice_id)
        (listed,) = advice_list.list_advices(tx, advice=advice_id)
    found = _advice_row(listed)
    advice = row.advice
    if advice is None:
        return found | {"text": row.shown}
    currency = Currency(advice.currency)
    found["lines"] = [
        {
            "row": line.row, "references": list(line.references),
            "amount": minor_to_text(line.gross_minor, currency),
            "deduction": minor_to_text(line.deduction_minor, currency),
            "paid": minor_to_text(line.paid_minor, currency),
        }
        for line in advice.lines
    ]  # fmt: skip
    found["deductions"] = [
        {"kind": each.kind, "amount": minor_to_text(each.amount_minor, currency)} for each in advice.deductions
    ]
    return found


def undo_advice(database: Database, shop: Shop, advice_id: str, clock: datetime) -> dict[str, Any]:
    """Forgets an advice: its postings are decided as if it had never arrived. AdviceUnknown."""
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        statement_store.lock_matching(tx)
        row = store.find(tx, advice_id)
        if row is None:
            raise AdviceUnknown(advice_id)
        touched = _explained_by(tx, [advice_id])
        store.remove(tx, advice_id)
        _forget_decided(tx, touched, now)
        call_explained(tx, now)
        record(tx, shop, AuditAction.ADVICE_UNDONE, advice_id, before={"file": row.file_name})
    match_now(database, shop, clock)
    return {"id": advice_id, "postings": touched}


def match_now(database: Database, shop: Shop, clock: datetime) -> None:
    """Matches waiting postings, unless another process does."""
    with suppress(LockNotAcquired), database.of_shop(shop, at=clock) as tx:
        match_batch(tx)


def decide_anew(tx: ShopTx, advices: Collection[str], now: datetime) -> None:
    """Decides the postings of these advices again: their trust has changed."""
    _forget_decided(tx, _explained_by(tx, advices), now)
    call_explained(tx, now)


def _forget_decided(tx: ShopTx, postings: Sequence[str], now: datetime) -> None:
    """Decides these postings again without their advices; a person's decisions stay."""
    loaded = [each for each in posting_store.load(tx, postings) if not each.by_hand]
    reopen(tx, [each.id for each in loaded if each.status is PostingStatus.MATCHED], now)
    match_store.mark_postings_for_rematch(tx, [each.id for each in loaded], now)
    store.forget_explained(tx, postings)


def _explained_by(tx: ShopTx, advices: Collection[str]) -> list[str]:
    """The postings that one of the advices explains."""
    found = store.explained_postings(tx)
    return sorted(posting for posting, ids in found.items() if not set(advices).isdisjoint(ids.split()))


def _advice_row(row: ListedAdvice) -> dict[str, Any]:
    is_read = row.state != "unreadable"
    return {
        "id": row.id,
        "file": row.file_name,
        "format": row.format,
        "channel": row.channel,
        "sender": row.payer,
        "mailedBy": row.sender,
        "proof": row.sender_proof,
        "number": row.number,
        "date": (row.day or row.received_on).isoformat(),
        "amount": minor_to_text(row.paid_minor, Currency(row.currency)) if is_read else "",
        "currency": row.currency,
        "orders": row.line_count,
        "state": row.state,
        "postings": row.postings.split(),
        "problem": row.problem,
    }
