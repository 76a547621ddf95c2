-- Sealed at rest (D-44). Values of before are sealed by the worker (store/resealing.py), which can be stopped at any time.

-- Which secret keys values may be sealed under, by names that say nothing of them: a wrong key is said at start.
CREATE TABLE sealing_keys (
    id text PRIMARY KEY,
    created_at timestamptz NOT NULL,
    -- Whether nothing is left that is plain or sealed under another key.
    complete boolean NOT NULL DEFAULT false
);
GRANT SELECT, INSERT, UPDATE, DELETE ON sealing_keys TO paymatch_operator;

-- Whether money can go back to the other side: a sealed account no longer shows its form.
ALTER TABLE postings ADD COLUMN counterparty_has_iban boolean NOT NULL DEFAULT false;
-- The owner of the tables is bound by their policies too, and has none.
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
UPDATE postings SET counterparty_has_iban = true WHERE counterparty_iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$';
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
