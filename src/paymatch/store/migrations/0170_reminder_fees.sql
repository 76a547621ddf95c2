-- Reminder fees that were asked for and paid (D-97): what a payment holds beyond its order, counted as withheld with a minus.
-- That signs agree but for these is an invariant of `paymatch check`.
ALTER TABLE allocations DROP CONSTRAINT allocations_signs_agree;
ALTER TABLE allocations DROP CONSTRAINT allocations_fee_kind_check;
ALTER TABLE allocations ADD CONSTRAINT allocations_fee_kind_check CHECK (fee_kind IN ('COMMISSION', 'DELIVERY_FEE',
    'PAYMENT_FEE', 'BANK_CHARGE', 'CASH_DISCOUNT', 'REMINDER_FEE'));
ALTER TABLE shops ADD COLUMN ledger_reminder_fees text NOT NULL DEFAULT '';
