-- Secrets of second factors are sealed as well: what was stored before is sealed by the next walk (D-44).

UPDATE sealing_keys SET complete = false;
