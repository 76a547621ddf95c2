-- Orders that a person made in the merchant area, by form or from a file: these can be changed there (D-93).
ALTER TABLE orders ADD COLUMN made_here boolean NOT NULL DEFAULT false;

CREATE INDEX orders_made_here ON orders (shop_id, order_date DESC, number DESC) WHERE made_here;
