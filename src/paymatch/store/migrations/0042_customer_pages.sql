-- The order's own page: links that lead to it, what customers say there, and mails that ask for bank details (D-51).

CREATE TABLE order_links (
    shop_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    order_number text NOT NULL,
    token text NOT NULL, -- sealed, so that each mail can carry the same link
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (shop_id, token_hash)
);
CREATE UNIQUE INDEX order_links_by_order ON order_links (shop_id, order_number) WHERE revoked_at IS NULL;
CREATE INDEX order_links_by_end ON order_links (shop_id, expires_at);

-- One of each kind per dunning level: who says again that he has paid gains no more time.
CREATE TABLE customer_notices (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('paid', 'wrong-person')),
    dunning_level integer NOT NULL,
    email text NOT NULL DEFAULT '',
    said_at timestamptz NOT NULL,
    lifted_at timestamptz,
    PRIMARY KEY (shop_id, order_number, kind, dunning_level)
);
CREATE INDEX customer_notices_by_email ON customer_notices (shop_id, email) WHERE kind = 'wrong-person';

ALTER TABLE shops ADD COLUMN refund_requests boolean NOT NULL DEFAULT true;

-- When the customer is next asked for bank details; NULL: not any more, for the reason in ask_note.
ALTER TABLE refunds ADD COLUMN ask_at timestamptz;
ALTER TABLE refunds ADD COLUMN ask_note text NOT NULL DEFAULT '';
CREATE INDEX refunds_to_ask ON refunds (shop_id, ask_at) WHERE ask_at IS NOT NULL;

CREATE TABLE refund_requests (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    refund_id text NOT NULL,
    order_number text NOT NULL,
    account_version integer NOT NULL, -- of the refund: each account that is missing or wrong is asked about anew
    place integer NOT NULL, -- 0 asks, 1 and further remind
    status text NOT NULL CHECK (status IN ('PENDING', 'SENT', 'KEPT', 'REFUSED', 'WITHDRAWN')),
    message_id text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL DEFAULT '',
    content bytea NOT NULL DEFAULT '',
    attempts integer NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (shop_id, id),
    CHECK ((status = 'PENDING') = (finished_at IS NULL))
);
CREATE UNIQUE INDEX refund_requests_by_place ON refund_requests (shop_id, refund_id, account_version, place);
CREATE INDEX refund_requests_by_order ON refund_requests (shop_id, order_number);
CREATE INDEX refund_requests_by_end ON refund_requests (shop_id, finished_at) WHERE finished_at IS NOT NULL;
