"""Invariants of payouts and of accounts at providers, as questions to the database (D-83)."""

from __future__ import annotations

from typing import Final

RULES: Final[tuple[tuple[str, str], ...]] = (
    (
        "a payout = carried in + its rows - its fee - carried out",
        "SELECT payout_id, 'its rows leave a rest of ' || (carried_in_minor + net_minor - own_fee_minor"
        " - carried_out_minor - amount_minor) || ' ' || currency || ' in minor units' FROM payouts WHERE shop_id = $1"
        " AND carried_in_minor + net_minor - own_fee_minor - carried_out_minor <> amount_minor",
    ),
    (
        "a payout is its posting, or short of it",
        "SELECT y.payout_id, 'is tied to ' || y.posting_id || ', which is ' || coalesce(p.amount_minor || ' ' ||"
        " p.currency || ', ' || p.status, 'not booked') FROM payouts y"
        " LEFT JOIN postings p ON p.shop_id = $1 AND p.id = y.posting_id WHERE y.shop_id = $1 AND y.posting_id <> ''"
        " AND (p.id IS NULL OR p.status <> 'ignored' OR p.amount_minor + y.short_minor <> y.amount_minor)",
    ),
    (
        "an account at a provider holds what its files say",
        """WITH said AS (
            SELECT account, currency, event, sum(net)::bigint AS net FROM (
                SELECT DISTINCT ON (account, currency, event, provider_id, CASE provider_id WHEN '' THEN import_id END,
                                    CASE provider_id WHEN '' THEN place END)
                       account, currency, event,
                       (facts::json->>'gross_minor')::bigint - (facts::json->>'fee_minor')::bigint AS net
                FROM settlement_lines WHERE shop_id = $1 AND kind <> 'carried over'
                ORDER BY account, currency, event, provider_id, CASE provider_id WHEN '' THEN import_id END,
                         CASE provider_id WHEN '' THEN place END, facts::json->>'half' DESC) l GROUP BY 1, 2, 3),
        once AS (SELECT account, currency, event FROM settlement_lines WHERE shop_id = $1
                 GROUP BY 1, 2, 3 HAVING count(DISTINCT facts::json->>'report') = 1)
        SELECT s.account || ' ' || s.currency, s.event || ' is ' || s.net || ' in its files and ' || coalesce(p.net, 0)
            || ' in the books, in minor units'
        FROM said s JOIN once USING (account, currency, event)
        LEFT JOIN (SELECT account, currency, entry_reference, sum(amount_minor)::bigint AS net FROM postings
                   WHERE shop_id = $1 AND format = 'settlement' GROUP BY 1, 2, 3) p
            ON p.account = s.account AND p.currency = s.currency AND p.entry_reference = s.event
        WHERE coalesce(p.net, 0) <> s.net""",
    ),
)
