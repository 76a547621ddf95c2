"""Confirmed senders of mails, whose advices decide a payer's payments (D-91)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.statement_channels import StatementChannel
from paymatch.store.sealing import ADVICE_SENDER_PAYER
from paymatch.store.transactions import ShopTx

_COLUMNS: Final = "id, address, payer, payer_name, confirmed_at"


@dataclass(frozen=True, slots=True)
class AdviceSender:
    """An address, and the payer it speaks for; `payer` is the payer's account, or name if the bank gives none."""

    id: str
    address: str
    payer: str
    payer_name: str
    confirmed_at: datetime


def list_senders(tx: ShopTx) -> list[AdviceSender]:
    """The confirmed senders, the oldest first."""
    rows = tx.rows(f"SELECT {_COLUMNS} FROM advice_senders WHERE shop_id = $1 ORDER BY confirmed_at, id", tx.shop_id)
    return [
        AdviceSender(
            row.id, row.address, tx.vault().open(ADVICE_SENDER_PAYER, row.payer), row.payer_name, row.confirmed_at
        )
        for row in rows
    ]  # fmt: skip


def payers_by_address(tx: ShopTx) -> dict[str, frozenset[str]]:
    """Address -> the payers for whom it is confirmed."""
    found: dict[str, set[str]] = defaultdict(set)
    for each in list_senders(tx):
        found[each.address].add(each.payer)
    return {address: frozenset(payers) for address, payers in found.items()}


def add(tx: ShopTx, sender: AdviceSender) -> None:
    """Keeps a sender that a person has confirmed."""
    tx.run(
        f"INSERT INTO advice_senders (shop_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)",
        tx.shop_id, sender.id, sender.address, tx.vault().seal(ADVICE_SENDER_PAYER, sender.payer), sender.payer_name,
        sender.confirmed_at,
    )  # fmt: skip


def remove(tx: ShopTx, sender_id: str) -> None:
    """Forgets that a sender was confirmed."""
    tx.run("DELETE FROM advice_senders WHERE shop_id = $1 AND id = $2", tx.shop_id, sender_id)


def advices_of(tx: ShopTx, address: str) -> list[str]:
    """The advices that mails of a proved address brought."""
    rows = tx.rows(
        "SELECT id FROM advices WHERE shop_id = $1 AND sender = $2 AND sender_proof <> '' ORDER BY id",
        tx.shop_id, address,
    )  # fmt: skip
    return [row[0] for row in rows]


def count_unconfirmed(tx: ShopTx, day: date) -> int:
    """The number of advices on a day from unconfirmed senders, proved or not."""
    return int(
        tx.value(
            "SELECT count(*) FROM advices a WHERE a.shop_id = $1 AND a.received_on = $2 AND a.channel = $3"
            " AND (a.sender_proof = '' OR NOT EXISTS (SELECT FROM advice_senders s WHERE s.shop_id = $1"
            " AND s.address = a.sender))",
            tx.shop_id, day, StatementChannel.MAIL,
        )
        or 0
    )  # fmt: skip
