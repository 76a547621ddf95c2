-- Ports beside 443 and 80 that a shop's callbacks may go to. Receivers that are set keep theirs.

ALTER TABLE shops ADD COLUMN callback_ports integer[] NOT NULL DEFAULT '{}';

UPDATE shops SET callback_ports = ARRAY[substring(callback_url FROM '^[a-zA-Z]+://[^/?#]*:([0-9]{1,5})(?:[/?#]|$)')::integer]
 WHERE substring(callback_url FROM '^[a-zA-Z]+://[^/?#]*:([0-9]{1,5})(?:[/?#]|$)')::integer NOT IN (443, 80);
