-- What people write down about a posting while they decide it.
CREATE TABLE posting_comments (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    seq integer NOT NULL,
    author text NOT NULL,
    said text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, posting_id, seq)
);

-- Which posting a person has open, so that two clerks do not begin with the same one.
CREATE TABLE posting_viewers (
    shop_id uuid NOT NULL,
    person text NOT NULL,
    posting_id text NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, person)
);

-- What people have decided, the latest first.
CREATE INDEX postings_decided ON postings (shop_id, decided_at DESC, id DESC)
    WHERE by_hand AND status IN ('matched', 'ignored');
