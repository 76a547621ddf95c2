-- How orders and postings stood at the end of each past day: what reports as of a day are made from (D-50).
--
-- A row holds from `since_date` on. When one of a later day changes, how it stood goes into the past: one row per day at
-- most, that of the day's first change. What changes on the day on which it began was never seen at the end of a day.

CREATE TABLE order_past (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    since_date date NOT NULL,
    until_date date NOT NULL,
    status text NOT NULL,
    type text NOT NULL,
    order_date date NOT NULL,
    due_date date,
    currency text NOT NULL,
    amount_minor bigint NOT NULL,
    postings_minor bigint NOT NULL,
    refunded_minor bigint NOT NULL,
    PRIMARY KEY (shop_id, order_number, until_date)
);
CREATE INDEX order_past_by_day ON order_past (shop_id, until_date);

CREATE TABLE posting_past (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    since_date date NOT NULL,
    until_date date NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    booking_date date NOT NULL,
    amount_minor bigint NOT NULL,
    status text NOT NULL,
    by_hand boolean NOT NULL,
    aside_reason text NOT NULL,
    held_back text NOT NULL,
    orders_minor bigint NOT NULL,
    refunds_minor bigint NOT NULL,
    withheld_minor bigint NOT NULL,
    parts text NOT NULL,
    PRIMARY KEY (shop_id, posting_id, until_date)
);
CREATE INDEX posting_past_by_day ON posting_past (shop_id, until_date);

-- What an undone import had said of balances.
CREATE TABLE statement_past (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    since_date date NOT NULL,
    until_date date NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    sequence text NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL,
    opening_minor bigint,
    closing_minor bigint,
    PRIMARY KEY (shop_id, id)
);

ALTER TABLE orders ADD COLUMN since_date date NOT NULL DEFAULT '0001-01-01';
ALTER TABLE postings ADD COLUMN since_date date NOT NULL DEFAULT '0001-01-01';
ALTER TABLE statements ADD COLUMN since_date date NOT NULL DEFAULT '0001-01-01';
-- The evidence that weighed most where matching decided by itself.
ALTER TABLE postings ADD COLUMN matched_by text NOT NULL DEFAULT '';

-- Of before this migration the events tell what each order's status was, and the allocations what it had been paid.
ALTER TABLE shops NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE statements NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE allocations NO FORCE ROW LEVEL SECURITY;

UPDATE statements t SET since_date = (t.created_at AT TIME ZONE s.timezone)::date
FROM shops s WHERE s.shop_id = t.shop_id;
UPDATE postings p SET since_date = (p.created_at AT TIME ZONE s.timezone)::date,
    matched_by = CASE WHEN p.status = 'matched' AND NOT p.by_hand AND p.decision <> '' THEN coalesce((
        SELECT e ->> 'code' FROM json_array_elements(p.decision::json -> 'evidence') e
        ORDER BY (e ->> 'weight')::numeric DESC LIMIT 1), '') ELSE '' END
FROM shops s WHERE s.shop_id = p.shop_id;
INSERT INTO order_past (shop_id, order_number, since_date, until_date, status, type, order_date, due_date, currency,
                        amount_minor, postings_minor, refunded_minor)
SELECT o.shop_id, o.number, e.since_date, e.until_date, e.from_status, o.type, o.order_date, o.due_date, o.currency,
       o.amount_minor, coalesce((
           SELECT sum(a.order_amount_minor) FROM allocations a
           WHERE a.shop_id = o.shop_id AND a.order_number = o.number AND a.kind IN ('payment', 'return')
             AND a.created_at < e.at), 0), 0
FROM (SELECT first.*, coalesce(lag(first.until_date) OVER (PARTITION BY first.shop_id, first.order_number
                                                           ORDER BY first.until_date), first.created_date) AS since_date
      FROM (SELECT DISTINCT ON (v.shop_id, v.order_number, until_date) v.shop_id, v.order_number, v.from_status, v.at,
                   (v.at AT TIME ZONE s.timezone)::date AS until_date,
                   (c.created_at AT TIME ZONE s.timezone)::date AS created_date
            FROM events v
            JOIN shops s ON s.shop_id = v.shop_id
            JOIN orders c ON c.shop_id = v.shop_id AND c.number = v.order_number
            ORDER BY v.shop_id, v.order_number, until_date, v.order_seq) first) e
JOIN orders o ON o.shop_id = e.shop_id AND o.number = e.order_number
WHERE e.since_date < e.until_date;
UPDATE orders o SET since_date = coalesce(
    (SELECT max(y.until_date) FROM order_past y WHERE y.shop_id = o.shop_id AND y.order_number = o.number),
    (o.created_at AT TIME ZONE s.timezone)::date)
FROM shops s WHERE s.shop_id = o.shop_id;

ALTER TABLE shops FORCE ROW LEVEL SECURITY;
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
ALTER TABLE statements FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE allocations FORCE ROW LEVEL SECURITY;

-- A month that was closed: how each of its postings was explained then, sealed by a hash that chains it to the month
-- closed before it (D-50).
CREATE TABLE closed_months (
    shop_id uuid NOT NULL,
    month date NOT NULL CHECK (extract(day FROM month) = 1),
    seq integer NOT NULL,
    closed_at timestamptz NOT NULL,
    closed_date date NOT NULL,
    closed_by text NOT NULL,
    postings integer NOT NULL,
    summary text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (shop_id, month)
);
CREATE TABLE closed_postings (
    shop_id uuid NOT NULL,
    month date NOT NULL,
    posting_id text NOT NULL,
    explained text NOT NULL,
    PRIMARY KEY (shop_id, month, posting_id)
);
