"""The invariants of letters as questions to the database (D-52)."""

from __future__ import annotations

from typing import Final

LETTER_OUT: Final = "l.status IN ('PRINTED', 'SENT', 'POSTED', 'RETURNED', 'KEPT')"

RULES: Final[tuple[tuple[str, str], ...]] = (
    (
        "a reminder by letter is a letter that went out, and the other way round",
        "SELECT coalesce(r.order_number, l.order_number), 'level ' || coalesce(r.dunning_level, l.dunning_level)"
        " || CASE WHEN r.order_number IS NULL THEN ': no reminder' ELSE ': no letter' END"
        " FROM (SELECT order_number, dunning_level FROM reminders WHERE shop_id = $1 AND letter) r"
        " FULL JOIN (SELECT order_number, dunning_level FROM letters l WHERE shop_id = $1 AND kind = 'REMINDER'"
        f" AND {LETTER_OUT}) l ON l.order_number = r.order_number AND l.dunning_level = r.dunning_level"
        " WHERE r.order_number IS NULL OR l.order_number IS NULL",
    ),
    (
        "a reminder has the fee of its letter",
        "SELECT r.order_number, 'level ' || r.dunning_level || ', fee ' || r.fee_minor || ', its letter '"
        " || l.fee_minor"
        " FROM reminders r JOIN letters l ON l.shop_id = $1 AND l.order_number = r.order_number AND l.kind = 'REMINDER'"
        f" AND l.dunning_level = r.dunning_level AND {LETTER_OUT} WHERE r.shop_id = $1 AND r.letter"
        " AND r.fee_minor <> l.fee_minor",
    ),
    (
        "a letter that is to go out has its time or its person",
        "SELECT l.id, 'order ' || l.order_number || ' is ' || l.status FROM letters l WHERE l.shop_id = $1"
        " AND (l.status = 'NEW' AND l.due_at IS NULL OR l.status = 'PRINTING' AND NOT EXISTS (SELECT FROM letter_runs r"
        " WHERE r.shop_id = $1 AND r.id = l.run_id AND r.printed_at IS NULL AND r.undone_at IS NULL))",
    ),
)
