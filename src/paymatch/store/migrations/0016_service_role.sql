-- The service logs in as a role that owns nothing (D-43); it must see whether the database fits its version.
GRANT SELECT ON migrations TO PUBLIC;
