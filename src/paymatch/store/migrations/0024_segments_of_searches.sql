-- Rows of searches are gathered into segments, each with bits of what its rows have (D-101): most rows need not be read.
-- searched: the table of the rows. newest: the latest day of its rows, and size how many they were when it was made.
CREATE TABLE search_segments (
    shop_id uuid NOT NULL,
    searched text NOT NULL,
    segment integer NOT NULL,
    newest date NOT NULL,
    size integer NOT NULL,
    signature bytea NOT NULL,
    PRIMARY KEY (shop_id, searched, newest, segment)  -- in the sequence in which they are read
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE search_segments ALTER COLUMN signature SET STORAGE PLAIN;  -- within the row: it is read with each search

-- segment: 0 until the row is gathered, and again after each rewrite.
ALTER TABLE order_search ADD COLUMN segment integer NOT NULL DEFAULT 0;
ALTER TABLE posting_search ADD COLUMN segment integer NOT NULL DEFAULT 0;
CREATE INDEX order_search_by_segment ON order_search USING btree (shop_id, segment);
CREATE INDEX posting_search_by_segment ON posting_search USING btree (shop_id, segment);

-- Lists sorted by the due date and by the amount of a posting are read from an index (D-136).
CREATE INDEX orders_by_due ON orders USING btree (shop_id, COALESCE(due_date, 'infinity'::date), number);
CREATE INDEX postings_by_size ON postings USING btree (shop_id, amount_minor, id);
