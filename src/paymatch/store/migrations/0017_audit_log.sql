-- The audit log: who changed what (D-45). The service may add to it, and nothing else (store/row_security.py).

CREATE TABLE audit_log (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    at timestamptz NOT NULL,
    deed text NOT NULL,
    subject text NOT NULL,
    actor_kind text NOT NULL,
    actor text NOT NULL,
    address text NOT NULL,
    request_id text NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (shop_id, seq)
);
CREATE INDEX audit_log_by_subject ON audit_log (shop_id, subject, seq);

-- The end of each shop's chain: who adds to it holds this row, and verifying sees that no row at the end is gone.
CREATE TABLE audit_heads (
    shop_id uuid PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL
);
