"""Remittance advices in PostgreSQL: their contents, and the postings they explain (D-94)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.advices.advice import Advice
from paymatch.domain.statement_channels import TRUSTED
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, text_array
from paymatch.store.messages import coded, recall
from paymatch.store.sealing import ADVICE_PAYER
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_ADVICE: Final = msgspec.json.Decoder(Advice).decode
_KEPT_DAYS: Final = 180
"""Days after which an advice explains no further posting."""
_MOST_UNCONFIRMED: Final = 200
"""How many of the latest unvouched advices are compared with postings: strangers may send many."""


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """A stored advice; `advice` is None if it could not be read, and `problem` says why."""

    id: str
    digest: str
    place: int
    file_name: str
    format: str
    channel: str
    received_on: date
    advice: Advice | None = None
    problem: str = ""
    shown: str = ""  # the text of an advice that could not be read
    posting_id: str = ""  # on whose page a person uploaded it
    sender: str = ""  # address of the mail that brought it
    proof: str = ""  # the mailbox host's proof of the address: dkim, spf, or nothing


_COLUMNS: Final = (
    "id, digest, place, file_name, format, channel, received_on, problem, problem_message, shown, posting_id,"
    " facts, payer_account, sender, sender_proof"
)


_ADD: Final = """
INSERT INTO advices (shop_id, id, digest, place, file_name, format, channel, received_on, problem, shown,
  posting_id, facts, payer_account, currency, paid_minor, line_count, number, payer, day, created_at, problem_message,
  sender, sender_proof)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $22, $23, $24)
ON CONFLICT (shop_id, digest, place) DO UPDATE SET channel = excluded.channel, posting_id = excluded.posting_id,
  sender = excluded.sender, sender_proof = excluded.sender_proof
WHERE (excluded.channel = ANY($21) AND (advices.channel <> ALL($21)
  OR (excluded.posting_id <> '' AND excluded.posting_id <> advices.posting_id)))
  OR (excluded.sender_proof <> '' AND advices.channel <> ALL($21) AND excluded.sender <> advices.sender AND $25)
  OR (excluded.sender_proof <> '' AND advices.channel <> ALL($21) AND advices.sender_proof = '')
RETURNING id"""


def add(tx: ShopTx, row: AdviceRow, now: datetime, *, is_confirmed: bool = False) -> str:
    """Keeps an advice; returns its id, or "" if its file is known and there is nothing new about it.

    A known file becomes vouched for once it arrives by a channel that vouches for it, or in a mail of a proved sender.
    `is_confirmed`: the sender counts even if another proved one sent the file before.
    """
    said = row.advice
    facts = "" if said is None else _ENCODE(replace(said, payer_account="")).decode()
    account = tx.vault().seal(ADVICE_PAYER, said.payer_account) if said and said.payer_account else ""
    found = tx.value(
        _ADD, tx.shop_id, row.id, row.digest, row.place, row.file_name, row.format, row.channel, row.received_on,
        row.problem,
        row.shown, row.posting_id, facts, account, said.currency if said else "", said.paid_minor if said else 0,
        len(said.lines) if said else 0, said.number if said else "", said.payer if said else "",
        said.day if said else None, now, sorted(TRUSTED), coded(row.problem), row.sender, row.proof, is_confirmed,
    )  # fmt: skip
    return found or ""


def _row(tx: ShopTx, row: Row) -> AdviceRow:
    advice = None
    if row.facts:
        account = tx.vault().open(ADVICE_PAYER, row.payer_account) if row.payer_account else ""
        advice = replace(_ADVICE(row.facts), payer_account=account)
    return AdviceRow(
        row.id, row.digest, row.place, row.file_name, row.format, row.channel, row.received_on, advice,
        recall(row.problem, row.problem_message), row.shown, row.posting_id, row.sender, row.sender_proof,
    )  # fmt: skip


def find(tx: ShopTx, advice_id: str) -> AdviceRow | None:
    """One advice; None if there is none with this id."""
    rows = tx.rows(f"SELECT {_COLUMNS} FROM advices WHERE shop_id = $1 AND id = $2", tx.shop_id, advice_id)
    return _row(tx, rows[0]) if rows else None


_READABLE: Final = f"""
WITH own AS (
  SELECT a.*, a.channel = ANY($4) OR a.posting_id <> '' OR (a.sender_proof <> '' AND EXISTS (
      SELECT FROM advice_senders s WHERE s.shop_id = $1 AND s.address = a.sender)) AS vouched
  FROM advices a WHERE a.shop_id = $1 AND a.facts <> '' AND a.received_on > $2::date - $3::integer)
SELECT {_COLUMNS} FROM own WHERE vouched
UNION ALL (SELECT {_COLUMNS} FROM own WHERE NOT vouched ORDER BY created_at DESC, id DESC LIMIT $5)"""


def readable(tx: ShopTx, today: date) -> list[AdviceRow]:
    """The advices that may explain postings; of unvouched ones, the latest."""
    rows = tx.rows(_READABLE, tx.shop_id, today, _KEPT_DAYS, sorted(TRUSTED), _MOST_UNCONFIRMED)
    return [_row(tx, row) for row in rows]


def remove(tx: ShopTx, advice_id: str) -> None:
    """Forgets an advice."""
    tx.run("DELETE FROM advices WHERE shop_id = $1 AND id = $2", tx.shop_id, advice_id)


def forget_old(tx: ShopTx, before: date, limit: int) -> int:
    """Deletes a limited number of advices from before a day; returns the number. Their decisions stay."""
    gone = tx.run(
        "DELETE FROM advices WHERE shop_id = $1 AND id IN (SELECT a.id FROM advices a WHERE a.shop_id = $1"
        " AND a.received_on < $2 ORDER BY a.received_on, a.id LIMIT $3)",
        tx.shop_id, before, limit,
    )  # fmt: skip
    if gone:
        tx.run(
            "DELETE FROM advised_postings x WHERE x.shop_id = $1 AND NOT EXISTS (SELECT FROM advices a"
            " WHERE a.shop_id = $1 AND a.id = ANY(string_to_array(x.advice_ids, ' ')))",
            tx.shop_id,
        )  # fmt: skip
    return gone


_LIKE_SIGNS: Final = re.compile(r"([%_\\])")
_ESCAPED: Final = r"\\\1"

_CANDIDATES: Final = """
SELECT id FROM postings WHERE shop_id = $1 AND amount_minor > 0 AND NOT by_hand AND NOT is_return
  AND status <> 'ignored' AND booking_date BETWEEN $2 AND $3
  AND (amount_minor = ANY($4) OR lower(counterparty_name) = ANY($5) OR id = ANY($6)
       OR lower(remittance) LIKE ANY ($7) OR ($8 AND counterparty_iban = ANY($9)))"""


def candidates(
    tx: ShopTx,
    days: tuple[date, date],
    sums: Collection[int],
    names: Collection[str],
    postings: Collection[str],
    numbers: Collection[str],
    accounts: Collection[str],
) -> list[str]:
    """Credits that may be explained: of one of these sums, names or accounts, or naming one of these numbers."""
    sealed = [text for each in accounts for text in tx.vault().lookups("postings.counterparty_iban", each)]
    wanted = [f"%{_LIKE_SIGNS.sub(_ESCAPED, each.lower())}%" for each in sorted(numbers)]
    rows = tx.rows(
        _CANDIDATES, tx.shop_id, *days, sorted(sums), sorted(names), sorted(postings), wanted, bool(sealed), sealed
    )  # fmt: skip
    return [row[0] for row in rows]


def explained_postings(tx: ShopTx) -> dict[str, str]:
    """Posting -> the advices that explained it when it was decided, separated by blanks."""
    return {
        row.posting_id: row.advice_ids
        for row in tx.rows("SELECT posting_id, advice_ids FROM advised_postings WHERE shop_id = $1", tx.shop_id)
    }


def set_explained(tx: ShopTx, said: Mapping[str, str]) -> None:
    """Keeps the advices that explained these postings; "" for none."""
    forget_explained(tx, list(said))
    kept = {posting: ids for posting, ids in said.items() if ids}
    if kept:
        tx.run(
            "INSERT INTO advised_postings (shop_id, posting_id, advice_ids) SELECT $1, r.p, r.a"
            " FROM unnest($2::text[], $3::text[]) r(p, a)"
            " ON CONFLICT (shop_id, posting_id) DO UPDATE SET advice_ids = excluded.advice_ids",
            tx.shop_id, list(kept), list(kept.values()),
        )  # fmt: skip


def forget_explained(tx: ShopTx, postings: Sequence[str]) -> None:
    """Marks these postings as explained by no advice."""
    tx.run(
        "DELETE FROM advised_postings WHERE shop_id = $1 AND posting_id = ANY($2)",
        tx.shop_id,
        text_array(sorted(postings)),
    )
