-- Lines first (D-40): statement lines are kept as they were shown, and the books are computed from them.
-- What older versions kept: per import and posting what the statement said, or '' if the posting says the same now.
-- A batch that a statement showed undivided, and that was divided since, is taken as that statement's payments.
CREATE TABLE lines_as_shown (
    shop_id uuid NOT NULL,
    statement_id text NOT NULL,
    position integer NOT NULL,
    detail integer NOT NULL,
    import_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    entry_minor bigint NOT NULL,  -- the sum of all lines of the entry
    booking_date date NOT NULL,
    source text NOT NULL,
    format text NOT NULL,
    series text NOT NULL,  -- pages of one statement have it in common
    page integer NOT NULL,
    facts text NOT NULL,
    posting_id text NOT NULL,  -- what the line stands for
    is_held boolean NOT NULL,  -- a person decided the posting when this line was among its lines
    PRIMARY KEY (shop_id, statement_id, position, detail)
);

INSERT INTO lines_as_shown
SELECT shop_id, statement_id,
       dense_rank() OVER (PARTITION BY shop_id, statement_id ORDER BY entry) - 1,
       row_number() OVER (PARTITION BY shop_id, statement_id, entry ORDER BY place, posting_id) - 1,
       import_id, account, currency,
       sum(amount_minor) OVER (PARTITION BY shop_id, statement_id, entry),
       min(booking_date) OVER (PARTITION BY shop_id, statement_id, entry),
       source, format, series, page, facts, posting_id, by_hand
FROM (
    SELECT l.shop_id, l.statement_id, l.import_id, l.posting_id, p.account, p.currency, p.amount_minor, p.by_hand,
           coalesce(nullif(p.entry_group, ''), p.id) AS entry,
           coalesce((said.facts::json ->> 'detail_index')::integer, 0) AS place,
           (said.facts::json ->> 'booking_date')::date AS booking_date, l.source,
           coalesce(nullif(l.format, ''), p.format) AS format,
           CASE WHEN s.page IS NULL OR s.statement_id || s.sequence = '' THEN ''
                ELSE concat_ws(' ', s.format, nullif(s.statement_id, ''), nullif(s.sequence, '')) END AS series,
           coalesce(s.page, 0) AS page, said.facts
    FROM statement_lines l
    JOIN postings p ON p.shop_id = l.shop_id AND p.id = l.posting_id
    LEFT JOIN statements s ON s.shop_id = l.shop_id AND s.id = l.statement_id
    CROSS JOIN LATERAL (SELECT coalesce(nullif(l.facts, ''), p.facts) AS facts) said
) kept;

DROP TABLE statement_lines;
ALTER TABLE lines_as_shown RENAME TO statement_lines;
ALTER INDEX lines_as_shown_pkey RENAME TO statement_lines_pkey;
CREATE INDEX statement_lines_by_sum ON statement_lines (shop_id, account, entry_minor, booking_date);
CREATE INDEX statement_lines_by_import ON statement_lines (shop_id, import_id);

DROP INDEX postings_by_group;
ALTER TABLE postings DROP COLUMN facts_rank, DROP COLUMN date_rank, DROP COLUMN entry_group;
