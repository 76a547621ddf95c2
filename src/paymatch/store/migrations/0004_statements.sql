-- Statements: what each import said of a posting is kept, so that undoing it leaves what the others said.

ALTER TABLE postings ADD COLUMN facts_rank smallint NOT NULL DEFAULT 0;
ALTER TABLE postings ADD COLUMN date_rank smallint NOT NULL DEFAULT 0;
ALTER TABLE postings ADD COLUMN entry_group text NOT NULL DEFAULT '';
CREATE INDEX postings_by_group ON postings (shop_id, account, booking_date, entry_group) WHERE entry_group <> '';

-- facts: what this import said, where it is not what the posting says now.
ALTER TABLE posting_sightings ADD COLUMN format text NOT NULL DEFAULT '';
ALTER TABLE posting_sightings ADD COLUMN facts text NOT NULL DEFAULT '';

ALTER TABLE statements ADD COLUMN page integer;

-- An alert that a person has closed is not raised again for the same subject.
ALTER TABLE alerts ADD COLUMN resolved_by_hand boolean NOT NULL DEFAULT false;
CREATE INDEX postings_announced ON postings (shop_id, booking_date) WHERE source <> 'FINAL';
