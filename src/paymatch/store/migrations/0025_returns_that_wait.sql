-- Returned money that waits for the debit it belongs to: looked for with each batch of debits, among few rows and not among all open postings.
CREATE INDEX postings_returns_waiting ON postings USING btree (shop_id, account, amount_minor)
    WHERE is_return AND status IN ('suggested', 'unmatched');
