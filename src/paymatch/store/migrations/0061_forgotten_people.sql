-- People who were forgotten (D-63): the shop's own key of fingerprints, sealed; '' until somebody is forgotten.
ALTER TABLE shops ADD COLUMN print_key text NOT NULL DEFAULT '';

-- Of each deed from now on the chain holds a salted hash of its values instead of the values, so that they can be erased
-- and the chain still stands. `erased_at`: the values of the deed are gone.
ALTER TABLE audit_log ADD COLUMN salt bytea NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN digest bytea NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN erased_at timestamptz;
