-- What is written back to shop systems (docs/decisions/078-writing-back.md): a row per order that came by a connector.

-- write_at: when the order's present payment status is written, NULL: there is nothing to write; a real moment.
-- state_before: the shop's state before our first move; our_states: those that we have set or begun to set.
ALTER TABLE connector_orders ADD COLUMN write_at timestamptz;
ALTER TABLE connector_orders ADD COLUMN write_seq bigint NOT NULL DEFAULT 0;
ALTER TABLE connector_orders ADD COLUMN write_failures integer NOT NULL DEFAULT 0;
ALTER TABLE connector_orders ADD COLUMN state_before text NOT NULL DEFAULT '';
ALTER TABLE connector_orders ADD COLUMN our_states text[] NOT NULL DEFAULT '{}';
ALTER TABLE connector_orders ADD COLUMN written_status text NOT NULL DEFAULT '';
ALTER TABLE connector_orders ADD COLUMN written_at timestamptz;
ALTER TABLE connector_orders ADD COLUMN write_problem text;
ALTER TABLE connector_orders ADD COLUMN write_problem_at timestamptz;
CREATE INDEX connector_orders_to_write ON connector_orders (shop_id, write_at) WHERE write_at IS NOT NULL;
CREATE INDEX connector_orders_unwritten ON connector_orders (shop_id, connector, write_problem_at)
    WHERE write_problem IS NOT NULL;
