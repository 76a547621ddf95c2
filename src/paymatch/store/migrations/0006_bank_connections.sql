-- Connections to banks that hand out statements (FinTS). The PIN is not here: it is asked for at each fetch.

CREATE TABLE bank_connections (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    bank_code text NOT NULL,
    server_url text NOT NULL,
    user_name text NOT NULL,
    tan_mechanism text NOT NULL DEFAULT '',
    tan_medium text NOT NULL DEFAULT '',
    system_id text NOT NULL DEFAULT '',
    consent_until date,
    last_fetched_at timestamptz,
    PRIMARY KEY (shop_id, account)
);

ALTER TABLE bank_connections ENABLE ROW LEVEL SECURITY;
ALTER TABLE bank_connections FORCE ROW LEVEL SECURITY;
CREATE POLICY of_shop ON bank_connections TO paymatch_app
    USING (shop_id = (SELECT nullif(current_setting('paymatch.shop', true), '')::uuid));
CREATE POLICY of_operator ON bank_connections TO paymatch_operator USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON bank_connections TO paymatch_app, paymatch_operator;
