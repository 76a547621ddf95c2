-- Account information by a provider (docs/decisions/130-account-information.md): keys, consents, accounts, returns.

-- The application by which a shop signs in at a provider; the private key is sealed.
CREATE TABLE account_information_keys (
    shop_id uuid NOT NULL,
    provider text NOT NULL,
    application_id text NOT NULL,
    private_key text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, provider)
);

-- session: by what the provider knows the consent and its accounts, sealed. reminded: the last reminder of its end, in
-- days before it, NULL: none. All moments are of the real clock.
CREATE TABLE bank_consents (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    provider text NOT NULL,
    bank_name text NOT NULL,
    country text NOT NULL,
    for_company boolean NOT NULL,
    status text NOT NULL,
    session text NOT NULL DEFAULT '',
    given_at timestamptz,
    valid_until timestamptz,
    fetch_times text[] NOT NULL,
    work_at timestamptz NOT NULL,
    next_fetch_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    last_error text,
    resting_until timestamptz,
    lost_at timestamptz,
    lost_why text,
    reminded integer,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);

-- An account of a consent. read_on and reads: how often it was read on that day, complete_until: the last day that is
-- known as a whole. problem: why the bank does not hand it out, NULL: it does.
CREATE TABLE consent_accounts (
    shop_id uuid NOT NULL,
    consent_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    owner_name text NOT NULL,
    is_read boolean NOT NULL,
    is_offered boolean NOT NULL,
    problem text,
    read_on date,
    reads integer NOT NULL DEFAULT 0,
    last_read_at timestamptz,
    complete_until date,
    PRIMARY KEY (shop_id, consent_id, account)
);

-- A person who is at the bank's page: the digest of the state with which the bank sends them back, once.
CREATE TABLE consent_requests (
    shop_id uuid NOT NULL,
    state_hash text NOT NULL,
    consent_id text NOT NULL,
    person text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, state_hash)
);
