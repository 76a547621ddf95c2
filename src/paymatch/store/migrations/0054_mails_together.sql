-- Orders of one customer in one mail, and mail of thanks for a payment (docs/decisions/056-mails-together.md).

ALTER TABLE shops ADD COLUMN payment_thanks boolean NOT NULL DEFAULT false;

-- Who is written to about the order, so that what is due for one customer is claimed together.
ALTER TABLE reminder_dues ADD COLUMN recipient text NOT NULL DEFAULT '';
-- When a payment has paid the order whose customer may be thanked.
ALTER TABLE reminder_dues ADD COLUMN paid_at timestamptz;
ALTER TABLE reminder_dues NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
UPDATE reminder_dues d SET recipient = lower(coalesce(o.doc::json->>'customerEmail', ''))
FROM orders o WHERE o.shop_id = d.shop_id AND o.number = d.order_number AND o.status IN ('UNPAID', 'PAID_PARTIAL');
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
ALTER TABLE reminder_dues FORCE ROW LEVEL SECURITY;
CREATE INDEX reminder_dues_by_recipient ON reminder_dues (shop_id, recipient) WHERE due_at IS NOT NULL;

-- A mail about several orders has a row for each of them, all with its Message-ID.
ALTER TABLE mails ADD COLUMN thanks boolean NOT NULL DEFAULT false;
CREATE INDEX mails_by_message ON mails (shop_id, message_id);
DROP INDEX mails_by_level;
CREATE UNIQUE INDEX mails_by_level ON mails (shop_id, order_number, thanks, dunning_level, correction)
    WHERE status IN ('PENDING', 'SENT', 'KEPT');

-- A shop words levels, the mail about several orders and the mail of thanks.
ALTER TABLE mail_texts ALTER COLUMN dunning_level TYPE text USING dunning_level::text;
ALTER TABLE mail_texts RENAME COLUMN dunning_level TO kind;
