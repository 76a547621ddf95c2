-- A letter may ask for the bank details of a refund, where no mail reaches the customer (docs/decisions/052-letters.md).

ALTER TABLE letters DROP CONSTRAINT letters_kind_check;
ALTER TABLE letters ADD CONSTRAINT letters_kind_check
    CHECK (kind IN ('INFORMATION', 'REMINDER', 'INVOICE', 'REFUND_ACCOUNT'));
ALTER TABLE letters ADD COLUMN refund_id text;
ALTER TABLE letters ADD CONSTRAINT letters_refund_check CHECK ((kind = 'REFUND_ACCOUNT') = (refund_id IS NOT NULL));
CREATE UNIQUE INDEX letters_by_refund ON letters (shop_id, refund_id) WHERE kind = 'REFUND_ACCOUNT';
