-- The orders that the suggestions of open postings name: when one of them changes, those postings are decided again.

ALTER TABLE contests RENAME TO suggested_orders;
ALTER INDEX contests_pkey RENAME TO suggested_orders_pkey;
ALTER INDEX contests_by_posting RENAME TO suggested_orders_by_posting;
-- True: the posting names the order and may be its payment, so no other posting is certain without a closer look.
ALTER TABLE suggested_orders ADD COLUMN contested boolean NOT NULL DEFAULT true;
ALTER TABLE suggested_orders ALTER COLUMN contested DROP DEFAULT;
CREATE INDEX suggested_orders_contested ON suggested_orders (shop_id, order_number) WHERE contested;

-- The orders that a person has taken the posting off: it gets suggestions and is never matched without a person.
ALTER TABLE postings ADD COLUMN taken_back text[] NOT NULL DEFAULT '{}';

-- New postings before those that are decided again, these by the age of their decision.
DROP INDEX postings_to_rematch;
CREATE INDEX postings_to_rematch ON postings (shop_id, decided_at NULLS FIRST, id) WHERE rematch_at IS NOT NULL;

-- Open orders as they were written: neighbours in the index are neighbours in the table, so that counting them up to a
-- limit reads few pages.
CREATE INDEX orders_open ON orders (shop_id, created_at) WHERE status IN ('UNPAID', 'PAID_PARTIAL');

-- The owner of the tables is bound by their policies too, and has none.
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE suggested_orders NO FORCE ROW LEVEL SECURITY;
INSERT INTO suggested_orders (shop_id, order_number, posting_id, contested)
SELECT DISTINCT p.shop_id, allocation ->> 'orderNumber', p.id, false
FROM postings p, json_array_elements(p.decision::json -> 'suggestions') suggestion,
     json_array_elements(suggestion -> 'allocations') allocation
WHERE p.status = 'suggested'
ON CONFLICT DO NOTHING;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
ALTER TABLE suggested_orders FORCE ROW LEVEL SECURITY;
