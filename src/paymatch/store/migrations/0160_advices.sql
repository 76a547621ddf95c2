-- Remittance advices (D-94): what a payer announced, as it was read. `facts` is empty where nobody could read it.
CREATE TABLE advices (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    digest text NOT NULL,
    place integer NOT NULL,
    file_name text NOT NULL,
    format text NOT NULL,
    channel text NOT NULL,
    problem text NOT NULL,
    shown text NOT NULL,
    currency text NOT NULL,
    paid_minor bigint NOT NULL,
    line_count integer NOT NULL,
    number text NOT NULL,
    payer text NOT NULL,
    payer_account text NOT NULL,
    day date,
    facts text NOT NULL,
    posting_id text NOT NULL,
    received_on date NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, id)
);
CREATE UNIQUE INDEX advices_by_file ON advices (shop_id, digest, place);
CREATE INDEX advices_by_day ON advices (shop_id, received_on);

-- Postings that advices explain, and by which ones: what they said is compared before a posting is decided anew.
CREATE TABLE advised_postings (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    advice_ids text NOT NULL,
    PRIMARY KEY (shop_id, posting_id)
);
