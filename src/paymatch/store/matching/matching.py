"""Data for the matching engine: keys of orders and postings, the facts of orders."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import Final

import msgspec

from paymatch.domain.matching.model import AllocationProposal, Delay, FirstSuggestion, OrderFacts, PastPosting
from paymatch.domain.matching.returns import MAX_AGE_DAYS, most_returned
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.postings import Posting
from paymatch.domain.words.message import as_text
from paymatch.store.connection import text_array
from paymatch.store.key_lookups import row_by_key
from paymatch.store.matching import rematch_calls
from paymatch.store.matching.order_facts import OrderColumns, order_facts, who_ordered
from paymatch.store.sealing import LEARNT, POSTING_PARTY
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.statements.posting_documents import opened_facts
from paymatch.store.statements.postings import allocations
from paymatch.store.transactions import ShopId, ShopTx, Tx

_JSON: Final = msgspec.json.Encoder(enc_hook=as_text)

DROP_ORDER_KEYS: Final = "DELETE FROM match_keys WHERE shop_id = $1 AND number = ANY($2)"
SAVE_ORDER_KEYS: Final = (
    "INSERT INTO match_keys (shop_id, key, number, while_open) SELECT $1, unnest(r.k), r.n, r.o"
    " FROM json_to_recordset($2::json) AS r(n text, k bigint[], o boolean) ON CONFLICT DO NOTHING"
)
DROP_KEYS: Final = (
    "DELETE FROM match_keys WHERE shop_id = $1 AND key = ANY($2) AND number = ANY($3)"
    " AND key || ' ' || number = ANY($4)"  # no join: it would compare each row with each that is to go
)


_GATE: Final = "hashtextextended('order keys of ' || $1, 0)"
SHARE_GATE: Final = f"SELECT pg_advisory_xact_lock_shared({_GATE})"


def await_submissions(tx: ShopTx) -> None:
    """Returns when each transaction that has stored keys of orders has ended; LockNotAcquired if one takes too long."""
    tx.run(f"SELECT pg_advisory_xact_lock({_GATE})", str(tx.shop_id))


def save_order_keys(
    tx: ShopTx, keys: Mapping[str, tuple[Collection[int], Collection[int]]], replaced: Sequence[str]
) -> None:
    """Stores the look-up keys of orders (lasting ones, ones while open); those of the `replaced` are removed first.

    A concurrent matching batch can wait for the end of this transaction: `await_submissions`.
    """
    tx.put(SHARE_GATE, str(tx.shop_id))
    if replaced:
        tx.put(DROP_ORDER_KEYS, tx.shop_id, list(replaced))
    rows = [
        {"n": number, "k": sorted(found), "o": place == 1}
        for number, pair in keys.items()
        for place, found in enumerate(pair)
        if found
    ]
    if rows:
        tx.put(SAVE_ORDER_KEYS, tx.shop_id, _JSON.encode(rows).decode())


def keys_of_orders(tx: ShopTx, numbers: Sequence[str]) -> dict[str, set[int]]:
    """Order number -> its stored lookup keys, of orders that have any."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, key in tx.rows(
        "SELECT number, key FROM match_keys WHERE shop_id = $1 AND number = ANY($2)", tx.shop_id, list(numbers)
    ):
        found[number].add(key)
    return dict(found)


def drop_keys(tx: ShopTx, keys: Sequence[tuple[str, int]]) -> None:
    """Removes these keys of orders: (order number, key)."""
    if keys:
        numbers, together = [number for number, _ in keys], [f"{key} {number}" for number, key in keys]
        tx.put(DROP_KEYS, tx.shop_id, [key for _, key in keys], text_array(numbers), text_array(together))


def drop_open_keys(tx: ShopTx, numbers: Sequence[str]) -> None:
    """All keys that find the orders only while they await money."""
    tx.put("DELETE FROM match_keys WHERE shop_id = $1 AND number = ANY($2) AND while_open", tx.shop_id, list(numbers))


@dataclass(frozen=True, slots=True)
class RematchIndex:
    """What finds an open posting again: its lookup keys, and the orders that it may be meant for.

    `suggested` are those that its suggestions name, `contested` those among them that its text names.
    """

    keys: Collection[int]
    suggested: Collection[str] = ()
    contested: Collection[str] = ()


def save_rematch_index(tx: ShopTx, indexes: Mapping[str, RematchIndex]) -> None:
    """Stores the traces of open postings, replacing their earlier ones."""
    forget_rematch_index(tx, list(indexes))
    rows = [{"p": posting, "k": sorted(left.keys)} for posting, left in indexes.items() if left.keys]
    if rows:
        tx.put(
            "INSERT INTO posting_keys (shop_id, key, posting_id) SELECT $1, unnest(r.k), r.p"
            " FROM json_to_recordset($2::json) AS r(p text, k bigint[]) ON CONFLICT DO NOTHING",
            tx.shop_id,
            _JSON.encode(rows).decode(),
        )
    named = [
        (number, posting, number in left.contested) for posting, left in indexes.items() for number in left.suggested
    ]
    if named:
        tx.put(
            "INSERT INTO suggested_orders (shop_id, order_number, posting_id, contested) SELECT $1, n, p, c"
            " FROM unnest($2::text[], $3::text[], $4::boolean[]) s(n, p, c) ON CONFLICT DO NOTHING",
            tx.shop_id,
            *map(list, zip(*named, strict=True)),
        )


def forget_rematch_index(tx: ShopTx, postings: Sequence[str]) -> None:
    """Removes the traces of these postings: they are decided."""
    if postings:
        tx.put("DELETE FROM posting_keys WHERE shop_id = $1 AND posting_id = ANY($2)", tx.shop_id, list(postings))
        tx.put("DELETE FROM suggested_orders WHERE shop_id = $1 AND posting_id = ANY($2)", tx.shop_id, list(postings))


LOOKED_UP_AT_ONCE: Final = 2_000
"""Keys of a statement: each may find as many orders as the limit allows, and they are in memory together."""
HITS: Final = """
SELECT w.key, m.number FROM unnest($2::bigint[]) w(key), LATERAL (
    SELECT number FROM match_keys WHERE shop_id = $1 AND key = w.key ORDER BY number LIMIT $3 + 1) m"""


def find_orders(tx: ShopTx, keys: Collection[int], limit: int) -> tuple[dict[int, list[str]], frozenset[int]]:
    """(key -> order numbers, keys that more than `limit` orders have): each key costs one bounded index look-up.

    A key of more orders than that finds none: the first of thousands by number are as good as any other.

    Written as one look-up per key, because a table that has just been filled has no statistics yet: the planner would
    rather read all rows of the shop for a long list of keys.
    """
    hits: dict[int, list[str]] = {}
    overflowed: set[int] = set()
    texts: dict[str, str] = {}
    wanted = sorted(keys)
    for start in range(0, len(wanted), LOOKED_UP_AT_ONCE):
        some = wanted[start : start + LOOKED_UP_AT_ONCE]
        found: defaultdict[int, list[str]] = defaultdict(list)
        for key, number in tx.rows(HITS, tx.shop_id, text_array(list(map(str, some))), limit):
            found[key].append(texts.setdefault(number, number))  # each text is kept once
        overflowed.update(key for key, numbers in found.items() if len(numbers) > limit)
        hits.update((key, numbers) for key, numbers in found.items() if len(numbers) <= limit)
    return hits, frozenset(overflowed)


FACTS: Final = f"""
SELECT o.doc, o.number, o.type, o.currency, o.amount_minor, o.order_date, o.due_date, o.exchange_rate, o.status,
       CASE WHEN o.exchange_rate IS NULL THEN '' ELSE coalesce(
            (SELECT b.currency FROM bank_accounts b WHERE b.shop_id = $1 AND b.currency = o.currency AND b.confirmed
             LIMIT 1), (SELECT s.currency FROM shops s WHERE s.shop_id = $1)) END AS asked_in,
       o.reference, o.postings_minor, o.refunded_minor, o.last_posting_date, o.invoice_terms,
       ARRAY(SELECT r.reference FROM refunds r WHERE r.shop_id = $1 AND r.order_number = o.number)
           AS refund_references,
       (SELECT true FROM suggested_orders c WHERE c.shop_id = $1 AND c.order_number = o.number AND c.contested
        LIMIT 1) IS NOT NULL AS contested,
       (SELECT json_object_agg(f.posting_id, f.booking_date) FROM first_suggestions f
        WHERE f.shop_id = $1 AND f.order_number = o.number) AS first_for,
       ARRAY(SELECT i.invoice_number FROM invoices i WHERE i.shop_id = $1 AND i.order_number = o.number
             UNION SELECT i.terms::json->>'key' FROM invoices i WHERE i.shop_id = $1 AND i.order_number = o.number
             AND i.terms <> '' AND i.terms::json->>'key' <> ''
             UNION SELECT c.file FROM collections c WHERE c.shop_id = $1 AND c.order_number = o.number
             AND c.active AND c.file <> '' ORDER BY 1) AS invoices,
       (SELECT max(n.said_at)::date FROM customer_notices n WHERE n.shop_id = $1 AND n.order_number = o.number
        AND n.kind = 'paid' AND n.lifted_at IS NULL) AS announced_date,
       o.status = 'CANCELLED' AND EXISTS (SELECT FROM events e WHERE e.shop_id = $1 AND e.order_number = o.number
        AND e.order_seq = o.event_count AND e.cause = 'lapsed') AS lapsed
FROM unnest($2::text[]) w(number) CROSS JOIN {row_by_key("orders", "number", "w.number")} o"""


def load_orders(tx: ShopTx, numbers: Collection[str]) -> dict[str, OrderFacts]:
    """The facts of the orders by number."""
    found: dict[str, OrderFacts] = {}
    for row in tx.rows(FACTS, tx.shop_id, list(numbers)):
        columns = OrderColumns(
            number=row.number,
            type=row.type,
            currency=row.currency,
            amount_minor=row.amount_minor,
            order_date=row.order_date,
            due_date=row.due_date,
            exchange_rate=row.exchange_rate,
            asked_in=row.asked_in,
            status=PaymentStatus(row.status),
            reference=row.reference,
            paid_minor=row.postings_minor,
            refunded_minor=row.refunded_minor,
            last_posting_date=row.last_posting_date,
            refund_references=tuple(row.refund_references),
            contested=row.contested,
            lapsed=row.lapsed,
            first_for=tuple(
                FirstSuggestion(date.fromisoformat(booked), posting)
                for posting, booked in (row.first_for or {}).items()
            ),
            uploaded_invoices=tuple(row.invoices),
            announced_date=row.announced_date,
            invoice_terms=row.invoice_terms,
        )
        found[columns.number] = order_facts(row.doc, columns)
    return found


MAX_FACTS: Final = 1_000_000
"""Bytes of facts of postings decided together: some hundred typical ones, a dozen of the longest."""


def mark_for_rematch(tx: ShopTx, keys: Collection[int], now: datetime, limit: int) -> None:
    """Marks open postings that share a key as due for matching. Keys shared by many are ignored."""
    tx.put(rematch_calls.FOR_KEYS, tx.shop_id, now, list(keys), limit)


def mark_suggested_for_rematch(tx: ShopTx, numbers: Collection[str], now: datetime) -> None:
    """Marks open postings whose suggestions name one of the orders as due for matching."""
    tx.put(rematch_calls.FOR_SUGGESTED, tx.shop_id, now, list(numbers))


def mark_postings_for_rematch(tx: ShopTx, postings: Collection[str], now: datetime) -> int:
    """Marks those of the postings that are open as due for matching; their number."""
    return tx.run(rematch_calls.BY_ID, tx.shop_id, now, list(postings)) if postings else 0


def mark_returns_for_rematch(tx: ShopTx, decided: Sequence[Posting], now: datetime) -> int:
    """Schedules matching of returns that wait for one of these postings; returns the number of returns.

    So a return that is decided before the debit or payment that it reverses ends like one decided after it. Returned
    payments call nothing themselves: two kinds of returns would call each other for ever.
    """
    ranges: dict[tuple[str, str, bool], int] = {}
    for each in decided:
        is_debit = each.amount_minor < 0
        if is_debit or not each.is_return:
            key = each.account, each.currency, is_debit
            ranges[key] = max(ranges.get(key, 0), -each.amount_minor if is_debit else most_returned(each.amount_minor))
    if not ranges:
        return 0
    accounts, currencies = [key[0] for key in ranges], [key[1] for key in ranges]
    least = [1 if is_debit else -most for (_, _, is_debit), most in ranges.items()]
    most_of = [most if is_debit else -1 for (_, _, is_debit), most in ranges.items()]
    return tx.run(rematch_calls.FOR_RETURNS, tx.shop_id, now, accounts, currencies, least, most_of)


def mark_all_for_rematch(tx: ShopTx, now: datetime) -> int:
    """Marks all open postings of the shop as due for matching; their number."""
    return tx.run(rematch_calls.ALL, tx.shop_id, now)


def due_for_rematch(tx: ShopTx, now: datetime, limit: int) -> list[str]:
    """Claims postings whose matching is due, fewer if their texts are long; they stay locked to the transaction's end.

    New ones first, so that one that many orders call again and again is decided once, after them.
    """
    rows = tx.rows(
        "SELECT id, octet_length(facts) FROM postings WHERE shop_id = $1 AND rematch_at <= $2"
        " ORDER BY decided_at NULLS FIRST, id LIMIT $3 FOR UPDATE SKIP LOCKED",
        tx.shop_id,
        now,
        limit,
    )
    read = accumulate(length for _, length in rows)
    return [row[0] for row, until in zip(rows, read, strict=True) if until <= MAX_FACTS or row is rows[0]]


def rematch_done(tx: ShopTx, postings: Sequence[str]) -> None:
    """Clears the due mark of postings that the engine must not decide."""
    if postings:
        tx.put("UPDATE postings SET rematch_at = NULL WHERE shop_id = $1 AND id = ANY($2)", tx.shop_id, list(postings))


_OTHER_SIDE: Final = """
    SELECT id FROM postings WHERE shop_id = $1 AND account = $2 AND currency = $3 AND id <> $4
      AND booking_date BETWEEN $5 AND $6 AND sign(amount_minor) = -sign($7::bigint)"""
EARLIER: Final = f"""
SELECT p.id, p.facts, EXISTS (SELECT FROM allocations r JOIN allocations a ON a.shop_id = r.shop_id
                                AND a.order_number = r.order_number AND a.order_amount_minor = -r.order_amount_minor
                              WHERE r.shop_id = $1 AND r.kind = 'return' AND a.posting_id = p.id)
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
"""Postings by reference, amount or account of the other side: each way is an index of its own and ends at its limit."""


def earlier_postings(tx: ShopTx, posting_id: str, posting: Posting) -> tuple[PastPosting, ...]:
    """Postings of the other sign that this one may reverse."""
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
    allocated: dict[str, list[AllocationProposal]] = {}
    for row in allocations(tx, [row[0] for row in rows]):
        amounts_of = (row.amount_minor, row.order_amount_minor, row.withheld_minor, row.fee_kind)
        proposal = AllocationProposal(row.order_number, *amounts_of)
        allocated.setdefault(row.posting_id, []).append(proposal)
    return tuple(
        PastPosting(found, opened_facts(facts, vault), tuple(allocated.get(found, ())), returned=returned)
        for found, facts, returned in rows
    )


_CUSTOMERS: Final = """
SELECT w.iban, found.doc FROM unnest($2::text[]) w(iban), LATERAL (
    SELECT (SELECT o.doc FROM allocations a JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
            WHERE a.shop_id = $1 AND a.posting_id = p.id AND a.kind = 'payment' LIMIT 1) AS doc
    FROM postings p WHERE p.shop_id = $1 AND p.counterparty_iban = w.iban AND p.counterparty_iban <> ''
      AND p.amount_minor > 0 AND p.status = 'matched' AND p.by_hand AND NOT p.collective LIMIT 20) found
WHERE found.doc IS NOT NULL"""


def customers_of_ibans(tx: ShopTx, ibans: Collection[str]) -> dict[str, tuple[str, ...]]:
    """IBAN -> customer numbers, or names where there is none, of orders that it paid by a person's word (20 at most).

    Automatic matches teach nothing: customers choose names (D-80).
    """
    vault, found = tx.vault(), dict[str, dict[str, None]]()
    stored = {text: iban for iban in ibans for text in vault.lookups(POSTING_PARTY, iban)}
    for text, doc in tx.rows(_CUSTOMERS, tx.shop_id, list(stored)):
        found.setdefault(stored[text], {}).update(dict.fromkeys(who_ordered(doc)))
    return {iban: tuple(names) for iban, names in found.items()}


_BY_HAND: Final = """
SELECT p.facts, (SELECT o.doc FROM allocations a JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
                 WHERE a.shop_id = $1 AND a.posting_id = p.id AND a.kind = 'payment' LIMIT 1) AS doc
FROM postings p WHERE p.shop_id = $1 AND p.counterparty_iban <> '' AND p.amount_minor > 0 AND p.status = 'matched'
  AND p.by_hand AND NOT p.collective ORDER BY p.booking_date DESC, p.id DESC LIMIT $2"""


def matched_by_hand(tx: ShopTx, limit: int) -> list[tuple[str, str]]:
    """(IBAN, customer number or name) of the latest payments that people have matched, as `customers_of_ibans`."""
    vault = tx.vault()
    return [
        (opened_facts(row.facts, vault).counterparty_iban, customer)
        for row in tx.rows(_BY_HAND, tx.shop_id, limit)
        if row.doc is not None
        for customer in who_ordered(row.doc)
    ]


_LED_TO: Final = """
SELECT p.counterparty_iban AS stored, (SELECT o.doc FROM allocations a JOIN orders o
        ON o.shop_id = $1 AND o.number = a.order_number
        WHERE a.shop_id = $1 AND a.posting_id = p.id AND a.kind = 'payment' LIMIT 1) AS doc
FROM postings p WHERE p.shop_id = $1 AND p.counterparty_iban = ANY($2) AND p.counterparty_iban <> ''
  AND p.amount_minor > 0 AND p.status = 'matched' AND NOT p.by_hand AND $3 = ANY(string_to_array(p.matched_by, ' '))"""


def matches_led_to(tx: ShopTx, ibans: Collection[str], code: str) -> Counter[tuple[str, str]]:
    """(IBAN, customer number or name) -> the number of present automatic matches with this evidence."""
    vault, found = tx.vault(), Counter[tuple[str, str]]()
    stored = {text: iban for iban in ibans for text in vault.lookups(POSTING_PARTY, iban)}
    for row in tx.rows(_LED_TO, tx.shop_id, list(stored), code):
        if row.doc is not None:
            found.update((stored[row.stored], customer) for customer in who_ordered(row.doc))
    return found


_TEXTS: Final = 400


def last_texts(tx: ShopTx) -> list[tuple[str, str]]:
    """(text, payer's name) of the shop's latest payments."""
    rows = tx.rows(
        "SELECT remittance, counterparty_name FROM postings WHERE shop_id = $1 AND amount_minor > 0"
        " ORDER BY created_at DESC, id DESC LIMIT $2",
        tx.shop_id,
        _TEXTS,
    )
    return [(row[0], row[1]) for row in rows]


def last_delays(tx: ShopTx, limit: int) -> tuple[Delay, ...]:
    """How late the last paid orders were paid. On a day with more than `limit` the choice is arbitrary."""
    rows = tx.rows(
        "SELECT last_posting_date - order_date, last_posting_date - due_date FROM orders"
        " WHERE shop_id = $1 AND last_posting_date IS NOT NULL AND status = 'PAID'"
        " ORDER BY last_posting_date DESC LIMIT $2",
        tx.shop_id,
        limit,
    )
    return tuple(Delay(age, overdue) for age, overdue in rows)


def count_open_orders(tx: ShopTx) -> int:
    """About how many orders await money: exact up to 5,000, which is all that the engine distinguishes."""
    found: int = tx.value(
        "SELECT count(*) FROM (SELECT 1 FROM orders WHERE shop_id = $1 AND status IN ('UNPAID', 'PAID_PARTIAL')"
        " ORDER BY created_at LIMIT 5000) x",
        tx.shop_id,
    )
    return found


def shops_to_rematch(tx: Tx, clock: datetime) -> list[ShopId]:
    """Shops with due postings that are not claimed or backing off; needs the operator's view."""
    rows = tx.rows(
        "SELECT s.shop_id FROM shops s WHERE (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        " AND EXISTS (SELECT FROM postings p WHERE p.shop_id = s.shop_id"
        f" AND p.rematch_at <= {SHOP_NOW})"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = 'matching'"
        " AND (j.claimed_until > $1"
        f" OR j.due_at > {SHOP_NOW}))",
        clock,
    )
    return [ShopId(row[0]) for row in rows]


def load_learnt(tx: ShopTx) -> str:
    """The shop's learned matching state, as JSON; empty if there is none."""
    found: str | None = tx.value("SELECT learnt FROM shops WHERE shop_id = $1", tx.shop_id)
    return tx.vault().open(LEARNT, found or "")


def save_learnt(tx: ShopTx, text: str) -> None:
    """Stores the shop's learned matching state."""
    tx.run("UPDATE shops SET learnt = $2 WHERE shop_id = $1", tx.shop_id, tx.vault().seal(LEARNT, text))
