-- The first usual exchange rate of each pair of currencies and day, of all shops of the installation (D-85).
CREATE TABLE exchange_rates (
    currency text NOT NULL,  -- so many units of it ...
    other_currency text NOT NULL,  -- ... cost one unit of this
    day date NOT NULL,
    rate numeric NOT NULL CHECK (rate > 0),
    PRIMARY KEY (currency, other_currency, day));
GRANT SELECT, INSERT ON exchange_rates TO paymatch_app, paymatch_operator;

-- The rate that an order's exchangeRate was more than 10 % away from; NULL where it was usual.
ALTER TABLE orders ADD COLUMN rate_before numeric;
CREATE INDEX orders_of_unusual_rates ON orders (shop_id, number) WHERE rate_before IS NOT NULL;
