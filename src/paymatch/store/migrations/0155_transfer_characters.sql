-- Which characters transfer files hold, where the bank differs from the others of its country ('': as usual there).
ALTER TABLE shops ADD COLUMN transfer_characters text NOT NULL DEFAULT ''
    CHECK (transfer_characters IN ('', 'sepa', 'umlauts'));
