"""The invariants of payment information and reminders as questions to the database (D-33)."""

from __future__ import annotations

from typing import Final

from paymatch.store.letters.invariants import LETTER_OUT

_OUT: Final = "m.status IN ('SENT', 'KEPT', 'BOUNCED')"
_ASKS: Final = f"{_OUT} AND NOT m.thanks"
_TOLD: Final = "m.status IN ('SENT', 'KEPT') AND NOT m.thanks"
_STATUS_THEN: Final = (
    "coalesce((SELECT e.to_status FROM events e WHERE e.shop_id = $1 AND e.order_number = m.order_number"
    " AND e.order_seq = m.order_seq), (SELECT e.from_status FROM events e WHERE e.shop_id = $1"
    " AND e.order_number = m.order_number AND e.order_seq = m.order_seq + 1), o.status)"
)
_LONGEST_CALL: Final = "interval '1 hour'"
"""An event's moment is the start of its call or import; mail that was decided on meanwhile is not a breach."""

RULES: Final[tuple[tuple[str, str], ...]] = (
    (
        "mails, letters, reminders and what is due belong to an order",
        "SELECT x.id, 'order ' || x.number FROM (SELECT id, order_number AS number FROM mails WHERE shop_id = $1"
        " UNION ALL SELECT order_number, order_number FROM reminders WHERE shop_id = $1"
        " UNION ALL SELECT order_number, order_number FROM reminder_dues WHERE shop_id = $1"
        " UNION ALL SELECT id, order_number FROM letters WHERE shop_id = $1) x"
        " WHERE NOT EXISTS (SELECT FROM orders o WHERE o.shop_id = $1 AND o.number = x.number)",
    ),
    (
        "the dunning level is what an order came with and one for each reminder",
        "SELECT o.number, 'level ' || o.dunning_level || ', it came with ' || o.initial_dunning_level || ' and had '"
        " || coalesce(r.sent, 0) || ' reminders' || coalesce(', levels ' || r.lowest || ' to ' || r.highest, '')"
        " FROM orders o LEFT JOIN (SELECT order_number, count(*) AS sent, min(dunning_level) AS lowest,"
        " max(dunning_level) AS highest FROM reminders WHERE shop_id = $1 GROUP BY 1) r ON r.order_number = o.number"
        " WHERE o.shop_id = $1 AND (o.dunning_level <> o.initial_dunning_level + coalesce(r.sent, 0)"
        " OR r.lowest <> o.initial_dunning_level + 1 OR r.highest <> o.dunning_level)",
    ),
    (
        "a reminder by e-mail is a mail that went out, and the other way round",
        "SELECT coalesce(r.order_number, m.order_number), 'level ' || coalesce(r.dunning_level, m.dunning_level)"
        " || CASE WHEN r.order_number IS NULL THEN ': no reminder' ELSE ': no mail' END"
        " FROM (SELECT order_number, dunning_level FROM reminders WHERE shop_id = $1 AND email) r"
        " FULL JOIN (SELECT DISTINCT order_number, dunning_level FROM mails m WHERE shop_id = $1"
        f" AND dunning_level > 0 AND {_OUT}) m"
        " ON m.order_number = r.order_number AND m.dunning_level = r.dunning_level"
        " WHERE r.order_number IS NULL OR m.order_number IS NULL",
    ),
    (
        "no two mails of one level about one order",
        "SELECT order_number, 'level ' || dunning_level || ': ' || count(*) || ' mails' FROM mails WHERE shop_id = $1"
        " AND status IN ('PENDING', 'SENT', 'KEPT') GROUP BY order_number, dunning_level, correction, thanks"
        " HAVING count(*) > 1",
    ),
    (
        "a reminder has the day and the fee of its mail",
        "SELECT r.order_number, 'level ' || r.dunning_level || ' of ' || r.sent_date || ', fee ' || r.fee_minor"
        " || ', its mail of ' || (m.finished_at AT TIME ZONE 'UTC')::date || ', fee ' || m.fee_minor"
        " FROM reminders r JOIN mails m ON m.shop_id = $1 AND m.order_number = r.order_number"
        f" AND m.dunning_level = r.dunning_level AND {_OUT} WHERE r.shop_id = $1 AND r.email"
        " AND (r.fee_minor <> m.fee_minor OR abs(r.sent_date - (m.finished_at AT TIME ZONE 'UTC')::date) > 1)",
    ),
    (
        "mails about an order go out level by level",
        "SELECT order_number, 'level ' || dunning_level || ' went out at ' || to_char(at AT TIME ZONE 'UTC',"
        " 'YYYY-MM-DD HH24:MI') || ' UTC, before the level below it' FROM (SELECT order_number, dunning_level,"
        " finished_at AS at, lag(finished_at) OVER (PARTITION BY order_number ORDER BY dunning_level, finished_at)"
        f" AS below FROM mails m WHERE shop_id = $1 AND correction = 0 AND {_ASKS}) x"
        f" WHERE at < below - {_LONGEST_CALL}",
    ),
    (
        "corrected payment information states another amount than the mail before it",
        "SELECT order_number, 'correction ' || correction FROM (SELECT order_number, correction, told_minor,"
        " lag(told_minor) OVER (PARTITION BY order_number ORDER BY finished_at, correction) AS before"
        f" FROM mails m WHERE shop_id = $1 AND {_TOLD}) x WHERE correction > 0 AND told_minor = before",
    ),
    (
        "mail goes out for open orders only",
        f"SELECT m.order_number, 'level ' || m.dunning_level || ' when the order was ' || {_STATUS_THEN}"
        " FROM mails m JOIN orders o ON o.shop_id = $1 AND o.number = m.order_number"
        f" WHERE m.shop_id = $1 AND {_OUT} AND m.order_seq IS NOT NULL"
        f" AND ({_STATUS_THEN} IN ('UNPAID', 'PAID_PARTIAL')) = m.thanks",
    ),
    (
        "thanks go out for paid orders only, once for each",
        f"SELECT m.order_number, count(*) || ' mails of thanks, when the order was ' || min({_STATUS_THEN})"
        f" FROM mails m JOIN orders o ON o.shop_id = $1 AND o.number = m.order_number WHERE m.shop_id = $1"
        f" AND m.thanks AND {_OUT} GROUP BY m.order_number"
        f" HAVING count(*) > 1 OR min({_STATUS_THEN}) <> 'PAID'",
    ),
    (
        "mail goes out soon after it was decided on",
        "SELECT m.order_number, 'level ' || m.dunning_level || ' long after event ' || e.order_seq || ' to '"
        " || e.to_status FROM mails m JOIN events e ON e.shop_id = $1 AND e.order_number = m.order_number"
        f" AND e.order_seq > m.order_seq AND e.at < m.finished_at - {_LONGEST_CALL}"
        f" WHERE m.shop_id = $1 AND {_OUT}",
    ),
    (
        "referenceNumber is shown once a mail or a letter has named it",
        "SELECT o.number, CASE WHEN o.payment_info_at IS NULL THEN 'not shown after a mail or letter'"
        " ELSE 'shown without one'"
        " END FROM orders o WHERE o.shop_id = $1 AND (o.payment_info_at IS NOT NULL) <> EXISTS (SELECT FROM mails m"
        f" WHERE m.shop_id = $1 AND m.order_number = o.number AND {_TOLD} UNION ALL SELECT FROM letters l"
        f" WHERE l.shop_id = $1 AND l.order_number = o.number AND l.open_minor > 0 AND {LETTER_OUT})",
    ),
    (
        "a mail that is to be sent has its time and its address",
        "SELECT m.id, 'order ' || m.order_number FROM mails m LEFT JOIN reminder_dues d ON d.shop_id = $1"
        " AND d.order_number = m.order_number WHERE m.shop_id = $1 AND m.status = 'PENDING'"
        " AND (d.due_at IS NULL OR m.recipient = '')",
    ),
)
