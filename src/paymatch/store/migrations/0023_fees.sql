-- What a payer keeps (D-36): an allocation credits its order `amount_minor + withheld_minor` of the posting's currency,
-- `order_amount_minor` in the order's. Only `amount_minor` is money of the posting.
ALTER TABLE allocations
    ADD COLUMN withheld_minor bigint NOT NULL DEFAULT 0,
    ADD COLUMN fee_kind text CHECK (fee_kind IN ('COMMISSION', 'DELIVERY_FEE', 'PAYMENT_FEE', 'BANK_CHARGE',
                                                 'CASH_DISCOUNT')),
    DROP CONSTRAINT allocations_amount_minor_check,
    ADD CONSTRAINT allocations_of_something CHECK (amount_minor <> 0 OR withheld_minor <> 0),
    ADD CONSTRAINT allocations_signs_agree CHECK (sign(amount_minor) * sign(withheld_minor) >= 0),
    ADD CONSTRAINT allocations_fees_have_a_kind CHECK ((withheld_minor <> 0) = (fee_kind IS NOT NULL));

-- An owner that is no superuser sees the rows too; the policies are forced again at the end of the migration.
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
ALTER TABLE allocations NO FORCE ROW LEVEL SECURITY;

-- What was granted on an order so far becomes what was withheld from its last payment.
WITH granted AS (
    SELECT DISTINCT ON (o.shop_id, o.number) o.shop_id, o.number, a.posting_id, o.discount_minor,
           (o.discount_minor * a.amount_minor::numeric / a.order_amount_minor)::bigint AS withheld_minor
    FROM orders o
    JOIN allocations a ON a.shop_id = o.shop_id AND a.order_number = o.number AND a.kind = 'payment'
    WHERE o.discount_minor > 0 AND a.order_amount_minor > 0
    ORDER BY o.shop_id, o.number, a.created_at DESC, a.posting_id),
withheld AS (
    UPDATE allocations a SET withheld_minor = g.withheld_minor,
           order_amount_minor = a.order_amount_minor + g.discount_minor, fee_kind = 'BANK_CHARGE'
    FROM granted g
    WHERE a.shop_id = g.shop_id AND a.posting_id = g.posting_id AND a.order_number = g.number AND g.withheld_minor > 0
    RETURNING a.shop_id, a.order_number, g.discount_minor)
UPDATE orders o SET postings_minor = o.postings_minor + w.discount_minor
FROM withheld w WHERE o.shop_id = w.shop_id AND o.number = w.order_number;
ALTER TABLE orders DROP COLUMN discount_minor;

-- The last payouts of a payer, which teach what it keeps; and what was kept in a period.
CREATE INDEX postings_of_payouts ON postings (shop_id, counterparty_iban, booking_date) WHERE collective;
CREATE INDEX allocations_withheld ON allocations (shop_id, posting_id) WHERE withheld_minor <> 0;
