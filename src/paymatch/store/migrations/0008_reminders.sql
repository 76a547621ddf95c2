-- Payment information and reminders: what is due when, the mail that goes out, and how a shop words it (D-33).

ALTER TABLE shops ADD COLUMN reminders boolean NOT NULL DEFAULT false;
ALTER TABLE shops ADD COLUMN payment_information boolean NOT NULL DEFAULT false;
ALTER TABLE shops ADD COLUMN mail_from text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN mail_name text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN reply_to text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN dunning_plan text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN sandbox_bank_silent boolean NOT NULL DEFAULT false;
ALTER TABLE shops ADD COLUMN sandbox_told_until date;

CREATE TABLE reminder_dues (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    due_at timestamptz,
    claimed_until timestamptz,
    held text NOT NULL DEFAULT '',
    known_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, order_number)
);
CREATE INDEX reminder_dues_due ON reminder_dues (shop_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE mails (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    dunning_level integer NOT NULL,
    status text NOT NULL CHECK (status IN ('PENDING', 'SENT', 'KEPT', 'REFUSED', 'WITHDRAWN')),
    message_id text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL DEFAULT '',
    content bytea NOT NULL DEFAULT '',
    fee_minor bigint NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE UNIQUE INDEX mails_by_level ON mails (shop_id, order_number, dunning_level)
    WHERE status IN ('PENDING', 'SENT', 'KEPT');
CREATE INDEX mails_by_order ON mails (shop_id, order_number);
CREATE INDEX mails_unsettled ON mails (shop_id, id) WHERE status IN ('PENDING', 'REFUSED');

CREATE TABLE mail_texts (
    shop_id uuid NOT NULL,
    dunning_level integer NOT NULL,
    language text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (shop_id, dunning_level, language)
);
