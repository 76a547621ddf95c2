-- What /readyz writes and takes back, to see whether the database takes changes: always without rows. They are of some size
-- and not compressed, so that they need new pages, which a full disk does not give.
CREATE TABLE write_probes (
    filler text NOT NULL
);

ALTER TABLE write_probes ALTER COLUMN filler SET STORAGE PLAIN;

GRANT INSERT ON TABLE write_probes TO paymatch_operator;

-- When a process of each name was last at work: a worker that never ran leaves no other trace.
CREATE TABLE heartbeats (
    name text NOT NULL PRIMARY KEY,
    at timestamp with time zone NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON TABLE heartbeats TO paymatch_operator;
