-- Rules that people make from a decision (D-49): what is to happen to payments like this one.
CREATE TABLE payer_rules (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    action text NOT NULL CHECK (action IN ('set-aside', 'pays-for')),
    iban text NOT NULL DEFAULT '', -- sealed
    name text NOT NULL DEFAULT '',
    words text[] NOT NULL DEFAULT '{}',
    reason text NOT NULL DEFAULT '',
    customer_number text NOT NULL DEFAULT '',
    customer_name text NOT NULL DEFAULT '',
    active boolean NOT NULL DEFAULT true,
    author text NOT NULL,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);

-- The rule that set the posting aside; '-' once a person has taken it up again: no rule touches it any more.
ALTER TABLE postings ADD COLUMN by_rule text NOT NULL DEFAULT '';
