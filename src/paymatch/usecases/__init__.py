"""The only place where a decision meets the database: lock, load, decide, save, queue."""
