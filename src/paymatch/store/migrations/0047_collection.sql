-- Collection: the shop's agency, its cases, and what it has to be told (docs/decisions/054-collection.md).

-- A shop without a row has no agency; after_days NULL: orders are handed over by hand only.
CREATE TABLE collection_agencies (
    shop_id uuid PRIMARY KEY,
    name text NOT NULL,
    channel text NOT NULL CHECK (channel IN ('folder', 'mail', 'http')),
    address text NOT NULL,
    customer_number text NOT NULL,
    after_days integer CHECK (after_days > 0),
    interest boolean NOT NULL,
    lump_sum boolean NOT NULL
);

-- `file` is the agency's number of the case. Amounts in minor units of the order's currency: the claim at the handover,
-- and how much of what was paid since the agency was told of.
ALTER TABLE collections ADD COLUMN id text NOT NULL DEFAULT '';
ALTER TABLE collections ADD COLUMN handed_over_at timestamptz NOT NULL DEFAULT 'epoch';
ALTER TABLE collections ADD COLUMN warned_on date;
ALTER TABLE collections ADD COLUMN claim_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN fees_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN interest_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN lump_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN told_open_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE collections ADD CONSTRAINT collections_status CHECK (status IN ('SUBMITTED', 'ACCEPTED', 'REJECTED',
    'PRELEGAL', 'INSTALMENT', 'LEGAL', 'PAID', 'PAID_PARTIAL', 'WITHDRAWN', 'UNCOLLECTIBLE'));
CREATE INDEX collections_by_file ON collections (shop_id, file) WHERE file <> '';

-- What the agency is told of a case, once each and in this order; delivered_at NULL: it still has to be.
CREATE TABLE collection_messages (
    shop_id uuid NOT NULL,
    case_id text NOT NULL,
    position integer NOT NULL,
    order_number text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('handover', 'payment', 'withdrawal')),
    at timestamptz NOT NULL,
    open_minor bigint NOT NULL,
    delivered_at timestamptz,
    PRIMARY KEY (shop_id, case_id, position)
);
CREATE INDEX collection_messages_to_deliver ON collection_messages (shop_id, at) WHERE delivered_at IS NULL;

-- Reports of the agency that were read: the same file twice changes nothing.
CREATE TABLE collection_reports (
    shop_id uuid NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, hash)
);

-- D-42; NULL: orders do not lapse.
ALTER TABLE shops ADD COLUMN lapse_after_days integer CHECK (lapse_after_days > 0);

ALTER TABLE api_keys DROP CONSTRAINT api_keys_scope_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scope_check CHECK (scope ~
    '^(read|orders|refunds|statements|collection|read-write)(,(read|orders|refunds|statements|collection|read-write))*$');
