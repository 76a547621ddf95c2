"""Callbacks in PostgreSQL, and the state of a shop's deliveries."""
