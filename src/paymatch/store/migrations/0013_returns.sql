-- What a return gives back is found by reference, by account or by amount, the latest first, without a look at the
-- other postings of more than a year.
DROP INDEX postings_by_counterparty;
CREATE INDEX postings_by_counterparty ON postings (shop_id, counterparty_iban, booking_date)
    WHERE counterparty_iban <> '';
CREATE INDEX postings_by_amount ON postings (shop_id, account, amount_minor, booking_date);
