"""Payers in PostgreSQL: people's rules for them, and their fees learned from payouts (D-36)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from paymatch.domain.matching.model import Decision, Payer
from paymatch.domain.matching.several.payouts import MANY_CUSTOMERS
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.payers import payer_of
from paymatch.domain.matching.text.stated import stated_fee
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind, KeptPayout, PayerTariffs, tariffs_of
from paymatch.domain.payer_rules import PayerRule, RuleAction
from paymatch.domain.postings import Posting
from paymatch.store.matching import matching
from paymatch.store.sealing import POSTING_PARTY, RULE_PAYER
from paymatch.store.statements.posting_documents import opened_facts
from paymatch.store.statements.postings import StoredPosting
from paymatch.store.transactions import ShopTx

_COLUMNS: Final = "id, action, iban, name, words, reason, customer_number, customer_name, active, author, made_at"


def list_rules(tx: ShopTx) -> list[PayerRule]:
    """The shop's rules, the oldest first, as they are tried."""
    rows = tx.named(f"SELECT {_COLUMNS} FROM payer_rules WHERE shop_id = $1 ORDER BY made_at, id", tx.shop_id)
    return [_rule(tx, row) for row in rows]


def find_rule(tx: ShopTx, rule_id: str) -> PayerRule | None:
    """The rule, locked until the transaction ends; None if there is none with this id."""
    rows = tx.named(
        f"SELECT {_COLUMNS} FROM payer_rules WHERE shop_id = $1 AND id = $2 FOR UPDATE", tx.shop_id, rule_id
    )
    return _rule(tx, rows[0]) if rows else None


def _rule(tx: ShopTx, row: dict[str, Any]) -> PayerRule:
    made = {"action": RuleAction(row["action"]), "words": tuple(row["words"])}
    return PayerRule(**row | made | {"iban": tx.vault().open(RULE_PAYER, row["iban"])})


def add_rule(tx: ShopTx, rule: PayerRule) -> None:
    """Keeps a new rule."""
    tx.run(
        f"INSERT INTO payer_rules (shop_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        *(tx.shop_id, rule.id, rule.action, tx.vault().seal(RULE_PAYER, rule.iban), rule.name, list(rule.words)),
        *(rule.reason, rule.customer_number, rule.customer_name, rule.active, rule.author, rule.made_at),
    )


def switch_rule(tx: ShopTx, rule_id: str, *, active: bool) -> None:
    """Switches the rule on or off."""
    tx.run("UPDATE payer_rules SET active = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, rule_id, active)


def delete_rule(tx: ShopTx, rule_id: str) -> None:
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


_LAST: Final = 24
"""Payouts of a payer that are looked at: twelve of several orders, and as many of one."""
_OPEN: Final = 500

_KEPT: Final = """
SELECT p.facts, k.credited, k.orders, k.withheld
FROM unnest($2::text[]) w(iban), LATERAL (
    SELECT * FROM postings x WHERE x.shop_id = $1 AND x.counterparty_iban = w.iban AND x.collective
      AND x.status = 'matched' AND x.amount_minor > 0 AND x.allocated_minor = x.amount_minor
    ORDER BY x.booking_date DESC, x.id DESC LIMIT $3) p, LATERAL (
    SELECT sum(a.amount_minor + a.withheld_minor)::bigint AS credited, count(*) AS orders,
           coalesce(sum(a.withheld_minor) FILTER (WHERE a.fee_kind = ANY($4)), 0)::bigint AS withheld
    FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id AND a.kind = 'payment') k
WHERE k.withheld > 0 AND EXISTS (SELECT FROM postings h WHERE h.shop_id = $1 AND h.counterparty_iban = w.iban
    AND h.collective AND h.status = 'matched' AND (h.by_hand OR $5 <= (
        SELECT count(*) FROM allocations c WHERE c.shop_id = $1 AND c.posting_id = h.id AND c.kind = 'payment'
          AND c.fee_kind = ANY($4))))
ORDER BY p.booking_date DESC, p.id DESC"""


def tariffs(tx: ShopTx, postings: Sequence[Posting]) -> dict[Payer, PayerTariffs]:
    """The fees of these postings' payers from their last payouts.

    Payers without fees are left out, and those without a payout that a person confirmed or that lists orders of many
    customers (D-84).
    """
    vault = tx.vault()
    ibans = sorted({posting.counterparty_iban for posting in postings})
    stored = [text for iban in ibans for text in vault.lookups(POSTING_PARTY, iban) or [iban]]
    kept: dict[Payer, list[KeptPayout]] = {}
    for facts, credited, orders, withheld in tx.rows(
        _KEPT, tx.shop_id, stored, _LAST, sorted(PAYOUT_FEES), MANY_CUSTOMERS
    ):
        posting = opened_facts(facts, vault)
        in_text = stated_fee(flat(posting.text)).is_of(credited, orders, withheld)
        stated = in_text or withheld == posting.charges_minor
        kept.setdefault(payer_of(posting), []).append(KeptPayout(credited, orders, withheld, stated))
    found = {payer: tariffs_of(samples) for payer, samples in kept.items()}
    return {payer: tariff for payer, tariff in found.items() if tariff is not None}


def mark_payer_for_rematch(tx: ShopTx, posting: Posting, now: datetime) -> None:
    """Schedules the open postings of this payer: its fee is known now."""
    rows = tx.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND status IN ('suggested', 'unmatched')"
        " AND counterparty_iban = ANY($2) AND counterparty_name = $3 LIMIT $4",
        tx.shop_id,
        tx.vault().lookups(POSTING_PARTY, posting.counterparty_iban) or [""],
        posting.counterparty_name,
        _OPEN,
    )
    matching.mark_postings_for_rematch(tx, [row[0] for row in rows], now)


def mark_proved_payers_for_rematch(
    tx: ShopTx, decisions: Sequence[Decision], postings: Mapping[str, StoredPosting], now: datetime
) -> None:
    """Schedules the open postings of payers that have just listed orders of many customers, less a fee."""
    for decision in decisions:
        allocations = decision.match.allocations if decision.match is not None else ()
        if sum(each.fee_kind in PAYOUT_FEES for each in allocations) >= MANY_CUSTOMERS:
            mark_payer_for_rematch(tx, postings[decision.posting_id].posting, now)


class KeptRow(NamedTuple):
    """A posting with a withheld amount, by kind; amounts in minor units of its currency."""

    posting_id: str
    posting: Posting
    kind: FeeKind
    orders: int
    credited_minor: int
    withheld_minor: int


_WITHHELD: Final = """
SELECT p.id, p.facts, a.fee_kind, count(*) AS orders,
       sum(a.amount_minor + a.withheld_minor)::bigint AS credited_minor, sum(a.withheld_minor)::bigint AS withheld_minor
FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
WHERE a.shop_id = $1 AND a.withheld_minor <> 0 AND a.fee_kind <> 'REMINDER_FEE'
  AND ($2::date IS NULL OR p.booking_date >= $2)
  AND ($3::date IS NULL OR p.booking_date <= $3)
GROUP BY p.id, p.facts, p.booking_date, a.fee_kind ORDER BY p.booking_date, p.id, a.fee_kind"""


def withheld(tx: ShopTx, first: date | None, last: date | None) -> Iterator[KeptRow]:
    """Amounts withheld from the postings of these days, returned ones counted negative."""
    vault = tx.vault()
    for row in tx.stream(_WITHHELD, tx.shop_id, first, last):
        posting, kind = opened_facts(row.facts, vault), FeeKind(row.fee_kind)
        yield KeptRow(row.id, posting, kind, row.orders, row.credited_minor, row.withheld_minor)
