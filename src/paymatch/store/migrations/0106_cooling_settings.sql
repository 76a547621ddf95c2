-- Settings that let more money count as paid, and new accounts of the shop, take effect a day later as well (D-58).
-- Which kinds there are is known to CoolingKind alone: servers of the version before go on writing theirs meanwhile.
ALTER TABLE new_powers DROP CONSTRAINT new_powers_kind_check;
ALTER TABLE new_powers ADD COLUMN value text NOT NULL DEFAULT '';  -- of a setting: what it will be
