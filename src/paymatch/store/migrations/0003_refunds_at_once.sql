-- Refunds at once (D-112): whether SEPA transfers ask for instant execution, and by when a refund should have left.
ALTER TABLE shops ADD COLUMN transfer_speed text NOT NULL DEFAULT 'normal';
ALTER TABLE shops ADD COLUMN refund_deadline_days integer NOT NULL DEFAULT 14;

-- Whether the transfers of a file ask for instant execution.
ALTER TABLE transfer_files ADD COLUMN instant boolean NOT NULL DEFAULT false;

-- The payee's name as the bank of the payee knows it, where it matches ours closely only. "": the bank has not named it.
ALTER TABLE transfers ADD COLUMN bank_name text NOT NULL DEFAULT '';
