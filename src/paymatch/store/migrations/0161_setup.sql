-- How far a new shop has been set up by its owner: steps that were skipped, the test mail, and since when it is live (D-93).
ALTER TABLE shops
    ADD COLUMN setup_skipped text[] NOT NULL DEFAULT '{}',
    ADD COLUMN trial_mail_at timestamptz,
    ADD COLUMN live_at timestamptz;

-- Shops that have orders already are not led through it.
UPDATE shops s SET live_at = now() WHERE EXISTS (SELECT FROM orders o WHERE o.shop_id = s.shop_id);
