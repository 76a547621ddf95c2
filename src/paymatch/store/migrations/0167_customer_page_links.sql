-- Where a shop's imprint and privacy notice are, as its customers' pages link them.
ALTER TABLE shops ADD COLUMN imprint_url text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN privacy_url text NOT NULL DEFAULT '';
