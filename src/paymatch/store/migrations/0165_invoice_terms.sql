-- What an electronic invoice says of its payment, and what its order takes of it in the place of what it leaves empty (D-96).
ALTER TABLE invoices ADD COLUMN terms text NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN invoice_terms text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN invoice_terms boolean NOT NULL DEFAULT true;
