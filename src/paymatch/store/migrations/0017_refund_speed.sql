-- How fast one refund goes (D-131). "": as the shop's `transfer-speed` says.
ALTER TABLE refunds ADD COLUMN speed text NOT NULL DEFAULT '';

-- Its instant transfer was refused, and the shop lets such refunds go on as normal transfers by themselves.
ALTER TABLE refunds ADD COLUMN follows_instant boolean NOT NULL DEFAULT false;

-- What follows a refused instant transfer: `ask` a person, or `normal`.
ALTER TABLE shops ADD COLUMN instant_refused text NOT NULL DEFAULT 'ask';

-- Which transfer files ask the bank for the payee check: `off`, `single` (files of one transfer), `on`.
ALTER TABLE shops ADD COLUMN payee_check text NOT NULL DEFAULT 'off';

-- Whether this upload asks for it: the order then waits in the bank for a signature.
ALTER TABLE ebics_uploads ADD COLUMN payee_check boolean NOT NULL DEFAULT false;

-- For such a seller, payment later than 14 days after delivery is a consumer credit, for others later than 50 (D-131).
ALTER TABLE shops ADD COLUMN large_online_seller boolean NOT NULL DEFAULT false;
