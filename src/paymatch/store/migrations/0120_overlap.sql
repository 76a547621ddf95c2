-- What proves the place of a final statement among the others of its account (D-81): the days of its balances, the lowest
-- and highest balance that it passes, and its sum per booking date, as JSON; NULL where its balances prove nothing.
ALTER TABLE statements ADD COLUMN course text;

UPDATE statements s SET course = json_build_object(
    'opening_date', s.first_date, 'closing_date', s.last_date, 'low_minor', NULL, 'high_minor', NULL, 'day_sums', (
        SELECT coalesce(json_agg(json_build_array(d.booking_date, d.amount_minor) ORDER BY d.booking_date), '[]')
        FROM (SELECT l.booking_date, sum(l.entry_minor)::bigint AS amount_minor FROM statement_lines l
              WHERE l.shop_id = s.shop_id AND l.statement_id = s.id AND l.detail = 0 GROUP BY 1) d))
WHERE s.source = 'FINAL' AND s.flags = '{}' AND s.first_date IS NOT NULL AND s.last_date IS NOT NULL
  AND s.closing_minor = s.opening_minor + s.booked_minor;
