-- What moves an order's books beside its payments and refunds: credit that is kept or used, income, loss (D-87).
-- `minor` is what the order is credited, in its currency; `customer` is a digest, which names nobody.
CREATE TABLE adjustments (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    customer text NOT NULL,
    currency text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('kept', 'used', 'returned', 'income', 'loss')),
    minor bigint NOT NULL CHECK (minor <> 0),
    day date NOT NULL,
    at timestamptz NOT NULL,
    by_name text NOT NULL,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX adjustments_by_order ON adjustments (shop_id, order_number);
CREATE INDEX adjustments_by_customer ON adjustments (shop_id, customer, currency);
CREATE INDEX adjustments_by_day ON adjustments (shop_id, day);

ALTER TABLE shops ADD COLUMN ledger_credits text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN ledger_income text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN ledger_losses text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN use_credit boolean NOT NULL DEFAULT false;
