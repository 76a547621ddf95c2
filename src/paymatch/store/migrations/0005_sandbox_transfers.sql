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

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['sandbox_transfer_files', 'sandbox_refund_outcomes'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_shop ON %I TO paymatch_app USING (shop_id = (SELECT nullif(current_setting(''paymatch.shop'', true), '''')::uuid))', name);
        EXECUTE format('CREATE POLICY of_operator ON %I TO paymatch_operator USING (true)', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO paymatch_app, paymatch_operator', name);
    END LOOP;
END $$;
