-- What makes it easier to let money go, and counts a day later only (D-58): who may release since when, raised limits.
CREATE TABLE new_powers (
    shop_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('person', 'second-factor', 'limit')),
    subject text NOT NULL,  -- the person's address, or the setting
    since timestamptz NOT NULL,
    given_by text NOT NULL,
    before_minor bigint,  -- of a limit: what holds until then
    PRIMARY KEY (shop_id, kind, subject)
);
