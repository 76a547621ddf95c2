-- Refund runs: each transfer that went into a file, with what the bank said of it.

ALTER TABLE shops ADD COLUMN transfer_version text NOT NULL DEFAULT '09' CHECK (transfer_version IN ('09', '03'));

-- Among the refunds of its order: a sandbox clock stands still while several are filed.
ALTER TABLE refunds ADD COLUMN place integer NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN attempt integer NOT NULL DEFAULT 1 CHECK (attempt > 0);
ALTER TABLE refunds ADD COLUMN iban_given boolean NOT NULL DEFAULT false;
ALTER TABLE refunds ADD COLUMN held_reason text NOT NULL DEFAULT '';
CREATE INDEX refunds_pending ON refunds (shop_id, planned_date) WHERE status IN ('NEW', 'BANKDETAILS_MISSING');

ALTER TABLE transfer_files ADD COLUMN written_at timestamptz;
CREATE UNIQUE INDEX transfer_files_by_message ON transfer_files (shop_id, message_id);
CREATE INDEX transfer_files_by_batch ON transfer_files (shop_id, payment_information_id);
CREATE INDEX transfer_files_unwritten ON transfer_files (shop_id, id) WHERE written_at IS NULL;

-- The key keeps an attempt from going out twice: its EndToEndId stands in one file.
CREATE TABLE transfers (
    shop_id uuid NOT NULL,
    end_to_end_id text NOT NULL,
    refund_id text NOT NULL,
    attempt integer NOT NULL,
    file_id text NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    iban text NOT NULL,
    holder text NOT NULL,
    status text NOT NULL CHECK (status IN ('RELEASED', 'REJECTED', 'BOOKED', 'RETURNED')),
    bank_status text NOT NULL DEFAULT '',
    bank_code text NOT NULL DEFAULT '',
    debit_posting_id text NOT NULL DEFAULT '',
    return_posting_id text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, end_to_end_id)
);
CREATE UNIQUE INDEX transfers_by_refund ON transfers (shop_id, refund_id, attempt);
CREATE INDEX transfers_by_file ON transfers (shop_id, file_id);
CREATE INDEX transfers_unanswered ON transfers (shop_id, file_id) WHERE status = 'RELEASED';
CREATE INDEX transfers_by_debit ON transfers (shop_id, debit_posting_id) WHERE debit_posting_id <> '';
CREATE INDEX transfers_by_return ON transfers (shop_id, return_posting_id) WHERE return_posting_id <> '';
