-- Accounts at payment services and marketplaces, and what their settlement files say (D-83). The postings of such an
-- account stand among the others; `account` is its id there, which is never that of a bank.
CREATE TABLE provider_accounts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    provider text NOT NULL,
    name text NOT NULL,
    layout text NOT NULL DEFAULT '',
    confirmed boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, account, currency)
);

-- A row of a settlement file. Rows of one `event` are booked as one; `paid_by` is the payout that passes it on.
CREATE TABLE settlement_lines (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    place integer NOT NULL,
    statement_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    event text NOT NULL,
    kind text NOT NULL,
    provider_id text NOT NULL,
    payment_id text NOT NULL,
    payout_id text NOT NULL,
    paid_by text NOT NULL DEFAULT '',
    facts text NOT NULL,
    PRIMARY KEY (shop_id, import_id, place)
);
CREATE INDEX settlement_lines_by_event ON settlement_lines (shop_id, account, currency, event);
CREATE INDEX settlement_lines_by_id ON settlement_lines (shop_id, account, currency, provider_id)
    WHERE provider_id <> '';
CREATE INDEX settlement_lines_by_payment ON settlement_lines (shop_id, account, payment_id) WHERE payment_id <> '';
CREATE INDEX settlement_lines_by_payout ON settlement_lines (shop_id, account, currency, payout_id)
    WHERE payout_id <> '';
CREATE INDEX settlement_lines_paid_by ON settlement_lines (shop_id, account, currency, paid_by) WHERE paid_by <> '';

CREATE TABLE stated_payouts (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    payout_id text NOT NULL,
    facts text NOT NULL,
    PRIMARY KEY (shop_id, import_id, account, currency, payout_id)
);
CREATE INDEX stated_payouts_by_payout ON stated_payouts (shop_id, account, currency, payout_id);

-- A payout as the files explain it, and the posting on a bank account that it is ('' while none is known).
CREATE TABLE payouts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    payout_id text NOT NULL,
    amount_minor bigint NOT NULL,
    gross_minor bigint NOT NULL,
    fee_minor bigint NOT NULL,
    own_fee_minor bigint NOT NULL,
    net_minor bigint NOT NULL,
    carried_in_minor bigint NOT NULL,
    carried_out_minor bigint NOT NULL,
    line_count integer NOT NULL,
    order_count integer NOT NULL,
    sent_on date,
    trace_id text NOT NULL,
    posting_id text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    short_minor bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (shop_id, account, currency, payout_id)
);
CREATE INDEX payouts_by_posting ON payouts (shop_id, posting_id) WHERE posting_id <> '';
CREATE INDEX payouts_by_day ON payouts (shop_id, sent_on, account, payout_id);

-- What a person has said of a posting: which payout it is, or with an empty id that it is none.
CREATE TABLE payout_decisions (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    payout_id text NOT NULL,
    PRIMARY KEY (shop_id, posting_id)
);

-- Postings that stand as payouts, without a look at all others.
CREATE INDEX postings_recognised ON postings (shop_id, id) WHERE status = 'ignored' AND NOT by_hand;
