-- From when on `paymatch check` holds what was withheld against its witness's bound (D-84). Earlier versions had other
-- bounds; what they booked is no finding. New shops are held to it from their first payment.
ALTER TABLE shops ADD COLUMN fees_bounded_since timestamptz NOT NULL DEFAULT now();
ALTER TABLE shops ALTER COLUMN fees_bounded_since SET DEFAULT '1970-01-01 00:00:00+00';
