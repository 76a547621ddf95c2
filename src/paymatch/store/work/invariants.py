"""The invariants of the books as queries; each row is a violation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paymatch.store.letters import invariants as letters
from paymatch.store.payouts import invariants as payouts
from paymatch.store.reminders import invariants as reminders
from paymatch.store.transactions import ShopTx, Tx


def _units(minor: str, digits: str) -> str:
    """SQL of an amount in units of its currency, such as 12.30."""
    return f"round({minor} / 10::numeric ^ {digits}, {digits})"


_FILES_OF_REFUND: Final = (
    "SELECT count(*) FROM transfers t JOIN transfer_files f ON f.shop_id = $1 AND f.id = t.file_id"
    " WHERE t.shop_id = $1 AND t.refund_id = r.id AND t.attempt = r.attempt"
)
_DIGITS_OF_FILE: Final = "coalesce(max(r.digits), 2)"
_RULES: Final[tuple[tuple[str, str], ...]] = (
    (
        "posting = allocated + open",
        f"SELECT p.id, 'allocated ' || {_units('p.allocated_minor', 'p.digits')} || ', but its allocations are ' ||"
        f" {_units('coalesce(a.total, 0)', 'p.digits')} || ' ' || p.currency"
        " FROM postings p LEFT JOIN (SELECT posting_id, sum(amount_minor) AS total FROM allocations WHERE shop_id = $1"
        " GROUP BY 1) a ON a.posting_id = p.id WHERE p.shop_id = $1 AND p.allocated_minor <> coalesce(a.total, 0)",
    ),
    (
        "an order is credited its part of the posting and what was withheld of it",
        "SELECT a.posting_id, 'order ' || a.order_number || ' is credited ' ||"
        f" {_units('a.order_amount_minor', 'o.digits')} || ', its part is ' || {_units('a.amount_minor', 'p.digits')}"
        f" || ', withheld ' || {_units('a.withheld_minor', 'p.digits')} || ' ' || p.currency FROM allocations a"
        " JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " JOIN orders o ON o.shop_id = a.shop_id AND o.number = a.order_number"
        " WHERE a.shop_id = $1 AND p.currency = o.currency"
        " AND a.order_amount_minor <> a.amount_minor + a.withheld_minor",
    ),
    (
        "what is withheld has the sign of its part; a reminder fee the other one, and is no more than the part",
        f"SELECT a.posting_id, 'order ' || a.order_number || ', part ' || {_units('a.amount_minor', 'p.digits')} ||"
        f" ', withheld ' || {_units('a.withheld_minor', 'p.digits')} || ' ' || p.currency FROM allocations a"
        " JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id WHERE a.shop_id = $1 AND"
        " CASE WHEN a.fee_kind = 'REMINDER_FEE' THEN sign(a.amount_minor) * sign(a.withheld_minor) <> -1"
        " OR abs(a.withheld_minor) > abs(a.amount_minor) ELSE sign(a.amount_minor) * sign(a.withheld_minor) < 0 END",
    ),
    (
        "no posting is allocated beyond its amount",
        f"SELECT id, 'amount ' || {_units('amount_minor', 'digits')} || ', allocated ' ||"
        f" {_units('allocated_minor', 'digits')} || ' ' || currency FROM postings WHERE shop_id = $1"
        " AND (abs(allocated_minor) > abs(amount_minor) OR sign(allocated_minor) = -sign(amount_minor))"
        " AND allocated_minor <> 0",
    ),
    (
        "matched postings have allocations, others have none",
        "SELECT p.id, 'status ' || p.status FROM postings p WHERE p.shop_id = $1 AND (p.status = 'matched') <> EXISTS"
        " (SELECT FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id)",
    ),
    (
        "allocations belong to an order and a posting",
        "SELECT a.posting_id, 'order ' || a.order_number FROM allocations a"
        " LEFT JOIN orders o ON o.shop_id = a.shop_id AND o.number = a.order_number"
        " LEFT JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND (o.number IS NULL OR p.id IS NULL)",
    ),
    (
        "adjustments belong to an order",
        "SELECT a.id, 'order ' || a.order_number FROM adjustments a"
        " LEFT JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number AND o.currency = a.currency"
        " WHERE a.shop_id = $1 AND o.number IS NULL",
    ),
    (
        "no customer's credit is below zero",
        "SELECT customer, currency || ' ' || sum(minor) || ' minor units more were used than kept' FROM adjustments"
        " WHERE shop_id = $1 AND kind IN ('kept', 'used', 'returned') GROUP BY customer, currency"
        " HAVING sum(minor) > 0",
    ),
    (
        "no order returns more credit than was kept of it",
        "SELECT order_number, sum(minor) || ' minor units' FROM adjustments WHERE shop_id = $1"
        " AND kind IN ('kept', 'returned') GROUP BY order_number HAVING sum(minor) > 0",
    ),
    (
        "every line of a statement stands for a posting",
        "SELECT l.statement_id, 'entry ' || l.position || ' of ' || l.booking_date || ' stands for ' || l.posting_id"
        " || ', which is not booked'"
        " FROM statement_lines l LEFT JOIN postings p ON p.shop_id = $1 AND p.id = l.posting_id"
        " WHERE l.shop_id = $1 AND p.id IS NULL",
    ),
    (
        "events follow each other",
        "SELECT e.order_number, 'event ' || e.order_seq || ' begins with ' || e.from_status || ' after ' || p.to_status"
        " FROM events e JOIN events p ON p.shop_id = e.shop_id AND p.order_number = e.order_number"
        " AND p.order_seq = e.order_seq - 1 WHERE e.shop_id = $1 AND e.from_status <> p.to_status",
    ),
    (
        "the last event is the order's status",
        "SELECT o.number, 'status ' || o.status || ', last event ' || e.to_status FROM orders o JOIN events e"
        " ON e.shop_id = o.shop_id AND e.order_number = o.number AND e.order_seq = o.event_count"
        " WHERE o.shop_id = $1 AND e.to_status <> o.status",
    ),
    (
        "an order counts its events",
        "SELECT o.number, o.event_count || ' counted, ' || coalesce(e.n, 0) || ' stored' FROM orders o LEFT JOIN"
        " (SELECT order_number, count(*) AS n FROM events WHERE shop_id = $1 GROUP BY 1) e"
        " ON e.order_number = o.number WHERE o.shop_id = $1 AND o.event_count <> coalesce(e.n, 0)",
    ),
    (
        "each event has one callback",
        "SELECT e.order_number, 'event ' || e.seq || ' has ' || count(c.id) || ' callbacks' FROM events e"
        " LEFT JOIN callbacks c ON c.shop_id = e.shop_id AND c.event_seq = e.seq WHERE e.shop_id = $1"
        " GROUP BY e.order_number, e.seq HAVING count(c.id) <> 1",
    ),
    (
        "a processed refund is in one transfer file or was seen on the account",
        "SELECT r.id, 'order ' || r.order_number FROM refunds r WHERE r.shop_id = $1 AND r.status = 'PROCESSED'"
        f" AND r.posting_id = '' AND ({_FILES_OF_REFUND}) <> 1",
    ),
    (
        "a refund that is with the bank is in one transfer file",
        "SELECT r.id, 'order ' || r.order_number || ' is in ' || n.files || ' files' FROM refunds r, LATERAL"
        f" ({_FILES_OF_REFUND}) n(files) WHERE r.shop_id = $1 AND r.status = 'IN_PROCESS' AND n.files <> 1",
    ),
    (
        "a refund that was sent is what its transfer says",
        f"SELECT r.id, t.end_to_end_id || ' carries ' || {_units('t.amount_minor', 'r.digits')}"
        f" || ', the refund is ' || {_units('r.order_amount_minor', 'r.digits')} || ' ' || r.currency"
        " FROM refunds r JOIN transfers t ON t.shop_id = $1 AND t.refund_id = r.id WHERE r.shop_id = $1"
        " AND (t.amount_minor > r.amount_minor OR t.attempt > r.attempt OR (t.attempt = r.attempt"
        " AND (t.file_id <> r.transfer_file_id OR t.amount_minor <> r.order_amount_minor)))",
    ),
    (
        "the total of a transfer file is the sum of its refunds",
        f"SELECT f.id, f.transfers || ' refunds over ' || {_units('f.total_minor', _DIGITS_OF_FILE)} || ', its refunds"
        f" are ' || count(t.refund_id) || ' over ' || {_units('coalesce(sum(t.amount_minor), 0)', _DIGITS_OF_FILE)}"
        " || ' ' || f.currency FROM transfer_files f LEFT JOIN transfers t ON t.shop_id = $1 AND t.file_id = f.id"
        " LEFT JOIN refunds r ON r.shop_id = $1 AND r.id = t.refund_id WHERE f.shop_id = $1"
        " GROUP BY f.id, f.transfers, f.total_minor, f.currency HAVING count(t.refund_id) <> f.transfers"
        " OR coalesce(sum(t.amount_minor), 0) <> f.total_minor",
    ),
)


def freeze(tx: Tx) -> None:
    """Makes all queries of this transaction see the same moment; call it first."""
    tx.as_of_one_moment()


def broken_rules(tx: ShopTx) -> Iterator[tuple[str, str, str]]:
    """(rule, subject, fault) for every violation."""
    for rule, statement in (*_RULES, *reminders.RULES, *letters.RULES, *payouts.RULES):
        for subject, text in tx.rows(statement, tx.shop_id):
            yield rule, subject, text


def order_numbers(tx: ShopTx, after: str, limit: int) -> list[str]:
    """The next order numbers after `after`."""
    rows = tx.rows(
        "SELECT number FROM orders WHERE shop_id = $1 AND number > $2 ORDER BY number LIMIT $3",
        tx.shop_id,
        after,
        limit,
    )
    return [row[0] for row in rows]
