-- What one API key may do, by which way a statement came, and which refunds a person has released (D-37).

ALTER TABLE api_keys DROP CONSTRAINT api_keys_scope_check;
-- read-write is the scope of keys of before: orders and refunds.
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scope_check
    CHECK (scope ~ '^(read|orders|refunds|statements|read-write)(,(read|orders|refunds|statements|read-write))*$');

ALTER TABLE shops ADD COLUMN statements_api boolean NOT NULL DEFAULT false;
ALTER TABLE shops ADD COLUMN refund_limit_minor bigint NOT NULL DEFAULT 50000 CHECK (refund_limit_minor >= 0);
ALTER TABLE shops ADD COLUMN refund_day_limit_minor bigint NOT NULL DEFAULT 500000
    CHECK (refund_day_limit_minor >= 0);
ALTER TABLE shops ADD COLUMN refund_four_eyes_minor bigint NOT NULL DEFAULT 1000000
    CHECK (refund_four_eyes_minor >= 0);

-- Nobody noted how earlier files came: they vouch for no account until a person imports them again.
ALTER TABLE imports ADD COLUMN channel text NOT NULL DEFAULT 'unknown' CHECK (channel IN
    ('api', 'drop-folder', 'fints', 'command-line', 'area', 'sandbox-bank', 'unknown'));
ALTER TABLE imports ALTER COLUMN channel DROP DEFAULT;

-- Accounts from which money came in, as each file says, whatever another file says of the same payment.
CREATE TABLE payer_accounts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    import_id text NOT NULL,
    PRIMARY KEY (shop_id, account, import_id)
);
CREATE INDEX payer_accounts_by_import ON payer_accounts (shop_id, import_id);

-- The owner of the tables is bound by their policies too, and has none.
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
INSERT INTO payer_accounts (shop_id, account, import_id)
SELECT DISTINCT shop_id, counterparty_iban, import_id
FROM postings WHERE amount_minor > 0 AND NOT is_return AND counterparty_iban <> '';
ALTER TABLE postings FORCE ROW LEVEL SECURITY;

-- Counted up whenever the account is written: what was released is this account, and no later one.
ALTER TABLE refunds ADD COLUMN account_version integer NOT NULL DEFAULT 1;
ALTER TABLE refunds ADD COLUMN account_named_at timestamptz;

ALTER TABLE transfers ADD COLUMN released boolean NOT NULL DEFAULT false;
CREATE INDEX transfers_by_time ON transfers (shop_id, created_at);

CREATE TABLE refund_releases (
    shop_id uuid NOT NULL,
    refund_id text NOT NULL,
    attempt integer NOT NULL,
    account_version integer NOT NULL,
    released_by text NOT NULL,
    released_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, refund_id, attempt, account_version, released_by)
);
