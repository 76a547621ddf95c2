-- The token by which a collection agency and the service know each other (docs/decisions/061-agency-tokens.md).

-- `token` is sealed; '' where none was made. The token of before is taken until a moment, while the agency changes it.
ALTER TABLE collection_agencies ADD COLUMN token text NOT NULL DEFAULT '';
ALTER TABLE collection_agencies ADD COLUMN token_hash bytea;
ALTER TABLE collection_agencies ADD COLUMN token_before_hash bytea;
ALTER TABLE collection_agencies ADD COLUMN token_before_until timestamptz;
