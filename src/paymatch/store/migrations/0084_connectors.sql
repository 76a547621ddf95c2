-- Connectors to shop systems (docs/decisions/075-connectors.md). Key and secret are sealed.

-- since_at: up to where everything is taken, NULL before the first look; run_*: the look that is under way, which goes
-- on at run_place after an interruption. poll_at and resting_until are moments of the real clock, in sandbox shops too.
CREATE TABLE connectors (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    system text NOT NULL CHECK (system IN ('woocommerce', 'shopware')),
    status text NOT NULL DEFAULT 'paused' CHECK (status IN ('paused', 'active')),
    url text NOT NULL,
    access_key text NOT NULL,
    access_secret text NOT NULL,
    methods jsonb NOT NULL,
    take_from date NOT NULL,
    paid_status text NOT NULL,
    prefix text NOT NULL,
    minutes integer NOT NULL CHECK (minutes BETWEEN 5 AND 1440),
    write_back boolean NOT NULL,
    created_at timestamptz NOT NULL,
    poll_at timestamptz NOT NULL,
    since_at timestamptz,
    run_since timestamptz,
    run_began_at timestamptz,
    run_place text NOT NULL DEFAULT '',
    run_seen integer NOT NULL DEFAULT 0,
    run_total integer,
    run_taken integer NOT NULL DEFAULT 0,
    last_looked_at timestamptz,
    last_seen integer NOT NULL DEFAULT 0,
    last_taken integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    for_a_person boolean NOT NULL DEFAULT false,
    last_error text,
    resting_until timestamptz,
    event_seq bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (shop_id, name)
);

-- Orders that came by a connector. `state` is the shop's when it was last seen or written, `problem` why it was not
-- taken (NULL: it was), as JSON with its code. What is written back stands in the columns behind it (0085).
CREATE TABLE connector_orders (
    shop_id uuid NOT NULL,
    connector text NOT NULL,
    external_id text NOT NULL,
    order_number text NOT NULL,
    taken boolean NOT NULL,
    state text NOT NULL,
    seen_at timestamptz NOT NULL,
    problem text,
    problem_at timestamptz,
    PRIMARY KEY (shop_id, connector, external_id)
);
CREATE UNIQUE INDEX connector_orders_by_number ON connector_orders (shop_id, order_number) WHERE taken;
CREATE INDEX connector_orders_with_problem ON connector_orders (shop_id, connector, problem_at) WHERE problem IS NOT NULL;
