-- What a shop changes of an order that it submits again, what people write down about an order, and when things
-- happened by the shop's own clock.

CREATE TABLE order_changes (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    seq integer NOT NULL,
    at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor text NOT NULL,
    fields text NOT NULL,
    PRIMARY KEY (shop_id, order_number, seq)
);
CREATE INDEX order_changes_by_age ON order_changes (shop_id, at);

CREATE TABLE order_comments (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    seq integer NOT NULL,
    author text NOT NULL,
    said text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, order_number, seq)
);

-- When an order first came, by the shop's clock: a sandbox's may stand in another month than `created_at`.
ALTER TABLE orders ADD COLUMN submitted_at timestamptz;

-- What the shop's clock showed at a deed, where that is not `at`; no part of the chain of hashes.
ALTER TABLE audit_log ADD COLUMN shop_at timestamptz;
