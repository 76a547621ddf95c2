"""Returned payments in PostgreSQL: what a return may reverse, those that matching has decided, orders that would owe
twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from paymatch.domain.matching.model import AllocationProposal, PastPosting
from paymatch.domain.matching.returns import MAX_AGE_DAYS, reference_of
from paymatch.domain.postings import Posting
from paymatch.store.sealing import POSTING_PARTY, Vault
from paymatch.store.statements.posting_documents import opened_facts
from paymatch.store.statements.postings import AllocationRow, allocations
from paymatch.store.transactions import ShopTx

_OTHER_SIDE: Final = """
    SELECT id FROM postings WHERE shop_id = $1 AND account = $2 AND currency = $3 AND id <> $4
      AND booking_date BETWEEN $5 AND $6 AND sign(amount_minor) = -sign($7::bigint)"""
_OF_ORDER: Final = "shop_id = $1 AND {0}.order_number = a.order_number AND {0}.order_amount_minor = {1}"
EARLIER: Final = f"""
SELECT p.id, p.facts, EXISTS (
    SELECT FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id AND a.kind IN ('payment', 'return')
      AND (SELECT count(*) FROM allocations r
           WHERE r.{_OF_ORDER.format("r", "-a.order_amount_minor")} AND r.kind = 'return')
       >= (SELECT count(*) FROM allocations s
           WHERE s.{_OF_ORDER.format("s", "a.order_amount_minor")} AND s.kind IN ('payment', 'return')))
FROM (
    SELECT found.id FROM unnest($8::text[]) reference, LATERAL ({_OTHER_SIDE}
      AND end_to_end_id = reference AND end_to_end_id <> '' LIMIT 50) found
    UNION
    SELECT found.id FROM unnest($9::bigint[]) amount, LATERAL ({_OTHER_SIDE}
      AND amount_minor = amount ORDER BY booking_date DESC LIMIT 50) found
    UNION
    SELECT found.id FROM unnest($10::text[]) iban, LATERAL ({_OTHER_SIDE}
      AND counterparty_iban = iban AND counterparty_iban <> '' ORDER BY booking_date DESC LIMIT 50) found
) near JOIN postings p ON p.shop_id = $1 AND p.id = near.id
ORDER BY p.booking_date DESC, p.id DESC"""
"""Postings by reference, amount or account of the other side: each way is an index of its own and ends at its limit.

One of the same amount was returned before if its order has at least as many returns of this amount as payments; a
return that was itself returned is one more payment."""
_RETURNS: Final = """
SELECT DISTINCT a.posting_id, p.id, p.facts FROM allocations a
JOIN allocations r ON r.shop_id = $1 AND r.order_number = a.order_number AND r.kind = 'return'
JOIN postings p ON p.shop_id = $1 AND p.id = r.posting_id
WHERE a.shop_id = $1 AND a.posting_id = ANY($2) AND r.posting_id <> a.posting_id
  AND abs(r.order_amount_minor) = abs(a.order_amount_minor)"""


def earlier_postings(tx: ShopTx, posting_id: str, posting: Posting) -> tuple[PastPosting, ...]:
    """Postings of the other sign that this one may reverse, the latest first."""
    vault = tx.vault()
    references = [text for text in (posting.original_end_to_end_id, posting.end_to_end_id) if text]
    amounts = [-posting.amount_minor]
    if posting.original_amount_minor is not None:
        amounts.append(posting.original_amount_minor if posting.amount_minor < 0 else -posting.original_amount_minor)
    rows = tx.rows(
        EARLIER, tx.shop_id, posting.account, posting.currency, posting_id,
        posting.booking_date - timedelta(days=MAX_AGE_DAYS), posting.booking_date, posting.amount_minor, references,
        amounts, vault.lookups(POSTING_PARTY, posting.counterparty_iban),
    )  # fmt: skip
    allocated: dict[str, list[AllocationRow]] = {}
    for row in allocations(tx, [row[0] for row in rows]):
        allocated.setdefault(row.posting_id, []).append(row)
    opened = {found: opened_facts(facts, vault) for found, facts, _ in rows}
    named = {found: each for found, each in opened.items() if each.end_to_end_id in references}
    reversed_by_name = _reversed_by_name(tx, named, vault)
    return tuple(
        PastPosting(
            found,
            opened[found],
            tuple(
                AllocationProposal(
                    row.order_number, row.amount_minor, row.order_amount_minor, row.withheld_minor, row.fee_kind
                )
                for row in allocated.get(found, ())
            ),
            returned=returned or found in reversed_by_name,
            was_return=any(row.kind == "return" for row in allocated.get(found, ())),
        )
        for found, _, returned in rows
    )


def _reversed_by_name(tx: ShopTx, named: dict[str, Posting], vault: Vault) -> frozenset[str]:
    """Those of the postings that were returned under their own end-to-end id, and not received again since."""
    alike = Counter((each.end_to_end_id, each.amount_minor) for each in named.values())
    net: Counter[str] = Counter()
    for past, _, facts in tx.rows(_RETURNS, tx.shop_id, list(named)) if named else ():
        each = opened_facts(facts, vault)
        if reference_of(each) == named[past].end_to_end_id:
            net[past] += 1 if each.amount_minor * named[past].amount_minor < 0 else -1
    return frozenset(
        past for past, posting in named.items() if net[past] >= alike[posting.end_to_end_id, posting.amount_minor]
    )


_AUTOMATIC: Final = """
SELECT DISTINCT p.id, p.booking_date FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind = 'return'
  AND p.status = 'matched' AND NOT p.by_hand AND p.id <> ALL($3)
  AND NOT EXISTS (SELECT FROM allocations b WHERE b.shop_id = $1 AND b.posting_id = p.id
                    AND b.order_number <> ALL($2))
ORDER BY p.booking_date, p.id"""

_BELOW_NOTHING: Final = """
SELECT a.order_number FROM allocations a
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind IN ('payment', 'return') AND a.posting_id <> ALL($3)
GROUP BY a.order_number HAVING sum(a.order_amount_minor) < 0"""


def automatic_returns(tx: ShopTx, numbers: Sequence[str], but: Sequence[str]) -> list[str]:
    """Ids of the returns that were matched automatically to these orders alone; without the postings `but`."""
    return [row[0] for row in tx.rows(_AUTOMATIC, tx.shop_id, list(numbers), list(but))]


def below_nothing(tx: ShopTx, numbers: Sequence[str], but: Sequence[str]) -> list[str]:
    """Those of the orders that have lost more than they received, if the postings `but` are left out."""
    return [row[0] for row in tx.rows(_BELOW_NOTHING, tx.shop_id, list(numbers), list(but))]
