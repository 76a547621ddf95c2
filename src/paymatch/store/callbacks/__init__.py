"""Callbacks in PostgreSQL, and how a shop's deliveries fare."""
