-- Print runs that the worker begins by itself and writes into the shop's folder (docs/decisions/057-daily-print-runs.md).

-- NULL: people begin print runs.
ALTER TABLE shops ADD COLUMN letter_print_hour integer CHECK (letter_print_hour BETWEEN 0 AND 23);

-- `daily`: begun by the worker; written_at: when its files were complete in the folder.
ALTER TABLE letter_runs ADD COLUMN daily boolean NOT NULL DEFAULT false;
ALTER TABLE letter_runs ADD COLUMN written_at timestamptz;
CREATE INDEX letter_runs_to_write ON letter_runs (shop_id, id) WHERE daily AND written_at IS NULL;
