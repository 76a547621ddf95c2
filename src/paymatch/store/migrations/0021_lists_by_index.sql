-- Lists of 100,000 rows: sorted by the customer, added up and counted from indexes, without reading the rows (D-136).
ALTER TABLE orders ADD COLUMN billed_to text DEFAULT ''::text NOT NULL;
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;  -- the owner writes all of them; who guards tables forces it again
UPDATE orders SET billed_to = left(lower(coalesce(nullif(doc::json#>>'{billing,company}', ''), concat_ws(' ',
    nullif(doc::json#>>'{billing,firstName}', ''), nullif(doc::json#>>'{billing,lastName}', '')), '')), 100);
CREATE INDEX orders_by_customer ON orders USING btree (shop_id, billed_to, number);
DROP INDEX orders_by_status;
CREATE INDEX orders_by_status ON orders USING btree (shop_id, status, order_date, number)
    INCLUDE (type, due_date, mark, currency, amount_minor, postings_minor, refunded_minor);
CREATE INDEX orders_overpaid ON orders USING btree (shop_id, currency, number)
    WHERE ((postings_minor - refunded_minor) > CASE WHEN (mark = 'CANCELLED'::text) THEN 0::bigint ELSE GREATEST(amount_minor, 0::bigint) END);
DROP INDEX postings_received;
CREATE INDEX postings_received ON postings USING btree (shop_id, booking_date)
    INCLUDE (currency, amount_minor, allocated_minor, status, by_hand, aside_reason) WHERE ((amount_minor > 0) AND (NOT is_return));
DROP INDEX postings_by_import;
CREATE INDEX postings_by_import ON postings USING btree (shop_id, import_id, id) INCLUDE (status, currency, amount_minor);
DROP INDEX postings_by_account_day;
DROP INDEX postings_by_amount;  -- made anew behind the other: see 0014
CREATE INDEX postings_by_account_day ON postings USING btree (shop_id, account, booking_date, amount_minor) INCLUDE (currency, source);
CREATE INDEX postings_by_amount ON postings USING btree (shop_id, account, amount_minor, booking_date);
CREATE INDEX postings_aside ON postings USING btree (shop_id, counterparty_iban, aside_reason) WHERE (aside_reason <> ''::text);
CREATE INDEX allocations_beside_orders ON allocations USING btree (shop_id, posting_id) INCLUDE (amount_minor)
    WHERE (kind <> ALL (ARRAY['payment'::text, 'return'::text]));
