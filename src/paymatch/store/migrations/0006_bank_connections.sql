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
