-- The limit of a day counts the last 24 hours (D-37): refunds that wait for it say so in today's words.
ALTER TABLE refunds NO FORCE ROW LEVEL SECURITY;
UPDATE refunds SET held_reason = 'a person must release it, or it waits: the sum of 24 hours would exceed refund-day-limit'
WHERE held_reason = 'a person must release it, or it waits for the next day: the day''s sum would exceed refund-day-limit';
ALTER TABLE refunds FORCE ROW LEVEL SECURITY;
