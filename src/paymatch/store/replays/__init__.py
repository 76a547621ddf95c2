"""Replays in PostgreSQL: their state, their input by day, their outcomes."""
