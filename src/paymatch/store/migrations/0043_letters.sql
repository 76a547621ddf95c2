-- Letters to customers: what is to be printed or handed to a provider, and what has gone out (docs/decisions/052-letters.md).

-- '': the envelopes that are usual in the shop's country.
ALTER TABLE shops ADD COLUMN letter_paper text NOT NULL DEFAULT ''
    CHECK (letter_paper IN ('', 'din-5008', 'swiss-right', 'swiss-left'));
ALTER TABLE shops ADD COLUMN letters_by text NOT NULL DEFAULT 'printer' CHECK (letters_by IN ('printer', 'provider'));
-- What goes out when the first invoice of an order is uploaded and letters are on.
ALTER TABLE shops ADD COLUMN invoice_letters text NOT NULL DEFAULT 'cover'
    CHECK (invoice_letters IN ('cover', 'as-is', 'off'));
ALTER TABLE shops ADD COLUMN letter_duplex boolean NOT NULL DEFAULT false;
ALTER TABLE shops ADD COLUMN letter_colour boolean NOT NULL DEFAULT false;
ALTER TABLE shops ADD COLUMN letter_alert_days integer NOT NULL DEFAULT 3 CHECK (letter_alert_days > 0);

CREATE TABLE letters (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('INFORMATION', 'REMINDER', 'INVOICE')),
    dunning_level integer NOT NULL DEFAULT 0,
    invoice_number text,
    status text NOT NULL CHECK (status IN ('NEW', 'SPOOLED', 'PRINTING', 'PRINTED', 'SENT', 'POSTED', 'RETURNED', 'KEPT',
                                           'REFUSED', 'WITHDRAWN', 'DISCARDED')),
    recipient text NOT NULL DEFAULT '',
    country text NOT NULL DEFAULT '',
    -- What was open when it was written: it does not go out once this has changed.
    open_minor bigint NOT NULL DEFAULT 0,
    fee_minor bigint NOT NULL DEFAULT 0,
    pages integer NOT NULL DEFAULT 0,
    content bytea NOT NULL DEFAULT '',
    run_id text,
    provider_id text NOT NULL DEFAULT '',
    attempts integer NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    -- When the service has something to do with it: write it, hand it over, ask after it. NULL: nothing.
    due_at timestamptz,
    claimed_until timestamptz,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    order_seq integer,
    forgotten boolean NOT NULL DEFAULT false,
    PRIMARY KEY (shop_id, id),
    CHECK ((kind = 'INVOICE') = (invoice_number IS NOT NULL)),
    CHECK ((status IN ('NEW', 'SPOOLED', 'PRINTING')) = (finished_at IS NULL)),
    CHECK (status <> 'PRINTING' OR run_id IS NOT NULL),
    CHECK (NOT forgotten OR (finished_at IS NOT NULL AND recipient = '' AND content = ''))
);
-- Exactly one letter per cause: a level of an order, its first invoice.
CREATE UNIQUE INDEX letters_by_level ON letters (shop_id, order_number, dunning_level)
    WHERE kind IN ('INFORMATION', 'REMINDER') AND status NOT IN ('REFUSED', 'WITHDRAWN', 'DISCARDED');
CREATE UNIQUE INDEX letters_by_invoice ON letters (shop_id, order_number) WHERE kind = 'INVOICE';
CREATE INDEX letters_by_order ON letters (shop_id, order_number);
CREATE INDEX letters_due ON letters (shop_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX letters_waiting ON letters (shop_id, id) WHERE status IN ('NEW', 'SPOOLED', 'PRINTING', 'REFUSED', 'RETURNED');
CREATE INDEX letters_by_run ON letters (shop_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX letters_to_forget ON letters (shop_id, finished_at) WHERE finished_at IS NOT NULL AND NOT forgotten;

CREATE TABLE letter_runs (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    created_at timestamptz NOT NULL,
    letters integer NOT NULL,
    pages integer NOT NULL,
    printed_at timestamptz,
    undone_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX letter_runs_open ON letter_runs (shop_id, id) WHERE printed_at IS NULL AND undone_at IS NULL;
