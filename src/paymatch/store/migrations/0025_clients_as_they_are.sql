-- What orders say of themselves beside their document (D-39, D-41), and what calls of ordersync did (D-38).

ALTER TABLE orders ADD COLUMN mail_problem text NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN reference_given boolean NOT NULL DEFAULT false;
CREATE INDEX orders_with_mail_problem ON orders (shop_id, created_at)
    WHERE mail_problem <> '' AND status IN ('UNPAID', 'PAID_PARTIAL');

ALTER TABLE shops ADD COLUMN ordersync_guard boolean NOT NULL DEFAULT false;

CREATE TABLE order_syncs (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    at timestamptz NOT NULL,
    listed integer NOT NULL,
    open_before integer NOT NULL,
    legacy integer NOT NULL,
    revived integer NOT NULL,
    undone_at timestamptz,
    PRIMARY KEY (shop_id, id)
);

CREATE TABLE order_sync_marks (
    shop_id uuid NOT NULL,
    sync_id text NOT NULL,
    order_number text NOT NULL,
    mark_before text,
    mark_after text,
    PRIMARY KEY (shop_id, sync_id, order_number)
);

-- Orders of type OTHER are no longer found by postings.
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
ALTER TABLE match_keys NO FORCE ROW LEVEL SECURITY;
DELETE FROM match_keys m USING orders o
WHERE o.type = 'OTHER' AND o.shop_id = m.shop_id AND o.number = m.number;
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
ALTER TABLE match_keys FORCE ROW LEVEL SECURITY;
