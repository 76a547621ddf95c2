-- Settings that let more money count as paid, and new accounts of the shop, take effect a day later as well (D-58).
ALTER TABLE new_powers DROP CONSTRAINT new_powers_kind_check;
ALTER TABLE new_powers ADD CONSTRAINT new_powers_kind_check
    CHECK (kind IN ('person', 'second-factor', 'limit', 'setting', 'account'));
ALTER TABLE new_powers ADD COLUMN value text NOT NULL DEFAULT '';  -- of a setting: what it will be
