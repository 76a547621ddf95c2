-- Requests of the merchant API, for the developers of a shop: 30 days, written behind the answers.
CREATE TABLE api_requests (
    shop_id uuid NOT NULL,
    at timestamptz NOT NULL,
    request_id text NOT NULL,
    key_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    query text NOT NULL,
    order_number text NOT NULL,
    status integer NOT NULL,
    elapsed_ms real NOT NULL,
    sent text NOT NULL,      -- sealed; only of refused requests
    answered text NOT NULL,  -- likewise
    PRIMARY KEY (shop_id, at, request_id)
);
CREATE INDEX api_requests_of_order ON api_requests (shop_id, order_number, at) WHERE order_number <> '';
CREATE INDEX api_requests_by_id ON api_requests (shop_id, request_id);
CREATE INDEX api_requests_refused ON api_requests (shop_id, at) WHERE status >= 400;

ALTER TABLE shops ADD COLUMN request_log text NOT NULL DEFAULT 'bodies'
    CHECK (request_log IN ('off', 'requests', 'bodies'));
