-- What an amount costs in another currency, one unit of which costs `rate` units of the amount's own (D-85): in minor
-- units, halves rounded up, as `domain/orders/exchange.py` computes it. NULL where it is more than an amount may be.
CREATE FUNCTION minor_at_rate(minor bigint, digits smallint, rate numeric, other_digits integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN minor * power(10::numeric, other_digits) < rate * power(10::numeric, digits) * 999999999999999
        THEN div(2 * minor * power(10::numeric, other_digits) + rate * power(10::numeric, digits),
                 2 * rate * power(10::numeric, digits))::bigint END;

-- The last exchange rate that a shop of this installation sent for two currencies, or a bank applied to them. Nothing
-- of a shop stands in it. Each pair has one direction, the one in which its codes follow the alphabet.
CREATE TABLE last_exchange_rates (
    base text NOT NULL CHECK (base < quoted),
    quoted text NOT NULL,
    rate numeric NOT NULL CHECK (rate > 0),  -- units of `quoted` for one unit of `base`
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (base, quoted)
);
GRANT SELECT, INSERT, UPDATE ON last_exchange_rates TO paymatch_app, paymatch_operator;
