-- Reminders look for what a customer has paid too much for another order (D-134). Few orders are overpaid.
CREATE INDEX orders_overpaid ON orders USING btree (shop_id, number)
    WHERE postings_minor - refunded_minor > amount_minor AND amount_minor >= 0 AND mark IS NULL;
