-- A shop that comes with many orders into a large database is unknown to PostgreSQL's statistics: it expects one row of it,
-- and takes any index that begins with the shop. Matching then read all of the shop for each key that it looked up.

-- With the number in front, this index serves orders only, and never the look-up of a key.
CREATE INDEX match_keys_by_number ON match_keys (number, shop_id) INCLUDE (while_open);
DROP INDEX match_keys_by_order;

-- Rows are counted anew after so many changes, not after a tenth of the table, so that a new shop is known within minutes.
ALTER TABLE orders SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE match_keys SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);
ALTER TABLE events SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE callbacks SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE statement_lines SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE postings SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE posting_keys SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE allocations SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
