-- How long the shop keeps who paid and who ordered (docs/privacy.md); NULL: for ever. A deleted shop's data goes after its days.
ALTER TABLE shops ADD COLUMN keep_payer_days integer DEFAULT 730 CHECK (keep_payer_days > 0);
ALTER TABLE shops ADD COLUMN keep_order_years integer DEFAULT 10 CHECK (keep_order_years >= 8);
ALTER TABLE shops ADD COLUMN keep_deleted_days integer NOT NULL DEFAULT 30 CHECK (keep_deleted_days > 0);
ALTER TABLE shops ADD COLUMN deleted_at timestamptz;
ALTER TABLE shops ADD COLUMN purged_at timestamptz;
UPDATE shops SET deleted_at = now() WHERE status = 'deleted';

CREATE INDEX postings_naming ON postings (shop_id, booking_date)
    WHERE counterparty_name <> '' OR counterparty_iban <> '' OR remittance <> '';
CREATE INDEX orders_by_change ON orders (shop_id, updated_at);
