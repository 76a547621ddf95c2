"""The tables of shops on several PostgreSQL nodes, by shop id, with Citus (D-79)."""
