-- What a bank may state as charges without a person being asked, and the least that a reminder goes out for (D-84).

ALTER TABLE shops
    ADD COLUMN bank_charge_basis_points integer NOT NULL DEFAULT 500
        CHECK (bank_charge_basis_points BETWEEN 0 AND 2000),
    ADD COLUMN bank_charge_limit_minor bigint NOT NULL DEFAULT 3000 CHECK (bank_charge_limit_minor >= 0),
    ADD COLUMN reminder_minimum_minor bigint NOT NULL DEFAULT 100 CHECK (reminder_minimum_minor >= 0);
