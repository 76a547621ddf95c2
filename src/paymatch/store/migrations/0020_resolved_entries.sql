-- Entries that could not be read are resolved by typing what they say: with which import that came into the books.
ALTER TABLE import_errors ADD COLUMN resolved_by text NOT NULL DEFAULT '';
