-- The ledger: shops, orders, postings, allocations, refunds, events, callbacks.
-- D-28: the shop id is first in every key and index; ids are random or per shop, never a global serial.

CREATE FUNCTION amount_text(minor bigint, digits smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE digits WHEN 2 THEN (minor * 0.01)::text WHEN 0 THEN (minor * 1.00)::text
                       WHEN 3 THEN (minor * 0.001)::text ELSE (minor * 0.0001)::text END;

CREATE FUNCTION date_text(day date) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(day, 'DD-MM-YYYY');

CREATE TABLE shops (
    shop_id uuid PRIMARY KEY,
    name text NOT NULL,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'deleted')),
    api boolean NOT NULL DEFAULT true,
    access text NOT NULL DEFAULT 'read-write' CHECK (access IN ('read-write', 'read-only')),
    currency text NOT NULL,
    country text NOT NULL,
    timezone text NOT NULL,
    language text NOT NULL DEFAULT 'en',
    holder text NOT NULL DEFAULT '',
    street text NOT NULL DEFAULT '',
    house_number text NOT NULL DEFAULT '',
    postcode text NOT NULL DEFAULT '',
    city text NOT NULL DEFAULT '',
    sandbox boolean NOT NULL DEFAULT false,
    sandbox_now timestamptz,
    letters boolean NOT NULL DEFAULT false,
    accounts_locked boolean NOT NULL DEFAULT false,
    caution text NOT NULL DEFAULT 'normal' CHECK (caution IN ('cautious', 'normal', 'bold')),
    learning boolean NOT NULL DEFAULT true,
    learnt text NOT NULL DEFAULT '',
    tolerance_minor bigint NOT NULL DEFAULT 0 CHECK (tolerance_minor >= 0),
    fee_tolerance_minor bigint NOT NULL DEFAULT 0 CHECK (fee_tolerance_minor >= 0),
    discount_basis_points integer NOT NULL DEFAULT 0 CHECK (discount_basis_points BETWEEN 0 AND 2000),
    callbacks boolean NOT NULL DEFAULT false,
    callback_url text NOT NULL DEFAULT '',
    callback_access_code text NOT NULL,
    callback_success text NOT NULL DEFAULT '200' CHECK (callback_success IN ('200', '2xx')),
    callbacks_paused_at timestamptz,
    webhook_secret text NOT NULL,
    webhook_secret_old text NOT NULL DEFAULT '',
    webhook_secret_old_until timestamptz,
    created_at timestamptz NOT NULL
);

CREATE TABLE api_keys (
    shop_id uuid NOT NULL REFERENCES shops,
    id text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    label text NOT NULL DEFAULT '',
    scope text NOT NULL CHECK (scope IN ('read', 'read-write')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (shop_id, id),
    UNIQUE (shop_id, hash)
);

CREATE TABLE bank_accounts (
    shop_id uuid NOT NULL REFERENCES shops,
    account text NOT NULL,
    currency text NOT NULL,
    bic text NOT NULL DEFAULT '',
    bank_name text NOT NULL DEFAULT '',
    holder text NOT NULL DEFAULT '',
    confirmed boolean NOT NULL,
    csv_profile text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, account, currency)
);

CREATE TABLE orders (
    shop_id uuid NOT NULL,
    number text NOT NULL,
    doc text NOT NULL,
    type text NOT NULL,
    order_date date NOT NULL,
    due_date date,
    currency text NOT NULL,
    digits smallint NOT NULL,
    amount_minor bigint NOT NULL,
    exchange_rate numeric,
    status text NOT NULL,
    mark text CHECK (mark IN ('PAID', 'CANCELLED', 'DISAPPEARED', 'LEGACY', 'COLLECTION')),
    postings_minor bigint NOT NULL DEFAULT 0,
    refunded_minor bigint NOT NULL DEFAULT 0,
    discount_minor bigint NOT NULL DEFAULT 0,
    last_posting_date date,
    reference text NOT NULL,
    payment_info_at timestamptz,
    dunning_level integer NOT NULL DEFAULT 0,
    initial_dunning_level integer NOT NULL DEFAULT 0,
    stop_reminder boolean NOT NULL DEFAULT false,
    event_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, number)
);
CREATE INDEX orders_by_status ON orders (shop_id, status, order_date, number);
CREATE INDEX orders_by_date ON orders (shop_id, order_date, number);
CREATE INDEX orders_by_last_posting ON orders (shop_id, last_posting_date) WHERE last_posting_date IS NOT NULL;
CREATE UNIQUE INDEX orders_by_reference ON orders (shop_id, reference);

CREATE TABLE match_keys (
    shop_id uuid NOT NULL,
    key bigint NOT NULL,
    number text NOT NULL,
    while_open boolean NOT NULL,
    PRIMARY KEY (shop_id, key, number)
);
CREATE INDEX match_keys_by_order ON match_keys (shop_id, number) INCLUDE (while_open);

CREATE TABLE invoices (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    invoice_number text NOT NULL,
    file_key text NOT NULL,
    media_type text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, order_number, invoice_number)
);

CREATE TABLE imports (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    file_name text NOT NULL,
    sha256 bytea NOT NULL,
    format text NOT NULL,
    version text NOT NULL,
    size_bytes bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('BOOKED', 'UNDONE')),
    result text NOT NULL,
    created_at timestamptz NOT NULL,
    undone_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX imports_by_file ON imports (shop_id, sha256);

CREATE TABLE statements (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    import_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    format text NOT NULL,
    source text NOT NULL,
    statement_id text NOT NULL,
    sequence text NOT NULL,
    first_date date,
    last_date date,
    opening_minor bigint,
    closing_minor bigint,
    booked_minor bigint NOT NULL,
    flags text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX statements_by_account ON statements (shop_id, account, currency, last_date);
CREATE INDEX statements_by_import ON statements (shop_id, import_id);

CREATE TABLE import_errors (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    position integer NOT NULL,
    line integer NOT NULL,
    reason text NOT NULL,
    raw text NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (shop_id, import_id, position)
);

CREATE TABLE postings (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    import_id text NOT NULL,
    statement_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    digits smallint NOT NULL,
    amount_minor bigint NOT NULL,
    booking_date date NOT NULL,
    value_date date,
    bank_reference text NOT NULL,
    entry_reference text NOT NULL,
    batch_id text NOT NULL,
    is_return boolean NOT NULL,
    end_to_end_id text NOT NULL,
    counterparty_name text NOT NULL,
    counterparty_iban text NOT NULL,
    remittance text NOT NULL,
    facts text NOT NULL,
    source text NOT NULL CHECK (source IN ('FINAL', 'INTRADAY', 'NOTIFICATION')),
    format text NOT NULL,
    status text NOT NULL CHECK (status IN ('matched', 'suggested', 'unmatched', 'ignored')),
    by_hand boolean NOT NULL DEFAULT false,
    aside_reason text NOT NULL DEFAULT '',
    collective boolean NOT NULL DEFAULT false,
    allocated_minor bigint NOT NULL DEFAULT 0,
    decision text NOT NULL DEFAULT '',
    decided_at timestamptz,
    rematch_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX postings_by_day ON postings (shop_id, account, booking_date, amount_minor);
CREATE INDEX postings_by_entry ON postings (shop_id, account, entry_reference) WHERE entry_reference <> '';
CREATE INDEX postings_by_created ON postings (shop_id, created_at, id);
CREATE INDEX postings_by_import ON postings (shop_id, import_id);
CREATE INDEX postings_by_end_to_end ON postings (shop_id, end_to_end_id) WHERE end_to_end_id <> '';
CREATE INDEX postings_by_counterparty ON postings (shop_id, counterparty_iban) WHERE counterparty_iban <> '';
CREATE INDEX postings_open ON postings (shop_id, status, booking_date) WHERE status IN ('suggested', 'unmatched');

CREATE INDEX postings_to_rematch ON postings (shop_id, rematch_at) WHERE rematch_at IS NOT NULL;

CREATE TABLE posting_sightings (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    posting_id text NOT NULL,
    statement_id text NOT NULL,
    source text NOT NULL,
    PRIMARY KEY (shop_id, import_id, posting_id)
);
CREATE INDEX posting_sightings_by_posting ON posting_sightings (shop_id, posting_id);

CREATE TABLE alerts (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE UNIQUE INDEX alerts_open ON alerts (shop_id, kind, subject) WHERE resolved_at IS NULL;

CREATE TABLE posting_keys (
    shop_id uuid NOT NULL,
    key bigint NOT NULL,
    posting_id text NOT NULL,
    PRIMARY KEY (shop_id, key, posting_id)
);
CREATE INDEX posting_keys_by_posting ON posting_keys (shop_id, posting_id);

CREATE TABLE contests (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    posting_id text NOT NULL,
    PRIMARY KEY (shop_id, order_number, posting_id)
);
CREATE INDEX contests_by_posting ON contests (shop_id, posting_id);

CREATE TABLE allocations (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    order_number text NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
    order_amount_minor bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('payment', 'return', 'outgoing', 'refund', 'refund-return')),
    by_hand boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, posting_id, order_number)
);
CREATE INDEX allocations_by_order ON allocations (shop_id, order_number);

CREATE TABLE refunds (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    external_reference text NOT NULL,
    reference text NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    currency text NOT NULL,
    digits smallint NOT NULL,
    order_amount_minor bigint NOT NULL,
    planned_date date NOT NULL,
    execution_date date,
    status text NOT NULL,
    iban text NOT NULL DEFAULT '',
    bic text NOT NULL DEFAULT '',
    holder text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    transfer_file_id text NOT NULL DEFAULT '',
    posting_id text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);
CREATE UNIQUE INDEX refunds_by_external_reference ON refunds (shop_id, external_reference);
CREATE UNIQUE INDEX refunds_by_reference ON refunds (shop_id, reference);
CREATE INDEX refunds_by_order ON refunds (shop_id, order_number);
CREATE INDEX refunds_due ON refunds (shop_id, planned_date) WHERE status = 'NEW';

CREATE TABLE transfer_files (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    message_id text NOT NULL,
    payment_information_id text NOT NULL,
    execution_date date NOT NULL,
    transfers integer NOT NULL,
    total_minor bigint NOT NULL,
    version text NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);

CREATE TABLE reminders (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    dunning_level integer NOT NULL,
    sent_date date NOT NULL,
    fee_minor bigint NOT NULL,
    email boolean NOT NULL,
    letter boolean NOT NULL,
    PRIMARY KEY (shop_id, order_number, dunning_level)
);

CREATE TABLE collections (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    partner text NOT NULL,
    file text NOT NULL,
    status text NOT NULL,
    active boolean NOT NULL,
    PRIMARY KEY (shop_id, order_number)
);

CREATE TABLE collection_events (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    position integer NOT NULL,
    at timestamptz NOT NULL,
    description text NOT NULL,
    PRIMARY KEY (shop_id, order_number, position)
);

CREATE TABLE event_counters (
    shop_id uuid PRIMARY KEY REFERENCES shops,
    last_seq bigint NOT NULL DEFAULT 0
);

CREATE TABLE events (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL,
    order_number text NOT NULL,
    order_seq integer NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    cause text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, seq)
);
CREATE UNIQUE INDEX events_by_order ON events (shop_id, order_number, order_seq);

CREATE TABLE callbacks (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    event_seq bigint,
    order_number text NOT NULL,
    order_seq integer NOT NULL,
    status text NOT NULL CHECK (status IN ('WAITING', 'PENDING', 'DELIVERED', 'GIVEN_UP', 'PAUSED', 'OFF')),
    attempts integer NOT NULL DEFAULT 0,
    queued_at timestamptz NOT NULL,
    first_due_at timestamptz,
    due_at timestamptz,
    claimed_until timestamptz,
    last_error text NOT NULL DEFAULT '',
    finished_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE UNIQUE INDEX callbacks_by_event ON callbacks (shop_id, event_seq) WHERE event_seq IS NOT NULL;
CREATE INDEX callbacks_by_order ON callbacks (shop_id, order_number, order_seq);
CREATE INDEX callbacks_due ON callbacks (shop_id, due_at) WHERE status = 'PENDING';
CREATE INDEX callbacks_by_queued ON callbacks (shop_id, queued_at, id);

CREATE TABLE callback_attempts (
    shop_id uuid NOT NULL,
    callback_id text NOT NULL,
    attempt integer NOT NULL,
    at timestamptz NOT NULL,
    elapsed_ms integer NOT NULL,
    http_status integer,
    error text NOT NULL,
    request text NOT NULL,
    answer text NOT NULL,
    next_try_at timestamptz,
    PRIMARY KEY (shop_id, callback_id, attempt)
);
CREATE INDEX callback_attempts_by_time ON callback_attempts (shop_id, at);
