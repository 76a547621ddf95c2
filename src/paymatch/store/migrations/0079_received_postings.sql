-- What came in per day, as reports and the overview sum it up: read from the index alone.
CREATE INDEX postings_received ON postings (shop_id, booking_date) INCLUDE (currency, amount_minor)
    WHERE amount_minor > 0 AND NOT is_return;
