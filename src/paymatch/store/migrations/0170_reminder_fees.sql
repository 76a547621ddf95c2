-- Reminder fees that were asked for and paid (D-97): what a payment holds beyond its order, counted as withheld with a minus.
ALTER TABLE allocations
    DROP CONSTRAINT allocations_fee_kind_check,
    ADD CONSTRAINT allocations_fee_kind_check CHECK (fee_kind IN ('COMMISSION', 'DELIVERY_FEE', 'PAYMENT_FEE',
        'BANK_CHARGE', 'CASH_DISCOUNT', 'REMINDER_FEE')),
    DROP CONSTRAINT allocations_signs_agree,
    ADD CONSTRAINT allocations_signs_agree CHECK (CASE WHEN fee_kind = 'REMINDER_FEE'
        THEN sign(amount_minor) * sign(withheld_minor) = -1 AND abs(withheld_minor) <= abs(amount_minor)
        ELSE sign(amount_minor) * sign(withheld_minor) >= 0 END);
ALTER TABLE shops ADD COLUMN ledger_reminder_fees text NOT NULL DEFAULT '';
