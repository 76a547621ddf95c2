-- Refunds that came out of a backup as they were about to be transferred: a person must look at the bank first (D-60).
ALTER TABLE refunds ADD COLUMN restored boolean NOT NULL DEFAULT false;
