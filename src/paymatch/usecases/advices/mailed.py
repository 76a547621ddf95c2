"""Advices by mail, and the senders that a person has confirmed for a payer (D-91)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import datetime
from io import BytesIO
from typing import Any, BinaryIO, Final
from uuid import UUID

import structlog

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, Tell, WorkFailed
from paymatch.domain.matching.text.payers import payer_of
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop, ShopStatus
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.mail.advice_mail import MAX_BYTES, read_advice_mail
from paymatch.store.advices import advices as store
from paymatch.store.advices import senders
from paymatch.store.advices.senders import AdviceSender
from paymatch.store.database import Database
from paymatch.store.ids import Ids
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.advices.advices import AdviceUnknown, MailedBy, decide_anew, import_advice, match_now
from paymatch.usecases.audit import record

BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=20, wall_seconds=60)
MOST_UNCONFIRMED_A_DAY: Final = 100
"""Advices of unconfirmed senders that a shop keeps per day: anyone may write, and a person checks each.

Any domain owner can prove their mails, so a proof alone does not allow more.
"""

_log = structlog.get_logger("paymatch.advices")


class SenderUnknown(Unknown):
    """The shop has confirmed no sender of this id."""

    def __init__(self, sender_id: str) -> None:
        super().__init__(Message("sender-unknown", sender_id=repr(sender_id)))


def read_mail_confined(files: list[BinaryIO], _tell: Tell, host: str) -> dict[str, Any]:
    """The content of a mail as JSON values; runs in its own process."""
    found = read_advice_mail(files[0].read(MAX_BYTES), host)
    attached = [[each.name, b64encode(each.content).decode()] for each in found.files]
    shop = None if found.shop is None else str(found.shop)
    return {"shop": shop, "sender": found.sender, "proof": found.proof, "files": attached}


def take_mail(database: Database, content: bytes, host: str, clock: datetime) -> int:
    """Keeps the advices attached to a mail and matches the postings they explain; returns the number of accepted files.

    The recipient address names the shop. No content of a mail makes its sender trusted.
    """
    if len(content) > MAX_BYTES:
        _log.warning("a mail to the mailbox of advices is too large", most=MAX_BYTES)
        return 0
    try:
        with confined.as_file(BytesIO(content)) as file:
            found = confined.run(read_mail_confined, BUDGET, [file], host=host)
    except (Overrun, Crashed, WorkFailed):
        _log.warning("a mail to the mailbox of advices cannot be read")
        return 0
    shop = _shop_of(database, found["shop"])
    if shop is None:
        _log.warning("a mail to the mailbox of advices names no shop in its address", sender=found["sender"])
        return 0
    mailed = MailedBy(found["sender"], found["proof"])
    for taken, (name, encoded) in enumerate(found["files"]):
        if _is_full(database, shop, mailed, clock):
            _log.warning("too many advices of unconfirmed senders today", shop=str(shop.id))
            return taken
        file = BytesIO(b64decode(encoded))
        import_advice(database, shop, file, name, clock, StatementChannel.MAIL, mailed=mailed)
    return len(found["files"])


def _shop_of(database: Database, found: str | None) -> Shop | None:
    if found is None:
        return None
    with database.of_shop(ShopId(UUID(found))) as tx:
        shop = shop_store.load(tx)
    return None if shop is None or shop.status is ShopStatus.DELETED else shop


def _is_full(database: Database, shop: Shop, mailed: MailedBy, clock: datetime) -> bool:
    """True if the shop accepts no more from this sender today."""
    with database.of_shop(shop, at=clock) as tx:
        if mailed.proof and mailed.address in senders.payers_by_address(tx):
            return False
        return senders.count_unconfirmed(tx, shop.today(clock)) >= MOST_UNCONFIRMED_A_DAY


def confirm_sender(database: Database, shop: Shop, advice_id: str, posting_id: str, clock: datetime) -> dict[str, Any]:
    """Lets the sender of this advice speak for the payer of this posting: its advices decide that payer's payments.

    AdviceUnknown; SettingRefused if the sender is not proved, or the advice does not explain the posting.
    """
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        statement_store.lock_matching(tx)
        row = store.find(tx, advice_id)
        if row is None:
            raise AdviceUnknown(advice_id)
        if not row.proof:
            raise SettingRefused(Message("advice-sender-unproved", advice=advice_id))
        loaded = posting_store.load(tx, [posting_id])
        payer = payer_of(loaded[0].posting)[0] if loaded else ""
        if advice_id not in store.explained_postings(tx).get(posting_id, "").split() or not payer:
            raise SettingRefused(Message("advice-explains-no-payer", advice=advice_id, posting=posting_id))
        known = [each for each in senders.list_senders(tx) if (each.address, each.payer) == (row.sender, payer)]
        sender = known[0] if known else AdviceSender(
            Ids(now).new("as"), row.sender, payer, loaded[0].posting.counterparty_name, now
        )  # fmt: skip
        if not known:
            senders.add(tx, sender)
            record(tx, shop, AuditAction.ADVICE_SENDER_CONFIRMED, sender.id, after={"address": sender.address})
        decide_anew(tx, senders.advices_of(tx, sender.address), now)
    match_now(database, shop, clock)
    return sender_row(sender)


def revoke_sender(database: Database, shop: Shop, sender_id: str, clock: datetime) -> dict[str, Any]:
    """Ends the sender's permission to speak for the payer; its advices' decisions are made again. SenderUnknown."""
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        statement_store.lock_matching(tx)
        found = [each for each in senders.list_senders(tx) if each.id == sender_id]
        if not found:
            raise SenderUnknown(sender_id)
        senders.remove(tx, sender_id)
        decide_anew(tx, senders.advices_of(tx, found[0].address), now)
        record(tx, shop, AuditAction.ADVICE_SENDER_REVOKED, sender_id, before={"address": found[0].address})
    match_now(database, shop, clock)
    return sender_row(found[0])


def list_senders(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The confirmed senders, the oldest first, each with the payer it speaks for."""
    with database.of_shop(shop) as tx:
        return [sender_row(each) for each in senders.list_senders(tx)]


def sender_row(sender: AdviceSender) -> dict[str, Any]:
    """A confirmed sender for lists."""
    return {
        "id": sender.id, "address": sender.address, "payer": sender.payer_name or sender.payer,
        "confirmedAt": sender.confirmed_at.isoformat(),
    }  # fmt: skip
