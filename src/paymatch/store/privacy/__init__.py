"""Personal data in PostgreSQL: search, export and erasure of a person (D-63)."""
