-- Corrected payment information: which of an order it is (0: another mail), and the amount that a mail was written with.
ALTER TABLE mails ADD COLUMN correction integer NOT NULL DEFAULT 0 CHECK (correction >= 0);
ALTER TABLE mails ADD COLUMN told_minor bigint;
DROP INDEX mails_by_level;
CREATE UNIQUE INDEX mails_by_level ON mails (shop_id, order_number, dunning_level, correction)
    WHERE status IN ('PENDING', 'SENT', 'KEPT');
