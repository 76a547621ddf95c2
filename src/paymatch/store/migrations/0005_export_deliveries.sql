-- Exports that leave by themselves (D-115): each period once, then supplements. `supplement` counts from 1; 0 is the period itself. `ends_early` lists as JSON the accounts whose statements ended before the period's last bank day.
CREATE TABLE export_deliveries (
    shop_id uuid NOT NULL,
    number integer NOT NULL,
    supplement integer NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL,
    prepared_date date NOT NULL,
    delivered_at timestamp with time zone,
    ends_early text NOT NULL,
    CONSTRAINT export_deliveries_check CHECK ((last_date >= first_date)),
    PRIMARY KEY (shop_id, number)
);

-- The postings that have left by themselves, each with one delivery.
CREATE TABLE exported_postings (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    number integer NOT NULL,
    PRIMARY KEY (shop_id, posting_id)
);

CREATE INDEX exported_postings_by_number ON exported_postings USING btree (shop_id, number);

-- The supplement by which a booking has left; 0: it has left with its period.
ALTER TABLE booked_entries ADD COLUMN supplement integer DEFAULT 0 NOT NULL;

ALTER TABLE shops ADD COLUMN export_wait integer DEFAULT 5 NOT NULL;
