"""Payouts as they are booked: what they teach of their payers' fees, and what each payer has kept (D-36)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from paymatch.domain.matching.model import Decision, Payer
from paymatch.domain.matching.several.payouts import MANY_CUSTOMERS
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.payers import payer_of
from paymatch.domain.matching.text.stated import stated_fee
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind, KeptPayout, PayerTariffs, tariffs_of
from paymatch.domain.postings import Posting
from paymatch.store.matching import matching
from paymatch.store.sealing import POSTING_PARTY
from paymatch.store.statements.posting_facts import opened_facts
from paymatch.store.statements.postings import StoredPosting
from paymatch.store.transactions import ShopTx

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
    """What the payers of these postings have kept of their last payouts.

    Payers that kept nothing are left out, and those of which neither a person has confirmed a payout, nor one that
    lists orders of many customers was matched (D-84).
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
    """The open postings of this payer are decided again: its fee is known now."""
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
    """The open postings of payers that have just listed orders of many customers, less a fee, are decided again."""
    for decision in decisions:
        allocations = decision.match.allocations if decision.match is not None else ()
        if sum(each.fee_kind in PAYOUT_FEES for each in allocations) >= MANY_CUSTOMERS:
            mark_payer_for_rematch(tx, postings[decision.posting_id].posting, now)


class KeptRow(NamedTuple):
    """A posting of which something was withheld, by kind; amounts in minor units of its currency."""

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
    """What was withheld of the postings of these days, those given back counted negative."""
    vault = tx.vault()
    for row in tx.stream(_WITHHELD, tx.shop_id, first, last):
        posting, kind = opened_facts(row.facts, vault), FeeKind(row.fee_kind)
        yield KeptRow(row.id, posting, kind, row.orders, row.credited_minor, row.withheld_minor)
