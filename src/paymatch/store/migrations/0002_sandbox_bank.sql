-- The sandbox: a bank of its own, and a lease by which whoever moves the shop's clock does its due work alone.

ALTER TABLE shops ADD COLUMN sandbox_held_until timestamptz;

CREATE TABLE sandbox_bookings (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    place integer NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    booking_date date NOT NULL,
    deliver_at timestamptz NOT NULL,
    formats text[] NOT NULL,
    delivered_twice boolean NOT NULL,
    facts text NOT NULL,
    order_numbers text[] NOT NULL,
    delivered_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX sandbox_bookings_due ON sandbox_bookings (shop_id, deliver_at) WHERE delivered_at IS NULL;
CREATE INDEX sandbox_bookings_by_day ON sandbox_bookings (shop_id, account, booking_date, place);

CREATE TABLE sandbox_files (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    booking_date date NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    imported_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
CREATE INDEX sandbox_files_waiting ON sandbox_files (shop_id, id) WHERE imported_at IS NULL;
