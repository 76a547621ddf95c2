-- An entry that could not be read belongs to a statement, and what a person typed of it counts in that statement's
-- balances. Of imports with several statements from before it is not known which one an entry belongs to.
ALTER TABLE import_errors
    ADD COLUMN statement_id text NOT NULL DEFAULT '',
    ADD COLUMN resolved_minor bigint;
UPDATE import_errors e SET statement_id = s.id FROM (
    SELECT shop_id, import_id, min(id) AS id FROM statements GROUP BY shop_id, import_id HAVING count(*) = 1
) s WHERE s.shop_id = e.shop_id AND s.import_id = e.import_id;
