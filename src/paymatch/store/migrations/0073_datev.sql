-- What a DATEV file needs beside accounts: "" for none.
ALTER TABLE shops ADD COLUMN datev_tax_keys text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN datev_rates text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN datev_links text NOT NULL DEFAULT '' CHECK (datev_links IN ('', 'BEDI', 'DDMS'));
