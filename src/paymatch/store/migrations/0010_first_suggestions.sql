-- Which orders an open posting is proposed for first, so that of two equal orders each gets one of two payments.

CREATE TABLE first_suggestions (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    posting_id text NOT NULL,
    booking_date date NOT NULL,
    PRIMARY KEY (shop_id, order_number, posting_id)
);
CREATE INDEX first_suggestions_by_posting ON first_suggestions (shop_id, posting_id);

ALTER TABLE first_suggestions ENABLE ROW LEVEL SECURITY;
ALTER TABLE first_suggestions FORCE ROW LEVEL SECURITY;
CREATE POLICY of_shop ON first_suggestions TO paymatch_app
    USING (shop_id = (SELECT nullif(current_setting('paymatch.shop', true), '')::uuid));
CREATE POLICY of_operator ON first_suggestions TO paymatch_operator USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON first_suggestions TO paymatch_app, paymatch_operator;
