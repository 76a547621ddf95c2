-- How often strangers ask for customers' pages, counted by all server processes together (D-51). It belongs to no shop.
-- Nothing of it needs to survive a crash: it is forgotten within minutes anyway.
CREATE UNLOGGED TABLE page_allowances (
    name bigint PRIMARY KEY, -- a hash of who or what is counted
    full_at timestamptz NOT NULL -- when the name has all of its allowance again
);
CREATE INDEX page_allowances_full ON page_allowances (full_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_allowances TO paymatch_operator;
