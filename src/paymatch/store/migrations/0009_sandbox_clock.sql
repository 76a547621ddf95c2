-- The clock of a sandbox shop follows the real time unless the shop was given a start of its own (D-34).
ALTER TABLE shops ADD COLUMN sandbox_stands boolean NOT NULL DEFAULT false;
