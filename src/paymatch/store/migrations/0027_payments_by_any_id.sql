-- A row of a settlement file may name its payment by two ids, and other rows of the payment by either.
ALTER TABLE settlement_lines ADD COLUMN payment_alias text NOT NULL DEFAULT '';
CREATE INDEX settlement_lines_by_payment_alias ON settlement_lines USING btree (shop_id, account, payment_alias)
    WHERE payment_alias <> '';
-- Kept credit returns to an order that has lost its payment, and is kept again once the payment is back.
ALTER TABLE adjustments ADD COLUMN follows_payment boolean NOT NULL DEFAULT false;
