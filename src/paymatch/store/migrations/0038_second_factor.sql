-- Who of a shop's people needs a second factor: nobody, those who may move money or settings, everybody.
ALTER TABLE shops ADD COLUMN second_factor text NOT NULL DEFAULT 'off'
    CHECK (second_factor IN ('off', 'money', 'all'));
