-- Which orders an open posting is proposed for first, so that of two equal orders each gets one of two payments.

CREATE TABLE first_suggestions (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    posting_id text NOT NULL,
    booking_date date NOT NULL,
    PRIMARY KEY (shop_id, order_number, posting_id)
);
CREATE INDEX first_suggestions_by_posting ON first_suggestions (shop_id, posting_id);
