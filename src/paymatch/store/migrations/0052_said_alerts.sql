-- Alerts keep their sentence as a code with values, so that pages say it in the reader's language. Those that were raised
-- before have no code, and are shown as they were written.

ALTER TABLE alerts ADD COLUMN code text NOT NULL DEFAULT '', ADD COLUMN named jsonb NOT NULL DEFAULT '{}';
