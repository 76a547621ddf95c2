-- The few callbacks that are held back or given up are counted without reading those that were delivered.
CREATE INDEX callbacks_held ON callbacks (shop_id, status, queued_at) WHERE status IN ('WAITING', 'PAUSED', 'GIVEN_UP');
