-- What orders that were set paid owed then, by day and account (D-98): booked from the debtor to cash, vouchers or a clearing account, and
-- back when the order is set unpaid, cancelled or paid after all.
CREATE TABLE set_paid_amounts (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    day date NOT NULL,
    account text NOT NULL CHECK (account IN ('CASH', 'VOUCHER', 'OTHER')),
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    reason text NOT NULL,
    set_by text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, order_number, day, account)
);
CREATE INDEX set_paid_amounts_by_day ON set_paid_amounts (shop_id, day);
ALTER TABLE shops ADD COLUMN ledger_set_paid text NOT NULL DEFAULT '';
