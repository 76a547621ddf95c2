-- Mail that went out and came back (docs/decisions/056-mails-together.md, docs/reminders.md).
ALTER TABLE mails DROP CONSTRAINT mails_status_check;
ALTER TABLE mails ADD CONSTRAINT mails_status_check
    CHECK (status IN ('PENDING', 'SENT', 'KEPT', 'REFUSED', 'BOUNCED', 'WITHDRAWN'));
ALTER TABLE mails ADD COLUMN provider_id text NOT NULL DEFAULT '';
CREATE INDEX mails_by_provider ON mails (shop_id, provider_id) WHERE provider_id <> '';
DROP INDEX mails_unsettled;
CREATE INDEX mails_unsettled ON mails (shop_id, id) WHERE status IN ('PENDING', 'REFUSED', 'BOUNCED');

ALTER TABLE refund_requests DROP CONSTRAINT refund_requests_status_check;
ALTER TABLE refund_requests ADD CONSTRAINT refund_requests_status_check
    CHECK (status IN ('PENDING', 'SENT', 'KEPT', 'REFUSED', 'BOUNCED', 'WITHDRAWN'));
ALTER TABLE refund_requests ADD COLUMN provider_id text NOT NULL DEFAULT '';
CREATE INDEX refund_requests_by_message ON refund_requests (shop_id, message_id);
CREATE INDEX refund_requests_by_provider ON refund_requests (shop_id, provider_id) WHERE provider_id <> '';
