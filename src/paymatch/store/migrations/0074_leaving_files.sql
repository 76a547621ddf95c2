-- Files whose rows are gone: they are deleted next, whatever interrupts it. file_key is a random name.
CREATE TABLE leaving_files (
    shop_id uuid NOT NULL,
    file_key text NOT NULL,
    since timestamptz NOT NULL,
    PRIMARY KEY (shop_id, file_key)
);
-- NULL keeps them: an invoice as long as its order's customer, a bank file for ever.
ALTER TABLE shops ADD COLUMN keep_invoice_days integer CHECK (keep_invoice_days > 0);
ALTER TABLE shops ADD COLUMN keep_drop_days integer CHECK (keep_drop_days > 0);
