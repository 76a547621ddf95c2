"""Rules that people have made from decisions, and the postings of the past that one of them is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from paymatch.domain.payer_rules import PayerRule, RuleAction
from paymatch.store.sealing import POSTING_PARTY, RULE_PAYER
from paymatch.store.transactions import ShopTx

_COLUMNS: Final = "id, action, iban, name, words, reason, customer_number, customer_name, active, author, made_at"


def list_rules(tx: ShopTx) -> list[PayerRule]:
    """The shop's rules, the oldest first, as they are tried."""
    rows = tx.named(f"SELECT {_COLUMNS} FROM payer_rules WHERE shop_id = $1 ORDER BY made_at, id", tx.shop_id)
    return [_rule(tx, row) for row in rows]


def find(tx: ShopTx, rule_id: str) -> PayerRule | None:
    """The rule, locked until the transaction ends; None if there is none of this id."""
    rows = tx.named(
        f"SELECT {_COLUMNS} FROM payer_rules WHERE shop_id = $1 AND id = $2 FOR UPDATE", tx.shop_id, rule_id
    )
    return _rule(tx, rows[0]) if rows else None


def _rule(tx: ShopTx, row: dict[str, Any]) -> PayerRule:
    made = {"action": RuleAction(row["action"]), "words": tuple(row["words"])}
    return PayerRule(**row | made | {"iban": tx.vault().open(RULE_PAYER, row["iban"])})


def add(tx: ShopTx, rule: PayerRule) -> None:
    """Keeps a new rule."""
    tx.run(
        f"INSERT INTO payer_rules (shop_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        *(tx.shop_id, rule.id, rule.action, tx.vault().seal(RULE_PAYER, rule.iban), rule.name, list(rule.words)),
        *(rule.reason, rule.customer_number, rule.customer_name, rule.active, rule.author, rule.made_at),
    )


def switch(tx: ShopTx, rule_id: str, *, active: bool) -> None:
    """The rule is in force, or no longer."""
    tx.run("UPDATE payer_rules SET active = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, rule_id, active)


def delete(tx: ShopTx, rule_id: str) -> None:
    """Forgets the rule."""
    tx.run("DELETE FROM payer_rules WHERE shop_id = $1 AND id = $2", tx.shop_id, rule_id)


def names_since(tx: ShopTx, since: date, limit: int) -> list[tuple[Any, ...]]:
    """(id, payer's name) of the latest postings since the day."""
    return tx.rows(
        "SELECT id, counterparty_name FROM postings WHERE shop_id = $1 AND booking_date >= $2"
        " ORDER BY booking_date DESC, id LIMIT $3",
        *(tx.shop_id, since, limit),
    )


def ids_of_account(tx: ShopTx, iban: str, since: date, limit: int) -> list[str]:
    """The latest postings of a payer's account since the day."""
    rows = tx.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND counterparty_iban = ANY($2) AND booking_date >= $3"
        " ORDER BY booking_date DESC, id LIMIT $4",
        *(tx.shop_id, tx.vault().lookups(POSTING_PARTY, iban), since, limit),
    )
    return [row[0] for row in rows]


def naming_orders(tx: ShopTx, posting_ids: Sequence[str]) -> set[str]:
    """Those of the open postings whose text names an order that they may be for."""
    rows = tx.rows(
        "SELECT DISTINCT posting_id FROM suggested_orders WHERE shop_id = $1 AND posting_id = ANY($2) AND contested",
        *(tx.shop_id, list(posting_ids)),
    )
    return {row[0] for row in rows}


def aside_reasons(tx: ShopTx, posting_ids: Sequence[str]) -> dict[str, str]:
    """Posting -> why it was set aside or ignored, of those that were."""
    rows = tx.rows(
        "SELECT id, aside_reason FROM postings WHERE shop_id = $1 AND id = ANY($2) AND aside_reason <> ''",
        *(tx.shop_id, list(posting_ids)),
    )
    return {row[0]: row[1] for row in rows}


def asides_of_account(tx: ShopTx, iban: str, limit: int) -> list[tuple[str, str]]:
    """(reason, status) of the latest postings of a payer's account that a person set aside or ignored."""
    rows = tx.rows(
        "SELECT aside_reason, status FROM postings WHERE shop_id = $1 AND counterparty_iban = ANY($2)"
        " AND aside_reason <> '' ORDER BY decided_at DESC NULLS LAST, booking_date DESC, id LIMIT $3",
        *(tx.shop_id, tx.vault().lookups(POSTING_PARTY, iban), limit),
    )
    return [(row[0], row[1]) for row in rows]


def same_asides(tx: ShopTx, posting_id: str) -> tuple[str, str, int] | None:
    """(payer's name, reason, how many of the account's postings have it) of a posting that was set aside or ignored."""
    row = tx.row(
        "SELECT p.counterparty_name AS name, p.aside_reason AS reason, (SELECT count(*) FROM postings o"
        " WHERE o.shop_id = $1 AND o.counterparty_iban = p.counterparty_iban AND o.aside_reason = p.aside_reason"
        " AND o.aside_reason <> '') AS times"
        " FROM postings p WHERE p.shop_id = $1 AND p.id = $2 AND p.aside_reason <> '' AND p.counterparty_iban <> ''",
        tx.shop_id,
        posting_id,
    )
    return (row.name, row.reason, row.times) if row is not None else None
