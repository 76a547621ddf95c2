-- A search says of each customer how many orders they have (D-101).
CREATE INDEX order_search_by_customer ON order_search USING btree (shop_id, customer);
