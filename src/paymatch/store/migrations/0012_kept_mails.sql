-- Address and words of a mail go after a while; that it was sent, when and of which level stays (D-32).

-- How many days after it went out a mail keeps them; NULL: for ever.
ALTER TABLE shops ADD COLUMN keep_mail_days integer DEFAULT 365 CHECK (keep_mail_days > 0);

ALTER TABLE mails ADD COLUMN forgotten boolean NOT NULL DEFAULT false;
-- How many events the order had when it was decided that the mail goes out: with which status, its events say.
ALTER TABLE mails ADD COLUMN order_seq integer;
ALTER TABLE mails ADD CONSTRAINT mails_finished CHECK ((status = 'PENDING') = (finished_at IS NULL));
ALTER TABLE mails ADD CONSTRAINT mails_forgotten CHECK (
    NOT forgotten OR (status <> 'PENDING' AND recipient = '' AND subject = '' AND content = ''));
CREATE INDEX mails_to_forget ON mails (shop_id, finished_at) WHERE finished_at IS NOT NULL AND NOT forgotten;
