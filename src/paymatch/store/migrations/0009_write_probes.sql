-- What /readyz writes and removes again, to see whether the database takes changes. Rows of some size, uncompressed: they
-- need new pages, which a full disk does not give. No key, so that nothing of them is left but space that is used again.
CREATE TABLE write_probes (
    filler text NOT NULL
);

ALTER TABLE write_probes ALTER COLUMN filler SET STORAGE PLAIN;

ALTER TABLE write_probes REPLICA IDENTITY FULL;

GRANT SELECT, INSERT, DELETE ON TABLE write_probes TO paymatch_operator;

-- When a process of each name was last at work: a worker that never ran leaves no other trace.
CREATE TABLE heartbeats (
    name text NOT NULL PRIMARY KEY,
    at timestamp with time zone NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON TABLE heartbeats TO paymatch_operator;
