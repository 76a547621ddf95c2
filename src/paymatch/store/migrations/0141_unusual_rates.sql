-- The rate that an order's exchangeRate was more than 10 % away from (D-85); NULL where it was usual.
ALTER TABLE orders ADD COLUMN rate_before numeric;
CREATE INDEX orders_of_unusual_rates ON orders (shop_id, number) WHERE rate_before IS NOT NULL;
