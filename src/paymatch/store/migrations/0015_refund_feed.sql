-- Refunds are listed in the order in which they were filed, and a transfer file that was never sent can be discarded.

-- Counted under the lock of the shop's counters until the commit: nobody who reads on behind a refund misses one.
ALTER TABLE event_counters ADD COLUMN last_refund bigint NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN filed bigint;

-- The owner of the tables is bound by their policies too, and has none.
ALTER TABLE refunds NO FORCE ROW LEVEL SECURITY;
ALTER TABLE event_counters NO FORCE ROW LEVEL SECURITY;
UPDATE refunds r SET filed = n.filed FROM (
    SELECT shop_id, id, row_number() OVER (PARTITION BY shop_id ORDER BY created_at, place, id) AS filed FROM refunds
) n WHERE r.shop_id = n.shop_id AND r.id = n.id;
UPDATE event_counters c SET last_refund = n.filed FROM (
    SELECT shop_id, max(filed) AS filed FROM refunds GROUP BY shop_id
) n WHERE c.shop_id = n.shop_id;
ALTER TABLE refunds FORCE ROW LEVEL SECURITY;
ALTER TABLE event_counters FORCE ROW LEVEL SECURITY;

ALTER TABLE refunds ALTER COLUMN filed SET NOT NULL;
ALTER TABLE refunds DROP COLUMN place;
CREATE UNIQUE INDEX refunds_by_filing ON refunds (shop_id, filed);

ALTER TABLE transfers DROP CONSTRAINT transfers_status_check;
ALTER TABLE transfers ADD CONSTRAINT transfers_status_check
    CHECK (status IN ('RELEASED', 'REJECTED', 'BOOKED', 'RETURNED', 'DISCARDED'));
ALTER TABLE transfer_files ADD COLUMN discarded_at timestamptz;
