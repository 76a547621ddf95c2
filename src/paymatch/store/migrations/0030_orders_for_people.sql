-- What people add to orders and refunds, and by what they find them.

-- A person has stopped the reminders of the order, whatever the shop submits.
ALTER TABLE orders ADD COLUMN reminders_stopped boolean NOT NULL DEFAULT false;

-- Why a person refunds, in their words.
ALTER TABLE refunds ADD COLUMN note text NOT NULL DEFAULT '';

-- The last four characters of the other side's account, sealed: people know a payer by them.
ALTER TABLE postings ADD COLUMN counterparty_account_end text NOT NULL DEFAULT '';
CREATE INDEX postings_by_account_end ON postings (shop_id, counterparty_account_end)
    WHERE counterparty_account_end <> '';
