-- Folded texts that searches read (docs/decisions/101-search.md): narrow rows beside orders and postings, scanned whole.
-- `amount` is without its sign, in ten-thousandths of the currency's unit. Rows of before are written by a job.
CREATE TABLE order_search (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    order_date date NOT NULL,
    amount bigint NOT NULL,
    customer text NOT NULL,  -- what tells one customer from others: number, else e-mail address, else name
    words text NOT NULL,
    long_words text NOT NULL,  -- those in which a typing error is looked for
    PRIMARY KEY (shop_id, order_number)
);

-- `account`: the name of a key, and keyed marks of the four-character parts of the payer's account.
CREATE TABLE posting_search (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    booking_date date NOT NULL,
    amount bigint NOT NULL,
    account text NOT NULL,
    words text NOT NULL,
    long_words text NOT NULL,
    PRIMARY KEY (shop_id, posting_id)
);
ALTER TABLE order_search SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE posting_search SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
