-- Mail that came back before it was known to have gone out, and orders whose mail did (docs/reminders.md).

-- Reports on mail that nobody knows yet: kept for an hour, and looked at again. They belong to no shop.
CREATE TABLE early_bounces (
    message_id text NOT NULL,
    provider_id text NOT NULL,
    recipient text NOT NULL,
    reason text NOT NULL,
    told_at timestamptz NOT NULL,
    PRIMARY KEY (message_id, provider_id)
);
GRANT SELECT, INSERT, DELETE ON early_bounces TO paymatch_operator;

-- Why mail to the order's customerEmail was refused or came back; '' once it has another address.
ALTER TABLE orders ADD COLUMN mail_refusal text NOT NULL DEFAULT '';
