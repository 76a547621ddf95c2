-- Postings that name a payment service are looked for with each import: among these few, not in a year of postings.
CREATE INDEX postings_naming_services ON postings USING btree (shop_id, booking_date)
    WHERE lower(counterparty_name || ' ' || remittance) ~ 'amazon|klarna|mollie|paypal|shopify|stripe|sumup|wise';
