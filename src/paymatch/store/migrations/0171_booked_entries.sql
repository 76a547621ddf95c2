-- The books as they have left (D-86): days whose bookings were exported or closed, and these bookings. What changes later is
-- reversed and booked anew on the first day that has not left.
CREATE TABLE booked_periods (
    shop_id uuid NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL CHECK (last_date >= first_date),
    booked_date date NOT NULL,
    booked_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, first_date)
);
-- `source` is the posting, or the order and day of a sale. Accounts with their roles, as the settings were then.
CREATE TABLE booked_entries (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL,
    date date NOT NULL,
    source text NOT NULL,
    is_sale boolean NOT NULL,
    debit_role text NOT NULL,
    debit text NOT NULL,
    credit_role text NOT NULL,
    credit text NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    currency text NOT NULL,
    document text NOT NULL,
    text text NOT NULL,
    posting_id text NOT NULL,
    invoice text NOT NULL,
    PRIMARY KEY (shop_id, seq)
);
CREATE INDEX booked_entries_by_day ON booked_entries (shop_id, date, seq);
CREATE INDEX booked_entries_by_source ON booked_entries (shop_id, source);
-- What a file says beside its bookings, such as its moment and DATEV's numbers: a file of days that have left stays byte for byte.
CREATE TABLE booked_headers (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL,
    sales boolean NOT NULL,
    header text NOT NULL,
    PRIMARY KEY (shop_id, name, first_date, last_date, sales)
);
