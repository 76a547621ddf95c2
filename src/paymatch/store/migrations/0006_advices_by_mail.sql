-- Advices by mail (D-91): the address that a mail came from, and by what the mailbox's own host proves it.
ALTER TABLE advices ADD COLUMN sender text NOT NULL DEFAULT '';
ALTER TABLE advices ADD COLUMN sender_proof text NOT NULL DEFAULT '';

-- Senders whose advices decide payments of a payer, by the word of a person. The payer's account or name is sealed.
CREATE TABLE advice_senders (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    address text NOT NULL,
    payer text NOT NULL,
    payer_name text NOT NULL,
    confirmed_at timestamp with time zone NOT NULL,
    PRIMARY KEY (shop_id, id)
);
