-- EBICS 3.0 (docs/decisions/103-ebics-by-itself.md): subscribers, their orders, files that came, files that go.

-- An import may come by EBICS; which ways there are is checked by `StatementChannel`.
ALTER TABLE imports DROP CONSTRAINT imports_channel_check;

-- keys: the three private keys, sealed; new_keys: those that HCS is under way with. bank_keys: certificates whose
-- fingerprints a person compared; offered_bank_keys: those of the last HPB, which nobody has compared yet.
-- sends_from: from when on files made by refund runs go by this connection, NULL: never. All moments are of the real clock.
CREATE TABLE ebics_connections (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    bank_name text NOT NULL,
    url text NOT NULL,
    host_id text NOT NULL,
    partner_id text NOT NULL,
    user_id text NOT NULL,
    country text NOT NULL,
    with_certificates boolean NOT NULL,
    status text NOT NULL,
    keys text NOT NULL,
    new_keys text NOT NULL DEFAULT '',
    bank_keys text NOT NULL DEFAULT '',
    offered_bank_keys text NOT NULL DEFAULT '',
    sending_began boolean NOT NULL DEFAULT false,
    submitted_at timestamptz,
    activated_at timestamptz,
    offer jsonb NOT NULL DEFAULT '{}',
    offer_at timestamptz,
    accounts text[] NOT NULL DEFAULT '{}',
    fetches text[] NOT NULL DEFAULT '{}',
    fetch_times text[] NOT NULL,
    sends_from timestamptz,
    work_at timestamptz NOT NULL,
    next_fetch_at timestamptz,
    last_fetched_at timestamptz,
    last_data_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    last_error text,
    resting_until timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);

-- Every order that left, with the bank's number for it and what the bank answered. ended_at NULL: no answer was recorded.
CREATE TABLE ebics_orders (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    connection_id text NOT NULL,
    order_type text NOT NULL,
    subject text NOT NULL,
    file_id text NOT NULL,
    number text NOT NULL DEFAULT '',
    outcome text NOT NULL DEFAULT '',
    answer text,
    began_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX ebics_orders_by_connection ON ebics_orders (shop_id, connection_id, began_at DESC, id DESC);

-- Files that a bank handed out: kept before the bank is told that they came, emptied once they are imported.
CREATE TABLE ebics_files (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    connection_id text NOT NULL,
    subject text NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    content bytea NOT NULL,
    received_at timestamptz NOT NULL,
    imported_at timestamptz,
    error text,
    PRIMARY KEY (shop_id, id)
);
CREATE UNIQUE INDEX ebics_files_by_digest ON ebics_files (shop_id, connection_id, digest);
CREATE INDEX ebics_files_waiting ON ebics_files (shop_id, id) WHERE imported_at IS NULL;

-- The upload of a transfer file: its state before each message (docs/decisions/104-ebics-uploads-happen-once.md).
CREATE TABLE ebics_uploads (
    shop_id uuid NOT NULL,
    file_id text NOT NULL,
    connection_id text NOT NULL,
    status text NOT NULL,
    phase text NOT NULL,
    transaction_key text NOT NULL,
    transaction_id text NOT NULL DEFAULT '',
    order_number text NOT NULL DEFAULT '',
    next_segment integer NOT NULL DEFAULT 1,
    needs_approval boolean NOT NULL DEFAULT false,
    sent_at timestamptz,
    protocol_at timestamptz,
    last_error text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, file_id)
);
CREATE INDEX ebics_uploads_open ON ebics_uploads (shop_id, file_id) WHERE status IN ('OPEN', 'UNCERTAIN', 'WAITING');

-- By which connection a transfer file goes: decided when it is made, "" for the folder and for people.
ALTER TABLE transfer_files ADD COLUMN ebics_connection text NOT NULL DEFAULT '';
