"""The invariants of the books, verified: what is wrong, with which order, posting or refund (DESIGN.md section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.domain.settlement import payment_status
from paymatch.domain.shops import Shop
from paymatch.store import ledger
from paymatch.store.database import Database, ShopId, Tx

_PAGE: Final = 2000


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold."""

    shop: str
    rule: str
    subject: str
    text: str


_RULES: Final[tuple[tuple[str, str], ...]] = (
    (
        "posting = allocated + open",
        "SELECT p.id, 'allocated ' || p.allocated_minor || ', but its allocations are ' || coalesce(a.total, 0)"
        " FROM postings p LEFT JOIN (SELECT posting_id, sum(amount_minor) AS total FROM allocations WHERE shop_id = $1"
        " GROUP BY 1) a ON a.posting_id = p.id WHERE p.shop_id = $1 AND p.allocated_minor <> coalesce(a.total, 0)",
    ),
    (
        "no posting is allocated beyond its amount",
        "SELECT id, 'amount ' || amount_minor || ', allocated ' || allocated_minor FROM postings WHERE shop_id = $1"
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
        " AND r.transfer_file_id = '' AND r.posting_id = ''",
    ),
)


def check_shop(database: Database, shop: Shop) -> list[Violation]:
    """All violations of a shop's books; an empty list is what should come back."""
    found: list[Violation] = []
    with database.transaction(ShopId(shop.id)) as tx:
        tx.run("SET LOCAL transaction_isolation = 'repeatable read'")
        for rule, statement in _RULES:
            found += [Violation(str(shop.id), rule, row[0], row[1]) for row in tx.rows(statement, shop.id)]
        found += _statuses(tx, shop)
    return found


def _statuses(tx: Tx, shop: Shop) -> list[Violation]:
    """amountPaid and paymentStatus of every order against the books."""
    found: list[Violation] = []
    after = ""
    while True:
        rows = tx.rows(
            "SELECT number FROM orders WHERE shop_id = $1 AND number > $2 ORDER BY number LIMIT $3",
            shop.id,
            after,
            _PAGE,
        )
        if not rows:
            return found
        numbers = [row[0] for row in rows]
        after = numbers[-1]
        for books in ledger.load(tx, ShopId(shop.id), numbers, shop.tolerance_minor):
            written = (books.written_paid_minor, books.written_refunded_minor)
            counted = (books.ledger.paid_minor, books.ledger.refunded_minor)
            if written != counted:
                text = f"written {written}, counted {counted} (paid, refunded in minor units)"
                found.append(Violation(str(shop.id), "amountPaid = postings - refunds", books.number, text))
            status = payment_status(books.ledger, books.mark)
            if status is not books.status:
                text = f"status {books.status}, the books say {status}"
                found.append(Violation(str(shop.id), "paymentStatus = f(books)", books.number, text))
