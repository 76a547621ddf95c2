-- Why a reminder went out (D-125): which data it rested on, and what was looked for among the payments.
CREATE TABLE reminder_reasons (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    dunning_level integer NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    open_minor bigint NOT NULL,
    covered_until date,
    last_import_at timestamp with time zone,
    looked_for text[] NOT NULL,
    undecided integer NOT NULL,
    of_amount text[] NOT NULL,
    PRIMARY KEY (shop_id, order_number, dunning_level)
);
