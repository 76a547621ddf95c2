-- Orders that are paid in another currency (D-99): the account of the difference, and the rate that a kept booking is worth.
ALTER TABLE shops ADD COLUMN ledger_currency text NOT NULL DEFAULT '';
ALTER TABLE booked_entries ADD COLUMN rate numeric;
ALTER TABLE booked_entries ADD COLUMN rate_date date;
