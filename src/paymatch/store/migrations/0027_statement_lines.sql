-- One word per thing: a line of a statement is a statement line, in the table too.
ALTER TABLE posting_sightings RENAME TO statement_lines;
ALTER INDEX posting_sightings_by_posting RENAME TO statement_lines_by_posting;
ALTER INDEX posting_sightings_pkey RENAME TO statement_lines_pkey;
