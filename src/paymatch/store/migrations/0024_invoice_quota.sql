-- What all invoices of a shop may take together; NULL is the operator's PAYMATCH_INVOICE_QUOTA_BYTES.

ALTER TABLE shops ADD COLUMN invoice_quota_mb integer CHECK (invoice_quota_mb > 0);
