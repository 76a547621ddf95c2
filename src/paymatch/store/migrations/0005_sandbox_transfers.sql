-- The simulated bank takes our transfer files: which it has taken, and what it is told to do with which refund.

CREATE TABLE sandbox_transfer_files (
    shop_id uuid NOT NULL,
    file_id text NOT NULL,
    taken_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, file_id)
);

CREATE TABLE sandbox_refund_outcomes (
    shop_id uuid NOT NULL,
    external_reference text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('booked', 'rejected', 'returned')),
    reason text NOT NULL,
    PRIMARY KEY (shop_id, external_reference)
);
