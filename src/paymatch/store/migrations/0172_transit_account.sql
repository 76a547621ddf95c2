-- The account on which money is between two accounts of the shop (D-100).
ALTER TABLE shops ADD COLUMN ledger_transit text NOT NULL DEFAULT '';
