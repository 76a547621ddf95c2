-- Due work of a shop: one row per kind, with when it is due by the shop's clock. due_at NULL: it waits for a cause.
-- A claim is a lease by the real clock. wakes counts requests, so that one that comes while the job runs is not lost.

CREATE TABLE shop_jobs (
    shop_id uuid NOT NULL,
    kind text NOT NULL,
    due_at timestamptz,
    claim text NOT NULL DEFAULT '',
    claimed_until timestamptz,
    wakes integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    last_error text NOT NULL DEFAULT '',
    last_done_at timestamptz,
    last_result text NOT NULL DEFAULT '',
    done bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (shop_id, kind)
);
CREATE INDEX shop_jobs_due ON shop_jobs (shop_id, due_at);

-- What happened how often since the shop exists, for /metrics; counted in the transaction in which it happens.
CREATE TABLE tallies (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    total bigint NOT NULL,
    PRIMARY KEY (shop_id, name)
);

ALTER TABLE shops ADD COLUMN refund_runs boolean NOT NULL DEFAULT true;
CREATE INDEX callbacks_given_up ON callbacks (shop_id, finished_at) WHERE status = 'GIVEN_UP';
