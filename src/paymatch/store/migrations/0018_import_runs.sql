-- Imports that took longer than their caller waited: what became of each, to be asked for. Those that were answered at
-- once have no row. A run that is not renewed any more by alive_until (real clock) ended with its process.

CREATE TABLE import_runs (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    file_name text NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'done', 'refused')),
    report text NOT NULL DEFAULT '',
    error text NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX import_runs_by_time ON import_runs (shop_id, started_at);
